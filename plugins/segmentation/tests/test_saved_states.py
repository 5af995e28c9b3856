"""Damaged or made-up state files end in one line or in a number, never in a crash."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from valor_segmentation import plugin

from valor_core import Evaluator
from valor_core.errors import StateError
from valor_core.schemas.segmentation import Segmentation, SegmentationBatch

from .support import REGISTRY, results_of
from .test_laws import METRICS, items_of

Change = Callable[[NDArray[Any]], Any]


def _filled(array: NDArray[Any], value: float) -> NDArray[Any]:
    """The array with one number everywhere, in its own type where that holds it."""
    if array.dtype.kind in "US":
        return np.full(array.shape, "same")
    return np.full(array.shape, value).astype(array.dtype)


def _extreme(array: NDArray[Any], *, is_least: bool) -> NDArray[Any]:
    if array.dtype.kind not in "iu":
        return _filled(array, -1e30 if is_least else 2.0**63)
    limits = np.iinfo(array.dtype)
    return np.full(array.shape, limits.min if is_least else limits.max, array.dtype)


CHANGES: dict[str, Change] = {
    "cut by a row": lambda array: array[:-1],
    "emptied": lambda array: array[:0],
    "doubled": lambda array: np.concatenate([array, array]),
    "reversed": lambda array: array[::-1],
    "all 0": lambda array: _filled(array, 0),
    "all -1": lambda array: _filled(array, -1),
    "all 10**7": lambda array: _filled(array, 10**7),
    "all 2**63 - 1": lambda array: _extreme(array, is_least=False),
    "least number": lambda array: _extreme(array, is_least=True),
    "not numbers": lambda array: np.full(array.shape, np.nan),
    "not numbers in its type": lambda array: _filled(
        array, np.nan if array.dtype.kind == "f" else 0
    ),
    "infinite": lambda array: _filled(array, np.inf if array.dtype.kind == "f" else 1),
    "float32": lambda array: array if array.dtype.kind == "U" else array.astype(np.float32),
    "text": lambda array: np.full(array.shape, "x"),
    "flat": lambda array: array.reshape(-1),
    "deeper": lambda array: array[None],
    "a single number": lambda array: array.reshape(-1)[0] if array.size else np.int64(0),
}


def _changed(array: NDArray[Any]) -> list[Any]:
    """The array under every change; those that give the same are one."""
    changed = [np.asarray(change(array)) for change in CHANGES.values()]
    return [*{(one.dtype, one.shape, one.tobytes()): one for one in changed}.values()]


ALL = [*METRICS, "BoundaryIOU", "Hausdorff", "PanopticQuality", "SegmentationQuality"]
RANGES = {spec.short_name: spec.range for spec in plugin.valor_metrics()}


SAME = Segmentation("same", [[0, 1, 2, 3]], [[0, 1, 2, 3]], ["cat", "dog", "bee"])
"""An image whose labels are all matched."""


def _saved(choice: Any, path: Path) -> dict[str, Any]:
    evaluator = Evaluator([choice], "segmentation", registry=REGISTRY)
    evaluator.update(SegmentationBatch.of(items_of(1)[:5]))
    evaluator.update(SegmentationBatch.of([*items_of(1)[5:], SAME]))
    evaluator.save(path)
    with np.load(path) as archive:
        return dict(archive)


def _of_states(arrays: dict[str, Any]) -> list[str]:
    """Names of the arrays that states wrote; uids of the items are the archive's own."""
    states = json.dumps(json.loads(arrays["header"].tobytes())["slices"])
    return [f"array{number}" for number in re.findall(r'{"array": (\d+)}', states)]


def _said(choice: Any, path: Path) -> str:
    """Return the error of a state file, or an empty string if all of its results can be read."""
    evaluator = Evaluator([choice], "segmentation", registry=REGISTRY)
    try:
        evaluator.resume(path)
    except StateError as error:
        if not isinstance(error.__cause__, StateError):
            raise  # no state said it: something fell over what the file holds
        return error.message
    report = evaluator.compute()
    report.to_json()
    assert not [one for one in report.results if one.error]
    assert all(number in RANGES[one.type] for one in report for number in _numbers(one))
    return ""


def _numbers(result: Any) -> list[float]:
    return [] if result.number is None else [result.number]


@pytest.mark.parametrize("choice", ALL, ids=str)
def test_changed_array_of_a_state_file_raises_one_line_or_gives_a_number(
    choice: Any, tmp_path: Path
) -> None:
    path = tmp_path / "state.npz"
    arrays = _saved(choice, path)
    assert _of_states(arrays)
    for name in _of_states(arrays):
        for changed in _changed(arrays[name]):
            path.unlink()  # overwriting a file waits for the disk
            np.savez(path, **arrays | {name: changed})
            assert "\n" not in _said(choice, path)


def _with_header(arrays: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    text = arrays["header"].tobytes().decode()
    start = text.index('"slices"')
    assert re.search(old, text[start:])
    changed = text[:start] + re.sub(old, lambda _: new, text[start:], count=1)
    return arrays | {"header": np.frombuffer(changed.encode(), np.uint8)}


@pytest.mark.parametrize(
    ("choice", "old", "new", "said"),
    [
        ("PanopticQuality", r'"0x[^"]*"', f'"{9 * "0x1p+0 "}"', "ious: expected 5 exact sums"),
        ("PanopticQuality", r' 0x[^" ]*"', '"', "ious: expected 5 exact sums, found"),
        ("PanopticQuality", r'"0x[^" ]*', '"-0x1p+0', "ious: expected sums from 0 to"),
        ("PanopticQuality", r'"0x[^"]*"', f'"{5 * "0x0p+0 "}"', "ious: expected sums of IoUs abo"),
        ("PanopticQuality", r'"0x[^"]*"', '"0x1p+9999"', "ious: exact sum: expected a sum within"),
        ("PanopticQuality", r'"0x[^"]*"', '"cat"', "ious: exact sum: expected text such as"),
        ("PanopticQuality", r'"0x[^"]*"', "7", "ious: expected 5 exact sums, found 7"),
        ("PanopticQuality", r'{"label": \["class", "cat"\]}', '"cat"', "labels: expected labels"),
        ("Hausdorff", r'"0x[^" ]*', '"0x1p+90', "diagonals: expected sums from 0 to"),
        ("Hausdorff", r'\["0x[^"]*", ', "[", "sums: expected those of 2 percentiles, found ["),
        ("IOU", r'\["class", "cat"\]', '["class", "dog"]', "labels: expected distinct labels"),
        ("IOU", r'\["class", "cat"\]', '["other", "cat"]', "labels: expected labels of the key"),
        (
            {"name": "Examples", "order": "boundary_iou"},
            r'"cat", [0-9.]+\]',
            '"cat", "a"]',
            "rows: expected uid, label key and values of labels, found",
        ),
    ],
    ids=str,
)
def test_changed_header_of_a_state_file_raises_one_line(
    choice: Any, old: str, new: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "state.npz"
    np.savez(path, **_with_header(_saved(choice, path), old, new))

    assert said in _said(choice, path)


def test_state_file_whose_images_and_table_disagree_is_rejected(
    tmp_path: Path,
) -> None:
    path = tmp_path / "state.npz"
    arrays = _saved("Examples", path)
    shapes = {name: arrays[name].shape for name in _of_states(arrays)}
    table = next(name for name, (*_, last) in shapes.items() if shapes[name] == (last, last))
    np.savez(path, **arrays | {table: arrays[table] + 1})

    assert "chunks: expected the pixels of the table, found others" in _said("Examples", path)


def _double(state: Any, times: int) -> None:
    for _ in range(times):
        state.merge(state)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("IOU", "counts: expected at most 2.3e+18 in all, found 4.0e+18"),
        ("mIOU", "counts: expected at most 2.3e+18 in all, found 4.0e+18"),
        ("Accuracy", "counts: expected at most 2.3e+18 in all, found 4.0e+18"),
        ("BoundaryIOU", "counts: expected at most 2.3e+18 in all, found 3.8e+18"),
        ("Hausdorff", "counts: expected at most 2.3e+18 in all, found 3.7e+18"),
        ("PanopticQuality", "counts: expected at most 2.3e+18 in all, found 2.7e+18"),
    ],
)
def test_counts_above_64_bits_are_rejected(metric: str, message: str) -> None:
    batch = SegmentationBatch.of(items_of(1))
    left = Evaluator([metric], "segmentation", registry=REGISTRY)
    left.update(batch)
    state = left.state.states[next(iter(left.state.states))][0]
    other = left.evaluation.plan.new_states()[0]
    other.merge(state)
    with pytest.raises(StateError, match=re.escape(message)):
        _double(other, 64)

    fitting = left.evaluation.plan.new_states()[0]
    fitting.merge(state)
    _double(fitting, 40)
    bound = left.evaluation.plan.metrics[0].make()
    one, many = ([r.number for r in bound.compute(one_state)] for one_state in (state, fitting))
    assert one == pytest.approx(many)


def test_a_saved_state_gives_the_bits_that_it_was_saved_with(tmp_path: Path) -> None:
    evaluator = Evaluator(ALL, "segmentation", registry=REGISTRY)
    evaluator.update(SegmentationBatch.of(items_of(2)))
    evaluator.save(tmp_path / "state.npz")
    other = Evaluator(ALL, "segmentation", registry=REGISTRY)
    other.resume(tmp_path / "state.npz")

    found = [result.to_dict() for result in other.compute().results]
    assert found == [r.to_dict() for r in results_of(SegmentationBatch.of(items_of(2)), *ALL)]

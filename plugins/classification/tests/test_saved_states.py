"""Damaged or made-up state files end in one line or in a number, never in a crash."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from valor_classification import kernels, plugin
from valor_classification.readers.arrays import from_arrays

from valor_core import Evaluator
from valor_core.errors import StateError
from valor_core.schemas.classification import ClassificationBatch

from .support import PETS, SETS
from .test_conformance import PARAMETERS

Change = Callable[[NDArray[Any]], Any]


def _filled(array: NDArray[Any], value: float) -> NDArray[Any]:
    """The array with one number everywhere, in its own type where that holds it."""
    if array.dtype.kind in "US":
        return np.full(array.shape, "same")
    return np.full(array.shape, value).astype(array.dtype)


CHANGES: dict[str, Change] = {
    "cut by a row": lambda array: array[:-1],
    "emptied": lambda array: array[:0],
    "doubled": lambda array: np.concatenate([array, array]),
    "reversed": lambda array: array[::-1],
    "all 0": lambda array: _filled(array, 0),
    "all -1": lambda array: _filled(array, -1),
    "all 10**7": lambda array: _filled(array, 10**7),
    "all 2**63 - 1": lambda array: (
        np.full(array.shape, np.iinfo(array.dtype).max, array.dtype)
        if array.dtype.kind in "iu"
        else _filled(array, 2.0**63)
    ),
    "least number": lambda array: (
        np.full(array.shape, np.iinfo(array.dtype).min, array.dtype)
        if array.dtype.kind in "iu"
        else _filled(array, -1e30)
    ),
    "not numbers": lambda array: np.full(array.shape, np.nan),
    "not numbers in its type": lambda array: _filled(
        array, np.nan if array.dtype.kind == "f" else 0
    ),
    "infinite": lambda array: np.full(array.shape, np.inf, np.float32),
    "float32": lambda array: array.astype(np.float32) if array.dtype.kind != "U" else array,
    "text": lambda array: np.full(array.shape, "x"),
    "flat": lambda array: array.reshape(-1),
    "a single number": lambda array: array.reshape(-1)[0] if array.size else np.int64(0),
}

MATRIX = from_arrays(
    np.random.default_rng(3).integers(0, 3, 40),
    np.random.default_rng(4).random((40, 3)).round(1),
    uids=[f"u{i}" for i in range(40)],
)
BATCHES = {
    "matrix": MATRIX,
    "lists": ClassificationBatch.of(PETS),
    "sets": ClassificationBatch.of(SETS),
}

RANGES = {spec.short_name: spec.range for spec in plugin.valor_metrics()}


def _changed(array: NDArray[Any]) -> list[Any]:
    """The array under every change; those that give the same are one."""
    changed = [np.asarray(change(array)) for change in CHANGES.values()]
    return [*{(one.dtype, one.shape, one.tobytes()): one for one in changed}.values()]


def _choices() -> Iterator[tuple[str, dict[str, Any]]]:
    for spec in plugin.valor_metrics():
        for parameters in PARAMETERS.get(spec.name, [{}]):
            # An order of labels is of the conformance kit's data.
            yield (
                spec.short_name,
                {key: value for key, value in parameters.items() if key != "order"},
            )


def _of_states(arrays: dict[str, Any]) -> list[str]:
    """Names of the arrays that states wrote; uids of the items are the archive's own."""
    states = json.dumps(json.loads(arrays["header"].tobytes())["slices"])
    return [f"array{number}" for number in re.findall(r'{"array": (\d+)}', states)]


def _saved(choice: dict[str, Any], batch: ClassificationBatch, path: Path) -> dict[str, Any]:
    evaluator = Evaluator([choice], "classification")
    evaluator.update(batch)
    evaluator.save(path)
    with np.load(path) as archive:
        return dict(archive)


@pytest.mark.parametrize("form", BATCHES)
@pytest.mark.parametrize(("metric", "parameters"), list(_choices()), ids=str)
def test_changed_array_of_a_state_file_raises_one_line_or_gives_a_number(
    metric: str, parameters: dict[str, Any], form: str, tmp_path: Path
) -> None:
    choice = {"name": metric} | parameters
    path = tmp_path / "state.npz"
    arrays = _saved(choice, BATCHES[form], path)
    for name in _of_states(arrays):
        for changed in _changed(arrays[name]):
            path.unlink()  # overwriting a file waits for the disk
            np.savez(path, **arrays | {name: changed})
            _check_error(choice, path)


def _check_error(choice: dict[str, Any], path: Path) -> None:
    """Reject a state file with one line, or read all of its results."""
    evaluator = Evaluator([choice], "classification")
    try:
        evaluator.resume(path)
    except StateError as error:
        raised = error
    else:
        _check_results(choice, evaluator)
        return
    assert isinstance(raised.__cause__, StateError), raised
    assert "\n" not in raised.message


def _check_results(choice: dict[str, Any], evaluator: Evaluator) -> None:
    report = evaluator.compute()
    report.to_json()
    assert not [one for one in report.results if "Error" in (one.error or "")]
    assert all(number in RANGES[choice["name"]] for number in report.flat().values())


def _without_last_label(value: Any) -> Any:
    """The header of a state file, without the last label of each state."""
    if isinstance(value, dict):
        return {key: _without_last_label(one) for key, one in value.items()}
    if not isinstance(value, list):
        return value
    is_labels = bool(value) and all(isinstance(one, dict) and "label" in one for one in value)
    return value[:-1] if is_labels else [_without_last_label(one) for one in value]


@pytest.mark.parametrize(
    ("metric", "truths", "message"),
    [
        ("ConfusionMatrix", [0, 1, 2], "cells: expected codes of 2 labels"),
        ("ConfusionMatrix", [0, 1, 1], "cells: expected codes of 2 labels"),
        ("Examples", [0, 1, 2], "truth_labels: expected numbers of at most 1, found 2"),
        ("Examples", [0, 1, 1], "labels: expected numbers of at most 1, found 2"),
        ("Recall", [0, 1, 2], "predicted: expected the shape 2 by 2"),
        ("ROCAUC", [0, 1, 2], "truths: expected the shape 2"),
    ],
)
def test_state_file_with_codes_beyond_its_labels_is_rejected(
    metric: str, truths: list[int], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "state.npz"
    scores = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    arrays = _saved({"name": metric}, from_arrays(truths, scores), path)
    header = json.loads(arrays["header"].tobytes())
    header["slices"] = _without_last_label(header["slices"])
    np.savez(path, **arrays | {"header": np.frombuffer(json.dumps(header).encode(), np.uint8)})

    with pytest.raises(StateError, match=message):
        Evaluator([metric], "classification").resume(path)


@pytest.mark.parametrize(("form", "column"), [("matrix", [0, 1, 3]), ("lists", None)])
def test_state_file_with_scores_of_a_label_beyond_its_labels_is_rejected(
    form: str, column: Any, tmp_path: Path
) -> None:
    path = tmp_path / "state.npz"
    arrays = _saved({"name": "ROCAUC"}, BATCHES[form], path)
    if column is not None:
        name = next(name for name, array in arrays.items() if array.tolist() == [0, 1, 2])
        changed = np.array(column)
    else:
        name = next(name for name, array in arrays.items() if array.dtype == np.int32)
        labels = max(array.shape[0] for array in arrays.values() if array.dtype == np.int64)
        changed = arrays[name].copy()
        changed[-1] = 2 * labels
    np.savez(path, **arrays | {name: changed})

    with pytest.raises(StateError, match="expected numbers of at most"):
        Evaluator(["ROCAUC"], "classification").resume(path)


@pytest.mark.parametrize("metric", ["ROCAUC", "AveragePrecision", "ROCCurve"])
def test_a_state_file_with_a_row_of_scores_cut_does_not_crash(metric: str, tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    arrays = _saved({"name": metric}, MATRIX, path)
    values = next(name for name, array in arrays.items() if array.shape == (40, 3))
    np.savez(path, **arrays | {values: arrays[values][:-1]})
    with pytest.raises(
        StateError, match="expected a saved state, its content is damaged, rows: expected numbers"
    ):
        Evaluator([metric], "classification").resume(path)


@pytest.mark.parametrize("metric", ["ROCAUC", "AveragePrecision", "ROCCurve"])
def test_a_state_file_whose_scores_are_not_numbers_does_not_hang(
    metric: str, tmp_path: Path
) -> None:
    path = tmp_path / "state.npz"
    arrays = _saved({"name": metric}, MATRIX, path)
    values = next(name for name, array in arrays.items() if array.shape == (40, 3))
    np.savez(path, **arrays | {values: np.full((40, 3), np.nan)})
    with pytest.raises(
        StateError, match="expected a saved state, its content is damaged, values: expected finite"
    ):
        Evaluator([metric], "classification").resume(path)


def test_ranks_of_scores_that_are_not_numbers_come_to_an_end() -> None:
    scores = np.array([0.5, np.nan, np.nan])
    kernels.ranking.rank_label(scores, scores[1:])
    kernels.ranking.rank_curve(scores, scores[1:])

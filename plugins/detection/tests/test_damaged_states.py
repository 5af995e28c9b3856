"""Damaged and forged state files raise an error of one line and never crash."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from valor_cli.program.program import program
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.names_and_shapes import Outlines
from valor_detection.matching.overlap.shapes import ShapeIOU

from valor_core import Evaluator
from valor_core.errors import StateError
from valor_core.schemas import Label
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Polygon
from valor_core.specs import MetricSpec

from .support import REGISTRY, ROW, pose, predicted, true

Array = NDArray[Any]

TURNED = Polygon([(0, 0), (8, 0), (8, 8)])
POSE = pose((0, 0, 8, 8))
TURNED_OBJECT = TrueObject([("color", "red")], TURNED, uid="t", keypoints=POSE)
DATA = (
    *ROW,
    Detection(
        "e",
        [true("dog", 0, 0, 9, 9, is_crowd=True), TURNED_OBJECT],
        [
            PredictedObject({"dog": 0.75, "cat": 0.25}, TURNED, "p", POSE),
            predicted([(("color", "red"), 0.5)], 0, 0, 8, 8),
        ],
    ),
)
METRICS = sorted(spec.name for spec in REGISTRY.all(MetricSpec) if spec.task == "detection")
CHOSEN: dict[str, dict[str, Any]] = {
    "detection.ConfusionMatrix": {"max_examples": 2},
    "detection.DetailedPrecisionRecallCurve": {"max_examples": 2},
}


def greatest(array: Array) -> Array:
    worst = np.iinfo(array.dtype).max if array.dtype.kind in "iu" else np.nan
    return np.full_like(array, worst)


CHANGES: dict[str, Callable[[Array], Array]] = {
    "cut by a row": lambda array: array[:-1],
    "one row": lambda array: array[:1],
    "no row": lambda array: array[:0],
    "a row more": lambda array: np.concatenate([array, array[-1:]]),
    "all rows twice": lambda array: np.concatenate([array, array]),
    "backwards": lambda array: array[::-1],
    "times two": lambda array: array * array.dtype.type(2),
    "all ten million": lambda array: np.full_like(array, 10**7),
    "the greatest, or NaN": greatest,
    "infinite": lambda array: np.full_like(array, np.inf),
    "all -1": lambda array: np.full_like(array, -1),
    "all the least": lambda array: np.full_like(array, np.iinfo(array.dtype).min),
    "all 0": np.zeros_like,
    "half as wide": lambda array: array.astype(array.dtype.str.replace("8", "4")),
    "of the other byte order": lambda array: array.astype(array.dtype.newbyteorder()),
    "text": lambda array: array.astype("U"),
    "complex": lambda array: array.astype(complex),
    "one number": lambda array: array[0],
    "a column of rows": lambda array: array[:, None],
    "no characters": lambda array: np.full(array.shape, 0xFFFFFFFF, np.uint32).view("U1"),
}
KNOWN = ("state: expected", "expected scores in [0, 1]")
"""Messages of undefined results for states that contradict each other or a metric."""


def saved(path: Path, name: str, data: Any = DATA) -> dict[str, Array]:
    evaluator = Evaluator([{"name": name} | CHOSEN.get(name, {})], "detection", registry=REGISTRY)
    evaluator.update(data)
    evaluator.save(path)
    with np.load(path) as archive:
        return dict(archive)


def of_the_states(arrays: dict[str, Array]) -> dict[str, Array]:
    """Return the arrays of states, which the header lists."""
    slices = json.dumps(json.loads(arrays["header"].tobytes())["slices"])
    return {f"array{i}": arrays[f"array{i}"] for i in re.findall(r'"array": (\d+)', slices)}


def changed(array: Array, change: Callable[[Array], Array]) -> Array | None:
    """Return a changed array; None if it cannot be changed."""
    try:
        with np.errstate(all="ignore"):
            other = change(array)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    same = other.dtype == array.dtype and np.array_equal(other, array)
    return None if same else other


@pytest.mark.parametrize("name", METRICS)
def test_state_file_with_one_changed_column_never_crashes(tmp_path: Path, name: str) -> None:
    path = tmp_path / "state.npz"
    arrays = saved(path, name)
    refused = []
    # Metrics share states: each gets a third of the changes, so every state gets all of them.
    changes = list(CHANGES.values())[METRICS.index(name) % 3 :: 3]
    for place, array in arrays.items():
        if place == "header":
            continue
        for change in changes:
            other = changed(array, change)
            if other is None:
                continue
            path.unlink()  # overwriting a file waits for the disk
            np.savez(path, **(arrays | {place: other}))
            try:
                results = Evaluator.load(path, registry=REGISTRY).compute().results
            except StateError as error:
                refused.append(error.message)
                continue
            errors = [result.to_dict().get("error", KNOWN[0]) for result in results]
            assert all(error.startswith(KNOWN) for error in errors)
    assert len(refused) > 30
    assert not any("\n" in message for message in refused)


COLUMNS = [
    ("uids", np.array(["a", "a"]), "expected each uid once, found it 2 times"),
    ("datums", [1, 0, 1], "expected ascending numbers"),
    ("datums", [0, 0, 2], "datums: expected numbers of at most 1"),
    ("datums", [0, 0, 0], "expected pairs of objects of one image"),
    ("labels", [1, 0, 0], "expected pairs of objects that may"),
    ("labels", [0, 0, 2], "labels: expected numbers of at most 1"),
    ("true_labels", [-1, 0], "expected numbers of 0 or more, found -1"),
    ("crowd", [0, 1], "expected an array of bool, found int64"),
    ("scores", [0.5, np.nan, 0.5], "expected finite numbers, found nan"),
    ("areas", [1.0, 2.0], "expected the shape 3, found 2"),
    ("starts", [0, 1, 2**63 - 1, 2], "expected increasing offsets from 0 to 2"),
    ("truths", [0, 2], "truths: expected numbers of at most 1"),
    ("truths", None, "expected an array, found None"),
    ("ious", [0.5, -0.5], "expected numbers of 0 or more, found -0.5"),
    ("ious", [0.5, 1e308], "expected numbers of at most 2, found 1e+308"),
]


@pytest.mark.parametrize(("name", "values", "message"), COLUMNS)
def test_invalid_column_of_objects_is_rejected(name: str, values: Any, message: str) -> None:
    one, two = (predicted({label: 0.5}, 0, 0, 9, 9) for label in ("dog", "cat"))
    own = true("dog", 0, 0, 9, 9)
    state = Overlaps(ShapeIOU(), (0.5,), (0.5,), ("label",))
    state.update(
        DetectionBatch.of([Detection("a", [own], [one, two]), Detection("b", [own], [one])])
    )
    content = state.dump()
    content["chunk"][name] = None if values is None else np.array(values)

    with pytest.raises(StateError, match=re.escape(message)):
        Overlaps(ShapeIOU(), (0.5,), (0.5,), ("label",)).restore(content)


CONTENTS = [
    ({"labels": None}, "expected labels, found None"),
    ({"labels": [Label("class", "dog")] * 2}, "expected distinct labels, found one twice"),
    ({"label_ids": {2: 0}}, "expected a whole number for each of 2"),
    ({"label_ids": [1]}, "expected numbers of labels, found [1]"),
    ({"label_groups": {0: 1}}, "expected a name for each of 2 labels, found 1 for 0"),
    ({"label_groups": None}, "expected groups of labels, found None"),
    ({"chunk": None}, "expected columns by name, found None"),
]


@pytest.mark.parametrize(("fields", "message"), CONTENTS)
def test_invalid_state_of_objects_is_rejected(fields: dict[str, Any], message: str) -> None:
    labels = [Label("class", "dog"), Label("class", "cat")]
    content = {"labels": labels, "label_ids": {}, "label_groups": {}, "chunk": {}} | fields
    with pytest.raises(StateError, match=re.escape(message)):
        Overlaps(ShapeIOU(), (0.5,), (0.5,), ("label",)).restore(content)


SIDES = [
    ("datums", np.array([0, 5]), "expected numbers of at most 0, found 5"),
    ("kinds", np.array([0, 2], np.uint8), "expected numbers of at most 1, found 2"),
    ("boxes", np.zeros((2, 3)), "expected the shape 2 by 4, found 2 by 3"),
    ("boxes", np.full((2, 4), 1e308), "expected finite numbers, found inf"),
    ("names", ["a"], "expected 2 rows as in datums, found 1"),
    ("names", [1.5, "a"], "expected text or whole numbers"),
    ("rings", None, "expected those of the polygons, found none"),
    ("rings", [], "expected points and three columns"),
    (
        "rings",
        [np.zeros((3, 2)), np.array([0, 9]), np.array([0, 1]), np.array([0, 0, 1])],
        "expected increasing offsets from 0 to 3",
    ),
    (
        "rings",
        [np.zeros((3, 2)), np.array([0, 3]), np.empty(0, np.int64), np.array([0, 0, 1])],
        "expected the shape 1, found 0",
    ),
]


@pytest.mark.parametrize(("name", "values", "message"), SIDES)
def test_invalid_column_of_shapes_is_rejected(name: str, values: Any, message: str) -> None:
    state = Outlines()
    box, polygon = predicted({"dog": 0.5}, 0, 0, 9, 9), PredictedObject({"dog": 0.5}, TURNED)
    state.update(DetectionBatch.of([Detection("a", [], [box, polygon])]))
    content = state.dump()
    content["sheets"][0][2][name] = values

    with pytest.raises(StateError, match=re.escape(message)):
        Outlines().restore(content)


def test_names_of_other_objects_are_rejected(tmp_path: Path) -> None:
    """Otherwise, examples of a changed state would be those of other images."""
    arrays = saved(tmp_path / "state.npz", "detection.Examples")
    for place, array in of_the_states(arrays).items():
        if array.tolist() == ["a", "b", "c", "d", "e"]:
            last = place
    np.savez(tmp_path / "state.npz", **(arrays | {last: np.array(["a", "b", "c", "d", "f"])}))

    (result,) = Evaluator.load(tmp_path / "state.npz", registry=REGISTRY).compute().results
    assert result.to_dict()["error"].startswith(
        "state: expected names and shapes of the counted objects, found those of other objects"
    )


def test_valor_merge_names_damaged_column_of_a_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arrays = saved(Path("state.npz"), "detection.AP")
    codes = [place for place, array in of_the_states(arrays).items() if array.dtype == np.int64]
    np.savez("state.npz", **(arrays | {codes[-1]: np.full_like(arrays[codes[-1]], 10**7)}))
    found = CliRunner().invoke(program, ["merge", "state.npz"])

    assert found.exit_code == 2
    message, *remedy = found.stderr.splitlines()
    assert message.startswith("valor: state.npz: ")
    assert message.endswith("truths: expected numbers of at most 6, found 10000000")
    assert len(remedy) < 2

"""Arrays at odd addresses have the same values, and no kernel reads them there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from valor_segmentation.readers.in_memory import from_arrays

from valor_core import evaluate
from valor_core.kernels import compiled

RANDOM = np.random.default_rng(3)
CLASSIFICATION = ["ROCAUC", "AveragePrecision", "CalibrationError", "Accuracy", "ConfusionMatrix"]
SEGMENTATION = ["IOU", "ConfusionMatrix", "PanopticQuality", "Hausdorff", "BoundaryIOU"]


def unaligned(values: Any) -> Any:
    """A view of the same values whose address is odd."""
    values = np.asarray(values)
    room = np.zeros(values.nbytes + 1, np.uint8)
    view = room[1:].view(values.dtype).reshape(values.shape)
    view[...] = values
    assert values.itemsize == 1 or not view.flags.aligned
    return view


@pytest.fixture(autouse=True)
def addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the addresses that kernels get."""
    unchecked = compiled.addresses

    def checked(kinds: Any, values: list[Any]) -> list[Any]:
        found = unchecked(kinds, values)
        for address, value in zip(found, values, strict=True):
            assert not isinstance(value, np.ndarray) or address % value.dtype.alignment == 0
        return found

    monkeypatch.setattr(compiled, "addresses", checked)


def values(data: Any, metrics: list[str], task: str) -> list[Any]:
    return [result.value for result in evaluate(data, metrics, task).results]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, ">f8"])
def test_unaligned_scores_have_the_same_values(dtype: Any) -> None:
    true = RANDOM.integers(0, 3, 200)
    scores = RANDOM.dirichlet(np.ones(3), 200).astype(dtype)
    right = evaluate(true, scores, CLASSIFICATION)
    found = evaluate(unaligned(true), unaligned(scores), CLASSIFICATION)
    assert [one.value for one in found.results] == [one.value for one in right.results]


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.uint64, ">i4"])
def test_unaligned_label_images_have_the_same_values(dtype: Any) -> None:
    sides = [RANDOM.integers(0, 3, (2, 20, 20)).astype(dtype) for _ in range(2)]
    right, found = (
        values(
            from_arrays(*map(make, sides), labels=["a", "b"]),
            SEGMENTATION,
            "segmentation",
        )
        for make in (np.asarray, unaligned)
    )
    assert found == right


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_unaligned_boxes_have_the_same_values(dtype: Any) -> None:
    corners = RANDOM.integers(0, 50, (20, 2))
    boxes = np.concatenate([corners, corners + 9], axis=1).astype(dtype)
    labels, scores = RANDOM.integers(0, 2, 20), RANDOM.random(20)
    right, found = (
        evaluate(
            [{"boxes": make(boxes), "labels": make(labels)}],
            [{"boxes": make(boxes + 1), "labels": make(labels), "scores": make(scores)}],
            ["AP", "Counts", "ErrorAnalysis"],
            "detection",
        )
        for make in (np.asarray, unaligned)
    )
    assert [one.value for one in found.results] == [one.value for one in right.results]


def test_unaligned_array_is_copied_for_kernel() -> None:
    used = [unaligned(np.ones(3))]
    compiled.addresses([compiled.Array(np.float64)], used)
    assert used[0].flags.aligned
    with pytest.raises(TypeError, match="aligned"):
        compiled.addresses([compiled.Array(np.float64, written=True)], [unaligned(np.ones(3))])

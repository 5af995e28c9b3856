from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from valor_segmentation.readers.in_memory import label_images

from valor_core import evaluate
from valor_core.errors import SchemaError

TRUE = np.array([[[0, 1], [1, 7]]])
SEEN = np.array([[[0, 1], [0, 7]]])


@pytest.mark.parametrize("make", [lambda side: side, list, lambda side: side.tolist()])
def test_label_images_are_named_by_their_values(make: Any) -> None:
    batch = label_images(make(TRUE), make(SEEN))

    assert batch is not None
    assert [label.value for label in batch.labels] == ["0", "1", "7"]
    report = evaluate(batch, ["IOU"])
    assert report["IOU", 1].value == 0.5
    assert report["IOU", 7].value == 1.0


def test_images_may_differ_in_size() -> None:
    sides = [np.zeros((2, 3), int), np.ones((4, 5), np.uint8)]

    assert len(label_images(sides, sides) or ()) == 2


@pytest.mark.parametrize(
    "side", [[0, 1], [[0, 1]], [np.zeros((2, 2))], [], ["a"], np.zeros((1, 2, 2)), 3, [{}]]
)
def test_what_is_no_list_of_label_images_is_none(side: Any) -> None:
    assert label_images(side, side) is None


def test_sides_with_different_numbers_of_images_are_rejected() -> None:
    with pytest.raises(
        SchemaError, match="y_true and y_pred: expected as many images, got 1 and 2"
    ):
        label_images(TRUE, np.concatenate([SEEN, SEEN]))


@pytest.mark.parametrize("make", [lambda side: side, list])
@pytest.mark.parametrize("name", ["groundtruths", "predictions"])
def test_masked_pixels_are_not_read_as_labels(name: str, make: Any) -> None:
    masked = make(np.ma.masked_array(TRUE, TRUE == 7))
    sides = {"groundtruths": TRUE, "predictions": SEEN} | {name: masked}

    with pytest.raises(SchemaError, match=r"\[0\]\[1, 1\]: expected a value, found a masked one"):
        evaluate(sides["groundtruths"], sides["predictions"], ["segmentation.Accuracy"])


def test_a_masked_array_without_masked_pixels_is_read() -> None:
    report = evaluate(np.ma.masked_array(TRUE), SEEN, ["segmentation.Accuracy"])

    assert report["Accuracy"].value == 0.75

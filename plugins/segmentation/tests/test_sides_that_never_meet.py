"""A report warns where nothing on one side can meet anything on the other."""

from __future__ import annotations

import numpy as np
import pytest
from valor_segmentation.readers.in_memory import from_arrays

from valor_core import evaluate
from valor_core.schemas.segmentation import Segmentation, Segments

IMAGE = np.array([[0, 1], [1, 0]])
NO_ITEM = (
    "no item has both a ground truth and a prediction; check that both sides use the same uids"
)
NO_LABEL = (
    "no label has both ground truths and predictions (true: {true}; predicted: {predicted}); check "
    "their spelling"
)


def warnings_of(*items: Segmentation) -> tuple[str, ...]:
    return tuple(evaluate(list(items), ["mIOU"], "segmentation").warnings)


def test_images_of_two_endings_that_never_meet_are_worth_a_warning() -> None:
    true = Segmentation("a.png", IMAGE, None, ["cat"])
    predicted = Segmentation("a.jpg", None, IMAGE, ["cat"])

    assert warnings_of(true, predicted) == (NO_ITEM,)
    assert warnings_of(true, predicted, Segmentation("b", IMAGE, IMAGE, ["cat"])) == ()
    assert warnings_of(true) == warnings_of(predicted) == ()


def test_an_image_whose_sides_are_of_two_label_keys_has_both() -> None:
    true, predicted = {("surface", "wet"): IMAGE > 0}, {("kind", "cat"): IMAGE > 0}

    expected = NO_LABEL.format(true="'surface: wet'", predicted="'kind: cat'")
    assert warnings_of(Segmentation("a", true, predicted)) == (expected,)


@pytest.mark.parametrize(
    "predicted", [{"Cat": IMAGE > 0}, Segments(IMAGE, {1: "Cat"})], ids=["mask", "segments"]
)
def test_labels_written_in_two_ways_are_worth_a_warning(predicted: object) -> None:
    alike = (
        "similar labels are counted as different: 'Cat' (predicted) and 'cat' (true{}); "
        'if they are the same, set label_map: {{"Cat": "cat"}}'
    )

    assert warnings_of(Segmentation("a", {"cat": IMAGE > 0}, predicted)) == (
        "no label has both ground truths and predictions; " + alike.format(""),
    )
    both = Segmentation("b", {"cat": IMAGE > 0}, {"cat": IMAGE > 0})
    assert warnings_of(Segmentation("a", {"cat": IMAGE > 0}, predicted), both) == (
        alike.format(", predicted"),
    )
    item = Segmentation("a", {"cat": IMAGE > 0}, predicted)
    renamed = evaluate([item], ["mIOU"], "segmentation", label_map={"Cat": "cat"})
    assert (renamed["mIOU"].value, renamed.warnings) == (1.0, ())


def test_images_of_one_list_of_labels_meet() -> None:
    batch = from_arrays([IMAGE], [IMAGE + 1], labels=["cat", "dog"])

    assert batch.sides == {"both"}
    assert batch.label_sides.meet

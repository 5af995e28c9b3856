from __future__ import annotations

import numpy as np
import pytest

from valor_core.errors import SchemaError
from valor_core.schemas import batch_class
from valor_core.schemas.label import Label
from valor_core.schemas.segmentation import (
    BACKGROUND,
    IGNORED,
    LabelMap,
    Layer,
    Legend,
    Segmentation,
    SegmentationBatch,
)

CAT, DOG = Label("class", "cat"), Label("class", "dog")


def masks(batch: SegmentationBatch, position: int = 0) -> tuple:
    item = list(batch.items())[position]
    return tuple(
        None if side is None else {str(label): mask.tolist() for label, mask in side.items()}
        for side in (item.groundtruth, item.prediction)
    )


def test_the_task_is_known():
    assert batch_class("segmentation") is SegmentationBatch


def test_whole_numbers_mean_the_labels_in_their_order():
    item = Segmentation("a", [[0, 1, 2]], [[2, 2, 0]], labels=["cat", "dog"])

    assert masks(SegmentationBatch.of([item])) == (
        {"cat": [[False, True, False]], "dog": [[False, False, True]]},
        {"cat": [[False, False, False]], "dog": [[True, True, False]]},
    )


def test_an_image_for_each_label_is_the_same_as_one_of_numbers():
    numbers = Segmentation("a", [[0, 1, 2]], None, labels=["cat", "dog"])
    images = Segmentation("a", {"cat": [[0, 1, 0]], "dog": [[0, 0, 1]]})

    assert masks(SegmentationBatch.of([images])) == masks(SegmentationBatch.of([numbers]))


def test_label_keys_have_layers_of_their_own():
    item = Segmentation("a", {("kind", "cat"): [[1, 1]], ("color", "white"): [[0, 1]]})

    batch = SegmentationBatch.of([item])

    assert len(batch.layers) == 2
    assert masks(batch) == ({"color: white": [[False, True]], "kind: cat": [[True, True]]}, None)


@pytest.mark.parametrize(
    ("overlap", "expected"),
    [
        ("first", {"cat": [[True, True, False]], "dog": [[False, False, True]]}),
        ("last", {"cat": [[True, False, False]], "dog": [[False, True, True]]}),
    ],
)
def test_overlap_goes_to_the_first_or_the_last(overlap, expected):
    both = {"cat": [[1, 1, 0]], "dog": [[0, 1, 1]]}

    assert masks(SegmentationBatch.of([Segmentation("a", both, overlap=overlap)]))[0] == expected


def test_overlap_is_an_error_that_names_item_labels_and_pixels():
    item = Segmentation("img_7", None, {"cat": [[1, 1, 1]], "dog": [[0, 1, 1]]})

    with pytest.raises(SchemaError) as refused:
        SegmentationBatch.of([item])

    assert str(refused.value) == (
        "item 'img_7', prediction: expected each pixel in one label, 2 are in 'cat' and in 'dog'\n"
        "Set overlap to 'first' or 'last' to give them to one of the two."
    )


def test_what_was_given_is_not_written_to():
    mask = np.array([[True, False]])

    SegmentationBatch.of(
        [Segmentation("a", {"cat": mask, "dog": ~mask}, mask.view(np.uint8), ["cat"])]
    )

    assert mask.tolist() == [[True, False]]


def test_ignored_pixels_are_those_of_the_ground_truth():
    batch = SegmentationBatch.from_arrays([[[255, 1]]], [[[1, 0]]], labels=["cat"], ignore=255)

    true, predicted = batch.layers[0].groundtruths[0], batch.layers[0].predictions[0]
    assert true.legend == Legend([0, 1, 255], [BACKGROUND, 0, IGNORED])
    assert predicted.legend == Legend([0, 1], [BACKGROUND, 0])


def test_two_sides_of_two_shapes_are_refused():
    with pytest.raises(SchemaError, match=r"item 'a', prediction: expected 1 by 2 pixels like the"):
        SegmentationBatch.of([Segmentation("a", [[0, 1]], [[0, 1, 1]], labels=["cat"])])


def test_a_label_that_is_not_in_the_vocabulary_is_refused():
    strange = LabelMap([[1]], Legend([1], [3]))

    with pytest.raises(SchemaError, match="expected codes of 1 labels, got 3"):
        SegmentationBatch(
            SegmentationBatch.of([Segmentation("a")]).datums, [CAT], [Layer([strange], [None])]
        )


def test_numbers_under_two_keys_are_refused():
    item = Segmentation("a", [[0, 1]], labels=[("kind", "cat"), ("color", "white")])

    with pytest.raises(SchemaError, match="item 'a', groundtruth: expected labels of one key"):
        SegmentationBatch.of([item])


def test_a_label_map_joins_labels():
    item = Segmentation("a", {"cat": [[1, 0, 0]], "dog": [[0, 1, 0]]}, {"dog": [[0, 1, 1]]})

    renamed = SegmentationBatch.of([item]).relabel({DOG: CAT})

    assert renamed.labels == (CAT,)
    assert masks(renamed) == ({"cat": [[True, True, False]]}, {"cat": [[False, True, True]]})


def test_selecting_and_renumbering():
    batch = SegmentationBatch.from_arrays([[[1]], [[0]]], [[[1]], [[1]]], labels=["cat"])

    chosen = batch.select(np.array([1])).renumber(7)

    assert chosen.datums.uids.tolist() == [7]
    assert masks(chosen) == ({"cat": [[False]]}, {"cat": [[True]]})


def test_as_many_images_on_both_sides():
    with pytest.raises(SchemaError, match="expected as many images, got 1 and 2"):
        SegmentationBatch.from_arrays([[[1]]], [[[1]], [[1]]], labels=["cat"])


def test_values_of_a_legend_ascend():
    with pytest.raises(SchemaError, match="each pixel value once, ascending"):
        Legend([1, 1], [0, 1])

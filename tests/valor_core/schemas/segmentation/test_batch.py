from __future__ import annotations

import re

import numpy as np
import pytest
from attrs import evolve

from valor_core.errors import SchemaError
from valor_core.schemas.label import Label
from valor_core.schemas.segmentation import (
    BACKGROUND,
    IGNORED,
    LabelImage,
    Layer,
    Legend,
    Segmentation,
    SegmentationBatch,
)
from valor_core.schemas.segmentation.segments import Segments
from valor_core.specs.registry import Registry

CAT, DOG = Label("class", "cat"), Label("class", "dog")


def masks(batch: SegmentationBatch, position: int = 0) -> tuple:
    item = list(batch.items())[position]
    return tuple(
        None if side is None else {str(label): mask.tolist() for label, mask in side.items()}
        for side in (item.groundtruth, item.prediction)
    )


def test_task_is_registered():
    assert Registry().batch_class("segmentation") is SegmentationBatch


def test_integers_are_labels_in_order():
    item = Segmentation("a", [[0, 1, 2]], [[2, 2, 0]], labels=["cat", "dog"])

    assert masks(SegmentationBatch.of([item])) == (
        {"cat": [[False, True, False]], "dog": [[False, False, True]]},
        {"cat": [[False, False, False]], "dog": [[True, True, False]]},
    )


def test_masks_equal_image_of_integers():
    numbers = Segmentation("a", [[0, 1, 2]], None, labels=["cat", "dog"])
    images = Segmentation("a", {"cat": [[0, 1, 0]], "dog": [[0, 0, 1]]})

    assert masks(SegmentationBatch.of([images])) == masks(SegmentationBatch.of([numbers]))


def test_integral_floats_are_booleans():
    assert masks(SegmentationBatch.of([Segmentation("a", {"cat": [[0.0, 1.0, 255.0]]})]))[0] == {
        "cat": [[False, True, True]]
    }


def test_each_label_key_has_a_layer():
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
def test_overlap_option_assigns_first_or_last_label(overlap, expected):
    both = {"cat": [[1, 1, 0]], "dog": [[0, 1, 1]]}

    assert masks(SegmentationBatch.of([Segmentation("a", both, overlap=overlap)]))[0] == expected


def test_overlap_is_rejected_with_item_labels_and_pixels():
    item = Segmentation("img_7", None, {"cat": [[1, 1, 1]], "dog": [[0, 1, 1]]})

    with pytest.raises(
        SchemaError, match="expected one label per pixel, 2 have both 'cat' and 'dog'"
    ):
        SegmentationBatch.of([item])


def test_segments_keep_their_numbers_labels_and_crowds():
    true = Segments([[0, 3, 7, 9]], {3: "cat", 7: "cat"}, crowd=[7])
    item = Segmentation("a", true, Segments([[4, 4, 0, 0]], {4: "dog"}), ignore=9, stuff=["dog"])

    batch = SegmentationBatch.of([item])

    (one,) = batch.layers[0].groundtruths
    assert one.legend.values.tolist() == [0, 3, 7, 9]
    assert one.legend.codes.tolist() == [BACKGROUND, 0, 0, IGNORED]
    assert one.legend.crowd.tolist() == [False, False, True, False]
    assert batch.stuff == {DOG}
    assert list(batch.items()) == [item]
    renamed = batch.relabel({DOG: CAT})
    assert renamed.stuff == {CAT}
    assert next(renamed.items()).prediction.labels == {4: CAT}


def test_image_without_segments_is_background():
    batch = SegmentationBatch.of([Segmentation("a", Segments([[0, 0]], {}), {"cat": [[1, 0]]})])

    (layer,) = batch.layers
    assert layer.groundtruths[0].legend.codes.tolist() == [BACKGROUND]


def test_warnings_of_reader_are_kept():
    batch = SegmentationBatch.of([Segmentation("a"), Segmentation("b")])
    batch = evolve(batch, left_out={"odd images": 2}, stuff=[CAT])

    chosen = batch.select(np.array([1]))
    assert chosen.left_out == {"odd images": 2}
    assert chosen.stuff == {CAT}


def test_input_is_not_modified():
    mask = np.array([[True, False]])

    SegmentationBatch.of(
        [Segmentation("a", {"cat": mask, "dog": ~mask}, mask.view(np.uint8), ["cat"])]
    )

    assert mask.tolist() == [[True, False]]


def values_of(batch, side="groundtruths"):
    (one,) = getattr(batch.layers[0], side)
    names = {BACKGROUND: None, IGNORED: "ignored"} | dict(enumerate(map(str, batch.labels)))
    return {value: names[code] for value, code in one.legend.meaning.items()}


def test_items_may_have_different_labels():
    first = Segmentation("a", [[1]], labels={1: "cat"})
    second = Segmentation("b", [[1]], labels={1: "dog", 2: "cat"})

    batch = SegmentationBatch.of([first, second])

    assert [set(item.groundtruth) for item in batch.items()] == [{CAT}, {CAT, DOG}]
    assert masks(batch, 1)[0] == {"cat": [[False]], "dog": [[True]]}


def test_segments_accept_several_ignored_values():
    item = Segmentation("a", Segments([[3, 8, 9]], {3: "cat"}), ignore=[8, 9])

    assert values_of(SegmentationBatch.of([item])) == {
        0: None,
        3: "cat",
        8: "ignored",
        9: "ignored",
    }


def test_labels_are_in_order_of_values():
    with pytest.raises(
        SchemaError, match="labels: expected labels in the order of their values, got a set of 2"
    ):
        Segmentation("a", [[1, 2]], labels={"cat", "dog"})


def test_sides_of_different_shapes_are_rejected():
    with pytest.raises(
        SchemaError, match="expected 1 by 2 pixels like the ground truth, got 1 by 3"
    ):
        SegmentationBatch.of([Segmentation("a", [[0, 1]], [[0, 1, 1]], labels=["cat"])])


def test_label_missing_in_vocabulary_is_rejected():
    strange = LabelImage([[1]], Legend([1], [3]))

    with pytest.raises(SchemaError, match="item 'a': expected codes of 1 labels, got 3"):
        SegmentationBatch(
            SegmentationBatch.of([Segmentation("a")]).datums, [CAT], [Layer([strange], [None])]
        )


def test_labels_of_two_keys_in_one_image_are_rejected():
    item = Segmentation("a", [[0, 1]], labels=[("kind", "cat"), ("color", "white")])

    with pytest.raises(
        SchemaError, match="item 'a', groundtruth: labels: expected labels of one key for an image"
    ):
        SegmentationBatch.of([item])


def test_label_map_merges_labels():
    item = Segmentation("a", {"cat": [[1, 0, 0]], "dog": [[0, 1, 0]]}, {"dog": [[0, 1, 1]]})

    renamed = SegmentationBatch.of([item]).relabel({DOG: CAT})

    assert renamed.labels == (CAT,)
    assert masks(renamed) == ({"cat": [[True, True, False]]}, {"cat": [[False, True, True]]})


def test_label_map_merges_keys():
    cat, dog = ("x", "cat"), ("y", "dog")
    item = Segmentation("a", {cat: [[1, 1, 0, 0]], dog: [[0, 0, 1, 0]]})

    renamed = SegmentationBatch.of([item]).relabel({Label(*dog): Label("x", "dog")})

    assert len(renamed.layers) == 1
    assert masks(renamed)[0] == {
        "x: cat": [[True, True, False, False]],
        "x: dog": [[False, False, True, False]],
    }


def test_label_map_with_overlapping_labels_is_rejected():
    cat, dog = ("x", "cat"), ("y", "dog")
    item = Segmentation("a", None, {cat: [[1, 1, 0]], dog: [[0, 1, 0]]})
    batch = SegmentationBatch.of([item])

    with pytest.raises(
        SchemaError, match="item 'a', prediction: expected one label of a key per pixel,"
    ):
        batch.relabel({Label(*dog): Label("x", "dog")})

    assert masks(batch.relabel({Label(*dog): Label(*cat)}))[1] == {"x: cat": [[True, True, False]]}


def test_merged_keys_keep_objects_crowds_and_ignored_pixels():
    true = Segments([[2**60, 2**60 + 1, 0, 9]], {2**60: ("x", "cat"), 2**60 + 1: ("x", "cat")})
    item = Segmentation("a", evolve(true, crowd=[2**60]), {("y", "dog"): [[0, 0, 1, 0]]}, ignore=9)

    batch = SegmentationBatch.of([item]).relabel({Label("y", "dog"): Label("x", "dog")})

    (found,) = batch.items()
    assert found.groundtruth.pixels.read(0, 1).tolist() == [[2**60, 2**60 + 1, 0, 9]]
    assert found.groundtruth.crowd == {2**60}
    assert found.ignore == 9
    assert {str(label) for label in found.prediction} == {"x: dog"}


def test_items_keep_ignored_pixels():
    item = Segmentation("a", [[1, 255, 0]], [[1, 1, 0]], labels=["cat"], ignore=255)

    (found,) = SegmentationBatch.of([item]).items()

    assert found.ignore.tolist() == [[False, True, False]]
    assert masks(SegmentationBatch.of([found])) == masks(SegmentationBatch.of([item]))


def test_ignored_pixels_of_masks_are_a_mask():
    item = Segmentation("a", {"cat": [[1, 1, 0]]}, {"dog": [[1, 1, 1]]}, ignore=[[0, 1, 0]])

    (true,) = SegmentationBatch.of([item]).layers[0].groundtruths

    assert true.legend.codes[np.searchsorted(true.legend.values, true.pixels.array)].tolist() == [
        [0, IGNORED, BACKGROUND]
    ]


REFUSED = [
    ({"overlap": "lsat"}, "item 'a', overlap: expected 'error'"),
    ({"ignore": "255"}, "expected a whole number, or several, got '255'"),
    ({"ignore": 2.5}, "expected a whole number, or several, got 2.5"),
    ({"ignore": 2**70}, "item 'a', ignore: expected a whole number of 64 bits"),
    ({"ignore": [255, 1]}, "expected a value without a label, got 1"),
    (
        {"groundtruth": [[True]], "labels": {7: "cat"}},
        "item 'a', groundtruth: pixels: expected whole",
    ),
    ({"ignore": 1}, "expected a value without a label, got 1"),
    ({"ignore": [[0]]}, "item 'a', ignore: expected 1 by 2 pixels"),
    ({"labels": ["cat", "cat"]}, "expected each label once, got 'cat' twice"),
    (
        {"groundtruth": {"cat": [[1, 0]]}, "ignore": 255},
        "expected a boolean image like the masks, got 255",
    ),
    ({"groundtruth": {"cat": [["a", "b"]]}}, "item 'a', groundtruth: 'cat': expected"),
    ({"groundtruth": {"cat": [[np.nan, 1]]}}, "true or false, got nan at row 0, column 0"),
    ({"groundtruth": {"cat": [[1.0, 0.25], [0.5, 0.0]]}}, "true or false, got 0.25 at row 0"),
    ({"ignore": [[0.0, 0.75]]}, "item 'a', ignore: expected rows and columns of pixels"),
    ({"groundtruth": {"cat": [[1], [1, 0]]}}, "item 'a', groundtruth: 'cat': expected rows of"),
    ({"groundtruth": [[1], [1, 0]]}, "item 'a', groundtruth: pixels: expected rows"),
    (
        {"groundtruth": np.ma.masked_array([[1, 1]], [[0, 1]])},
        "pixels[0, 1]: expected a value, found a masked",
    ),
    (
        {"groundtruth": Segments([[3, 0]], {3: "cat"}), "ignore": 3},
        "expected a value without a label, got 3",
    ),
]


@pytest.mark.parametrize(("fields", "message"), REFUSED)
def test_invalid_side_names_the_item(fields, message):
    given = {"groundtruth": [[1, 0]], "labels": ["cat"]} | fields

    with pytest.raises(SchemaError, match=re.escape(message)):
        SegmentationBatch.of([Segmentation("a", **given)])


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({1.7: "cat"}, "labels: expected whole numbers of segments, got 1.7"),
        ({"one": "cat"}, "labels: expected whole numbers of segments, got 'one'"),
        ({True: "cat"}, "labels: expected whole numbers of segments, got True"),
        ({2**70: "cat"}, "expected signed 64-bit numbers, got 1180591620717411303424"),
    ],
)
def test_segment_numbers_must_be_integers(numbers, message: str):
    with pytest.raises(SchemaError, match=re.escape(message)):
        Segments([[1, 0]], numbers)

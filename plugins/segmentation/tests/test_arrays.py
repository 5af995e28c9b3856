from __future__ import annotations

import re

import numpy as np
import pytest
from valor_segmentation.readers.in_memory import from_arrays, images_of

from valor_core.errors import SchemaError
from valor_core.schemas import Label
from valor_core.schemas.segmentation import (
    BACKGROUND,
    IGNORED,
    Legend,
    Segmentation,
    SegmentationBatch,
)
from valor_core.schemas.segmentation.pixels import ImageInMemory, as_pixels

CAT, DOG = Label("class", "cat"), Label("class", "dog")


def masks(batch: SegmentationBatch, position: int = 0) -> tuple:
    item = list(batch.items())[position]
    return tuple(
        None if side is None else {str(label): mask.tolist() for label, mask in side.items()}
        for side in (item.groundtruth, item.prediction)
    )


def values_of(batch, side="groundtruths"):
    (one,) = getattr(batch.layers[0], side)
    names = {BACKGROUND: None, IGNORED: "ignored"} | dict(enumerate(map(str, batch.labels)))
    return {value: names[code] for value, code in one.legend.meaning.items()}


ONE = [[[1, 0]]]


NOT_FROM_ARRAYS = [
    ({"y_true": np.array(ONE[0])}, "y_true: expected a list of images"),
    ({"y_pred": ONE[0]}, "y_pred: expected a list of images"),
    ({"y_pred": {"a": ONE[0]}}, "expected a list of images, got a mapping"),
    ({"y_pred": np.full((1, 2, 4, 5), 0.5)}, "got array of float64, shape (2, 4, 5)"),
    ({"y_true": np.full((1, 4, 5, 2), 0.5)}, "got array of float64, shape (4, 5, 2)"),
    ({"y_true": [*ONE, [["a"]]], "y_pred": ONE * 2}, "got array of <U1, shape (1, 1)"),
    ({"y_pred": np.array(ONE) > 0}, "expected whole numbers up to 2 as in labels"),
    ({"labels": {"cat", "dog"}}, "expected labels in the order of their"),
    ({"labels": [0, 1]}, "expected the name of the value 1"),
    ({"ignore": True}, "expected a whole number, or several"),
    ({"ignore": [255, 2]}, "expected a value without a label, got 2"),
    ({"uids": ["a", "b"]}, "expected one for each of 1 images, got 2"),
]


def test_ignored_pixels_are_those_of_the_ground_truth():
    batch = from_arrays([[[255, 1]]], [[[1, 0]]], labels=["cat"], ignore=255)

    true, predicted = batch.layers[0].groundtruths[0], batch.layers[0].predictions[0]
    assert true.legend == Legend([0, 1, 255], [BACKGROUND, 0, IGNORED])
    assert predicted.legend == Legend([0, 1], [BACKGROUND, 0])


def test_arrays_have_labels_by_value_in_any_order():
    batch = from_arrays([[[1, 2]]], [[[1, 1]]], labels={2: "dog", 1: "cat"})

    assert values_of(batch) == {0: None, 1: "cat", 2: "dog"}
    assert masks(batch) == (
        {"cat": [[True, False]], "dog": [[False, True]]},
        {"cat": [[True, True]], "dog": [[False, False]]},
    )


def test_a_label_of_0_shifts_no_other():
    labels = {0: "background", 1: "cat", 2: "dog"}

    batch = from_arrays([[[0, 1]]], [[[2, 1]]], labels=labels)

    assert values_of(batch) == labels
    assert masks(batch)[0] == {
        "background": [[True, False]],
        "cat": [[False, True]],
        "dog": [[False, False]],
    }


def test_labels_by_value_and_ignored_values_combine():
    labels = {0: "road", 18: "car", 20: None}

    batch = from_arrays([[[255, 254]]], [[[0, 18]]], labels=labels, ignore=[254, 255])

    assert values_of(batch) == labels | {254: "ignored", 255: "ignored"}
    assert values_of(batch, "predictions") == labels


@pytest.mark.parametrize(
    ("labels", "ignore"),
    [
        (["cat", "dog"], 255),
        ({2: "dog", 0: "road", 1: "cat"}, 255),
        ({0: "background", 1: None, 2: "cat"}, [254, 255]),
    ],
)
def test_items_and_arrays_read_values_alike(labels, ignore):
    true, predicted = [[0, 1, 2, 255]], [[1, 2, 0, 0]]

    item = SegmentationBatch.of([Segmentation("a", true, predicted, labels=labels, ignore=ignore)])
    arrays = from_arrays([true], [predicted], labels=labels, ignore=ignore)

    assert item.labels == arrays.labels
    assert item.layers == arrays.layers


@pytest.mark.parametrize(("arguments", "message"), NOT_FROM_ARRAYS)
def test_invalid_arrays_are_rejected(arguments, message):
    given = {"y_true": ONE, "y_pred": ONE, "labels": ["cat", "dog"]} | arguments

    with pytest.raises(SchemaError, match=re.escape(message)):
        from_arrays(**given)


def test_selecting_and_renumbering():
    batch = from_arrays([[[1]], [[0]]], [[[1]], [[1]]], labels=["cat"])

    chosen = batch.select(np.array([1])).renumber(7)

    assert chosen.datums.uids.tolist() == [7]
    assert masks(chosen) == ({"cat": [[False]]}, {"cat": [[True]]})


def test_as_many_images_on_both_sides():
    with pytest.raises(
        SchemaError, match="y_true and y_pred: expected as many images, got 1 and 2"
    ):
        from_arrays([[[1]]], [[[1]], [[1]]], labels=["cat"])


def test_layers_that_share_a_key_are_rejected():
    layer = from_arrays([[[1]]], [[[1]]], labels=["cat"]).layers[0]
    datums = SegmentationBatch.of([Segmentation("a")]).datums

    with pytest.raises(
        SchemaError, match="expected one layer per label key, with labels of this key only"
    ):
        SegmentationBatch(datums, [CAT], [layer, layer])


@pytest.mark.parametrize("labels", [[], ["cat", "cat"], [("x", "cat"), ("y", "dog")]])
def test_arrays_have_the_labels_that_items_can_have(labels):
    with pytest.raises(SchemaError):
        from_arrays([[[0]]], [[[0]]], labels=labels)
    with pytest.raises(SchemaError):
        SegmentationBatch.of([Segmentation("a", [[0]], labels=labels)])


class Tensor:
    """Object that NumPy converts to an array or rejects."""

    def __init__(self, array, error=None):
        self.array, self.error = np.asarray(array), error

    def __array__(self, dtype=None, copy=None):
        if self.error is not None:
            raise self.error
        return self.array


class Picture:
    """Object with an array interface and without rows, like the images of Pillow."""

    def __init__(self, array):
        self.__array_interface__ = np.asarray(array).__array_interface__


STACK = np.array([[[1, 2]], [[0, 1]]])


@pytest.mark.parametrize(
    "values",
    [
        STACK,
        STACK.tolist(),
        tuple(STACK),
        iter(STACK),
        Tensor(STACK),
        [Tensor(image) for image in STACK],
        [Picture(image) for image in STACK],
        [ImageInMemory(image) for image in STACK],
    ],
)
def test_images_come_in_lists_and_stacks(values):
    images = images_of(values, "y_true")

    assert [as_pixels(image).read(0, 1).tolist() for image in images] == STACK.tolist()


def test_images_of_different_sizes_come_in_arrays_of_objects():
    objects = np.empty(2, object)
    objects[:] = [np.ones((1, 2), int), np.ones((3, 1), int)]

    assert [image.shape for image in images_of(objects, "y_true")] == [(1, 2), (3, 1)]


@pytest.mark.parametrize("values", [[], (), np.empty((0, 4, 5), int), np.array([])])
def test_no_images_are_a_list_too(values):
    assert images_of(values, "y_true") == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (STACK[0], "y_pred: expected a list of images, or an array of 3 dimensions, got"),
        (STACK[0].tolist(), "expected a list of images, or an array of 3 dimensions, got [[1, 2]]"),
        (list(STACK[0]), "y_pred: expected a list of images, or an array of 3 dimensions, got"),
        (
            tuple(map(tuple, STACK[0].tolist())),
            "expected a list of images, or an array of 3 dimensions, got ((1, 2),)",
        ),
        (Tensor(STACK[0]), "y_pred: expected a list of images, or an array of 3 dimensions, got"),
        (Picture(STACK[0]), "y_pred: expected a list of images, or an array of 3 dimensions, got"),
        (
            ImageInMemory(STACK[0]),
            "y_pred: expected a list of images, or an array of 3 dimensions, got",
        ),
        (STACK[0] * 0.5, "y_pred: expected a list of images, or an array of 3 dimensions, got"),
        (np.array(7), "y_pred: expected a list of images, or an array of 3 dimensions, got"),
    ],
)
def test_one_image_is_no_list_of_images(values, message: str):
    with pytest.raises(SchemaError, match=re.escape(message)):
        images_of(values, "y_pred")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("folder", "y_true: expected a list of images, got 'folder'"),
        ({((1, 2),)}, "y_true: expected a list of images, got {((1, 2),)}"),
        (7, "y_true: expected a list of images, got 7"),
        (None, "y_true: expected a list of images, got None"),
    ],
)
def test_what_has_no_order_is_no_list_of_images(values, message: str):
    with pytest.raises(SchemaError, match=re.escape(message)):
        images_of(values, "y_true")


def test_images_by_uid_are_rejected():
    with pytest.raises(SchemaError, match="y_true: expected a list of images, got a mapping of 1"):
        images_of({"a": STACK[0]}, "y_true")

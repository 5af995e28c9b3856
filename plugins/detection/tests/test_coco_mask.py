"""Mask functions of the drop-in replacement equal pycocotools bit by bit."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from cases import for_each
from pycocotools import mask as theirs
from valor_detection.coco import mask as ours

from valor_core.errors import SchemaError

SEEDS = range(30)

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def random_masks(seed: int) -> tuple[np.random.Generator, int, int, Any]:
    """Random masks of one size: noise, blobs, empty and full."""
    rng = np.random.default_rng(seed)
    height, width = rng.integers(1, 40, 2).tolist()
    masks = (rng.random((height, width, 6)) < rng.random(6)).astype(np.uint8)
    masks[:, :, 0], masks[:, :, 1] = 0, 1
    masks[: height // 2, : width // 2, 2] = 1
    return rng, height, width, np.asfortranarray(masks)


@for_each("seed", SEEDS)
def test_masks_are_encoded_and_decoded(seed: int) -> None:
    _, _, _, masks = random_masks(seed)
    expected = theirs.encode(masks)
    assert ours.encode(masks) == expected
    assert ours.encode(masks[:, :, 2]) == theirs.encode(np.asfortranarray(masks[:, :, 2]))
    np.testing.assert_array_equal(ours.decode(expected), masks)
    found = ours.decode(expected[3])
    np.testing.assert_array_equal(found, theirs.decode(expected[3]))
    assert found.dtype == np.uint8


@for_each("seed", SEEDS)
def test_masks_are_measured(seed: int) -> None:
    _, _, _, masks = random_masks(seed)
    rles = theirs.encode(masks)
    for own, their in ((ours.area, theirs.area), (ours.toBbox, theirs.toBbox)):
        np.testing.assert_array_equal(own(rles), their(rles))
        np.testing.assert_array_equal(own(rles[2]), their(rles[2]))
        assert own(rles).dtype == their(rles).dtype


@for_each("seed", SEEDS)
def test_masks_are_merged(seed: int) -> None:
    _, _, _, masks = random_masks(seed)
    rles = theirs.encode(masks)
    for part in (rles, rles[1:], rles[2:4], rles[2:3]):
        for intersect in (False, True):
            assert ours.merge(part, intersect) == theirs.merge(part, intersect)


def test_masks_of_two_sizes_are_rejected_by_merge_and_iou() -> None:
    rles = [theirs.encode(np.ones(shape, np.uint8, order="F")) for shape in ((2, 3), (3, 2))]
    assert ours.merge(rles)["size"] == theirs.merge(rles)["size"] == [0, 0]
    np.testing.assert_array_equal(ours.iou(rles, rles, [0, 1]), theirs.iou(rles, rles, [0, 1]))


@for_each("seed", SEEDS)
def test_iou_of_masks_and_of_boxes_equals_pycocotools(seed: int) -> None:
    rng, _, _, masks = random_masks(seed)
    rles = theirs.encode(masks)
    crowd = rng.integers(0, 2, 4).tolist()
    np.testing.assert_array_equal(
        ours.iou(rles, rles[2:], crowd), theirs.iou(rles, rles[2:], crowd)
    )
    boxes = np.round(rng.random((7, 4)) * 20, int(rng.integers(0, 3)))
    boxes[:, 2:] += 1
    expected = theirs.iou(boxes, boxes[:4], crowd)
    np.testing.assert_array_equal(ours.iou(boxes, boxes[:4], crowd), expected)
    np.testing.assert_array_equal(ours.iou(boxes.tolist(), boxes[:4].tolist(), crowd), expected)


def test_iou_without_masks_is_an_empty_list() -> None:
    assert ours.iou([], [[0, 0, 1, 1]], [0]) == theirs.iou([], [[0, 0, 1, 1]], [0]) == []


@for_each("seed", SEEDS)
def test_polygons_and_boxes_are_encoded_as_by_pycocotools(seed: int) -> None:
    rng, height, width, _ = random_masks(seed)
    polygons = [(rng.random(2 * n) * 50 - 5).tolist() for n in rng.integers(3, 9, 5)]
    boxes = np.abs(rng.random((4, 4)) * 30)
    counts = [{"size": [2, 3], "counts": [1, 2, 3]}, {"size": [2, 3], "counts": [6]}]
    for shapes in (polygons, boxes, counts, counts[0]):
        assert ours.frPyObjects(shapes, height, width) == theirs.frPyObjects(shapes, height, width)
    # pycocotools documents lists of boxes, but raises a TypeError.
    expected = theirs.frPyObjects(boxes, height, width)
    assert ours.frPyObjects(boxes.tolist(), height, width) == expected
    assert ours.frPyObjects(boxes[0].tolist(), height, width) == expected[0]
    (first,) = theirs.frPyObjects(polygons[:1], height, width)
    assert ours.frPyObjects(polygons[0], height, width) == first


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ours.encode(np.zeros(3)),
            "encode: expected one mask or several, got array of float64, shape (3,)",
        ),
        (lambda: ours.area("52"), "mask: expected size and counts, got '52'"),
        (
            lambda: ours.iou([[0, 0, 1, 1]], [[0, 0, 1, 1]], []),
            "iou: expected a flag for each of 1 true objects, got 0",
        ),
        (
            lambda: ours.iou([[0, 0, 1, 1]], [{"size": [1, 1], "counts": "01"}], [0]),
            "iou: expected run lengths or boxes on both sides, got one of each",
        ),
        (
            lambda: ours.iou([[0, 0, 1]], [[0, 0, 1, 1]], [0]),
            "iou: expected boxes of x, y, width and height, got [[0, 0, 1]]",
        ),
        (
            lambda: ours.frPyObjects([[0, 0, 1]], 2, 2),
            "frPyObjects: expected boxes or polygons, got [[0, 0, 1]]",
        ),
        (
            lambda: ours.decode([{"size": [1, n], "counts": [n]} for n in (1, 2)]),
            "decode: expected masks of one size",
        ),
    ],
)
def test_invalid_mask_is_rejected(call: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        call()


def test_error_names_index_of_polygon_that_cannot_be_drawn() -> None:
    fine, wrong = [0, 0, 2, 0, 2, 2], [0, 0, float("nan"), 1, 2, 2]
    with pytest.raises(
        SchemaError, match="expected coordinates within 100 million pixels, found nan"
    ):
        ours.frPyObjects([fine, wrong], 10, 10)
    with pytest.raises(
        SchemaError, match="expected coordinates within 100 million pixels, found nan"
    ):
        ours.frPyObjects(wrong, 10, 10)
    with pytest.raises(
        SchemaError, match=r"expected a height and a width, got \(1180591620717411303424, 10\)"
    ):
        ours.frPyObjects([fine], 2**70, 10)


def test_error_names_index_of_mask_with_too_many_pixels() -> None:
    huge = {"size": [2**16, 2**15], "counts": [2**31]}
    with pytest.raises(
        SchemaError, match="expected an image of at most 2 billion pixels, found 65536 by 32768"
    ):
        ours.iou([huge], [huge], [0])


def test_a_mask_of_four_billion_rows_is_measured() -> None:
    tall = {"size": [2**32, 1], "counts": [1, 5, 2**32 - 6]}
    assert ours.area(tall) == 0
    assert ours.toBbox(tall).tolist() == [0, 0, 0, 0]

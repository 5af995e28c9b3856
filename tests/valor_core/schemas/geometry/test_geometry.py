from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from valor_core.errors import SchemaError
from valor_core.schemas.geometry.geometry import Box, Mask, MultiPolygon, Polygon, RotatedBox

SQUARE = [(0, 0), (2, 0), (2, 2), (0, 2)]


def test_the_area_of_a_box_is_width_times_height() -> None:
    assert Box(1, 2, 4, 2.5).area == 1.5


@pytest.mark.parametrize("value", ["1", None, True, [1]])
def test_edges_are_numbers(value: Any) -> None:
    with pytest.raises(SchemaError, match="geometry: expected a number, got"):
        Box(0, 0, 1, value)
    with pytest.raises(SchemaError, match="geometry: expected a number, got"):
        RotatedBox(0, 0, 1, value)


def test_a_polygon_is_the_same_closed_or_not_and_with_or_without_a_list_around_it() -> None:
    closed = Polygon([*SQUARE, SQUARE[0]])
    assert closed == Polygon(SQUARE) == Polygon([SQUARE]) == Polygon(np.array(SQUARE))
    assert closed != Polygon([SQUARE, SQUARE])


def test_a_polygon_keeps_a_copy_that_cannot_be_written_to() -> None:
    points = np.array(SQUARE, float)
    polygon = Polygon(points)
    points[0] = 9
    assert polygon.rings[0][0].tolist() == [0, 0]
    assert not polygon.rings[0].flags.writeable


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("ring", "Polygon: expected rings of points, got 'ring'"),
        (3, "Polygon: expected rings of points, got 3"),
        (None, "Polygon: expected rings of points, got None"),
    ],
)
def test_a_polygon_has_rings(value: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Polygon(value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([(0, 0, 1)], "Polygon: expected points (x, y), got [(0, 0, 1)]"),
        ([[(0, 0), (1,)]], "Polygon: expected points (x, y), got [(0, 0), (1,)]"),
        ([["a", "b"]], "Polygon: expected points (x, y), got ['a', 'b']"),
        ([[[]]], "Polygon: expected points (x, y), got [[]]"),
        ([[("0", "1")]], "Polygon: expected points (x, y), got [('0', '1')]"),
    ],
)
def test_a_ring_has_points(value: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Polygon(value)


def test_the_parts_of_a_multipolygon_may_be_written_plainly() -> None:
    assert MultiPolygon([SQUARE]) == MultiPolygon([Polygon(SQUARE)])


def test_a_box_is_turned_clockwise_as_seen() -> None:
    quarter = RotatedBox(0, 0, 4, 2, 90).polygon.rings[0]
    np.testing.assert_allclose(quarter, [(1, -2), (1, 2), (-1, 2), (-1, -2)], atol=1e-12)
    eighth = RotatedBox(0, 0, 2, 0, 45).polygon.rings[0]
    np.testing.assert_allclose(eighth[1], [math.sqrt(0.5)] * 2)


PIXELS = [[0, 1, 0], [0, 1, 1]]


def test_a_mask_shows_the_pixels_that_it_was_made_of() -> None:
    mask = Mask.of(PIXELS)
    assert (mask.runs.tolist(), mask.height, mask.width) == ([2, 2, 1, 1], 2, 3)
    assert mask.array.astype(int).tolist() == PIXELS
    assert mask == Mask.from_rle({"size": [2, 3], "counts": [2, 2, 1, 1]})


# 2, 2 and 1 as they are; the other 1 as its difference from the second 2: -1, all bits set.
@pytest.mark.parametrize("counts", ["221O", b"221O", [2, 2, 1, 1], np.array([2, 2, 1, 1])])
def test_a_mask_is_read_from_compressed_text_and_from_numbers(counts: Any) -> None:
    assert Mask.from_rle({"size": [2, 3], "counts": counts}) == Mask.of(PIXELS)


def test_a_mask_may_have_no_pixels() -> None:
    empty = Mask.of(np.zeros((0, 3)))
    assert (len(empty.runs), empty.array.shape) == (0, (0, 3))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1, 0], "expected rows and columns of pixels, got array of int64, shape (2,)"),
        (
            np.zeros((1, 2, 3)),
            "Mask: expected rows and columns of pixels, got array of float64, shape",
        ),
        (3, "Mask: expected rows and columns of pixels, got array of int64, shape ()"),
    ],
)
def test_a_mask_is_made_of_rows_and_columns(value: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Mask.of(value)


def test_the_runs_of_a_mask_fill_its_image() -> None:
    with pytest.raises(SchemaError, match="Mask: expected runs for 2 by 3 pixels, got 4 pixels"):
        Mask.from_rle({"size": [2, 3], "counts": [2, 2]})


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (None, "Mask: expected a size [height, width], got None"),
        (4, "Mask: expected a size [height, width], got 4"),
        ([4], "Mask: expected a size [height, width], got [4]"),
        ([1, 2, 3], "Mask: expected a size [height, width], got [1, 2, 3]"),
        (["a", "b"], "Mask: expected a size [height, width], got ['a', 'b']"),
        ([1.5, 2], "Mask: expected a size [height, width], got [1.5, 2]"),
        ("ab", "Mask: expected a size [height, width], got 'ab'"),
        ([[1], [2]], "Mask: expected a size [height, width], got [[1], [2]]"),
    ],
)
def test_the_size_of_a_mask_is_two_whole_numbers(size: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Mask.from_rle({"size": size, "counts": [4]})


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (None, "counts: expected non-negative run lengths, got None"),
        ([0.5], "counts: expected non-negative run lengths, got [0.5]"),
        ([-1, 5], "counts: expected non-negative run lengths, got [-1, 5]"),
        ([[4]], "counts: expected non-negative run lengths, got [[4]]"),
        (4, "counts: expected non-negative run lengths, got 4"),
        ([1 << 32], "counts: expected non-negative run lengths, got [4294967296]"),
        ({"a": 1}, "counts: expected non-negative run lengths, got {'a': 1}"),
    ],
)
def test_the_counts_of_a_mask_are_whole_numbers(counts: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Mask.from_rle({"size": [2, 2], "counts": counts})


@pytest.mark.parametrize(
    ("side", "message"),
    [
        (-2, "Mask: expected a whole number of pixels, got -2"),
        (2.0, "Mask: expected a whole number of pixels, got 2.0"),
        ("2", "Mask: expected a whole number of pixels, got '2'"),
        (None, "Mask: expected a whole number of pixels, got None"),
    ],
)
def test_the_sides_of_a_mask_are_whole_numbers(side: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Mask([4], side, side)  # type: ignore[arg-type]


def test_a_mask_of_probabilities_is_cut_first() -> None:
    assert Mask.of([[0.0, 1.0]]) == Mask.of([[0, 255]])
    with pytest.raises(SchemaError, match=r"Mask: expected pixels of 0 and 1, got 0\.01"):
        Mask.of([[0.01, 1.0]])

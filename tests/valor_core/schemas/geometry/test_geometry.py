from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from valor_core.errors import SchemaError
from valor_core.schemas.geometry.geometry import Box, Mask, MultiPolygon, Polygon, RotatedBox

SQUARE = [(0, 0), (2, 0), (2, 2), (0, 2)]


def test_area_of_box_is_width_times_height() -> None:
    assert Box(1, 2, 4, 2.5).area == 1.5


@pytest.mark.parametrize("value", ["1", None, True, [1]])
def test_edges_must_be_numbers(value: Any) -> None:
    with pytest.raises(SchemaError, match="geometry: expected a number, got"):
        Box(0, 0, 1, value)
    with pytest.raises(SchemaError, match="geometry: expected a number, got"):
        RotatedBox(0, 0, 1, value)


def test_equivalent_spellings_of_polygon_are_equal() -> None:
    closed = Polygon([*SQUARE, SQUARE[0]])
    assert closed == Polygon(SQUARE) == Polygon([SQUARE]) == Polygon(np.array(SQUARE))
    assert closed != Polygon([SQUARE, SQUARE])


def test_polygon_has_read_only_copy() -> None:
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
def test_polygon_without_rings_is_rejected(value: Any, message: str) -> None:
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
def test_ring_without_points_is_rejected(value: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Polygon(value)


def test_multipolygon_accepts_lists_of_points() -> None:
    assert MultiPolygon([SQUARE]) == MultiPolygon([Polygon(SQUARE)])


def test_rotation_is_clockwise_on_screen() -> None:
    quarter = RotatedBox(0, 0, 4, 2, 90).polygon.rings[0]
    np.testing.assert_allclose(quarter, [(1, -2), (1, 2), (-1, 2), (-1, -2)], atol=1e-12)
    eighth = RotatedBox(0, 0, 2, 0, 45).polygon.rings[0]
    np.testing.assert_allclose(eighth[1], [math.sqrt(0.5)] * 2)


PIXELS = [[0, 1, 0], [0, 1, 1]]


def test_mask_returns_its_pixels() -> None:
    mask = Mask.of(PIXELS)
    assert (mask.runs.tolist(), mask.height, mask.width) == ([2, 2, 1, 1], 2, 3)
    assert mask.array.astype(int).tolist() == PIXELS
    assert mask == Mask.from_rle({"size": [2, 3], "counts": [2, 2, 1, 1]})


# 2, 2 and 1 as they are; the other 1 as its difference from the second 2: -1, all bits set.
@pytest.mark.parametrize("counts", ["221O", b"221O", [2, 2, 1, 1], np.array([2, 2, 1, 1])])
def test_mask_is_read_from_text_and_counts(counts: Any) -> None:
    assert Mask.from_rle({"size": [2, 3], "counts": counts}) == Mask.of(PIXELS)


def test_mask_may_be_empty() -> None:
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
def test_mask_must_be_two_dimensional(value: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Mask.of(value)


def test_runs_must_sum_to_number_of_pixels() -> None:
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
def test_mask_size_must_be_two_integers(size: Any, message: str) -> None:
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
def test_mask_counts_must_be_integers(counts: Any, message: str) -> None:
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
def test_mask_sides_must_be_integers(side: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Mask([4], side, side)  # type: ignore[arg-type]


def test_mask_of_probabilities_suggests_threshold() -> None:
    assert Mask.of([[0.0, 1.0]]) == Mask.of([[0, 255]])
    with pytest.raises(SchemaError, match=r"Mask: expected pixels of 0 and 1, got 0\.01"):
        Mask.of([[0.01, 1.0]])

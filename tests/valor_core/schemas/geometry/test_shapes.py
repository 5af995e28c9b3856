from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from valor_core.errors import SchemaError
from valor_core.schemas.geometry.geometry import (
    Box,
    Geometry,
    Mask,
    MultiPolygon,
    Polygon,
    RotatedBox,
)
from valor_core.schemas.geometry.shapes import (
    BOX,
    MASK,
    POLYGON,
    Rings,
    RunLengths,
    Shapes,
    ends,
    gathered,
    sums,
)

SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4)]
HOLE = [(1, 1), (2, 1), (2, 3), (1, 3)]
FRAME = Polygon([SQUARE, HOLE])
BOTH = MultiPolygon([FRAME, Polygon([(5, 0), (7, 0), (5, 1)])])
PIXELS = Mask.of([[0, 1, 1], [0, 1, 0]])
NOTHING = Mask.of([[0, 0]])
ALL: list[Geometry] = [
    Box(1, 1, 3, 2),
    FRAME,
    PIXELS,
    BOTH,
    NOTHING,
    Polygon([]),
    MultiPolygon([]),
    Mask.of(np.zeros((0, 2))),
]


def test_geometries_survive_conversion_to_columns() -> None:
    assert list(Shapes.of(ALL)) == ALL


def test_rotated_box_becomes_polygon() -> None:
    turned = RotatedBox(1, 1, 2, 1, 30)
    shapes = Shapes.of([turned])
    assert shapes.kinds.tolist() == [POLYGON]
    assert shapes.at(0) == turned.polygon


def test_kinds_areas_and_bounding_boxes() -> None:
    shapes = Shapes.of(ALL)
    assert shapes.kinds.tolist() == [BOX, POLYGON, MASK, POLYGON, MASK, POLYGON, POLYGON, MASK]
    assert shapes.areas.tolist() == [2, 14, 3, 15, 0, 0, 0, 0]
    boxes = [[1, 1, 2, 1], [0, 0, 4, 4], [1, 0, 2, 2], [0, 0, 7, 4]]
    assert shapes.boxes.tolist() == [*boxes, *[[0, 0, 0, 0]] * 4]


@pytest.mark.parametrize("rows", [[3, 1, 1, 0], [2, 4, 2], [], [7, 6, 5, 4, 3, 2, 1, 0]])
def test_rows_are_selected_in_any_order(rows: list[int]) -> None:
    shapes = Shapes.of(ALL).select(np.array(rows, np.int64))
    assert list(shapes) == [ALL[row] for row in rows]
    assert_array_equal(shapes.areas, Shapes.of(ALL).areas[np.array(rows, np.int64)])


def test_kinds_default_to_boxes() -> None:
    shapes = Shapes([[0, 0, 1, 1]])
    assert shapes.only_boxes
    assert not Shapes.of(ALL).only_boxes


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"kinds": [0, 0]}, "shapes: expected 1 rows of kinds, got 2"),
        ({"rings": Rings.of([])}, "shapes: expected 1 rows of rings, got 0"),
        ({"masks": RunLengths.of([])}, "shapes: expected 1 rows of masks, got 0"),
    ],
)
def test_columns_of_different_length_are_rejected(columns: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Shapes([[0, 0, 1, 1]], **columns)


def test_non_finite_coordinates_are_rejected() -> None:
    with pytest.raises(SchemaError, match=r"boxes\[0, 2\]: expected a finite number, got nan"):
        Shapes.of([Box(0, 0, float("nan"), 1)])
    with pytest.raises(
        SchemaError, match=r"coordinates\[1, 0\]: expected a finite number, got inf"
    ):
        Rings.of([[Polygon([(0, 0), (float("inf"), 0), (1, 1)])]])


def test_area_of_ring_is_independent_of_direction_and_position() -> None:
    random = np.random.default_rng(0)
    corners = random.integers(0, 99, (6, 2))
    rings = Rings.of([[Polygon(corners)], [Polygon(corners[::-1])], [Polygon(corners + (1 << 40))]])
    assert len(set(rings.areas.tolist())) == 1


def test_areas_of_rings_are_independent() -> None:
    random = np.random.default_rng(1)
    rows = [
        [Polygon([random.random((random.integers(0, 6), 2)) for _ in range(random.integers(0, 3))])]
        * random.integers(0, 3)
        for _ in range(50)
    ]
    together = Rings.of(rows).areas
    assert_allclose(together, [Rings.of([row]).areas[0] for row in rows], rtol=1e-12)


def test_rings_and_masks_may_be_empty() -> None:
    assert Rings.of([]).areas.tolist() == RunLengths.of([]).areas.tolist() == []
    assert len(Shapes.of([])) == 0


def test_ragged_rows_are_counted_summed_and_gathered() -> None:
    starts = ends([2, 0, 3, 1])
    assert starts.tolist() == [0, 2, 2, 5, 6]
    assert sums(np.arange(6.0), starts).tolist() == [1, 0, 9, 5]
    assert sums(np.empty(0), ends([0, 0])).tolist() == [0, 0]
    elements, begins = gathered(starts, np.array([3, 1, 0, 0]))
    assert (elements.tolist(), begins.tolist()) == ([5, 0, 1, 0, 1], [0, 1, 1, 3, 5])


@given(hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=5)))
def test_bounding_box_of_mask_contains_its_pixels(pixels: np.ndarray) -> None:
    rows, columns = np.nonzero(pixels)
    box = [0, 0, 0, 0]
    if len(rows):
        low = [columns.min(), rows.min()]
        box = [*low, columns.max() + 1 - low[0], rows.max() + 1 - low[1]]
    assert Shapes.of([Mask.of(pixels)]).boxes.tolist() == [box]

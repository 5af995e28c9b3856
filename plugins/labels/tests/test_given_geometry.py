from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from valor_labels.annotations import bounding_box, polygon, raster

from valor_core.errors import SchemaError
from valor_core.schemas.geometry.geometry import Box, Mask, MultiPolygon, Polygon, RotatedBox

RING = [(1, 2), (5, 2), (5, 4), (1, 4)]
CLOSED = [*RING, RING[0]]
TURNED = [(1, 0), (2, 1), (1, 2), (0, 1)]
TRIANGLE = [(0, 0), (4, 0), (0, 3)]
HOLE = [(1, 1), (2, 1), (1, 2)]
PIXELS = [[0, 1, 1], [0, 0, 1]]


@pytest.mark.parametrize(
    "given",
    [
        Box(1, 2, 5, 4),
        {"xmin": 1, "ymin": 2, "xmax": 5, "ymax": 4},
        RING,
        CLOSED,
        [CLOSED],
        np.array(RING),
        RING[::-1],
        {"value": [CLOSED]},
        {"type": "Polygon", "coordinates": [CLOSED]},
        Polygon(RING),
    ],
)
def test_box_is_read_from_edges_or_corners(given: Any) -> None:
    assert bounding_box(given) == Box(1, 2, 5, 4)


def test_rotated_box_is_a_polygon() -> None:
    turned = RotatedBox(1, 1, 2, 2, 45)

    assert bounding_box([TURNED]) == Polygon(TURNED)
    assert bounding_box(turned) == turned


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([TRIANGLE], "bounding_box: expected four corners, got 3"),
        ([RING, HOLE], "bounding_box: expected one ring of four corners, got [[(1, 2), (5, 2),"),
        (
            {"type": "MultiPolygon", "coordinates": [[RING]]},
            "bounding_box: expected one ring of four corners, got {'type':",
        ),
        ({"left": 1}, "polygon: expected GeoJSON of a polygon, got {'left': 1}"),
        ("box", "polygon: expected rings of points, got 'box'"),
        (5, "polygon: expected rings of points, got 5"),
    ],
)
def test_invalid_box_is_rejected(given: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        bounding_box(given)


@pytest.mark.parametrize(
    "given",
    [
        Polygon([TRIANGLE, HOLE]),
        [TRIANGLE, HOLE],
        [[*TRIANGLE, TRIANGLE[0]], HOLE],
        {"value": [TRIANGLE, HOLE]},
        {"type": "Polygon", "coordinates": [TRIANGLE, HOLE]},
    ],
)
def test_polygon_is_read_from_rings(given: Any) -> None:
    assert polygon(given) == Polygon([TRIANGLE, HOLE])


def test_multipolygon_is_read_from_geojson() -> None:
    given = {"type": "MultiPolygon", "coordinates": [[TRIANGLE, HOLE], [RING]]}

    assert polygon(given) == MultiPolygon([Polygon([TRIANGLE, HOLE]), Polygon(RING)])


def test_line_is_rejected_as_polygon() -> None:
    with pytest.raises(
        SchemaError, match=r"polygon: expected GeoJSON of a polygon, got \{'type': 'LineString',"
    ):
        polygon({"type": "LineString", "coordinates": TRIANGLE})


@pytest.mark.parametrize(
    "given",
    [
        PIXELS,
        np.array(PIXELS, dtype=bool),
        {"mask": np.array(PIXELS)},
        {"size": [2, 3], "counts": [2, 1, 1, 2]},
        Mask.of(PIXELS),
    ],
)
def test_raster_is_read_from_pixels_or_run_lengths(given: Any) -> None:
    assert raster(given) == Mask.of(PIXELS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"mask": "iVBORw0KGgo="},
            "expected rows of pixels or run lengths, got {'mask': 'iVBORw0KGgo='}",
        ),
        (
            {"pixels": PIXELS},
            "raster: expected rows of pixels or run lengths, got {'pixels': [[0, 1,",
        ),
        ("iVBORw0KGgo=", "raster: expected rows of pixels or run lengths, got 'iVBORw0KGgo='"),
    ],
)
def test_invalid_raster_is_rejected(given: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        raster(given)


def test_none_is_unchanged() -> None:
    assert bounding_box(None) is polygon(None) is raster(None) is None

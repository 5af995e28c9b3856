"""Round trips through GeoJSON and WKT."""

from __future__ import annotations

import re
from typing import Any

import pytest
from valor_detection.geometry.geojson import from_geojson, to_geojson
from valor_detection.geometry.wkt import from_wkt, to_wkt

from valor_core.errors import SchemaError
from valor_core.schemas.geometry import Box, Mask, MultiPolygon, Polygon, RotatedBox

FRAME = Polygon([[(0, 0), (4, 0), (4, 4), (0, 4)], [(1, 1), (2, 1), (2, 2.5)]])
BOTH = MultiPolygon([FRAME, Polygon([(5, 5), (6, 5), (6, 6)])])


@pytest.mark.parametrize("geometry", [FRAME, BOTH, MultiPolygon([FRAME]), MultiPolygon([])])
def test_polygons_round_trip_through_geojson_and_wkt(geometry: Any) -> None:
    assert from_geojson(to_geojson(geometry)) == geometry
    assert from_wkt(to_wkt(geometry)) == geometry


def test_numbers_round_trip_through_wkt_exactly() -> None:
    thirds = Polygon([(1 / 3, 0.1), (2 / 3, 1e-7), (1e7 / 3, 4)])
    assert from_wkt(to_wkt(thirds)) == thirds


@pytest.mark.parametrize(
    "geometry", [Box(1, 0, 2, 2), RotatedBox(1.5, 1, 1, 2), Mask.of([[0, 1], [0, 1]])]
)
def test_other_geometries_are_written_as_polygons(geometry: Any) -> None:
    corners = sorted([[1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 2.0]])
    written = to_geojson(geometry)
    (ring,) = written["coordinates"]
    assert (written["type"], sorted(ring[:-1]), ring[0]) == ("Polygon", corners, ring[-1])
    assert to_wkt(geometry).startswith("POLYGON ((1 0, ")


def test_a_mask_in_two_pieces_is_written_as_two_polygons() -> None:
    written = to_geojson(Mask.of([[1, 0, 1]]))
    assert (written["type"], len(written["coordinates"])) == ("MultiPolygon", 2)


def test_third_coordinate_is_dropped() -> None:
    ring = [[0, 0, 7], [2, 0, 7], [2, 2, 7], [0, 0, 7]]
    found = from_geojson({"type": "Polygon", "coordinates": [ring]})
    assert found == Polygon([(0, 0), (2, 0), (2, 2)])
    assert from_wkt("POLYGON Z ((0 0 7, 2 0 7, 2 2 7, 0 0 7))") == found


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            {"type": "Point", "coordinates": [0, 0]},
            "geometry: expected a GeoJSON Polygon or MultiPolygon, got {'type':",
        ),
        ("Polygon", "geometry: expected a GeoJSON Polygon or MultiPolygon, got 'Polygon'"),
        ({"type": "Polygon"}, "coordinates: expected a list, got None"),
        ({"type": "Polygon", "coordinates": [3]}, "coordinates: expected a list, got 3"),
        (
            {"type": "Polygon", "coordinates": [[[0]]]},
            "coordinates: expected positions [x, y], got [0]",
        ),
        (
            {"type": "Polygon", "coordinates": [[["a", 1]]]},
            "Polygon: expected points (x, y), got [['a', 1]]",
        ),
        ({"type": "MultiPolygon", "coordinates": "a"}, "coordinates: expected a list, got 'a'"),
    ],
)
def test_other_geojson_is_rejected(value: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        from_geojson(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("POINT (0 0)", "geometry: expected a POLYGON or MULTIPOLYGON, got 'POINT (0 0)'"),
        ("POLYGON ((0 0", "geometry: expected WKT, got 'POLYGON ((0 0'"),
        (3, "geometry: expected WKT, got 3"),
        (None, "geometry: expected a POLYGON or MULTIPOLYGON, got None"),
    ],
)
def test_other_wkt_is_rejected(text: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        from_wkt(text)


def test_polygons_without_corners_round_trip() -> None:
    assert from_wkt("POLYGON EMPTY") == Polygon([])
    assert from_geojson(to_geojson(MultiPolygon([]))) == MultiPolygon([])

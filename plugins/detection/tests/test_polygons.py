from __future__ import annotations

import sys
import time

import numpy as np
import pytest
from valor_detection.geometry.polygons import (
    from_shapely,
    import_shapely,
    self_crossing,
    to_shapely,
)

from valor_core.errors import MissingExtraError
from valor_core.schemas.geometry import MultiPolygon, Polygon, Rings, Shapes

SQUARE = [(0, 0), (4, 0), (4, 4), (0, 4)]
HOLE = [(1, 1), (2, 1), (2, 2), (1, 2)]


def rings(*polygons: Polygon | MultiPolygon) -> Rings:
    found = Shapes.of(polygons).rings
    assert found is not None
    return found


def test_polygons_with_holes_round_trip_through_shapely() -> None:
    given = rings(Polygon([SQUARE, HOLE]), MultiPolygon([Polygon(SQUARE), Polygon(HOLE)]))
    shapely = to_shapely(given, "a test")
    assert [one.area for one in shapely] == [15, 17]
    assert from_shapely(shapely) == given


def test_rings_without_three_corners_are_dropped_with_their_holes() -> None:
    shapely = to_shapely(rings(Polygon([[(0, 0), (4, 4)], HOLE]), Polygon([SQUARE])), "a test")
    assert [one.area for one in shapely] == [0, 16]


def test_self_crossings_are_preserved() -> None:
    (bow,) = to_shapely(rings(Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])), "a test")
    assert not bow.is_valid


def test_lines_are_dropped() -> None:
    shapely = import_shapely("a test")
    assert from_shapely(np.array([shapely.LineString([(0, 0), (1, 1)])])).at(0) == ()


def test_missing_shapely_suggests_install_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "shapely", None)
    with pytest.raises(
        MissingExtraError, match="geometry: this test needs shapely, which is not installed"
    ):
        import_shapely("this test")


def scribble(corners: int) -> Polygon:
    return Polygon(np.random.default_rng(3).random((corners, 2)) * 1000)


def test_scribble_is_tangled_but_bow_and_coast_are_not() -> None:
    turns = np.linspace(0, 2 * np.pi, 20_000, endpoint=False)
    coast = np.stack([np.cos(turns), np.sin(turns)], axis=1) * 500
    coast[[10, 11]] = coast[[11, 10]]
    bow = Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
    shapes = to_shapely(rings(scribble(200), Polygon(coast), Polygon(SQUARE), bow), "a test")
    crossing, tangled = self_crossing(shapes)
    assert (crossing.tolist(), tangled.tolist()) == ([1, 3], [0])


def test_scribble_of_a_million_corners_is_detected_in_seconds() -> None:
    shapes = to_shapely(rings(scribble(1_000_000)), "a test")
    began = time.process_time()
    assert [found.tolist() for found in self_crossing(shapes)] == [[], [0]]
    assert time.process_time() - began < 10

"""Checks of polygons without shapely, compared with those of shapely."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from valor_detection.geometry.validity import Policy, batch_of, checked_geometries
from valor_detection.geometry.validity.faults import FAULTS, shape_faults
from valor_detection.geometry.validity.simple_rings import (
    MOST_CORNERS,
    UNDECIDED,
    polygon_results,
    ring_result,
)

from valor_core import Detection
from valor_core.errors import MissingExtraError, SchemaError
from valor_core.schemas.detection import PredictedObject, TrueObject
from valor_core.schemas.geometry import Box, MultiPolygon, Polygon, Shapes

SQUARE = [(0, 0), (2, 0), (2, 2), (0, 2)]
BOW = [(0, 0), (2, 2), (2, 0), (0, 2)]
SPIKE = [(0, 0), (2, 0), (4, 0), (2, 0), (2, 2), (0, 2)]


def random_rings() -> Iterator[tuple[str, Any]]:
    rng = np.random.default_rng(11)
    for _ in range(250):
        count = int(rng.integers(3, 13))
        angles = np.sort(rng.uniform(0, 2 * np.pi, count))
        star = np.stack([np.cos(angles), np.sin(angles)], axis=1) * rng.uniform(1, 10, (count, 1))
        star += rng.uniform(-1000, 1000, 2)
        coarse = rng.integers(0, rng.integers(2, 9), (count, 2)).astype(float)
        steps = np.sort(rng.integers(0, 20, 5)).astype(float)
        tops = [(x, float(rng.integers(1, 5))) for x in steps.tolist()]
        yield "any", rng.uniform(0, 100, (count, 2))
        yield "star", star
        yield "rounded star", np.round(star, 1)
        yield "grid", coarse
        yield "scaled grid", coarse * 10.0 ** rng.integers(-9, 9)
        yield "near a grid", np.nextafter(coarse, coarse + rng.integers(-1, 2, coarse.shape))
        yield "stairs", np.array([(steps[0], 0.0), *tops, (steps[-1], 0.0)])


@pytest.mark.filterwarnings("ignore:.* encountered in make_valid:RuntimeWarning")
def test_random_polygons_have_results_of_shapely() -> None:
    decided = Counter[str]()
    for kind, points in random_rings():
        ring = Shapes.of([Polygon(points)])
        result = ring_result(Polygon(points).rings[0])
        expected = FAULTS[int(shape_faults(ring, None)[0])]
        decided[kind] += result != UNDECIDED
        names = ("", "self-crossing", "zero area", expected)
        assert expected == "empty" or names[result] == expected, (kind, points.tolist())

    assert decided["any"] == decided["star"] == 250
    assert decided["rounded star"] > 230
    assert decided["stairs"] > 200
    assert decided["grid"] > 100


def test_polygon_of_parts_with_disjoint_boxes_needs_no_shapely() -> None:
    def result(*parts: Any) -> int:
        rings = Shapes.of([MultiPolygon([Polygon(part) for part in parts])]).rings
        assert rings is not None
        return polygon_results(rings)[0]

    far = [(x + 5, y) for x, y in SQUARE]
    assert result(SQUARE, far) == 0
    assert result(BOW, far) == 1
    assert result(SQUARE, [(x + 2, y) for x, y in SQUARE]) == UNDECIDED
    assert result([SQUARE, [(0.5, 0.5), (1, 0.5), (1, 1)]]) == UNDECIDED


def test_ring_of_many_corners_is_left_to_shapely() -> None:
    angles = np.linspace(0, 6, MOST_CORNERS + 1)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)

    assert ring_result(circle[:-1]) == 0
    assert ring_result(circle) == UNDECIDED


@pytest.fixture
def no_shapely(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shapely", None)


def checked(policy: Policy, *shapes: Any) -> Any:
    polygons = [Polygon(shape) for shape in shapes]
    return checked_geometries(polygons, None, policy, "predictions", "a.json, shape {}".format)


@pytest.mark.usefixtures("no_shapely")
def test_polygons_are_checked_without_shapely() -> None:
    assert checked("error", SQUARE).counts == {}
    assert checked("skip", SQUARE, BOW, SQUARE[:2], [(0, 0), (1, 1), (2, 2)]).counts == {
        "predictions left out: empty": 1,
        "predictions left out: zero area": 1,
        "predictions left out: self-crossing": 1,
    }
    with pytest.raises(SchemaError, match=r"a\.json, shape 1: expected a shape whose edges do not"):
        checked("error", SQUARE, BOW)


@pytest.mark.usefixtures("no_shapely")
def test_polygon_that_needs_shapely_is_named_with_the_install_command() -> None:
    expected = (
        r"a\.json, shape 1: checking a polygon of 6 corners for self-crossing needs shapely, which "
        r"is not installed\nInstall it with: .*\[polygons\]"
    )
    with pytest.raises(MissingExtraError, match=expected):
        checked("error", SQUARE, SPIKE)
    with pytest.raises(MissingExtraError, match=r"a\.json, shape 1: geometry: repairing polygons"):
        checked("repair", SQUARE, BOW)
    truth, prediction = (
        TrueObject("cat", Polygon(SPIKE)),
        PredictedObject({"cat": 1}, Box(0, 0, 1, 1)),
    )
    with pytest.raises(MissingExtraError, match=r"item 'im1', groundtruths\[0\]: checking"):
        batch_of([Detection("im1", [truth], [prediction])])

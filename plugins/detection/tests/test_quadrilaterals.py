"""IoUs of rotated boxes and convex quadrilaterals: by hand, exactly, and against shapely."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from valor_detection.geometry.ious import pair_ious
from valor_detection.geometry.quadrilaterals import convex_quadrilaterals
from valor_detection.kernels import KERNELS
from valor_detection.kernels.reference import quadrilaterals as numeric

from valor_core.schemas import Floats
from valor_core.schemas.geometry import Box, Geometry, Polygon, RotatedBox, Shapes

if KERNELS.library is None:
    compiled: Any = None
    BOTH = [numeric]
else:
    from valor_detection.kernels.compiled import quadrilaterals as compiled

    BOTH = [numeric, compiled]
paths = pytest.mark.parametrize("kernels", BOTH, ids=lambda module: module.__name__.split(".")[-2])

ROUNDING = 2.0**-46  # documented limit, of the shared area by the square of the diagonal


def turned(centers: Floats, widths: Floats, heights: Floats, angles: Floats) -> Floats:
    """Return the corners of rotated boxes with angles in radians."""
    along = np.stack([np.cos(angles) * widths, np.sin(angles) * widths], -1) / 2
    across = np.stack([-np.sin(angles) * heights, np.cos(angles) * heights], -1) / 2
    signs = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    return np.stack([centers + a * along + b * across for a, b in signs], axis=1)


def random_pairs(seed: int, count: int) -> tuple[Floats, Floats]:
    """Return pairs of six kinds: unrelated, nearly equal angles or places, touching, sliding."""
    random = np.random.default_rng(seed)
    kind = random.integers(0, 6, count)
    centers, sizes = random.uniform(0, 50, (count, 2)), random.uniform(1, 60, (2, count))
    angles = random.uniform(-4, 4, count)
    tiny = 10.0 ** -random.integers(1, 17, count) * random.choice([-1, 1], count)
    along = np.stack([np.cos(angles), np.sin(angles)], -1) * sizes[0][:, None]
    others, other_sizes = random.uniform(0, 50, (count, 2)), random.uniform(1, 60, (2, count))
    other_angles = random.uniform(-4, 4, count)
    for number, moved, angle in (
        (1, centers, angles + tiny),
        (2, centers + tiny[:, None], angles + tiny),
        (3, centers + along, angles),
        (4, centers + along * random.random((count, 1)), angles + math.pi),
    ):
        others[kind == number], other_angles[kind == number] = (
            moved[kind == number],
            angle[kind == number],
        )
        other_sizes[:, kind == number] = sizes[:, kind == number]
    return turned(centers, *sizes, angles), turned(others, *other_sizes, other_angles)


def ious(kernels: Any, true: Floats, predicted: Floats) -> Floats:
    rows = np.arange(len(true))
    found: Floats = kernels.quadrilateral_ious(true, predicted, rows, rows, rows < 0)
    return found


def iou(true: Geometry, predicted: Geometry, crowd: bool = False) -> float:
    first = np.array([0])
    sides = Shapes.of([true]), Shapes.of([predicted])
    return float(pair_ious(*sides, first, first, np.array([crowd]))[0])


def exact_areas(true: Floats, predicted: Floats) -> tuple[Fraction, Fraction, Fraction]:
    """Return both areas and the shared area of two convex polygons, without rounding."""
    truth, rest = (
        [(Fraction(x), Fraction(y)) for x, y in corners.tolist()] for corners in (true, predicted)
    )
    areas = exact_area(truth), exact_area(rest)
    for (left, top), (x, y) in pairwise([*truth, truth[0]]):
        sides = [(x - left) * (b - top) - (y - top) * (a - left) for a, b in rest]
        kept = []
        for index, (point, side) in enumerate(zip(rest, sides, strict=True)):
            if sides[index - 1] * side < 0:
                part = sides[index - 1] / (sides[index - 1] - side)
                before = rest[index - 1]
                kept.append(tuple(a + part * (b - a) for a, b in zip(before, point, strict=True)))
            if side >= 0:
                kept.append(point)
        rest = kept
    return *areas, exact_area(rest)


def exact_area(corners: list[Any]) -> Fraction:
    ring = pairwise([*corners, *corners[:1]])
    return sum((a * d - b * c for (a, b), (c, d) in ring), Fraction(0)) / 2


@paths
def test_shared_area_is_exact_up_to_the_documented_rounding(kernels: Any) -> None:
    true, predicted = random_pairs(1, 1000)
    for far in (0, 1e6):  # coordinates are rounded before the comparison
        sides = true + far, predicted + far
        for one, other, found in zip(*sides, ious(kernels, *sides).tolist(), strict=True):
            *areas, shared = exact_areas(one, other)
            diagonal = np.ptp(np.concatenate([one, other]), axis=0)
            limit = ROUNDING * (diagonal**2).sum() / min(map(float, areas))
            assert abs(found - float(shared / (sum(areas) - shared))) <= limit


def test_120_000_ious_equal_those_of_shapely() -> None:
    true, predicted = random_pairs(2, 120_000)
    found = ious(BOTH[-1], true, predicted)
    one, other = shapely.polygons(true), shapely.polygons(predicted)
    shared = shapely.area(shapely.intersection(one, other))
    expected = shared / (shapely.area(one) + shapely.area(other) - shared)
    wrong = np.flatnonzero(np.abs(found - expected) > 1e-12)
    # Shapely finds no shared area of a few rectangles that differ by rounding only.
    assert len(wrong) <= 5
    for row in wrong:
        true_area, area, exact = exact_areas(true[row], predicted[row])
        assert found[row] == pytest.approx(float(exact / (true_area + area - exact)), abs=1e-13)


@pytest.mark.skipif(compiled is None, reason="built without a compiler")
class TestSameBits:
    @given(st.integers(0, 2**32 - 1))
    def test_rotated_boxes(self, seed: int) -> None:
        pairs = random_pairs(seed, 60)
        assert_array_equal(ious(numeric, *pairs), ious(compiled, *pairs))

    @given(st.integers(0, 2**32 - 1), st.sampled_from([1e-160, 0.0, 1.0, 1e100, 1e160]))
    def test_coarse_corners_that_are_often_degenerate_or_concave(
        self, seed: int, scale: float
    ) -> None:
        random = np.random.default_rng(seed)
        true, predicted = random.integers(0, 3, (2, 40, 4, 2)) * scale
        rows, crowd = np.arange(40), random.random(40) < 0.3
        given = true, predicted, rows, rows[::-1], crowd, float(random.choice([0, 0.3, 1]))
        found = numeric.quadrilateral_ious(*given)
        assert_array_equal(found, compiled.quadrilateral_ious(*given))
        assert ((found >= 0) & (found <= 1)).all()

    def test_threads(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pairs = random_pairs(3, 500)
        alone = ious(compiled, *pairs)
        monkeypatch.setattr(compiled, "_PAIRS_EACH", 100)
        monkeypatch.setattr("valor_core.kernels.threads.thread_count", lambda: 3)
        assert_array_equal(ious(compiled, *pairs), alone)


@paths
def test_iou_of_a_rotated_box_with_itself_is_1(kernels: Any) -> None:
    boxes, _ = random_pairs(4, 500)
    assert_array_equal(ious(kernels, boxes, boxes), np.ones(500))
    assert_allclose(ious(kernels, boxes, np.roll(boxes, 1, axis=1)), 1, rtol=1e-12)


@paths
def test_pairs_below_minimum_iou_may_be_0(kernels: Any) -> None:
    true, predicted = random_pairs(5, 500)
    rows = np.arange(500)
    exact = ious(kernels, true, predicted)
    bounded = kernels.quadrilateral_ious(true, predicted, rows, rows, rows < 0, 0.5)
    assert_array_equal(bounded[exact >= 0.5], exact[exact >= 0.5])
    assert ((bounded == exact) | (bounded == 0)).all()


def test_crossing_bars_share_a_square() -> None:
    # Bars of 40 by 4 at a right angle share 4 * 4 = 16 of 160 + 160 - 16 = 304.
    one, other = RotatedBox(20, 20, 40, 4, 45), RotatedBox(20, 20, 40, 4, -45)
    assert iou(one, other) == pytest.approx(16 / 304, abs=1e-14)
    assert iou(one, other, crowd=True) == pytest.approx(16 / 160, abs=1e-14)


def test_box_inside_a_diamond() -> None:
    # The diamond |x| + |y| <= 2 has the area 8 and contains the square |x|, |y| <= 1 of area 4.
    diamond = Polygon([(0, -2), (2, 0), (0, 2), (-2, 0)])
    assert iou(diamond, Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)])) == 4 / 8


def test_orientation_and_first_corner_do_not_matter() -> None:
    ring = [(0, 0), (40, 4), (36, 40), (0, 40)]
    other = Polygon([(10, 10), (60, 10), (50, 50), (10, 60)])
    expected = iou(Polygon(ring), other)
    for first in range(4):
        moved = ring[first:] + ring[:first]
        assert iou(Polygon(moved), other) == pytest.approx(expected, abs=1e-15)
        assert iou(Polygon(moved[::-1]), other) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("width", "height"), [(0, 0), (0, 5), (1e-13, 1e3), (1e-160, 1e-160), (1e100, 1e-100)]
)
def test_iou_of_degenerate_rotated_boxes_is_between_0_and_1(width: float, height: float) -> None:
    thin = RotatedBox(300, 700, width, height, 33)
    for other in (thin, RotatedBox(300, 700, 10, 10, 60), Box(0, 0, 1000, 1000)):
        assert 0 <= iou(thin, other) <= 1
        assert 0 <= iou(other, thin) <= 1


def test_distant_and_touching_rotated_boxes_share_nothing() -> None:
    box = RotatedBox(0, 0, 4, 4, 45)
    side = 4 / math.sqrt(2)
    assert iou(box, RotatedBox(1e9, -1e9, 4, 4, 45)) == 0
    assert iou(box, RotatedBox(side, side, 4, 4, 45)) == pytest.approx(0, abs=1e-15)


def test_iou_far_from_the_origin_has_the_precision_of_the_corners() -> None:
    # Squares of side 8 moved by 2 share 6 * 8 = 48 of 64 + 64 - 48 = 80.
    far = 2.0**40
    assert iou(Box(far, far, far + 8, far + 8), RotatedBox(far + 6, far + 4, 8, 8)) == 48 / 80


def test_rotated_boxes_need_no_shapely(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shapely", None)
    assert iou(RotatedBox(0, 0, 2, 2, 30), RotatedBox(0, 0, 2, 2, 30)) == 1
    assert iou(RotatedBox(0, 0, 2, 2, 45), Box(-1, -1, 1, 1)) == pytest.approx(0.7071067811865476)


def test_evaluation_of_rotated_boxes_loads_no_shapely() -> None:
    code = (
        "import sys\n"
        "from valor_core import evaluate\n"
        "from valor_core.schemas.detection import Detection, PredictedObject, TrueObject\n"
        "from valor_core.schemas.geometry import RotatedBox\n"
        "box = RotatedBox(9, 9, 8, 4, 30)\n"
        "item = Detection('a', [TrueObject('x', box)], [PredictedObject({'x': 1.0}, box)])\n"
        "print(round(evaluate([item], ['mAP50'])['mAP'].value, 9), 'shapely' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1.0 False\n"


def test_only_convex_outlines_of_four_corners_are_quadrilaterals() -> None:
    square = [(0, 0), (2, 0), (2, 2), (0, 2)]
    shapes = Shapes.of(
        [
            Box(0, 0, 1, 1),
            RotatedBox(500, 500, 1e-13, 1e3, 33),
            Polygon(square),
            Polygon(square[::-1]),
            Polygon([(0, 0), (2, 2), (2, 0), (0, 2)]),  # crosses itself
            Polygon([(0, 0), (2, 0), (0.5, 0.5), (0, 2)]),  # concave
            Polygon([square, [(0.5, 0.5), (1, 0.5), (1, 1)]]),  # with a hole
            Polygon(square[:3]),
        ]
    )
    corners, is_convex = convex_quadrilaterals(shapes, np.arange(8))
    assert is_convex.tolist() == [True] * 4 + [False] * 4
    assert corners[2].tolist() == [list(point) for point in square]
    assert sorted(corners[3].tolist()) == sorted(corners[2].tolist())
    assert not corners[4:].any()

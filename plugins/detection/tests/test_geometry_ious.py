"""IoUs of shapes: by hand, against pycocotools, and across kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pycocotools import mask as coco
from valor_detection.geometry import ious as module
from valor_detection.geometry.conversion import converted
from valor_detection.geometry.ious import box_ious, pair_ious

from valor_core import evaluate
from valor_core.errors import SchemaError
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import (
    Box,
    Geometry,
    Mask,
    MultiPolygon,
    Polygon,
    RotatedBox,
    Shapes,
)
from valor_core.schemas.geometry.shapes import MASK, POLYGON


def square(left: float, top: float, side: float) -> list[tuple[float, float]]:
    right, bottom = left + side, top + side
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def iou(true: Geometry, predicted: Geometry, crowd: bool = False) -> float:
    first = np.array([0])
    sides = Shapes.of([true]), Shapes.of([predicted])
    return float(pair_ious(*sides, first, first, np.array([crowd]))[0])


def test_ious_of_boxes_equal_pycocotools_bit_by_bit() -> None:
    random = np.random.default_rng(4)
    true, predicted = random.uniform(0, 9, (2, 60, 4))
    predicted[:20] = np.round(true[:20])
    predicted[:5, 2:] = 0
    crowd = random.random(60) < 0.5
    expected = coco.iou(predicted, true, crowd.tolist()).T
    t, p = (a.ravel() for a in np.meshgrid(range(60), range(60), indexing="ij"))
    assert_array_equal(box_ious(true[t], predicted[p], crowd[t]), expected.ravel())


def test_iou_of_touching_boxes_is_0() -> None:
    assert iou(Box(0, 0, 1, 1), Box(1, 0, 2, 1)) == 0


def test_iou_of_shapes_without_area_is_0() -> None:
    assert iou(Box(1, 1, 1, 1), Box(1, 1, 1, 1)) == 0
    assert iou(Polygon([(0, 0), (0, 2), (0, 1)]), Polygon([(0, 0), (0, 2), (0, 1)])) == 0
    assert iou(Polygon([(0, 0), (2, 2)]), Polygon([square(0, 0, 2)])) == 0
    assert iou(Polygon([]), Polygon([])) == 0
    assert iou(Mask.of([[0]]), Mask.of([[0]])) == 0


def test_hole_is_outside_of_polygon() -> None:
    frame = Polygon([square(0, 0, 4), square(1, 1, 2)])
    assert iou(frame, Polygon([square(0, 0, 4)])) == 12 / 16
    assert iou(frame, Polygon([square(1, 1, 2)])) == 0


def test_the_parts_of_a_multipolygon_are_one_object() -> None:
    parts = MultiPolygon([Polygon([square(0, 0, 2)]), Polygon([square(3, 0, 1)])])
    assert iou(parts, Polygon([square(0, 0, 2)])) == 4 / 5
    overlapping = MultiPolygon([Polygon([square(0, 0, 2)]), Polygon([square(1, 0, 2)])])
    assert 0 < iou(overlapping, Polygon([square(0, 0, 2)])) <= 1


def test_a_crowd_is_compared_with_the_area_of_the_prediction() -> None:
    for kind in (Polygon, lambda ring: Box(*ring[0], *ring[2])):
        true, predicted = kind(square(0, 0, 4)), kind(square(3, 0, 2))
        assert iou(true, predicted) == 2 / 18
        assert iou(true, predicted, crowd=True) == 2 / 4
    all_, left = Mask.of([[1, 1]]), Mask.of([[1, 0]])
    assert iou(all_, left, crowd=True) == 1


def test_intersection_with_square_rotated_by_45_degrees_is_an_octagon() -> None:
    shared = 8 * (np.sqrt(2) - 1)  # of side 2 (sqrt 2 - 1), with apothem 1
    found = iou(RotatedBox(0, 0, 2, 2), RotatedBox(0, 0, 2, 2, 45))
    assert found == pytest.approx(shared / (8 - shared), abs=1e-12)


def test_self_crossing_polygon_follows_the_even_odd_rule() -> None:
    bow = Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
    assert iou(bow, Polygon([square(0, 0, 2)])) == 2 / 4


def test_iou_of_a_shape_with_itself_is_1() -> None:
    random = np.random.default_rng(8)
    for _ in range(50):
        blob = Polygon(random.uniform(0, 100, (7, 2)))
        assert iou(blob, blob) == pytest.approx(1, abs=1e-12)
        assert iou(blob, blob) <= 1


def test_polygons_and_masks_of_integer_pixels_have_the_same_iou() -> None:
    random = np.random.default_rng(6)
    pixels = random.random((24, 9, 9)) < random.random((24, 1, 1))
    masks = Shapes.of([Mask.of(one) for one in pixels])
    polygons = converted(masks, POLYGON)
    t, p = (a.ravel() for a in np.meshgrid(range(24), range(24), indexing="ij"))
    crowd = random.random(24)[t] < 0.3
    assert_allclose(
        pair_ious(masks, masks, t, p, crowd), pair_ious(polygons, polygons, t, p, crowd), atol=1e-12
    )


def test_pairs_of_several_kinds_are_each_compared_in_their_kind() -> None:
    ring = Mask.of(np.pad(np.zeros((1, 1)), 1, constant_values=1))
    triangle = Polygon([(0, 0), (2, 0), (0, 2)])
    shapes = Shapes.of([Box(0, 0, 2, 2), triangle, ring])
    rows, none = np.array([2, 0, 1]), np.zeros(3, bool)
    assert pair_ious(shapes, shapes, rows, rows, none).tolist() == [1, 1, 1]
    t, p = np.array([0, 2, 1]), np.array([1, 0, 2])
    mixed = [1, 4 / 9, 2 / 8]
    assert_allclose(pair_ious(shapes, shapes, t, p, none), mixed)
    assert_allclose(pair_ious(shapes, shapes, t, p, none, raised=True), [0.5, *mixed[1:]])


def test_box_and_rotated_box_are_compared_as_polygons() -> None:
    turned, box = RotatedBox(20, 20, 40, 4, 45), Box(0, 0, 40, 40)
    assert iou(turned, box) == pytest.approx(160 / 1600)
    assert iou(box, turned) == pytest.approx(160 / 1600)
    rounded = Polygon(turned.polygon.rings[0].round(3))
    assert iou(box, rounded) == pytest.approx(160 / 1600, abs=1e-4)
    bent = Polygon([(0, 0), (40, 4), (36, 40), (0, 40)])
    assert iou(box, bent) == 1.0


@pytest.mark.parametrize("nothing", [Polygon([]), MultiPolygon([])])
def test_iou_of_empty_polygon_and_box_is_0(nothing: Geometry) -> None:
    assert iou(Box(0, 0, 1, 1), nothing) == 0.0


@pytest.mark.parametrize("convert_to", [None, "polygon"])
def test_other_objects_of_an_image_do_not_change_an_iou(convert_to: str | None) -> None:
    crossed = RotatedBox(20, 20, 40, 4, 45), RotatedBox(20, 20, 40, 4, -45)
    own = [PredictedObject({"dog": 0.9}, crossed[1])]
    far = [TrueObject("cat", Box(100, 100, 110, 110))]
    for others in ([], far, far * 2):
        item = Detection("a", [TrueObject("dog", crossed[0]), *others], own)
        choice = {"name": "Counts", "iou_thresholds": [0.5], "convert_to": convert_to}
        found = evaluate([item], [choice])["Counts", "dog"].value
        assert found == {"tp": 0, "fp": 1, "fn": 1}


def test_masks_of_two_sizes_are_rejected() -> None:
    with pytest.raises(
        SchemaError, match="pair 0: expected masks of one size, got 1 by 2 and 2 by 1 pixels"
    ):
        iou(Mask.of([[1, 1]]), Mask.of([[1], [1]]))


@pytest.mark.parametrize("kind", [POLYGON, MASK])
def test_pairs_below_minimum_iou_may_be_0(kind: int) -> None:
    random = np.random.default_rng(7)
    boxes = random.integers(0, 9, (40, 4)).astype(float)
    shapes = converted(Shapes(boxes), kind, np.full((40, 2), 20))
    t, p = (a.ravel() for a in np.meshgrid(range(40), range(40), indexing="ij"))
    none = np.zeros(1600, bool)
    exact = pair_ious(shapes, shapes, t, p, none)
    bounded = pair_ious(shapes, shapes, t, p, none, at_least=0.5)
    assert_array_equal(bounded[exact >= 0.5], exact[exact >= 0.5])
    assert ((bounded == exact) | (bounded == 0)).all()


def test_results_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(7)
    shapes = Shapes.of([Polygon(random.uniform(0, 9, (5, 2))) for _ in range(30)])
    t, p = (a.ravel() for a in np.meshgrid(range(30), range(30), indexing="ij"))
    given: Any = (shapes, shapes, t, p, np.zeros(900, bool))
    alone = pair_ious(*given)
    monkeypatch.setattr(module, "_PAIRS_EACH", 100)
    monkeypatch.setattr("valor_core.kernels.threads.thread_count", lambda: 3)
    assert_array_equal(pair_ious(*given), alone)


def test_tangled_polygon_of_2000_corners_is_rejected_quickly() -> None:
    scribble = Polygon(np.random.default_rng(5).random((2000, 2)) * 100)
    with pytest.raises(
        SchemaError, match="polygons: expected edges that cross at most 1,000 times, found more in"
    ):
        iou(Polygon(square(0, 0, 100)), scribble)

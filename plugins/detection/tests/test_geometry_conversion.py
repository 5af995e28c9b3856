"""Conversion between kinds of shapes: earlier results, earlier defects, and round trips."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_st
from numpy.testing import assert_array_equal
from rasterio import features
from valor_detection.geometry.contours import outlines
from valor_detection.geometry.conversion import comparable, converted
from valor_detection.geometry.drawing import drawn
from valor_detection.geometry.ious import pair_ious

from valor_core.errors import MissingExtraError, ParameterError, SchemaError
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import (
    Box,
    Geometry,
    Mask,
    MultiPolygon,
    Polygon,
    Rings,
    RotatedBox,
    Shapes,
)
from valor_core.schemas.geometry.shapes import BOX, MASK, POLYGON

GOLDEN = json.loads((Path(__file__).parent / "golden" / "geometry.json").read_text("utf-8"))
SQUARE = Polygon([(0, 0), (2, 0), (2, 2), (0, 2)])


def mask_of(rows: Sequence[str]) -> Mask:
    return Mask.of([[int(pixel) for pixel in row] for row in rows])


def rows_of(mask: Geometry) -> list[str]:
    assert isinstance(mask, Mask)
    return ["".join(map(str, row)) for row in mask.array.astype(int)]


def as_(kind: int, geometry: Geometry, size: tuple[int, int] | None = None) -> Geometry:
    sizes = None if size is None else np.array([size])
    return converted(Shapes.of([geometry]), kind, sizes).at(0)


def shape_of(value: Any) -> Box | Polygon:
    return Box(*value["box"]) if "box" in value else Polygon(value["polygon"])


@pytest.mark.parametrize("case", GOLDEN["ious"], ids=lambda case: f"{case['iou']:.3f}")
def test_ious_of_rotated_boxes_equal_earlier_code(case: Any) -> None:
    true, predicted = (Shapes.of([Polygon(ring)]) for ring in case["shapes"])
    first = np.array([0])
    iou = pair_ious(true, predicted, first, first, np.array([False]))[0]
    assert iou == pytest.approx(case["iou"], abs=1e-12)


@pytest.mark.parametrize("case", GOLDEN["mask_to_box"])
def test_bounding_box_of_mask_includes_last_pixel(case: Any) -> None:
    assert as_(BOX, mask_of(case["mask"])) == Box(*case["box"])


@pytest.mark.parametrize("case", GOLDEN["polygon_to_box"])
def test_bounding_box_of_polygon_touches_its_corners(case: Any) -> None:
    assert as_(BOX, Polygon(case["polygon"])) == Box(*case["box"])


@pytest.mark.parametrize("case", GOLDEN["divergences"], ids=lambda case: case["reason"][:40])
def test_pixel_is_inside_if_its_center_is(case: Any) -> None:
    assert rows_of(as_(MASK, shape_of(case["from"]), tuple(case["size"]))) == case["is"]


@pytest.mark.parametrize(
    "case", GOLDEN["contour_divergences"], ids=lambda case: case["reason"][:40]
)
def test_contours_enclose_a_mask(case: Any) -> None:
    assert Shapes.of([as_(POLYGON, mask_of(case["mask"]))]).areas.tolist() == [case["area"]]


def test_contours_of_diagonally_adjacent_pixels() -> None:
    # Two squares that share the point (1, 1) are two polygons.
    diagonal = [[[[0, 0], [0, 1], [1, 1], [1, 0]]], [[[1, 1], [1, 2], [2, 2], [2, 1]]]]
    assert rings_of([[1, 0], [0, 1]]) == diagonal
    # The hole at (2, 1) touches the outline at (2, 2) and is a separate ring.
    hole = [[1, 1, 1, 1], [1, 1, 0, 1], [1, 0, 1, 1]]
    outline = [[0, 0], [0, 3], [1, 3], [1, 2], [2, 2], [2, 3], [4, 3], [4, 0]]
    assert rings_of(hole) == [[outline, [[2, 1], [3, 1], [3, 2], [2, 2]]]]


def rings_of(pixels: Any) -> list[Any]:
    found = outlines(np.array(pixels, bool))
    return [[ring.tolist() for ring in polygon.rings] for polygon in found]


@settings(max_examples=300)
@given(arrays_st.arrays(bool, st.tuples(st.integers(1, 12), st.integers(1, 12))))
def test_contours_equal_rasterio(pixels: Any) -> None:
    shapes = features.shapes(pixels.astype(np.uint8), mask=pixels, connectivity=4)
    expected = [
        [[list(corner) for corner in ring[:-1]] for ring in shape["coordinates"]]
        for shape, _ in shapes
    ]

    found = rings_of(pixels)

    assert in_any_order(found) == in_any_order(expected)


def in_any_order(polygons: list[Any]) -> list[Any]:
    return sorted([outer, sorted(holes)] for outer, *holes in polygons)


MASKS = arrays_st.arrays(bool, st.tuples(st.integers(1, 12), st.integers(1, 12)))


@given(st.lists(MASKS, min_size=1, max_size=4))
def test_mask_survives_conversion_to_polygon_and_back(pixels: Any) -> None:
    masks = Shapes.of([Mask.of(one) for one in pixels])
    assert masks.masks is not None
    polygons = converted(masks, POLYGON)
    assert_array_equal(polygons.areas, masks.areas)
    assert_array_equal(polygons.boxes, masks.boxes)
    again = converted(polygons, MASK, masks.masks.sizes)
    assert list(again) == list(masks)
    assert_array_equal(again.boxes, masks.boxes)


@given(st.tuples(*[st.integers(0, 8)] * 4))
def test_integer_box_survives_conversion_to_mask_and_back(edges: Any) -> None:
    left, top, width, height = edges
    box = Box(left, top, left + width + 1, top + height + 1)
    assert as_(BOX, as_(POLYGON, as_(MASK, box, (20, 20)))) == box
    assert as_(BOX, as_(POLYGON, box)) == box


@given(st.lists(st.tuples(*[st.floats(-3, 12)] * 2), min_size=3, max_size=8))
def test_drawing_equals_test_of_each_center(points: Any) -> None:
    runs, _ = drawn(Rings.of([[Polygon([points])]]), np.array([[9, 7]]))

    def is_inside(x: float, y: float) -> bool:
        above = 0
        for (xa, ya), (xb, yb) in zip(points, [*points[1:], points[0]], strict=True):
            (xs, ys), (xe, ye) = ((xa, ya), (xb, yb)) if xa <= xb else ((xb, yb), (xa, ya))
            if xs <= x < xe:
                above += ys + (x - xs) / (xe - xs) * (ye - ys) <= y
        return above % 2 == 1

    expected = [[is_inside(c + 0.5, r + 0.5) for c in range(7)] for r in range(9)]
    assert_array_equal(Mask(runs, 9, 7).array, expected)


def test_adjacent_shapes_share_no_pixel() -> None:
    random = np.random.default_rng(2)
    for _ in range(50):
        (xa, ya), (xb, yb) = random.integers(0, 41, (2, 2)) / 2
        upper = Polygon([(0, 0), (20, 0), (20, 20), (xb, yb), (xa, ya)])
        lower = Polygon([(0, 0), (xa, ya), (xb, yb), (20, 20), (0, 20)])
        one, other = (as_(MASK, shape, (20, 20)) for shape in (upper, lower))
        assert isinstance(one, Mask)
        assert isinstance(other, Mask)
        assert_array_equal(one.array ^ other.array, np.ones((20, 20), bool))


def test_the_parts_of_a_multipolygon_are_united() -> None:
    both = MultiPolygon([SQUARE, Polygon([(1, 0), (4, 0), (4, 1), (1, 1)])])
    assert rows_of(as_(MASK, both, (2, 5))) == ["11110", "11000"]


def test_column_of_all_kinds_is_converted_row_by_row() -> None:
    hole = Polygon([[(0, 0), (3, 0), (3, 3), (0, 3)], [(1, 1), (2, 1), (2, 2), (1, 2)]])
    ring = mask_of(["1110", "1010", "1110"])
    geometries = [ring, Box(1, 0, 2, 2), hole, RotatedBox(1, 1, 2, 2, 0), ring]
    shapes, sizes = Shapes.of(geometries), np.full((5, 2), (3, 4))
    kinds = np.array([POLYGON, MASK, MASK, POLYGON, MASK], np.uint8)
    found = converted(shapes, kinds, sizes)
    assert found.areas.tolist() == [8, 2, 8, 4, 8]
    assert [rows_of(found.at(row)) for row in (1, 2)] == [["0100", "0100", "0000"], rows_of(ring)]
    assert isinstance(found.at(0), Polygon)
    assert isinstance(found.at(3), Polygon)
    assert found.at(4) == ring
    boxes = converted(shapes, BOX)
    assert boxes.only_boxes
    assert boxes.areas.tolist() == [9, 2, 9, 4, 9]
    assert converted(boxes, np.zeros(5, np.uint8)) is boxes


def test_mask_without_pixels_is_empty_in_every_kind() -> None:
    nothing = mask_of(["00", "00"])
    for kind in (BOX, POLYGON):
        shapes = converted(Shapes.of([nothing]), kind)
        assert (shapes.areas.tolist(), shapes.boxes.tolist()) == ([0], [[0, 0, 0, 0]])
    assert rows_of(as_(MASK, as_(POLYGON, nothing), (2, 2))) == ["00", "00"]


@pytest.mark.parametrize("sizes", [None, np.array([[4, 4], [0, 0]])])
def test_mask_of_image_with_unknown_size_is_rejected(sizes: Any) -> None:
    boxes = Shapes.of([Box(0, 0, 1, 1)] * 2)
    with pytest.raises(
        SchemaError, match=r"row [01]: expected the height and width of its image, to"
    ):
        converted(boxes, MASK, sizes)


def test_missing_shapely_suggests_install_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "shapely", None)
    shapes, first = Shapes.of([Polygon([(0, 0), (2, 0), (0, 2)])]), np.array([0])
    with pytest.raises(
        MissingExtraError,
        match="geometry: the overlap of polygons needs shapely, which is not installed",
    ):
        pair_ious(shapes, shapes, first, first, np.array([False]))


def image(uid: str, true: Sequence[Geometry], predicted: Sequence[Geometry] = ()) -> Detection:
    return Detection(
        uid,
        [TrueObject("dog", geometry) for geometry in true],
        [PredictedObject({"dog": 0.5}, geometry) for geometry in predicted],
    )


PIXEL = mask_of(["10", "00"])
IMAGES = (
    image("a", [PIXEL, Box(0, 0, 2, 2)], [PIXEL]),
    image("b", [PIXEL], [SQUARE]),
    image("c", [PIXEL], [PIXEL]),
    image("d", []),
)


def test_shapes_are_unchanged_without_a_requested_kind() -> None:
    batch = DetectionBatch.of(IMAGES)
    assert comparable(batch) is batch


def test_everything_can_be_compared_as_boxes() -> None:
    found = comparable(DetectionBatch.of(IMAGES), "box")
    assert found.groundtruths.shapes.only_boxes
    assert found.predictions.shapes.only_boxes


def test_box_is_converted_to_requested_polygon() -> None:
    found = comparable(DetectionBatch.of(IMAGES), "polygon")
    assert found.groundtruths.shapes.kinds.tolist() == [POLYGON, BOX, POLYGON, POLYGON]
    assert found.predictions.shapes.kinds.tolist() == [POLYGON, POLYGON, POLYGON]


def test_conversion_to_masks_is_rejected_for_other_shapes() -> None:
    with pytest.raises(SchemaError, match="expected a mask for convert_to: mask, got a box"):
        comparable(DetectionBatch.of(IMAGES[1:2] + IMAGES[:1]), "mask")
    with pytest.raises(SchemaError, match="expected a mask for convert_to: mask, got a polygon"):
        comparable(DetectionBatch.of(IMAGES[1:2]), "mask")


def test_unknown_kind_lists_valid_kinds() -> None:
    with pytest.raises(
        ParameterError, match="convert_to: expected one of box, polygon, mask, got 'poligon'"
    ):
        comparable(DetectionBatch.of(IMAGES), "poligon")


def test_masks_of_one_image_have_one_size() -> None:
    tall = mask_of(["1", "0", "0"])
    batch = DetectionBatch.of([image("a", [PIXEL], [PIXEL, tall, tall])])
    with pytest.raises(
        SchemaError,
        match=r"item 'a', predictions\[1\]: expected a mask of 2 by 2 pixels like other masks",
    ):
        comparable(batch)
    assert comparable(batch, "box").predictions.shapes.only_boxes


def test_error_names_item_and_annotation_with_too_many_pixels() -> None:
    side = 1 << 16
    mask = Mask(np.array([0, (1 << 32) - 1, 1], np.uint32), side, side)
    batch = DetectionBatch.of([Detection("a", [TrueObject("x", mask)])])
    with pytest.raises(
        SchemaError, match="expected an image of at most 2 billion pixels, found 65536 by 65536"
    ):
        comparable(batch)

"""Invalid shapes under each policy."""

from __future__ import annotations

import math
import time
from typing import Any, get_args

import numpy as np
import pytest
from valor_detection.geometry.validity import (
    Policy,
    checked_boxes,
    checked_geometries,
    checked_shapes,
)

from valor_core.errors import SchemaError
from valor_core.schemas.geometry import (
    Box,
    Geometry,
    Mask,
    MultiPolygon,
    Polygon,
    RotatedBox,
    Shapes,
)

POLICIES: tuple[Policy, ...] = get_args(Policy)
NAN, INF = math.nan, math.inf
SQUARE = [(0, 0), (2, 0), (2, 2), (0, 2)]
BOW = [(0, 0), (2, 2), (2, 0), (0, 2)]

FINE: list[Geometry] = [
    Box(0, 0, 2, 1),
    Box(-1, -1, 11, 11),
    RotatedBox(5, 5, 2, 1, 30),
    Polygon([SQUARE, [(0.5, 0.5), (1, 0.5), (1, 1)]]),
    MultiPolygon([Polygon(SQUARE), Polygon([(5, 5), (6, 5), (6, 6)])]),
    Mask.of(np.eye(10)),
]
REPAIRABLE: list[tuple[Geometry, str, float]] = [
    (Box(2, 0, 0, 1), "inverted", 2),
    (Box(0, 3, 1, 1), "inverted", 2),
    (RotatedBox(5, 5, -2, 1), "inverted", 2),
    (Box(-5, 0, 5, 5), "out of the image", 25),
    (Box(12, 5, 8, 6), "inverted", 2),
    (Polygon(BOW), "self-crossing", 2),
    (
        MultiPolygon([Polygon(SQUARE), Polygon([(1, 0), (3, 0), (3, 2), (1, 2)])]),
        "self-crossing",
        6,
    ),
    (Polygon([(8, 0), (12, 0), (12, 2), (8, 2)]), "out of the image", 4),
]
HOPELESS: list[tuple[Geometry, str]] = [
    (Box(0, 0, NAN, 1), "not finite"),
    (Box(0, -INF, 1, 1), "not finite"),
    (RotatedBox(5, 5, 2, 1, NAN), "not finite"),
    (Polygon([(0, 0), (2, INF), (2, 0)]), "not finite"),
    (Box(1, 1, 1, 3), "zero area"),
    (Box(12, 0, 14, 1), "out of the image"),
    (Polygon([(0, 0), (2, 2), (4, 4)]), "zero area"),
    (Polygon([(0, 0), (2, 2)]), "empty"),
    (Polygon([]), "empty"),
    (MultiPolygon([]), "empty"),
    (Polygon([(12, 0), (14, 0), (14, 2)]), "out of the image"),
    (Mask.of(np.zeros((10, 10))), "empty"),
]
WRONG = [(shape, fault) for shape, fault, _ in REPAIRABLE] + HOPELESS


def place(row: int) -> str:
    return f"item 'a', predictions[{row}]"


def checked(geometries: list[Geometry], policy: Policy) -> Any:
    sizes = np.full((len(geometries), 2), 10)
    return checked_geometries(geometries, sizes, policy, "predictions", place)


@pytest.mark.parametrize("policy", POLICIES)
def test_valid_shapes_pass_every_policy(policy: Policy) -> None:
    found = checked(FINE, policy)
    assert found.shapes == Shapes.of(FINE)
    assert found.kept.tolist() == list(range(len(FINE)))
    assert found.counts == {}


@pytest.mark.parametrize(("shape", "fault"), WRONG, ids=repr)
def test_an_error_names_item_and_annotation(shape: Geometry, fault: str) -> None:
    with pytest.raises(SchemaError) as error:
        checked([FINE[0], shape, shape], "error")
    first, remedy = str(error.value).split("\n")
    assert first.startswith("item 'a', predictions[1]: expected a shape ")
    assert first.endswith(" (and 1 more)")
    others = "repair | skip" + (" | accept" if fault not in ("not finite", "inverted") else "")
    assert remedy == (
        f"Correct it, or set data.invalid_geometry: {others}; in Python, pass "
        "invalid_geometry to batch_of, from_arrays or evaluate_detection."
    )


def test_error_states_the_finding() -> None:
    with pytest.raises(
        SchemaError,
        match=r"item 'a', predictions\[0\]: expected a shape with xmin <= xmax and ymin",
    ):
        checked([Box(2, 0, 0.5, 1)], "error")


@pytest.mark.parametrize(("shape", "fault"), WRONG, ids=repr)
def test_skipped_shapes_are_counted(shape: Geometry, fault: str) -> None:
    found = checked([shape, FINE[0], shape], "skip")
    assert list(found.shapes) == [FINE[0]]
    assert found.kept.tolist() == [1]
    assert found.counts == {f"predictions left out: {fault}": 2}


@pytest.mark.parametrize(("shape", "fault", "area"), REPAIRABLE, ids=repr)
def test_repaired_shapes_are_counted(shape: Geometry, fault: str, area: float) -> None:
    found = checked([FINE[0], shape], "repair")
    assert found.shapes.areas.tolist() == pytest.approx([2, area])
    assert found.kept.tolist() == [0, 1]
    assert found.counts == {f"predictions repaired: {fault}": 1}
    again = checked(list(found.shapes), "error")
    assert list(again.shapes) == list(found.shapes)


@pytest.mark.parametrize(("shape", "fault"), HOPELESS, ids=repr)
def test_shapes_without_repair_are_excluded_and_counted(shape: Geometry, fault: str) -> None:
    found = checked([shape, FINE[0]], "repair")
    assert list(found.shapes) == [FINE[0]]
    assert found.counts == {f"predictions left out: {fault}": 1}


@pytest.mark.parametrize(("shape", "fault"), WRONG, ids=repr)
def test_accept_computes_with_invalid_shapes(shape: Geometry, fault: str) -> None:
    if fault in ("not finite", "inverted"):
        with pytest.raises(SchemaError, match=r"item 'a', predictions\[0\]: expected a shape with"):
            checked([shape], "accept")
    else:
        assert checked([shape], "accept").shapes == Shapes.of([shape])


def test_no_shape_is_outside_of_image_with_unknown_size() -> None:
    for sizes in (None, np.zeros((1, 2), np.int64)):
        found = checked_geometries([Box(-5, 0, 500, 5)], sizes, "error", "predictions", place)
        assert len(found.kept) == 1


BOXES = np.array(
    [[0, 0, 2, 1], [3, 1, -2, 1], [NAN, 0, 1, 1], [1, 1, 0, 1], [-5, 0, 10, 5], [20, 0, 2, 2]]
)
SIZES = np.full((6, 2), 10)
COUNTS = {
    "predictions left out: inverted": 1,
    "predictions left out: not finite": 1,
    "predictions left out: zero area": 1,
    "predictions left out: out of the image": 2,
}


def test_columns_of_boxes_are_skipped() -> None:
    found = checked_boxes(BOXES, SIZES, "skip", "predictions", place)
    assert (found.kept.tolist(), found.shapes.boxes.tolist()) == ([0], [[0, 0, 2, 1]])
    assert found.counts == COUNTS


def test_columns_of_boxes_are_repaired() -> None:
    found = checked_boxes(BOXES, SIZES, "repair", "predictions", place)
    assert found.kept.tolist() == [0, 1, 4]
    assert found.shapes.boxes.tolist() == [[0, 0, 2, 1], [1, 1, 2, 1], [0, 0, 5, 5]]
    assert found.counts == {
        "predictions left out: not finite": 1,
        "predictions left out: zero area": 1,
        "predictions left out: out of the image": 1,
        "predictions repaired: inverted": 1,
        "predictions repaired: out of the image": 1,
    }


def test_invalid_columns_of_boxes_are_rejected() -> None:
    with pytest.raises(
        SchemaError,
        match=r"item 'a', predictions\[1\]: expected a shape with xmin <= xmax and ymin",
    ):
        checked_boxes(BOXES, SIZES, "error", "predictions", place)
    with pytest.raises(
        SchemaError,
        match=r"item 'a', predictions\[1\]: expected a shape with xmin <= xmax and ymin",
    ):
        checked_boxes(BOXES, SIZES, "accept", "predictions", place)


def test_columns_of_boxes_are_accepted_unchanged() -> None:
    found = checked_boxes(BOXES[3:], SIZES[3:], "accept", "predictions", place)
    assert found.shapes.boxes.tolist() == BOXES[3:].tolist()


def test_columns_of_boxes_are_not_modified() -> None:
    before = BOXES.copy()
    for policy in ("repair", "skip"):
        checked_boxes(BOXES, SIZES, policy, "predictions", place)  # type: ignore[arg-type]
    np.testing.assert_array_equal(BOXES, before)


def test_columns_of_shapes_follow_the_same_policies() -> None:
    shapes = Shapes.of([Polygon(BOW), FINE[0], Polygon([(0, 0), (2, 2)]), FINE[5]])
    sizes = np.full((4, 2), 10)
    skipped = checked_shapes(shapes, sizes, "skip", "groundtruths", place)
    assert skipped.kept.tolist() == [1, 3]
    assert skipped.counts == {
        "groundtruths left out: empty": 1,
        "groundtruths left out: self-crossing": 1,
    }
    repaired = checked_shapes(shapes, sizes, "repair", "groundtruths", place)
    assert repaired.kept.tolist() == [0, 1, 3]
    assert repaired.shapes.areas.tolist() == [2, 2, 10]
    assert checked_shapes(shapes, sizes, "accept", "groundtruths", place).shapes is shapes
    with pytest.raises(
        SchemaError, match=r"item 'a', predictions\[0\]: expected a shape whose edges do not cross,"
    ):
        checked_shapes(shapes, sizes, "error", "groundtruths", place)


def test_empty_columns_are_valid() -> None:
    for policy in POLICIES:
        assert len(checked([], policy).shapes) == 0
        assert len(checked_boxes(np.empty((0, 4)), None, policy, "", place).kept) == 0


def test_tangled_polygon_of_2000_corners_is_quick_under_every_policy() -> None:
    scribble = Polygon(np.random.default_rng(5).random((2000, 2)) * 100)
    began = time.process_time()
    with pytest.raises(
        SchemaError,
        match="expected a shape whose edges do not cross, got a polygon of 2000 corners",
    ):
        checked([scribble], "error")
    for policy in ("skip", "repair"):
        found = checked([scribble], policy)
        assert found.counts == {"predictions left out: self-crossing": 1}
    assert len(checked([scribble], "accept").shapes) == 1
    assert time.process_time() - began < 5  # splitting it at each crossing takes hours

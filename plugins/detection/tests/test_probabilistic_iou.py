"""Probabilistic IoU of boxes and rotated boxes: by hand, and against its formula."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from valor_detection.geometry.gaussians import Gaussians, probabilistic_ious, search_boxes
from valor_detection.matching.overlap.probabilistic import ProbabilisticIOU

from valor_core import evaluate
from valor_core.errors import ReadError
from valor_core.schemas import Floats
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box, Geometry, Polygon, RotatedBox, Shapes

EPSILON = 1e-7


def iou(one: Geometry, other: Geometry) -> float:
    first = np.array([0])
    sides = (Gaussians.of(Shapes.of([shape])) for shape in (one, other))
    return float(probabilistic_ious(*sides, first, first)[0])


def test_moved_box_by_hand() -> None:
    # A box of sides sqrt(12) has the variance 12 / 12 = 1 in x and y. Moved by 2, the Bhattacharyya
    # distance is 2^2 / 8 = 0.5, and the Hellinger distance sqrt(1 - exp(-0.5)) = 0.6273.
    side = math.sqrt(12)
    found = iou(RotatedBox(0, 0, side, side), RotatedBox(2, 0, side, side))
    assert found == pytest.approx(1 - math.sqrt(1 - math.exp(-0.5)), abs=1e-6)
    assert found == pytest.approx(0.3727, abs=5e-5)


def test_turned_box_by_hand() -> None:
    # Variances are 48 / 12 = 4 and 12 / 12 = 1. At a right angle, the mean covariance has the
    # determinant 2.5 * 2.5 = 6.25, each has 4: ln(6.25 / 4) / 2 = 0.2231, exp(-0.2231) = 0.8.
    sides = math.sqrt(48), math.sqrt(12)
    found = iou(RotatedBox(7, 9, *sides, 30), RotatedBox(7, 9, *sides, 120))
    assert found == pytest.approx(1 - math.sqrt(1 - 0.8), abs=1e-6)


def test_equal_boxes_have_the_epsilons_of_ultralytics() -> None:
    # The distance is at least 1e-7, and 1e-7 is added under the root: sqrt(2e-7) = 0.000447.
    box = RotatedBox(50, 60, 30, 10, 20)
    assert iou(box, box) == pytest.approx(1 - math.sqrt(2e-7), abs=1e-8)
    assert iou(box, Box(0, 0, 1, 1)) == 0  # distances end at 100


def test_square_of_any_angle_is_one_gaussian() -> None:
    square = RotatedBox(5, 5, 8, 8, 12)
    assert iou(square, RotatedBox(5, 5, 8, 8, 57)) == pytest.approx(iou(square, square), abs=1e-7)


def formula(one: Floats, other: Floats) -> float:
    """Return 1 minus the Hellinger distance of two Gaussians, with matrices and without epsilons.

    Boxes are x, y, width, height and angle in radians.
    """
    means, matrices = [], []
    for x, y, width, height, angle in (one.tolist(), other.tolist()):
        turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        means.append(np.array([x, y]))
        matrices.append(turn @ np.diag([width**2 / 12, height**2 / 12]) @ turn.T)
    mean = (matrices[0] + matrices[1]) / 2
    moved = means[0] - means[1]
    determinants = [np.linalg.det(matrix) for matrix in (mean, *matrices)]
    distance = moved @ np.linalg.inv(mean) @ moved / 8
    distance += math.log(determinants[0] / math.sqrt(determinants[1] * determinants[2])) / 2
    return 1 - math.sqrt(1 - math.exp(-min(distance, 100)))


def random_boxes(seed: int, count: int) -> Floats:
    random = np.random.default_rng(seed)
    sides = random.uniform(3, 40, (count, 2))
    angles = random.uniform(-4, 4, (count, 1))
    return np.concatenate([random.uniform(0, 60, (count, 2)), sides, angles], axis=1)


def shapes_of(boxes: Floats) -> Shapes:
    return Shapes.of([RotatedBox(*row[:4], math.degrees(row[4])) for row in boxes.tolist()])


def test_2000_pairs_equal_the_formula() -> None:
    one, other = random_boxes(1, 2000), random_boxes(2, 2000)
    rows = np.arange(2000)
    found = probabilistic_ious(
        Gaussians.of(shapes_of(one)), Gaussians.of(shapes_of(other)), rows, rows
    )
    expected = [formula(*pair) for pair in zip(one, other, strict=True)]
    assert_allclose(found, expected, atol=2e-6)


def test_rounded_outline_has_the_gaussian_of_the_least_rectangle_around_it() -> None:
    # The rectangle along the lower edge is 20 by 10; others around the four corners are larger.
    outline = Polygon([(0, 0), (20, 0), (19, 10), (1, 10)])
    found = Gaussians.of(Shapes.of([outline, Box(0, 0, 20, 10)]))
    assert_allclose(found.centers[0], found.centers[1], atol=1e-12)
    assert_allclose(found.covariances[0], found.covariances[1], atol=1e-12)


def test_all_pairs_of_a_minimum_are_found() -> None:
    one, other = random_boxes(3, 120), random_boxes(4, 120)
    one[:40, 2:4] *= 0.01  # less than a pixel, where the epsilons count
    sides = Gaussians.of(shapes_of(one)), Gaussians.of(shapes_of(other))
    t, p = (a.ravel() for a in np.meshgrid(range(120), range(120), indexing="ij"))
    ious = probabilistic_ious(*sides, t, p)
    for lowest in (0.01, 0.3, 0.5, 0.9):
        true_boxes, boxes = search_boxes(*sides, lowest)
        starts = np.maximum(true_boxes[t, :2], boxes[p, :2])
        stops = np.minimum(true_boxes[t, :2] + true_boxes[t, 2:], boxes[p, :2] + boxes[p, 2:])
        is_found = (stops > starts).all(axis=1)
        assert is_found[ious >= lowest].all()
        assert np.count_nonzero(ious >= lowest) > 20 or lowest == 0.9


def image(uid: str, true: list[Geometry], predicted: list[Geometry]) -> Detection:
    return Detection(
        uid,
        [TrueObject("ship", geometry) for geometry in true],
        [PredictedObject({"ship": 0.5}, geometry) for geometry in predicted],
    )


def test_pairs_of_images_are_those_above_the_minimum() -> None:
    boxes = [RotatedBox(*row[:4], math.degrees(row[4])) for row in random_boxes(5, 60).tolist()]
    batch = DetectionBatch.of(
        [image("a", boxes[:20], boxes[20:40]), image("b", boxes[40:50], boxes[50:])]
    )
    for lowest in (0.0, 0.4):
        starts, truths, ious = ProbabilisticIOU().pairs(batch, np.zeros(1, np.int64), lowest)
        rows = np.repeat(np.arange(30), np.diff(starts))
        expected = [
            (row, truth, iou(boxes[20 + row] if row < 20 else boxes[30 + row], other))
            for row in range(30)
            for truth, other in enumerate([*boxes[:20], *boxes[40:50]])
            if (row < 20) == (truth < 20)
        ]
        kept = [one for one in expected if one[2] >= max(lowest, 0.01)]
        assert_array_equal(rows, [row for row, _, _ in kept])
        assert_array_equal(truths, [truth for _, truth, _ in kept])
        assert_allclose(ious, [one for _, _, one in kept], rtol=1e-12)


def counts(items: list[Detection], **chosen: Any) -> Any:
    choice = {"name": "Counts", "iou_thresholds": [0.5], **chosen}
    return evaluate(items, [choice])["Counts", "ship"].value


def test_parameter_of_a_metric_selects_it() -> None:
    # Moved by half of its width, a box has the IoU 1/3 and the probabilistic IoU
    # 1 - sqrt(1 - exp(-(6^2 / 12) / 8)) = 0.4408.
    item = image("a", [Box(0, 0, 12, 12)], [Box(6, 0, 18, 12)])
    assert counts([item], iou_thresholds=[0.4]) == {"tp": 0, "fp": 1, "fn": 1}
    assert counts([item], iou_thresholds=[0.4], overlap="probiou") == {"tp": 1, "fp": 0, "fn": 0}
    assert counts([item], iou_thresholds=[0.45], overlap="probiou") == {"tp": 0, "fp": 1, "fn": 1}


def test_polygon_of_other_corners_is_rejected_with_remedy() -> None:
    triangle = Polygon([(0, 0), (4, 0), (0, 4)])
    item = image("a", [Box(0, 0, 4, 4)], [triangle])
    with pytest.raises(ReadError) as caught:
        counts([item], overlap="probiou")
    assert str(caught.value) == (
        "batch 0: item 'a', predictions[0]: expected a box or a rotated box for overlap: probiou, "
        "got a polygon\nSet convert_to: box to compare bounding boxes, or omit overlap."
    )
    found = counts([item], overlap="probiou", convert_to="box")
    assert found == {"tp": 1, "fp": 0, "fn": 0}

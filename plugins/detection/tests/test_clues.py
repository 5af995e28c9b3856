"""Warnings for boxes in another format and for duplicate ground truths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import for_each
from valor_detection.arrays.from_arrays import Objects, from_arrays, from_torchvision
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.clues import Clues
from valor_detection.matching.overlap.shapes import ShapeIOU
from valor_detection.matching.table import LABEL

from valor_core import Evaluator, evaluate
from valor_core.schemas.detection import Detection, DetectionBatch
from valor_core.schemas.geometry import Box, Mask, Polygon

from .support import predicted, true

BOXES = np.array([[10, 10, 22, 22], [40, 10, 52, 22], [70, 10, 82, 22]], float)
"""Three boxes of 12 by 12 pixels, as corners."""


def sides(boxes: Any) -> np.ndarray:
    return np.concatenate([boxes[:, :2], boxes[:, 2:] - boxes[:, :2]], axis=1)


def centers(boxes: Any) -> np.ndarray:
    return np.concatenate([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], axis=1)


def batch(truths: Any, found: Any, box_format: Any = "xywh", count: int = 1) -> DetectionBatch:
    true = Objects(boxes=truths, labels=[0] * len(truths))
    predicted = Objects(boxes=found, labels=[0] * len(found), scores=[0.9] * len(found))
    uids = [f"i{n}" for n in range(count)]
    return from_arrays([true] * count, [predicted] * count, box_format=box_format, uids=uids)


def warnings_of(data: Any, *metrics: Any) -> tuple[str, ...]:
    return evaluate(data, metrics or ["mAP50"], "detection").warnings


def message(actual: str, read: str, hits: int = 3) -> str:
    return (
        "no prediction overlaps a ground truth of its label by an IoU of 0.5 in 1 of 1 images, but "
        f"{hits} of the 3 best predictions in them would if their boxes were {actual} instead of "
        f"{read}, or those of the ground truths {read} instead of {actual}. Check the format of "
        "the boxes (box_format)"
    )


@pytest.mark.parametrize(
    ("written", "read", "box_format", "actual", "other"),
    [
        (np.array, sides, "xywh", "corners (xyxy)", "corner and size (xywh)"),
        (np.array, centers, "cxcywh", "corners (xyxy)", "center and size (cxcywh)"),
        (centers, sides, "xywh", "center and size (cxcywh)", "corner and size (xywh)"),
        (sides, centers, "cxcywh", "corner and size (xywh)", "center and size (cxcywh)"),
    ],
)
def test_boxes_in_another_format_are_a_warning(
    written: Callable[[Any], Any],
    read: Callable[[Any], Any],
    box_format: str,
    actual: str,
    other: str,
) -> None:
    boxes = BOXES + np.array([0, 40, 0, 40])
    assert warnings_of(batch(read(boxes), written(boxes), box_format)) == (message(actual, other),)


def test_boxes_with_x_and_y_in_another_order_are_a_warning() -> None:
    flipped = BOXES[1:][:, [1, 0, 3, 2]]
    (warning,) = warnings_of(batch(BOXES[1:], flipped, "xyxy"))
    assert "2 of the 2 best predictions in them would" in warning
    assert "y before x instead of x before y" in warning


@pytest.mark.parametrize("side", ["predictions", "ground truths"])
def test_normalized_boxes_are_a_warning(side: str) -> None:
    two = [BOXES, BOXES / 100]
    truths, found = two if side == "predictions" else two[::-1]
    (warning,) = warnings_of(batch(truths, found, "xyxy"))
    assert f"in 1 of 1 of them, boxes of the {side} end below 2" in warning
    assert warnings_of(batch(BOXES / 100, BOXES / 100, "xyxy")) == ()


def test_clue_needs_a_third_of_best_predictions_and_two() -> None:
    wrong = np.array([[200, 200, 9, 9]] * 4, float)
    three_of_seven = np.concatenate([BOXES, wrong])
    truths = np.concatenate([sides(BOXES), wrong + [100, 0, 0, 0] + np.arange(4)[:, None] * 20])
    assert len(warnings_of(batch(truths, three_of_seven))) == 1
    one_of_seven = np.concatenate([BOXES[:1], wrong, wrong[:2] + 30])
    assert warnings_of(batch(truths, one_of_seven)) == ()


def test_random_boxes_suggest_no_other_format() -> None:
    random = np.random.default_rng(7)

    def random_boxes(count: int) -> Any:
        corners = random.uniform(0, 500, (count, 2))
        return np.concatenate([corners, corners + random.uniform(10, 140, (count, 2))], axis=1)

    for _ in range(30):
        images = random.integers(1, 6)
        truths = [
            Objects(boxes=random_boxes(n), labels=[0] * n) for n in random.integers(1, 4, images)
        ]
        found = [
            Objects(boxes=random_boxes(n), labels=[0] * n, scores=random.random(n))
            for n in random.integers(1, 60, images)
        ]
        assert warnings_of(from_arrays(truths, found)) == ()


def test_overlaps_below_the_iou_thresholds_prevent_the_warning() -> None:
    moved = BOXES + np.array([0, 3, 0, 3])  # IoU 9 / 15
    report = warnings_of(batch(BOXES, moved, "xyxy"), {"name": "mAP", "iou_thresholds": 0.75})
    assert report == ()


def test_warnings_do_not_depend_on_the_split() -> None:
    """The data have more images than are kept, with duplicates."""
    truths, found = [], []
    for number in range(200):
        boxes = BOXES + np.array([0, number // 2, 0, number // 2])
        truths.append(Objects(boxes=np.concatenate([sides(boxes)] * 2), labels=[0] * 6))
        found.append(Objects(boxes=boxes, labels=[0] * 3, scores=[0.9, 0.8, 0.7]))
    uids = [f"i{n}" for n in range(200)]
    whole = from_arrays(truths, found, box_format="xywh", uids=uids)
    expected = warnings_of(whole)
    assert len(expected) == 2
    assert "of the 192 best predictions in 64 of them" in expected[0]
    assert expected[1].startswith("600 ground truths have the label and the geometry of another")
    for step in (1, 7, 150):
        evaluator = Evaluator(["mAP50"], "detection")
        for start in reversed(range(0, 200, step)):
            evaluator.update(whole.select(np.arange(start, min(start + step, 200))))
        assert evaluator.compute().warnings == expected
    facts = {"half": [n % 2 for n in range(200)]}
    sliced = from_arrays(truths, found, box_format="xywh", uids=uids, metadata=facts)
    report = evaluate(sliced, ["mAP50"], "detection", slices=["half"])
    assert report.warnings == expected


def state_of(data: DetectionBatch) -> Overlaps:
    state = Overlaps(ShapeIOU(), (0.5,), (0.5,), (LABEL,))
    state.update(data)
    return state


def test_clues_keep_at_most_16384_objects() -> None:
    clues = Clues()
    for first in range(0, 3_500, 700):
        part = Clues()
        uids = [f"i{number}" for number in range(first, first + 700)]
        images = [Objects(boxes=BOXES, labels=[0] * 3)] * 700
        found = [Objects(boxes=BOXES, labels=[0] * 3, scores=[0.9] * 3)] * 700
        own = from_arrays(images, found, box_format="xyxy", uids=uids)
        part.add(own, np.ones(len(own.predictions), bool))
        clues.merge(part)

    assert sum(len(own.boxes) + len(own.true_boxes) for own in clues._waiting) < 16_384


def test_clues_are_saved_and_optional_in_saved_states() -> None:
    state = state_of(batch(np.concatenate([sides(BOXES)] * 2), BOXES, count=3))
    expected = list(state.warnings())
    assert len(expected) == 2
    content = state.dump()
    restored = Overlaps(ShapeIOU(), (0.5,), (0.5,), (LABEL,))
    restored.restore(content)
    assert list(restored.warnings()) == expected
    older = {name: own for name, own in content.items() if name != "clues"}
    restored.restore(older)
    assert list(restored.warnings()) == []


def test_duplicate_ground_truths_are_a_warning_with_first_position() -> None:
    box = (0, 0, 4, 4)
    items = [
        Detection("b", [true("dog", *box), true("cat", *box), true("dog", *box)]),
        Detection(
            "a", [true("dog", 1, 1, 2, 2), *[true("dog", *box)] * 3], [predicted({"dog": 1}, *box)]
        ),
        Detection("c", [true("dog", *box), true("dog", 0, 0, 4, 5)]),
    ]
    assert warnings_of(items) == (
        "3 ground truths have the label and the geometry of another one in their image (first: "
        "image 'a', annotations 1 and 2); each counts: remove the duplicates",
    )
    crowd = Detection("a", [true("dog", *box, is_crowd=True)] * 2, [predicted({"dog": 1}, *box)])
    assert warnings_of([crowd]) == ()


def test_polygons_with_equal_bounding_boxes_are_no_duplicates_unless_equal() -> None:
    corner = Polygon([(0, 0), (4, 0), (0, 4)])
    square = Polygon([(0, 0), (4, 0), (4, 4), (0, 4)])

    def of(*shapes: Any) -> list[Detection]:
        label = true("dog", 0, 0, 1, 1)
        return [Detection("a", [type(label)("dog", shape) for shape in shapes])]

    mirrored = Polygon([(4, 4), (4, 0), (0, 4)])
    assert warnings_of(of(corner, mirrored, square, Box(0, 0, 4, 4))) == ()
    assert len(warnings_of(of(square, corner, mirrored, corner))) == 1
    masks = [Mask.of(np.array(one)) for one in ([[1, 0], [0, 1]], [[0, 1], [1, 0]])]
    assert warnings_of(of(*masks)) == ()
    assert len(warnings_of(of(*masks, masks[1]))) == 1


def test_missing_clues_are_empty() -> None:
    clues = Clues()
    assert clues.dump() == {}
    assert list(Clues.restored(None).warnings(0, 0)) == []


def detected(
    change: Callable[[Any], Any], labels: Callable[[Any], Any] = lambda own: own
) -> DetectionBatch:
    """Twelve images of five labels with perfect predictions, except for a change of each."""
    drawn = np.random.default_rng(0)
    truths, predicted = [], []
    for _ in range(12):
        count = int(drawn.integers(2, 8))
        corners = drawn.random((count, 2)) * 400
        boxes = np.hstack([corners, corners + 20 + drawn.random((count, 2)) * 120])
        own = drawn.integers(0, 5, count)
        truths.append({"boxes": boxes, "labels": own})
        scores = drawn.random(count)
        predicted.append({"boxes": change(boxes), "labels": labels(own), "scores": scores})
    return from_torchvision(truths, predicted)


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        ((100 / 512, 100 / 512), "about 5.12 times as far right and 5.12 times as far down"),
        ((1.6, 1.6), "about 0.625 times as far right and 0.625 times as far down"),
        ((0.5, 0.8), "about 2 times as far right and 1.25 times as far down"),
    ],
    ids=["percent", "size of the network's input", "sides scaled differently"],
)
def test_boxes_in_another_image_size_are_a_warning(scale: tuple[float, float], said: str) -> None:
    batch = detected(lambda boxes: boxes * np.tile(scale, 2))
    for part in (batch, batch.select(np.arange(6))):
        (warning,) = evaluate(part, ["mAP"]).warnings
        assert said in str(warning)


def test_labels_counted_from_1_on_one_side_are_a_warning() -> None:
    (warning,) = evaluate(detected(lambda boxes: boxes, lambda own: own + 1), ["mAP"]).warnings

    assert "best predictions in them overlap one of another label" in str(warning)


@for_each("seed", range(30))
def test_random_boxes_suggest_no_other_size_or_label(seed: int) -> None:
    drawn = np.random.default_rng(seed)

    def anywhere(boxes: Any) -> Any:
        corners = drawn.random((len(boxes), 2)) * 400
        return np.hstack([corners, corners + 20 + drawn.random((len(boxes), 2)) * 120])

    batch = detected(anywhere, lambda own: drawn.integers(0, 5, len(own)))
    assert evaluate(batch, ["mAP"]).warnings == ()

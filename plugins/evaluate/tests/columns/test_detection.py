"""Columns of detection, compared with batches of Valor."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from valor_evaluate import module
from valor_evaluate.exported.columns.detection import DetectionColumns

from valor_core.errors import SchemaError
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box, Mask

TRUE = {"boxes": [[0, 0, 2, 1]], "labels": ["dog"]}
SEEN = {"boxes": [[0, 0, 2, 2]], "labels": ["dog"], "scores": [0.75]}
EMPTY = {"boxes": [], "labels": [], "scores": []}


def batch(predictions: Any, references: Any, start: int = 0, **said: Any) -> DetectionBatch:
    columns = {"predictions": predictions, "references": references}
    return DetectionColumns(**said).batch(columns, start)


def test_by_hand() -> None:
    # The box covers 2 of 4 square pixels of the union: the IoU of 1/2 is a hit at 0.5 and a miss at
    # 0.75. With one object, precision and recall are 1 and then 0.
    scores = module("detection.F1", iou_thresholds=[0.5, 0.75]).compute(
        predictions=[SEEN], references=[TRUE]
    )

    found = {name: value for name, value in scores.items() if "label:dog" in name}
    assert sorted(found.values()) == [0.0, 1.0]


def test_boxes() -> None:
    assert list(batch([SEEN, EMPTY], [TRUE, EMPTY]).items()) == [
        Detection(
            0,
            [TrueObject("dog", Box(0, 0, 2, 1), area=2)],
            [PredictedObject({"dog": 0.75}, Box(0, 0, 2, 2))],
        ),
        Detection(1),
    ]


@pytest.mark.parametrize(
    ("box_format", "box"),
    [("xyxy", [2, 1, 6, 3]), ("xywh", [2, 1, 4, 2]), ("cxcywh", [4, 2, 4, 2])],
)
def test_box_formats(box_format: str, box: list[float]) -> None:
    found = batch([SEEN | {"boxes": [box]}], [TRUE | {"boxes": [box]}], box_format=box_format)

    assert found.predictions.shapes.at(0) == Box(2, 1, 6, 3)
    assert found.groundtruths.shapes.at(0) == Box(2, 1, 6, 3)


def test_numbers_are_positions_among_the_labels_or_labels_themselves() -> None:
    seen, true = SEEN | {"labels": [1]}, TRUE | {"labels": np.array([0])}

    assert [label.value for label in batch([seen], [true], labels=("a", "b")).labels] == ["a", "b"]
    assert [label.value for label in batch([seen], [true]).labels] == ["0", "1"]
    assert batch([seen], [true], key="animal").labels[0].key == "animal"


def test_crowds_and_areas_of_some_images() -> None:
    said = TRUE | {"iscrowd": [1], "area": [1.5]}
    found = batch([EMPTY, EMPTY], [TRUE, said]).groundtruths

    assert found.crowd.tolist() == [False, True]
    assert found.areas.tolist() == [2.0, 1.5]


def test_masks_as_arrays_and_as_run_lengths() -> None:
    array = np.array([[0, 1], [0, 1]])
    mask = Mask.of(array)
    runs = {"size": [2, 2], "counts": mask.runs.tolist()}
    true = {"labels": ["dog"], "masks": [runs]}
    predicted = {"labels": ["dog"], "masks": array[None], "scores": [0.5]}

    found = batch([predicted], [true])

    assert found.groundtruths.shapes.at(0) == mask
    assert found.predictions.shapes.at(0) == mask


def test_run_lengths_of_large_masks_are_not_decoded() -> None:
    # As pixels, the mask would take 1.6 GB.
    runs = {"size": [40_000, 40_000], "counts": [800_000_000, 3, 799_999_997]}
    mask = {"labels": ["dog"], "masks": [runs]}

    found = batch([mask | {"scores": [0.5]}], [mask])

    assert found.groundtruths.areas.tolist() == [3.0]
    assert found.predictions.shapes.at(0) == Mask.from_rle(runs)


def test_masks_of_an_image_may_differ_in_size() -> None:
    masks = [[[1, 1], [1, 1]], {"size": [1, 3], "counts": [0, 3]}]
    image = {"labels": ["a", "b"], "masks": masks}

    found = batch([image | {"scores": [0.5, 0.5]}], [image | {"area": [4, 3]}])

    assert found.groundtruths.shapes.masks is not None
    assert found.groundtruths.shapes.masks.sizes.tolist() == [[2, 2], [1, 3]]


def test_invalid_run_lengths_name_their_item() -> None:
    mask = {"labels": ["dog"], "masks": [{"size": [2, 2], "counts": [9]}]}

    with pytest.raises(SchemaError, match=r"^item 0, references, masks: "):
        batch([EMPTY], [mask])


def test_masks_are_compared_by_their_boxes_if_an_image_has_boxes_only() -> None:
    masks = np.array([[[0, 1], [0, 1]]])
    with_mask = {"labels": ["dog"], "masks": masks}

    found = batch([with_mask | {"scores": [0.5]}, SEEN], [with_mask, TRUE])

    for side in (found.groundtruths, found.predictions):
        assert side.shapes.at(0) == Box(1, 0, 2, 2)
    assert found.predictions.shapes.at(1) == Box(0, 0, 2, 2)


def test_images_without_areas_have_those_of_their_shapes() -> None:
    with_area = TRUE | {"area": [1.5]}
    with_mask = {"labels": ["dog"], "masks": [[[0, 1], [1, 1]]]}
    found = batch([EMPTY, EMPTY, EMPTY], [with_area, TRUE, with_mask]).groundtruths
    assert found.areas.tolist() == [1.5, 2.0, 3.0]

    sides = TRUE | {"boxes": [[4, 4, 2, 3]]}
    found = batch([EMPTY, EMPTY], [with_area, sides], box_format="xywh").groundtruths
    assert found.areas.tolist() == [1.5, 6.0]


def test_areas_of_masks_with_boxes_are_those_of_the_masks() -> None:
    mask = {"labels": ["dog"], "boxes": [[0, 0, 2, 2]], "masks": [[[0, 1], [1, 1]]]}
    found = batch([mask | {"scores": [0.5]}] * 2, [mask | {"area": [1.5]}, mask])
    assert found.groundtruths.areas.tolist() == [1.5, 3.0]


def test_crowds_and_areas_of_predictions_are_ignored() -> None:
    found = batch([SEEN | {"iscrowd": [1], "area": [9]}, SEEN], [TRUE, TRUE])
    assert found.predictions.areas.tolist() == [4.0, 4.0]


def test_images_without_uids_are_numbered_across_processes() -> None:
    assert batch([SEEN], [TRUE]).datums.numbered


@pytest.mark.parametrize(
    "changed",
    [{"labels": "dog"}, {"boxes": [0, 0, 2, 2]}, {"boxes": [[0, 0, None, 2]]}, {"boxes": [["x"]]}],
)
def test_malformed_image_after_one_with_areas_raises_schema_error(changed: dict[str, Any]) -> None:
    with pytest.raises(SchemaError, match="item 1, groundtruths"):
        batch([EMPTY, EMPTY], [TRUE | {"area": [1.5]}, TRUE | changed])


def test_narrow_scores_are_the_decimals_that_they_print_as() -> None:
    narrow = SEEN | {"scores": np.array([0.1], np.float32)}

    assert batch([narrow, SEEN], [TRUE, TRUE]).predictions.scores.tolist() == [0.1, 0.75]
    assert batch([narrow], [TRUE]).predictions.scores.tolist() == [0.1]


def test_invalid_boxes_are_skipped_on_request() -> None:
    flat = SEEN | {"boxes": [[0, 0, 0, 1], [0, 0, 1, 1]], "labels": ["a", "b"], "scores": [0.5, 1]}

    found = batch([flat], [TRUE], invalid_geometry="skip")

    assert found.left_out == {"predictions left out: zero area": 1}
    assert found.predictions.annotations.tolist() == [1]
    assert found.predictions.scores.tolist() == [1.0]


def test_images_have_uids_or_numbers() -> None:
    assert batch([SEEN], [TRUE], 5).datums.uids.tolist() == [5]
    named = {"predictions": [SEEN], "references": [TRUE], "uid": ["img_7"]}
    assert DetectionColumns().batch(named, 0).datums.uids.tolist() == ["img_7"]


@pytest.mark.parametrize(
    ("seen", "true", "said", "message"),
    [
        (
            {"boxes": [[0, 0, 1, 1]]},
            TRUE,
            {},
            'detection.F1: item 0, predictions: expected {"boxes": …, "labels": …},',
        ),
        (
            SEEN | {"scores": [0.5, 0.25]},
            TRUE,
            {},
            "detection.F1: item 0, predictions, scores: expected 1 rows, one per label, got 2",
        ),
        (
            {"boxes": [[0, 0, 1, 1]], "labels": ["dog"]},
            TRUE,
            {},
            "item 0, predictions: expected scores, got none",
        ),
        (
            SEEN | {"scores": [float("inf")]},
            TRUE,
            {},
            "detection.F1: item 0, predictions, scores[0]: expected a finite number, got inf",
        ),
        (
            SEEN | {"boxes": [[0, 0, 1]]},
            TRUE,
            {},
            "detection.F1: item 0, predictions, boxes: expected numbers of shape (n, 4), got",
        ),
        (
            {"labels": ["dog"], "scores": [0.5]},
            TRUE,
            {},
            "detection.F1: item 0, predictions: expected boxes, masks or keypoints, got none",
        ),
        (
            SEEN,
            TRUE | {"iscrowd": [2]},
            {},
            "detection.F1: item 0, groundtruths, crowd[0]: expected true or false, got 2",
        ),
        (
            SEEN,
            TRUE | {"area": [float("nan")]},
            {},
            "item 0, groundtruths, areas[0]: expected a finite number, got nan",
        ),
        (
            SEEN | {"labels": [7]},
            TRUE,
            {"labels": ["dog"]},
            "item 0, predictions, labels: expected a number that has a name, got 7",
        ),
        (
            {"labels": ["a"], "scores": [0.5], "masks": 3},
            TRUE,
            {},
            "item 0, predictions, masks: expected 1 rows, one per label, got 3",
        ),
        (
            SEEN | {"labels": 3},
            TRUE,
            {},
            "item 0, predictions, labels: expected shape (n,), got",
        ),
        (
            {"labels": ["a"], "scores": [0.5], "masks": []},
            TRUE,
            {},
            "item 0, predictions, masks: expected 1 rows, one per label, got 0",
        ),
        (
            SEEN | {"labels": [["dog"]]},
            TRUE,
            {},
            "detection.F1: item 0, predictions, labels: expected shape (n,), got",
        ),
    ],
)
def test_invalid_input_is_rejected(
    seen: Any, true: Any, said: dict[str, Any], message: str
) -> None:
    exported = module("detection.F1", data=said)

    with pytest.raises(SchemaError, match=re.escape(message)):
        exported.add_batch(predictions=[seen], references=[true])


def test_inverted_box_is_rejected_with_remedy() -> None:
    exported = module("detection.F1")

    with pytest.raises(
        SchemaError, match=r"detection\.F1: item 0, predictions\[0\]: expected a box of finite"
    ):
        exported.add(prediction=SEEN | {"boxes": [[2, 0, 0, 2]]}, reference=TRUE)

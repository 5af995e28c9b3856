"""Batches from arrays and from outputs of detection libraries."""

import contextlib
import io
import re
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from pycocotools import mask as coco_masks
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from valor_detection.arrays.from_arrays import (
    Objects,
    from_arrays,
    from_supervision,
    from_torchvision,
    two_sides,
)

from valor_core import Evaluator, evaluate
from valor_core.errors import ParameterError, SchemaError
from valor_core.schemas import Label

from .support import value_of


class Tensor:
    """Fake tensor on another device with a gradient."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def detach(self) -> "Tensor":
        return Tensor(self.values)

    def cpu(self) -> Any:
        return np.asarray(self.values)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("can't convert a cuda tensor")


def detections(**fields: Any) -> SimpleNamespace:
    """Create a fake `supervision.Detections`."""
    nothing = {"confidence": None, "class_id": None, "mask": None, "data": {}}
    return SimpleNamespace(**{**nothing, **fields})


def test_boxes_are_read_in_every_format() -> None:
    written = {"xyxy": [1, 2, 4, 6], "xywh": [1, 2, 3, 4], "cxcywh": [2.5, 4, 3, 4]}
    for box_format, box in written.items():
        true = Objects(boxes=[box], labels=["dog"])
        batch = from_arrays([true], [Objects(labels=[])], box_format=box_format)
        assert batch.groundtruths.shapes.boxes.tolist() == [[1, 2, 3, 4]]
        assert batch.groundtruths.areas.tolist() == [12]


def test_label_ids_get_names_and_are_kept() -> None:
    true = Objects(boxes=[[0, 0, 1, 1], [0, 0, 2, 2]], labels=[7, 3])
    batch = from_arrays([true], [Objects(labels=[])], names={7: "dog", 3: "cat"})
    assert set(batch.labels) == {Label("class", "cat"), Label("class", "dog")}
    assert batch.label_ids[batch.groundtruths.labels].tolist() == [7, 3]


def test_detections_of_supervision_are_read() -> None:
    true = detections(xyxy=np.array([[0, 0, 2, 1]]), class_id=np.array([1]))
    predicted = detections(
        xyxy=np.array([[0, 0, 2, 2.0], [1, 1, 2, 2]]),
        class_id=np.array([1, 0]),
        confidence=np.array([0.75, 0.5], np.float32),
    )
    nothing = detections(xyxy=np.empty((0, 4)))
    batch = from_supervision(
        [true, nothing], [nothing, predicted], names=["cat", "dog"], uids=["a", "b"]
    )
    assert batch.groundtruths.datums.tolist() == [0]
    assert batch.predictions.datums.tolist() == [1, 1]
    assert batch.predictions.scores.tolist() == [0.75, 0.5]
    labels = [batch.labels[code].value for code in batch.predictions.labels]
    assert labels == ["dog", "cat"]


def test_names_in_detections_of_supervision_are_used() -> None:
    true = detections(
        xyxy=np.array([[0, 0, 2, 1]]),
        class_id=np.array([1]),
        data={"class_name": np.array(["fox"])},
    )
    batch = from_supervision([true], [detections(xyxy=np.empty((0, 4)))])
    assert batch.labels == (Label("class", "fox"),)


def test_dicts_of_tensors_are_read() -> None:
    true = {
        "boxes": Tensor([[0, 0, 2, 1]]),
        "labels": Tensor([1]),
        "iscrowd": Tensor([1]),
        "area": Tensor([1.5]),
        "image_id": Tensor([9]),
    }
    predicted = {"boxes": Tensor(np.empty((0, 4))), "labels": Tensor([]), "scores": Tensor([])}
    batch = from_torchvision([true], [predicted])
    assert batch.datums.uids.tolist() == [9]
    assert batch.groundtruths.crowd.tolist() == [True]
    assert batch.groundtruths.areas.tolist() == [1.5]
    assert len(batch.predictions) == 0


def test_masks_are_encoded_with_bounding_boxes() -> None:
    mask = np.zeros((1, 4, 5), bool)
    mask[0, 1:3, 2:4] = True
    predicted = {"masks": mask[:, None].astype(float), "labels": [1], "scores": [0.5]}
    batch = from_torchvision([{"masks": mask, "labels": [1]}], [predicted])
    for side in (batch.groundtruths, batch.predictions):
        assert side.shapes.boxes.tolist() == [[2, 1, 2, 2]]
        assert side.areas.tolist() == [4]
        np.testing.assert_array_equal(side.shapes.at(0).array, mask[0])


ONE = {"boxes": [[0, 0, 1, 1]], "labels": ["dog"]}
WRONG = [
    ({"boxes": [[0, 0, 1, 1]] * 2}, "expected 1 rows, one per label, got 2"),
    ({"boxes": None}, "expected boxes, masks or keypoints, got none"),
    ({"boxes": [[0, 0, 1]]}, "got array of int64, shape (1, 3)"),
    ({"boxes": [[3, 0, 1, 1]]}, "expected a box of finite numbers"),
    ({"boxes": [[0, 0, "1", 1]]}, "got array of <U21, shape (1, 4)"),
    ({"boxes": [[0, 0, 1, 1], [0, 0]], "labels": ["dog"] * 2}, "got array of object, shape (2,)"),
    ({"labels": "dog"}, "expected shape (n,), got array of <U3"),
    ({"labels": None}, "expected shape (n,), got None"),
    ({"labels": [["dog", "cat"]]}, "expected shape (n,), got array of <U3"),
    ({"labels": [None]}, "expected whole numbers or strings, got None"),
    ({"labels": [1 << 63]}, "got 9223372036854775808"),
    ({"labels": [1j]}, "expected whole numbers or strings, got 1j"),
    ({"areas": [[1.0, 2.0]]}, "expected numbers of shape (n,), got array"),
    ({"areas": 5}, "expected 1 rows, one per label, got 5"),
    ({"crowd": ["0"]}, "expected true or false of shape (n,)"),
    ({"crowd": [float("nan")]}, "expected true or false, got nan"),
    ({"crowd": [2]}, "expected true or false, got 2"),
    ({"masks": [[["a"]]]}, "item 'a', groundtruths, masks: expected"),
    ({"labels": [0.5]}, "expected whole numbers or strings, got 0.5"),
    ({"labels": [5]}, "expected a number that has a name, got 5"),
]


@pytest.mark.parametrize(("fields", "message"), WRONG)
def test_invalid_arrays_are_rejected(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        from_arrays([Objects(**{**ONE, **fields})], [Objects(labels=[])], uids=["a"], names=["x"])


def test_predictions_need_scores_and_as_many_images() -> None:
    with pytest.raises(SchemaError, match="item 0, predictions: expected scores, got none"):
        from_arrays([Objects(labels=[])], [Objects(**ONE)])
    with pytest.raises(
        SchemaError, match="predictions: expected one set of objects for each of 1 images, got 0"
    ):
        from_arrays([Objects(labels=[])], [])


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([["0.5"]], "expected numbers of shape (n,), got array of <U3, shape (1, 1)"),
        ([0.5j], "expected numbers of shape (n,), got array of complex128, shape (1,)"),
        ([None], "item 0, predictions, scores[0]: expected numbers, got None"),
        ([[0.9, 0.1]], "expected numbers of shape (n,), got array of float64, shape (1, 2)"),
    ],
)
def test_scores_are_a_column_of_numbers(scores: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        from_arrays([Objects(labels=[])], [Objects(**ONE, scores=scores)])


def test_a_score_that_is_not_finite_is_named_by_image() -> None:
    predicted = Objects(
        **{**ONE, "boxes": [[0, 0, 1, 1]] * 2, "labels": ["dog"] * 2}, scores=[1, np.nan]
    )
    with pytest.raises(
        SchemaError, match=r"item 1, predictions, scores\[1\]: expected a finite number, got nan"
    ):
        from_arrays([Objects(labels=[])] * 2, [Objects(labels=[]), predicted])


def square(top: int, left: int, side: int = 4) -> Any:
    mask = np.zeros((1, 20, 20), np.uint8)
    mask[0, top : top + side, left : left + side] = 1
    return mask


BOXED = {"boxes": [[0, 0, 10, 10]], "labels": [1]}
TRUE, SEEN = {**BOXED, "masks": square(0, 0)}, {**BOXED, "scores": [0.9], "masks": square(6, 6)}
FOUND, MISSED = {"tp": 1, "fp": 0, "fn": 0}, {"tp": 0, "fp": 1, "fn": 1}


@pytest.mark.parametrize(
    ("iou_type", "counts"), [(None, MISSED), ("segm", MISSED), ("bbox", FOUND)]
)
def test_equal_boxes_of_different_masks_match_as_boxes(iou_type: Any, counts: Any) -> None:
    batch = from_torchvision([TRUE], [SEEN], iou_type=iou_type)
    assert value_of(batch, "Counts") == counts
    to_boxes = [detections(xyxy=BOXED["boxes"], class_id=[1], mask=TRUE["masks"])]
    predicted = [detections(xyxy=BOXED["boxes"], class_id=[1], confidence=[1], mask=SEEN["masks"])]
    assert value_of(from_supervision(to_boxes, predicted, iou_type=iou_type), "Counts") == counts


def test_missing_boxes_default_to_bounding_boxes_of_masks() -> None:
    masked = {"masks": square(2, 3), "labels": [1]}
    images = [TRUE, masked], [{**SEEN}, {**masked, "scores": [0.5]}]
    batch = from_torchvision(*images, iou_type="bbox")
    assert batch.groundtruths.shapes.boxes.tolist() == [[0, 0, 10, 10], [3, 2, 4, 4]]
    assert batch.groundtruths.shapes.only_boxes
    assert batch.groundtruths.areas.tolist() == [100, 16]


def test_predictions_without_masks_are_compared_with_true_boxes() -> None:
    predicted = {**BOXED, "scores": [0.9]}
    batch = from_torchvision([TRUE], [predicted])
    assert batch.groundtruths.shapes.boxes.tolist() == [[0, 0, 10, 10]]
    assert value_of(batch, "Counts") == FOUND
    for sides in (([TRUE], [predicted]), ([BOXED], [SEEN])):
        with pytest.raises(
            SchemaError,
            match=r"^item 0, (groundtruth|prediction)s: expected masks,"
            r" got only boxes\nGive masks of all objects, or compare boxes: iou_",
        ):
            from_torchvision(*sides, iou_type="segm")


@pytest.mark.parametrize("iou_type", [None, "bbox", "segm"])
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"boxes": [[0, 0, 10]]}, "got array of int64, shape (1, 3)"),
        ({"boxes": [[9, 0, 1, 1]]}, "a width and height of 0 or more"),
        ({"masks": np.zeros((1, 4))}, "got array of bool, shape (1, 4)"),
    ],
)
def test_arrays_that_are_not_compared_are_validated(
    fields: dict[str, Any], message: str, iou_type: Any
) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        from_torchvision([{**TRUE, **fields}], [SEEN], iou_type=iou_type)


def test_unknown_iou_type_lists_valid_types() -> None:
    for given in ("bbx", ("bbox", "segm")):
        with pytest.raises(ParameterError, match="iou_type: expected one of bbox, segm, got"):
            from_torchvision([TRUE], [SEEN], iou_type=given)


def as_annotation(side: dict[str, Any], row: int, image: int, iou_type: str) -> dict[str, Any]:
    """Return an object of a dict as a COCO annotation with the compared shape only."""
    left, top, right, bottom = side["boxes"][row]
    mask = np.asfortranarray(side["masks"][row])
    geometry: dict[str, Any] = (
        {"bbox": [left, top, right - left, bottom - top]}
        if iou_type == "bbox"
        else {"segmentation": coco_masks.encode(mask)}
    )
    return {"image_id": image, "category_id": side["labels"][row], **geometry}


def coco_stats(truths: list[Any], found: list[Any], iou_type: Any) -> list[float | None]:
    """Evaluate the dicts with pycocotools."""
    true = [
        as_annotation(one, row, image, iou_type) | {"area": one["area"][row], "iscrowd": 0}
        for image, one in enumerate(truths)
        for row in range(len(one["labels"]))
    ]
    predicted = [
        as_annotation(one, row, image, iou_type) | {"score": one["scores"][row]}
        for image, one in enumerate(found)
        for row in range(len(one["labels"]))
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        data = COCO()
        data.dataset = {
            "images": [{"id": i, "height": 60, "width": 60} for i in range(len(truths))],
            "categories": [{"id": number} for number in (1, 2)],
            "annotations": [{**one, "id": i} for i, one in enumerate(true, start=1)],
        }
        data.createIndex()
        evaluation = COCOeval(data, data.loadRes(predicted), iou_type)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return [None if number == -1 else number for number in evaluation.stats.tolist()]


def random_dicts(seed: int) -> tuple[list[Any], list[Any]]:
    """Dicts of three images whose masks fill a part of their boxes."""
    rng = np.random.default_rng(seed)

    def objects(near: Any = None) -> dict[str, Any]:
        count = int(rng.integers(2, 7))
        corners = rng.integers(0, 20, (count, 2))
        boxes = np.hstack([corners, corners + rng.integers(6, 40, (count, 2))]).astype(float)
        if near is not None:
            known = near["boxes"][rng.integers(0, len(near["boxes"]), count)]
            boxes = known + rng.integers(-2, 3, (count, 4))
            boxes = np.clip(boxes, 0, 60)
        masks = np.zeros((count, 60, 60), np.uint8)
        for mask, box in zip(masks, boxes.astype(int).tolist(), strict=True):
            left, top, right, bottom = box
            mask[top : bottom - int(rng.integers(0, 5)), left:right] = 1
        labels = rng.integers(1, 3, count).tolist()
        areas = masks.sum(axis=(1, 2)).astype(float).tolist()
        return {"boxes": boxes, "masks": masks, "labels": labels, "area": areas}

    truths = [objects() for _ in range(3)]
    found = [objects(one) for one in truths]
    return truths, [
        {**one, "scores": (rng.integers(0, 20, len(one["labels"])) / 20).tolist()} for one in found
    ]


@pytest.mark.parametrize("seed", range(8))
def test_boxes_and_masks_of_the_same_dicts_equal_pycocotools(seed: int) -> None:
    truths, found = random_dicts(seed)
    numbers = {}
    for iou_type in ("bbox", "segm"):
        batch = from_torchvision(truths, found, iou_type=iou_type)
        numbers[iou_type] = list(value_of(batch, "COCOSummary").values())
        assert numbers[iou_type] == coco_stats(truths, found, iou_type)
    by_default = value_of(from_torchvision(truths, found), "COCOSummary")
    assert list(by_default.values()) == numbers["segm"] != numbers["bbox"]


@pytest.mark.parametrize("shape", [(1, 20, 20), (1, 1, 20, 20)])
def test_soft_masks_include_pixels_above_a_half(shape: tuple[int, ...]) -> None:
    soft = np.where(square(0, 0), 0.99, 0.01).astype(np.float32)
    batch = from_torchvision([TRUE], [{**SEEN, "masks": Tensor(soft.reshape(shape))}])
    np.testing.assert_array_equal(batch.predictions.shapes.at(0).array, square(0, 0)[0])


@pytest.mark.parametrize(
    ("share", "message"),
    [
        (0.25, "expected pixels of 0 and 1, got 0.25"),
        (float("nan"), "expected pixels of 0 and 1, got nan"),
    ],
)
def test_soft_masks_are_rejected_by_from_arrays(share: float, message: str) -> None:
    masks = np.concatenate([square(0, 0), square(5, 5)]).astype(float)
    masks[1, 3, 3] = share
    predicted = Objects(masks=masks, labels=[1, 1], scores=[0.5, 0.5])
    with pytest.raises(SchemaError, match=re.escape(message)):
        from_arrays([Objects(labels=[])], [predicted])
    if share != share:
        nothing = {"boxes": [], "labels": []}
        with pytest.raises(SchemaError, match="expected pixels of 0 and 1, got nan"):
            from_torchvision([nothing], [{"masks": masks, "labels": [1, 1], "scores": [1, 1]}])


def test_masks_with_several_channels_are_rejected() -> None:
    with pytest.raises(
        SchemaError,
        match=r"expected numbers of shape \(n, height, width\), got array of bool, shape",
    ):
        from_torchvision([{**TRUE, "masks": np.ones((1, 2, 20, 20))}], [SEEN])


def test_class_names_that_contradict_label_ids_are_rejected() -> None:
    box = np.array([[0, 0, 2, 1.0]])
    true = [detections(xyxy=box, class_id=[1], data={"class_name": np.array(["dog"])})]
    predicted = [detections(xyxy=box, class_id=np.array([1]), confidence=[0.5])]
    nothing = [detections(xyxy=np.empty((0, 4)), class_id=np.empty(0, int))]
    with pytest.raises(
        SchemaError,
        match=r"predictions\[0\]: expected data\['class_name'\] as for groundtruths\[1\],",
    ):
        from_supervision([*nothing, *true], [*predicted, *nothing])
    batch = from_supervision(true, predicted, names=["cat", "dog"])
    assert value_of(batch, "Counts") == FOUND
    assert len(from_supervision(true, nothing).labels) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": 3}, "names: expected a list of names, or a dict of them by number, got 3"),
        (
            {"names": "dog"},
            "names: expected a list of names, or a dict of them by number, got 'dog'",
        ),
        ({"names": {"dog"}}, "expected a list of names, or a dict of them by number, got {'dog'}"),
        ({"names": [None, "dog"]}, "names[0]: expected a name, got None"),
        ({"names": {0: ""}}, "names[0]: expected a name, got ''"),
        ({"metadata": [1]}, "metadata: expected a dict of lists by name, got [1]"),
        ({"metadata": {"a": 3}}, "metadata['a']: expected a list with one value per image, got 3"),
        (
            {"metadata": {"a": "x"}},
            "metadata['a']: expected a list with one value per image, got 'x'",
        ),
        ({"metadata": {"a": [1, 2]}}, "metadata field 'a': expected 1 rows, got 2"),
    ],
)
def test_invalid_names_and_metadata_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        from_arrays([Objects(**{**ONE, "labels": [0]})], [Objects(labels=[])], **options)


def test_numbers_in_a_column_of_objects_are_labels() -> None:
    labels = np.array([np.int64(7), 8, "dog"], dtype=object)
    boxes = np.array([[0, 0, 2, 1]] * 3)
    batch = from_arrays([Objects(labels=labels, boxes=boxes)], [Objects(labels=[])])
    assert [label.value for label in batch.labels] == ["7", "8", "dog"]


def test_names_and_metadata_may_be_arrays() -> None:
    true = Objects(**{**ONE, "labels": [1]})
    facts = {"weather": np.array(["rain"])}
    batch = from_arrays(
        [true], [Objects(labels=[])], names=np.array(["cat", "dog"]), metadata=facts
    )
    assert [label.value for label in batch.labels] == ["dog"]
    assert batch.datums.metadata["weather"].tolist() == ["rain"]


def test_unknown_box_format_lists_valid_formats() -> None:
    with pytest.raises(
        ParameterError, match="box_format: expected one of xyxy, xywh, cxcywh, got 'XYXY'"
    ):
        from_arrays([Objects(**ONE)], [Objects(labels=[])], box_format="XYXY")  # type: ignore[arg-type]


MASKED = {"masks": np.ones((1, 2, 3)), "labels": ["dog"]}
NO_FIT = [
    ({"uids": ["a", "b"]}, "expected one for each of 1 images, got 2"),
    ({"sizes": [[2, 3], [2, 3]]}, "expected 1 rows of height and width, got 2"),
    ({"sizes": [2, 3]}, "expected whole numbers of shape (n, 2)"),
    ({"sizes": [["2", "3"]]}, "expected whole numbers of shape (n, 2)"),
    ({"sizes": [[2.5, 3]]}, "expected whole numbers, got [2.5, 3.0]"),
    ({"sizes": [[0, 3]]}, "expected a height and width above 0"),
    ({"sizes": [[3, 2]]}, "expected 3 by 2 pixels as in sizes"),
]


@pytest.mark.parametrize(("options", "message"), NO_FIT)
def test_sizes_uids_and_metadata_need_one_value_per_image(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        from_arrays([Objects(**MASKED)], [Objects(labels=[])], **options)
    from_arrays([Objects(**MASKED)], [Objects(labels=[])], sizes=[[2, 3]], uids=["a"])


def test_unsupported_objects_are_rejected() -> None:
    with pytest.raises(SchemaError, match=r"groundtruths\[0\]: expected Objects"):
        from_arrays([ONE], [Objects(labels=[])])  # type: ignore[list-item]
    with pytest.raises(SchemaError, match="expected a list with one entry per image"):
        from_arrays([], None)  # type: ignore[arg-type]
    with pytest.raises(SchemaError, match="expected a dict with boxes and labels, got 3"):
        from_torchvision([3], [{}])  # type: ignore[list-item]
    with pytest.raises(SchemaError, match="expected one value, got array of float64"):
        from_torchvision([{**ONE, "image_id": []}], [{"labels": []}])
    for make in (from_torchvision, from_supervision):
        with pytest.raises(SchemaError, match="expected a list with one entry per image"):
            make(None, [])  # type: ignore[operator]
    with pytest.raises(SchemaError, match=r"expected supervision\.Detections, got 3"):
        from_supervision([3], [3])
    with pytest.raises(SchemaError, match=r"expected class_id or data\['class_name'\]"):
        from_supervision([detections(xyxy=np.ones((1, 4)))], [])


def test_objects_of_strings_and_numbers_are_labels() -> None:
    labels = np.array(["dog", 7, "dog"], dtype=object)
    batch = from_arrays([Objects(boxes=[[0, 0, 1, 1]] * 3, labels=labels)], [Objects(labels=[])])
    found = [batch.labels[code].value for code in batch.groundtruths.labels]
    assert found == ["dog", "7", "dog"]


def test_dict_without_labels_is_rejected() -> None:
    with pytest.raises(
        SchemaError, match=r"expected a dict with boxes and labels, got the keys \['boxes'\]"
    ):
        from_torchvision([{"boxes": []}], [{}])


def test_invalid_arrays_follow_the_policy() -> None:
    true = Objects(boxes=[[3, 0, 1, 1], [0, 0, 0, 1], [9, 0, 30, 5]], labels=["x"] * 3)
    chosen: Any = {"sizes": [[10, 10]], "invalid_geometry": "repair"}
    batch = from_arrays([true], [Objects(labels=[])], **chosen)
    assert batch.groundtruths.shapes.boxes.tolist() == [[1, 0, 2, 1], [9, 0, 1, 5]]
    assert batch.groundtruths.annotations.tolist() == [0, 2]
    assert batch.left_out == {
        "groundtruths left out: zero area": 1,
        "groundtruths repaired: inverted": 1,
        "groundtruths repaired: out of the image": 1,
    }
    empty = Objects(masks=np.zeros((1, 4, 4)), labels=["x"])
    with pytest.raises(
        SchemaError,
        match=r"item 0, groundtruths\[0\]: expected a shape with at least three corners,",
    ):
        from_arrays([empty], [Objects(labels=[])])


class TestTwoSides:
    TRUE: ClassVar = {"boxes": [[0, 0, 2, 1]], "labels": [1]}
    SEEN: ClassVar = {**TRUE, "scores": [0.5]}

    @pytest.mark.parametrize("several", [True, False])
    def test_dicts_of_torchvision_are_a_batch_of_one_image_or_of_several(
        self, several: bool
    ) -> None:
        true, predicted = ([self.TRUE] * 2, [self.SEEN] * 2) if several else (self.TRUE, self.SEEN)

        batch = two_sides(true, predicted)

        assert batch is not None
        assert len(batch) == 1 + several

    def test_detections_of_supervision_are_recognized_by_xyxy(self) -> None:
        one = SimpleNamespace(
            xyxy=np.array([[0.0, 0, 2, 1]]),
            class_id=np.array([1]),
            confidence=np.array([0.5]),
            mask=None,
            data={},
        )

        assert len(two_sides([one], [one]) or ()) == 1

    @pytest.mark.parametrize("side", [[1], ["cat"], [{"masks": []}], 3, np.zeros((2, 2))])
    def test_other_objects_are_not_recognized(self, side: Any) -> None:
        assert two_sides(side, side) is None


@pytest.mark.parametrize("labels", [[1.0, 2.0], np.array([1, 2], np.float32), [1.0, 2], [1, "2"]])
def test_float_labels_of_a_model_are_integers(labels: Any) -> None:
    boxes = [[0, 0, 10, 10], [20, 20, 30, 30]]
    true = {"boxes": boxes, "labels": ["1", "2"]}
    predicted = {"boxes": boxes, "labels": labels, "scores": [0.9, 0.8]}

    report = evaluate([true], [predicted], ["Counts"], "detection")

    assert [one.value for one in report.results] == [{"tp": 1, "fp": 0, "fn": 0}] * 2


@pytest.mark.parametrize(
    ("label", "message"),
    [
        (1.5, "item 0, groundtruths, labels: expected whole numbers or strings, got 1.5"),
        (float("nan"), "item 0, groundtruths, labels: expected whole numbers or strings, got nan"),
        (None, "expected whole numbers or strings, got None"),
        (True, "expected whole numbers or strings, got True"),
        (2**70, "expected whole numbers or strings, got 1180591620717411303424"),
    ],
)
def test_label_next_to_text_never_becomes_text(label: Any, message: str) -> None:
    boxes = [[0, 0, 10, 10], [20, 20, 30, 30]]
    true = {"boxes": boxes, "labels": [label, "cat"]}
    predicted = {"boxes": boxes, "labels": ["nan", "cat"], "scores": [0.9, 0.8]}

    with pytest.raises(SchemaError, match=re.escape(message)):
        evaluate([true], [predicted], ["Counts"], "detection")


def turned(angle: float, *, data: bool = True, **fields: Any) -> SimpleNamespace:
    """A box of 40 by 10 around (50, 50) in supervision's format, rotated by radians."""
    c, s = np.cos(angle), np.sin(angle)
    corners = [(50 + x * c - y * s, 50 + x * s + y * c) for x, y in CORNERS]
    points = np.array(corners)
    around = [[*points.min(axis=0), *points.max(axis=0)]]
    own = {"data": {"xyxyxyxy": points[None]}} if data else {}
    return detections(xyxy=np.array(around), class_id=np.array([0]), **own, **fields)


CORNERS = ((-20, -5), (20, -5), (20, 5), (-20, 5))
NONE_SEEN = detections(xyxy=np.empty((0, 4)), class_id=np.empty(0, int), confidence=np.empty(0))


def test_oriented_boxes_of_supervision_keep_their_angle() -> None:
    """Both have the same bounding box; the rotated boxes have an IoU of 0.17."""
    shared = 100 / np.sin(1.0)  # a rhombus 10 wide in both directions
    iou = shared / (800 - shared)
    true, predicted = turned(0.5), turned(-0.5, confidence=np.array([0.9]))
    batches = [
        from_supervision([true], [predicted]),
        from_supervision([true, NONE_SEEN], [predicted, NONE_SEEN]),
        two_sides([true], [predicted]),
    ]
    for batch in batches:
        for threshold, counts in (
            (iou - 1e-6, {"tp": 1, "fp": 0, "fn": 0}),
            (iou + 1e-6, {"tp": 0, "fp": 1, "fn": 1}),
        ):
            assert value_of(batch, "Counts", iou_thresholds=threshold) == counts


def test_oriented_boxes_of_supervision_on_one_side_are_rejected() -> None:
    true, predicted = turned(0.5), turned(-0.5, confidence=np.array([0.9]))
    upright = turned(-0.5, data=False, confidence=np.array([0.9]))
    with pytest.raises(
        SchemaError,
        match=r"item 0, predictions: expected the corners of oriented boxes \(xyxyxyxy\)",
    ):
        from_supervision([true], [upright])
    with pytest.raises(
        SchemaError,
        match=r"item 1, predictions: expected the corners of oriented boxes \(xyxyxyxy\)",
    ):
        from_supervision([true, true], [NONE_SEEN, upright])
    with pytest.raises(
        SchemaError,
        match=r"item 0, groundtruths: expected the corners of oriented boxes \(xyxyxyxy\)",
    ):
        from_supervision([upright], [predicted])
    with pytest.raises(
        SchemaError,
        match=r"item 1, groundtruths: expected the corners of oriented boxes \(xyxyxyxy\)",
    ):
        from_supervision([true, turned(0.5, data=False)], [predicted, NONE_SEEN])
    with pytest.raises(
        SchemaError,
        match=r"item 0, predictions: expected the corners of oriented boxes \(xyxyxyxy\)",
    ):
        Evaluator(["Counts"], "detection").update([true], [upright])


def test_oriented_boxes_as_rows_of_five_numbers_name_the_remedy() -> None:
    true = Objects(boxes=[[50, 50, 40, 10, 0.5]], labels=[0])
    with pytest.raises(
        SchemaError,
        match=r"expected numbers of shape \(n, 4\), got array of float64, shape \(1, 5\)",
    ):
        from_arrays([true], [Objects(labels=[])])
    with pytest.raises(
        SchemaError,
        match=r"expected numbers of shape \(n, 4, 2\), got array of float64, shape \(1, 3,",
    ):
        from_arrays([Objects(corners=np.zeros((1, 3, 2)), labels=[0])], [Objects(labels=[])])


def results(**fields: Any) -> SimpleNamespace:
    """Create fake `Results` of Ultralytics."""
    return SimpleNamespace(names={0: "cat", 1: "dog"}, orig_shape=(10, 10), masks=None, **fields)


BOX = np.array([[0.0, 0, 9, 9]])
PARTS = {"cls": np.array([1.0]), "conf": np.array([0.9])}


@pytest.mark.parametrize(
    "true",
    [
        {"boxes": BOX, "labels": [1]},
        detections(xyxy=BOX, class_id=np.array([1])),
        detections(xyxy=BOX, class_id=np.array([1]), data={"class_name": np.array(["dog"])}),
    ],
)
def test_results_of_ultralytics_are_read(true: Any) -> None:
    predicted = results(boxes=SimpleNamespace(xyxy=BOX, **PARTS), obb=None)
    batch = two_sides([true], [predicted])
    assert batch is not None
    assert batch.labels == (Label("class", "dog"),)
    assert value_of(batch, "Counts") == {"tp": 1, "fp": 0, "fn": 0}


def test_oriented_results_of_ultralytics_keep_their_angle() -> None:
    points = turned(-0.5).data["xyxyxyxy"]
    obb = SimpleNamespace(xyxy=turned(-0.5).xyxy, xyxyxyxy=points, **PARTS)
    true = turned(0.5)
    true.class_id = np.array([1])
    batch = two_sides([true], [results(boxes=None, obb=obb)])
    assert batch is not None
    assert value_of(batch, "Counts") == {"tp": 0, "fp": 1, "fn": 1}


class Instances:
    """Fake `Instances` of Detectron2."""

    image_size = (10, 10)

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def get_fields(self) -> dict[str, Any]:
        return self.fields


def test_instances_of_detectron2_are_read() -> None:
    boxes = SimpleNamespace(tensor=Tensor(BOX))
    true = Instances(gt_boxes=boxes, gt_classes=Tensor([1]))
    predicted = Instances(pred_boxes=boxes, pred_classes=Tensor([1]), scores=Tensor([0.5]))
    for batch in (
        two_sides([{"instances": true}], [{"instances": predicted}]),
        two_sides([true], [predicted]),
    ):
        assert value_of(batch, "Counts") == {"tp": 1, "fp": 0, "fn": 0}
    with pytest.raises(
        SchemaError,
        match=r"groundtruths\[0\]: expected Instances with pred_boxes and pred_classes,",
    ):
        two_sides([Instances(gt_classes=[1])], [predicted])


def test_boxes_under_other_keys_name_the_function_that_reads_them() -> None:
    predicted = [{"boxes": BOX, "labels": [1], "scores": [0.5]}]
    with pytest.raises(
        SchemaError, match="expected boxes and labels, got them under the key 'objects'"
    ):
        two_sides([{"image": 1, "objects": {"bbox": [[0, 0, 9, 9]], "categories": [1]}}], predicted)
    with pytest.raises(
        SchemaError, match="expected a dict with boxes and labels, got the key 'classes'"
    ):
        two_sides([{"boxes": BOX, "classes": [1]}], predicted)
    with pytest.raises(
        SchemaError, match="expected a dict with boxes and labels, got the key 'category_id'"
    ):
        two_sides([{"bboxes": BOX, "category_id": [1]}], predicted)
    with pytest.raises(
        SchemaError, match=r"expected a dict with boxes and labels, got the keys \['objects'\]"
    ):
        two_sides([{"objects": [{"bbox": [0, 0, 9, 9], "category": 1}]}], predicted)
    with pytest.raises(
        SchemaError, match=r"predictions\[0\]: expected scores, got the key 'score'"
    ):
        two_sides([predicted[0]], [{"boxes": BOX, "labels": [1], "score": [0.5]}])
    with pytest.raises(
        SchemaError,
        match=r"data: expected two sides of one task, got list of 1 \(object\) and list",
    ):
        evaluate([object()], [object()], ["mAP50"])


def test_lists_of_objects_are_read_without_from_arrays() -> None:
    true, predicted = Objects(boxes=BOX, labels=[1]), Objects(boxes=BOX, labels=[1], scores=[0.5])
    assert evaluate([true], [predicted], ["Counts"])["Counts"].value == {"tp": 1, "fp": 0, "fn": 0}


def test_swapped_arguments_are_detected() -> None:
    true, predicted = {"boxes": BOX, "labels": [1]}, {"boxes": BOX, "labels": [1], "scores": [0.5]}
    with pytest.raises(
        SchemaError, match="predictions: expected scores, got none; the ground truths have scores"
    ):
        evaluate([predicted], [true], ["mAP50"])
    with pytest.raises(
        SchemaError, match="predictions: expected scores, got none; the ground truths have scores"
    ):
        from_torchvision([predicted], [true])


def test_detections_of_supervision_without_class_name_the_remedy() -> None:
    with pytest.raises(
        SchemaError,
        match=r"groundtruths\[0\]: expected class_id or data\['class_name'\], got neither",
    ):
        from_supervision([detections(xyxy=BOX)], [detections(xyxy=BOX)])


@pytest.mark.parametrize(
    ("name", "values", "hidden"),
    [
        ("scores", [0.5], [True]),
        ("labels", [1], [True]),
        ("boxes", [[0, 0, 2, 2]], [[False, False, True, False]]),
    ],
)
def test_masked_values_are_rejected(name: str, values: Any, hidden: Any) -> None:
    masked = np.ma.masked_array(values, hidden)
    rows = list(masked) if name == "boxes" else masked
    true = [{"boxes": [[0, 0, 2, 2]], "labels": [1]}]
    predicted = {"boxes": [[0, 0, 2, 2]], "labels": [1], "scores": [0.5]}

    for given in (masked, rows):
        with pytest.raises(SchemaError, match=r"\]: expected a value, found a masked one"):
            evaluate(true, [predicted | {name: given}], ["detection.F1"])
    read = evaluate(true, [predicted | {name: np.ma.masked_array(values)}], ["detection.F1"])
    assert read == evaluate(true, [predicted], ["detection.F1"])


def rows_of(seed: int, as_lists: bool) -> tuple[list[Objects], list[Objects]]:
    """Images of arrays of one type, with boxes and labels as lists on request."""
    drawn = np.random.default_rng(seed)

    def given(values: Any) -> Any:
        return values.tolist() if as_lists else values

    sides: list[list[Objects]] = []
    for _ in range(2):
        sides.append([])
        for count in (3, 0, 5, 1):
            corners = drawn.integers(0, 50, (count, 2)).astype(np.float64)
            boxes = np.hstack([corners, corners + 1 + drawn.integers(0, 9, (count, 2))])
            labels = given(drawn.integers(0, 90, count))
            scores = given(drawn.random(count).round(3))
            sides[-1].append(Objects(boxes=given(boxes), labels=labels, scores=scores))
    return sides[0], sides[1]


@pytest.mark.parametrize("box_format", ["xyxy", "cxcywh"])
def test_stacked_arrays_give_the_batch_of_lists(box_format: Any) -> None:
    at_once, lists = (
        from_arrays(*rows_of(3, as_lists), box_format=box_format) for as_lists in (False, True)
    )
    assert at_once == lists
    assert at_once.labels == lists.labels  # in the same order


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("boxes", [[4.0, 0.0, 2.0, 1.0]], "image 'b', predictions[0]: expected a box"),
        ("boxes", [[np.nan, 0.0, 2.0, 1.0]], "predictions[0]: expected a box of finite numbers"),
        ("scores", [np.nan], "predictions, scores[0]: expected a finite number"),
        ("labels", [7], "predictions, labels: expected a number that has a name, got 7"),
    ],
)
def test_wrong_value_of_an_array_names_its_image(name: str, value: Any, said: str) -> None:
    fields: dict[str, Any] = {"boxes": [[0.0, 0.0, 2.0, 1.0]], "labels": [0], "scores": [0.5]}
    right, wrong = (
        Objects(**{key: np.array(own) for key, own in one.items()})
        for one in (fields, fields | {name: value})
    )
    with pytest.raises(SchemaError) as error:
        from_arrays([right, right], [right, wrong], uids=["a", "b"], names=["cat"])
    assert said.removeprefix("image 'b', ") in error.value.message
    assert "'b'" in error.value.message

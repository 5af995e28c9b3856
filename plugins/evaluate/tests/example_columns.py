"""Examples of each task as columns of evaluate and as batches of Valor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from attrs import evolve, frozen
from valor_testing import examples

from valor_core import Registry
from valor_core.schemas import DEFAULT_KEY, Batch, Label
from valor_core.schemas.classification import ClassificationBatch
from valor_core.schemas.detection import Detection, DetectionBatch
from valor_core.schemas.geometry import Box
from valor_core.schemas.segmentation import Segmentation, SegmentationBatch, Segments
from valor_core.specs import TaskSpec
from valor_core.specs.spec import import_object

IGNORED = 255
NOT_COUNTED = 1 << 23


@frozen(eq=False)
class Example:
    """Batches of Valor, and the same data as columns.

    Parameters
    ----------
    name : str
        Name of the data set.
    batches : list of Batch
        Batches.
    columns : list of mapping
        Columns of each batch.
    data : mapping
        Settings of the columns.
    """

    name: str
    batches: Sequence[Batch]
    columns: Sequence[Mapping[str, Any]]
    data: Mapping[str, Any]


def of_task(task: str) -> list[Example]:
    """Return the examples of a task that its columns can represent."""
    makers = {
        "classification": _classification,
        "detection": _detection,
        "segmentation": _segmentation,
    }
    found = examples.datasets(task)
    if not found:
        declared = Registry().find(TaskSpec, task).examples
        found = import_object(declared)() if declared else {}
    return [
        makers.get(task, _rows)(name, batches)
        for name, batches in found.items()
        if name not in _WITHOUT_COLUMNS
    ]


_WITHOUT_COLUMNS = ("ignored",)
"""Examples with ignored objects and searched labels, which columns do not have."""


def _label(label: Label) -> Any:
    return label.value if label.key == DEFAULT_KEY else {"key": label.key, "value": label.value}


def _classification(name: str, batches: Sequence[ClassificationBatch]) -> Example:
    if name in ("binary", "float32"):
        labels = [label.value for label in batches[0].labels]
        columns = [
            {
                "predictions": batch.scores.values,
                "references": [batch.labels[code].value for code in batch.truth_labels],
                "uid": batch.datums.uids,
            }
            for batch in batches
        ]
        return Example(name, batches, columns, {"labels": labels})
    columns = [
        {
            "predictions": [
                [{"label": _label(label), "score": score} for label, score in item.predictions]
                for item in batch.items()
            ],
            "references": [list(map(_label, item.groundtruths)) for item in batch.items()],
            "uid": batch.datums.uids,
        }
        for batch in batches
    ]
    return Example(name, batches, columns, {})


def _detection(name: str, batches: Sequence[DetectionBatch]) -> Example:
    """Columns have one label per object, of one key, and no image sizes."""
    parts = [[*map(_with_single_labels, batch.items())] for batch in batches]
    columns = [
        {
            "predictions": [
                {
                    "boxes": [_corners(one.geometry) for one in item.predictions],
                    "labels": [one.labels[0][0].value for one in item.predictions],
                    "scores": [one.labels[0][1] for one in item.predictions],
                }
                for item in part
            ],
            "references": [
                {
                    "boxes": [_corners(one.geometry) for one in item.groundtruths],
                    "labels": [one.labels[0].value for one in item.groundtruths],
                    "iscrowd": [one.is_crowd for one in item.groundtruths],
                    "area": [one.area for one in item.groundtruths],
                }
                for item in part
            ],
            "uid": [item.uid for item in part],
        }
        for part in parts
    ]
    return Example(name, [DetectionBatch.of(part) for part in parts], columns, {})


def _with_single_labels(item: Detection) -> Detection:
    true = [evolve(one, labels=one.labels[0].value) for one in item.groundtruths]
    seen = [
        evolve(one, labels={one.labels[0][0].value: one.labels[0][1]}) for one in item.predictions
    ]
    return Detection(item.uid, true, seen)


def _corners(box: Any) -> list[float]:
    assert isinstance(box, Box)
    return [box.xmin, box.ymin, box.xmax, box.ymax]


def _segmentation(name: str, batches: Sequence[SegmentationBatch]) -> Example:
    """Columns have both sides of an image, and labels of one key."""
    if name == "instances":
        return _instances(name, batches)
    parts = [[*filter(None, map(_of_one_key, batch.items()))] for batch in batches]
    items = [item for part in parts for item in part]
    labels = sorted({label for item in items for label in (*item.groundtruth, *item.prediction)})
    columns = [
        {
            "predictions": [_image(item.prediction, labels) for item in part],
            "references": [
                np.where(item.ignore, IGNORED, _image(item.groundtruth, labels)) for item in part
            ],
            "uid": [item.uid for item in part],
        }
        for part in parts
        if part
    ]
    batches = [SegmentationBatch.of(part) for part in parts if part]
    data = {"labels": [label.value for label in labels], "ignore": IGNORED}
    return Example(name, batches, columns, data)


def _of_one_key(item: Segmentation) -> Segmentation | None:
    sides = [_masks(item.groundtruth), _masks(item.prediction)]
    if not all(sides):
        return None
    shape = next(iter(sides[0].values())).shape
    ignore = np.zeros(shape, bool) if item.ignore is None else item.ignore
    return Segmentation(item.uid, *sides, ignore=ignore)


def _masks(side: Any) -> dict[Label, Any]:
    return {label: mask for label, mask in (side or {}).items() if label.key == DEFAULT_KEY}


def _image(masks: Mapping[Label, Any], labels: Sequence[Label]) -> Any:
    image = np.zeros(next(iter(masks.values())).shape, np.int64)
    for label, mask in masks.items():
        image[mask] = labels.index(label) + 1
    return image


def _instances(name: str, batches: Sequence[SegmentationBatch]) -> Example:
    columns = [
        {
            "predictions": [_segments(item.prediction) for item in batch.items()],
            "references": [_segments(item.groundtruth) for item in batch.items()],
            "uid": batch.datums.uids,
        }
        for batch in batches
    ]
    return Example(name, batches, columns, {"ignore": NOT_COUNTED})


def _segments(side: Segments) -> dict[str, Any]:
    told = [
        {"id": number, "label": label.value, "iscrowd": number in side.crowd}
        for number, label in side.labels.items()
    ]
    image = side.pixels.read(0, side.pixels.shape[0])
    is_known = np.isin(image, [*side.labels, NOT_COUNTED])  # other values are background
    return {"segmentation": np.where(is_known, image, 0), "segments_info": told}


def _rows(name: str, batches: Sequence[Batch]) -> Example:
    return Example(name, batches, [dict(_fields(batch)) for batch in batches], {})


def _fields(batch: Batch) -> Iterator[tuple[str, list[Any]]]:
    items = list(batch.items())
    for one in attrs.fields(type(items[0])):
        if one.name != "metadata":
            called = {"response": "predictions"}.get(one.name, one.name)
            yield called, [getattr(item, one.name) for item in items]

"""Columns of detection: boxes or masks, labels and scores of each image."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from attrs import evolve
from datasets import Features, Value
from datasets import Sequence as ListOf
from valor_detection import Objects, from_arrays
from valor_detection.geometry.validity import Policy

from valor_core.errors import SchemaError, error_at, short_repr
from valor_core.parameters import parameter, parameters
from valor_core.schemas import DEFAULT_KEY
from valor_core.schemas.columns import object_column
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry import Mask

BoxFormat = Literal["xyxy", "xywh", "cxcywh"]


@parameters
class DetectionColumns:
    """Settings of columns of detection."""

    labels: tuple[str, ...] = parameter(
        default=(), help="Names of labels that are numbers, by position.", distinct=True
    )
    key: str = parameter(default=DEFAULT_KEY, help="Key of all labels.")
    box_format: BoxFormat = parameter(
        default="xyxy",
        help="How boxes are written: xyxy are two corners, xywh a corner with width and height, "
        "cxcywh the center with width and height.",
    )
    invalid_geometry: Policy = parameter(
        default="error",
        help="Handling of invalid boxes, such as empty ones: error, repair if possible, skip, or "
        "accept unless they are inverted or not finite.",
    )

    @property
    def names(self) -> tuple[str, ...]:
        """Accepted columns."""
        return (*self.required, "uid")

    @property
    def required(self) -> tuple[str, ...]:
        """Required columns."""
        return "predictions", "references"

    @property
    def features(self) -> list[Features]:
        """Objects of an image, with labels as strings or integers."""
        boxes, scores = ListOf(ListOf(Value("float64"))), ListOf(Value("float64"))
        found = []
        for label in (ListOf(Value("string")), ListOf(Value("int64"))):
            predicted = {"boxes": boxes, "labels": label, "scores": scores}
            found.append(
                Features(
                    {"predictions": predicted, "references": {"boxes": boxes, "labels": label}}
                )
            )
        return found

    def batch(self, columns: Mapping[str, Any], start: int) -> DetectionBatch:
        """Make a batch of columns."""
        uids = columns.get("uid", range(start, start + len(columns["predictions"])))
        predictions, references = (
            [
                _objects(cell, f"item {uid!r}, {side}")
                for uid, cell in zip(uids, columns[side], strict=True)
            ]
            for side in ("predictions", "references")
        )
        lacks_masks = any(
            one.masks is None for one in (*references, *predictions) if np.size(one.labels)
        )
        found = from_arrays(
            self._with_all_fields(references, compares_masks=not lacks_masks),
            [evolve(one, crowd=None, areas=None) for one in predictions],
            uids=list(uids),
            names=self.labels or None,
            iou_type="bbox" if lacks_masks else None,
            box_format=self.box_format,
            label_key=self.key,
            invalid_geometry=self.invalid_geometry,
        )
        if "uid" in columns:
            return found
        return evolve(found, datums=evolve(found.datums, numbered=True))

    def _with_all_fields(self, images: list[Objects], *, compares_masks: bool) -> list[Objects]:
        """Fill in crowd flags and areas of images that lack them, if other images have them."""
        if any(one.crowd is not None for one in images):
            images = [
                evolve(one, crowd=np.zeros(np.size(one.labels), bool)) if one.crowd is None else one
                for one in images
            ]
        if any(one.areas is not None for one in images):
            images = [
                one
                if one.areas is not None
                else evolve(one, areas=self._areas(one, compares_masks=compares_masks))
                for one in images
            ]
        return images

    def _areas(self, one: Objects, *, compares_masks: bool) -> Any:
        """Return the areas of the shapes of an image; 0 if `from_arrays` will reject them."""
        count = np.size(one.labels)
        if one.masks is not None and (compares_masks or one.boxes is None):
            if one.masks.dtype == object:
                return [np.sum(mask.runs[1::2], dtype=np.int64) for mask in one.masks]
            is_valid = one.masks.ndim == 3
            return np.count_nonzero(one.masks, axis=(1, 2)) if is_valid else np.zeros(count)
        boxes = one.boxes
        if boxes is None or boxes.shape != (count, 4) or boxes.dtype.kind not in "fiu":
            return np.zeros(count)
        boxes = boxes.astype(np.float64)
        sides = boxes[:, 2:] - (boxes[:, :2] if self.box_format == "xyxy" else 0)
        return sides.prod(axis=1)


def _objects(cell: Any, where: str) -> Objects:
    """Return the objects of an image; `where` is its location in messages."""
    if not isinstance(cell, Mapping) or "labels" not in cell:
        raise SchemaError(f'{where}: expected {{"boxes": …, "labels": …}}, got {short_repr(cell)}')
    masks = cell.get("masks")
    if isinstance(masks, (list, tuple)):
        with error_at(f"{where}, masks: "):
            masks = object_column(
                Mask.from_rle(one) if isinstance(one, Mapping) else Mask.of(one) for one in masks
            )
    return Objects(
        boxes=cell.get("boxes"),
        labels=cell["labels"],
        scores=cell.get("scores"),
        masks=masks,
        crowd=cell.get("iscrowd"),
        areas=cell.get("area"),
    )

"""Columns of segmentation: images of integers, alone or with the segments of these integers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve
from datasets import Features, Value
from datasets import Sequence as ListOf
from valor_segmentation.readers.in_memory import from_arrays

from valor_core.errors import SchemaError, short_repr
from valor_core.parameters import parameter, parameters
from valor_core.schemas.label import as_labels
from valor_core.schemas.segmentation import Segmentation, SegmentationBatch, Segments

_LABELS = 'Name the labels of pixel values: data={"labels": ["car", "road"]}.'


@parameters
class SegmentationColumns:
    """Settings of columns of segmentation."""

    labels: Any = parameter(
        default=(),
        help="What the values of pixels mean: a list, of which the i-th label is the value i and 0 "
        "is background, or the label of each value, null for background.",
    )
    ignore: tuple[int, ...] = parameter(
        default=(), help="Values of pixels of the reference that do not count."
    )
    stuff: tuple[str, ...] = parameter(
        default=(),
        help="Labels of regions that are not counted, such as sky, which panoptic metrics average "
        "separately.",
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
        """Images of integers, alone or with segments."""
        image = ListOf(ListOf(Value("int64")))
        described = {"id": Value("int64"), "label": Value("string"), "iscrowd": Value("bool")}
        segments = {"segmentation": image, "segments_info": [described]}
        return [Features({"predictions": side, "references": side}) for side in (image, segments)]

    def batch(self, columns: Mapping[str, Any], start: int) -> SegmentationBatch:
        """Make a batch of columns."""
        predictions, references = columns["predictions"], columns["references"]
        uids = columns.get("uid")
        first = next(iter(predictions), None)
        if isinstance(first, Mapping):
            named = range(start, start + len(predictions)) if uids is None else uids
            batch = SegmentationBatch.of(
                Segmentation(
                    uid,
                    _segments(true, f"item {uid!r}, references"),
                    _segments(predicted, f"item {uid!r}, predictions"),
                    ignore=self.ignore or None,
                )
                for uid, predicted, true in zip(named, predictions, references, strict=True)
            )
        else:
            if not self.labels and len(predictions):
                raise SchemaError(
                    "predictions: expected labels, which say what pixels mean, got none",
                    _LABELS,
                )
            batch = from_arrays(
                list(references),
                list(predictions),
                labels=self.labels,
                ignore=self.ignore or None,
                uids=uids,
            )
        batch = evolve(batch, stuff=as_labels(self.stuff))
        return batch.renumber(start) if uids is None else batch


def _segments(cell: Any, where: str) -> Segments:
    """Read segments in the format of panoptic post-processing of transformers."""
    keys = {"segmentation", "segments_info"}
    if not isinstance(cell, Mapping) or not keys <= set(cell):
        raise SchemaError(
            f'{where}: expected {{"segmentation": …, "segments_info": …}}, got {short_repr(cell)}'
        )
    described = cell["segments_info"]
    if not isinstance(described, (list, tuple)):
        raise SchemaError(f"{where}, segments_info: expected a list, got {short_repr(described)}")
    for one in described:
        if not isinstance(one, Mapping) or not {"id", "label"} <= set(one):
            raise SchemaError(
                f'{where}, segments_info: expected {{"id": …, "label": …}}, got {short_repr(one)}'
            )
    return Segments(
        cell["segmentation"],
        {one["id"]: one["label"] for one in described},
        [one["id"] for one in described if one.get("iscrowd")],
    )

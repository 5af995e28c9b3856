"""State of the objects of all images and their overlapping pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any, ClassVar, TypeVar

import numpy as np
from attrs import define, evolve, field
from numpy.typing import NDArray

from valor_core.errors import StateError, short_repr
from valor_core.schemas import Codes, Floats, Label, Vocabulary
from valor_core.schemas.detection import DetectionBatch, PredictedObjects
from valor_core.schemas.geometry.shapes import ends
from valor_core.states import State, StateContent, StateRequest
from valor_core.states.memo import forget
from valor_core.states.saved_columns import saved_labels
from valor_detection.kernels import matching as kernels
from valor_detection.matching.clues import Clues
from valor_detection.matching.image_objects import (
    ImageObjects,
    Images,
    Ragged,
    SelectedImages,
    join,
)
from valor_detection.matching.label_groups import GroupedBatch, merged
from valor_detection.matching.overlap import Overlap
from valor_detection.matching.protocols import Protocol
from valor_detection.matching.table import LABEL, ImageGroups, ImageWeights, Table

_HALF = 0.5
_T = TypeVar("_T")


@define(slots=False, eq=False, repr=False)
class Overlaps(State):
    """Objects of all images and their overlapping pairs, which all detection metrics share.

    Parameters
    ----------
    overlap : Overlap
        Overlap of a prediction with a ground truth.
    iou_thresholds : tuple of float
        IoU thresholds of the metrics.
    lowest_ious : tuple of float
        Minimum IoUs of the pairs that the metrics read.
    scopes : tuple of str
        Scopes of the pairs: `LABEL` or `KEY`.
    limits : tuple of float
        Maximum numbers of counted predictions of a label in an image; infinite for all.

    Examples
    --------
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> from valor_detection.matching.overlap.shapes import ShapeIOU
    >>> state = Overlaps(ShapeIOU(), (0.5,), (0.5,), (LABEL,))
    >>> true, predicted = TrueObject("dog", Box(0, 0, 2, 2)), {"dog": 0.75}
    >>> item = Detection("a", [true], [PredictedObject(predicted, Box(0, 0, 2, 1))])
    >>> state.update(DetectionBatch.of([item]))
    >>> state.table.pairs(LABEL).ious
    array([0.5])
    """

    divides: ClassVar[bool] = True

    overlap: Overlap
    iou_thresholds: tuple[float, ...]
    lowest_ious: tuple[float, ...]
    scopes: tuple[str, ...]
    limits: tuple[float, ...] = (math.inf,)
    vocabulary: Vocabulary = field(factory=Vocabulary, init=False)
    label_ids: dict[int, int] = field(factory=dict, init=False)
    label_groups: dict[int, str] = field(factory=dict, init=False)
    is_federated: bool = field(default=False, init=False)
    chunks: list[Images] = field(factory=list, init=False)
    clues: Clues = field(factory=Clues, init=False)
    _table: Table | None = field(default=None, init=False)

    @property
    def scope(self) -> str:
        """Widest of the scopes."""
        return min(self.scopes)

    def update(self, batch: DetectionBatch) -> None:
        """Count a batch."""
        batch = self.overlap.read(batch)
        codes = self.vocabulary.join(batch.labels)
        if batch.label_ids is not None:
            self._number(dict(zip(codes.tolist(), batch.label_ids.tolist(), strict=True)))
        self.is_federated |= batch.searched is not None
        if isinstance(batch, GroupedBatch):
            self._group(dict(zip(codes.tolist(), batch.label_groups, strict=True)))
        chunk = ImageObjects.of(batch, self._pairs(batch))
        if self.overlap.compares_boxes:
            self.clues.add(batch, _with_hits(chunk.starts, chunk.ious, min(self.lowest_ious)))
        self.chunks.append(chunk.relabel(codes))
        self._table = None

    def merge(self, other: Overlaps) -> None:
        """Add the objects of another state."""
        codes = self.vocabulary.join(other.vocabulary.labels)
        renamed = codes.tolist()
        self._number({renamed[code]: number for code, number in other.label_ids.items()})
        self._group({renamed[code]: group for code, group in other.label_groups.items()})
        self.is_federated |= other.is_federated
        self.chunks.extend(chunk.relabel(codes) for chunk in other.chunks)
        self.clues.merge(other.clues)
        self._table = None

    def select(self, positions: Codes) -> Overlaps:
        """Return the state of selected images of the only batch."""
        (chunk,) = self.chunks
        part = copy(self)
        part.vocabulary = Vocabulary(list(self.vocabulary.labels))
        part.label_ids = dict(self.label_ids)
        part.label_groups = dict(self.label_groups)
        part.chunks = [SelectedImages(chunk.gathered(), positions)]
        part.clues = self.clues.of_images(chunk.uids[positions])
        part._table = None
        return part

    def resamples(
        self, parts: Sequence[Overlaps], weights: Codes, nested: Any
    ) -> Iterator[Overlaps]:
        """Yield the state of each resample of groups of images; nothing is matched again."""
        for part in parts:
            self.merge(part)
        table = self.table
        codes = np.empty(len(table.objects.uids), np.int32)
        for group, part in enumerate(parts):
            for chunk in part.chunks:
                codes[table.images(chunk.uids)] = group
        groups = ImageGroups(table, codes, len(parts))
        for row in weights:
            part = copy(self)
            part._table = drawn = table.resampled(ImageWeights(groups, row))
            yield part
            # Matchings refer to their table, so columns would stay until the next collection.
            forget(drawn)

    def within(self, whole: Overlaps) -> Overlaps:
        """Return this state, with matches read from a state of more images."""
        if not self.chunks or not self._has_labels_of(whole):
            return self
        part = copy(self)
        part._table = whole.table.part_of(np.concatenate([each.uids for each in self.chunks]))
        return part

    def _has_labels_of(self, other: Overlaps) -> bool:
        labels, other_labels = self.vocabulary.labels, other.vocabulary.labels
        if labels == other_labels:
            return self.label_ids == other.label_ids
        numbered, other_numbered = (
            {label: state.label_ids.get(code) for code, label in enumerate(labels)}
            for state, labels in ((self, labels), (other, other_labels))
        )
        return numbered == other_numbered

    def dump(self) -> StateContent:
        """Return labels, columns and clues."""
        chunk = join(self.chunks)
        return {
            "labels": self.vocabulary.labels,
            "label_ids": self.label_ids,
            "label_groups": self.label_groups,
            "is_federated": self.is_federated,
            "chunk": {} if chunk is None else chunk.dump(),
            "clues": self.clues.dump(),
        }

    def restore(self, content: StateContent) -> None:
        """Restore an empty state from what `dump` returned."""
        self.vocabulary = Vocabulary(saved_labels(content, "labels"))
        self.label_ids = _of_labels(content, "label_ids", int, len(self.vocabulary))
        self.label_groups = _of_labels(content, "label_groups", str, len(self.vocabulary))
        self.is_federated = bool(content.get("is_federated"))
        chunk = content.get("chunk")
        if not isinstance(chunk, dict):
            raise StateError(f"chunk: expected columns by name, found {short_repr(chunk)}")
        groups = _groups(self.vocabulary.labels, self.scope)
        self.chunks = [ImageObjects.restored(chunk, groups)] if chunk else []
        self.clues = Clues.restored(content.get("clues"))
        self._table = None

    def detach(self) -> None:
        """Copy the arrays that belong to batches."""
        self.chunks = [chunk.copy() for chunk in self.chunks]
        self.clues.detach()

    def warnings(self) -> Iterator[str]:
        """Yield warnings for wrong box formats and duplicate ground truths."""
        if not self.chunks:
            return
        chunk = self.table.objects
        true, seen = (np.diff(starts) > 0 for starts in chunk.image_starts)
        both = int(np.count_nonzero(true & seen))
        hits = _with_hits(chunk.starts, chunk.ious, min(self.lowest_ious))
        missed = both - int(np.count_nonzero(np.bincount(chunk.datums[hits])))
        yield from self.clues.warnings(missed, both)

    @property
    def table(self) -> Table:
        """Table of all objects, independent of the order of batches."""
        if self._table is None:
            chunk = join(self.chunks)
            self.chunks = [] if chunk is None else [chunk]
            self._table = Table.of(
                chunk,
                self.vocabulary.labels,
                self.label_ids,
                self.iou_thresholds,
                self.scope,
                self.label_groups,
                self.is_federated,
            )
        return self._table

    def _number(self, ids: dict[int, int]) -> None:
        """Store numbers of label codes, the lower of two for one code."""
        if not self.label_ids:
            self.label_ids = ids
        elif not ids.items() <= self.label_ids.items():
            for code, number in ids.items():
                self.label_ids[code] = min(number, self.label_ids.get(code, number))

    def _group(self, groups: Mapping[int, str]) -> None:
        """Store groups of label codes."""
        for code, group in groups.items():
            self.label_groups[code] = merged(self.label_groups.get(code), group)

    def _pairs(self, batch: DetectionBatch) -> Ragged:
        """Return the pairs of all predictions that the greatest limit can count."""
        limit = max(self.limits)
        if self.scope != LABEL or limit == math.inf:
            return self._pairs_of_all(batch)
        rows = counted_rows(batch.predictions, int(limit))
        if rows is None:
            return self._pairs_of_all(batch)
        predictions = batch.predictions.take(rows, batch.predictions.datums[rows])
        starts, truths, ious = self._pairs_of_all(evolve(batch, predictions=predictions))
        counts = np.zeros(len(batch.predictions), np.int64)
        counts[rows] = np.diff(starts)
        return ends(counts), truths, ious

    def _pairs_of_all(self, batch: DetectionBatch) -> Ragged:
        groups = _groups(batch.labels, self.scope)
        return self.overlap.pairs(batch, groups, min(self.lowest_ious))


def _with_hits(starts: Codes, ious: Floats, lowest: float) -> NDArray[np.bool_]:
    """Return True for predictions with an IoU of at least 0.5, or of `lowest` if that is higher."""
    hits: NDArray[np.bool_] = starts[1:] > starts[:-1]
    if lowest < _HALF and len(ious):
        owners = np.flatnonzero(hits)
        hits[owners] = np.maximum.reduceat(ious, starts[owners]) >= _HALF
    return hits


def request(
    iou_thresholds: Sequence[float],
    protocol: Protocol,
    *,
    scope: str = LABEL,
    lowest_iou: float = 1.0,
    max_detections: int | None = None,
) -> StateRequest:
    """Request the pairs that a protocol needs.

    Parameters
    ----------
    iou_thresholds : sequence of float
        Thresholds of the matching.
    protocol : Protocol
        Protocol of the matching. Those that match before applying thresholds, or sort equal scores
        by overlap, keep every pair that overlaps. In images with many overlapping objects, that is
        the number of predictions times the number of ground truths.
    scope : str
        `LABEL` or `KEY`.
    lowest_iou : float
        Minimum IoU of further pairs that the metric reads.
    max_detections : int, optional
        Maximum number of counted predictions of a label in an image. Predictions beyond it do not
        change other matches, unless the protocol keeps every pair: others match predictions by
        descending score.
    """
    limit, lowest = math.inf, 0.0  # a pair takes 16 bytes
    if not protocol.needs_pairs:
        lowest = min([lowest_iou, *protocol.limits(tuple(iou_thresholds)).tolist()])
        if max_detections is not None and not protocol.limits_images:
            limit = float(max_detections)
    return StateRequest(
        Overlaps,
        {"overlap": protocol.overlap},
        {
            "iou_thresholds": iou_thresholds,
            "lowest_ious": [lowest],
            "scopes": [scope],
            "limits": [limit],
        },
    )


def counted_rows(predictions: PredictedObjects, limit: int) -> Codes | None:
    """Return the rows of the best predictions of each label and image, or None for all rows.

    All predictions with the score at the limit are included, so their order does not matter.

    Parameters
    ----------
    predictions : PredictedObjects
        Predictions of a batch.
    limit : int
        Maximum number of predictions of a label in an image.
    """
    datums = predictions.datums
    if len(datums) <= limit or np.bincount(datums).max() <= limit:
        return None
    # Only images with more predictions than the limit can have too many of a label.
    crowded = np.flatnonzero(np.bincount(datums)[datums] > limit)
    width = int(predictions.labels.max()) + 1
    groups = datums[crowded].astype(np.int64) * width + predictions.labels[crowded]
    scores = predictions.scores[crowded]
    if (groups == groups[0]).all():  # as in one dense image of one label
        least = np.partition(scores, -limit)[-limit]
        keeps = np.ones(len(datums), bool)
        keeps[crowded[scores < least]] = False
        return None if keeps.all() else np.flatnonzero(keeps)
    order = _score_order(groups, scores, (int(datums[-1]) + 1) * width)
    groups, scores, rows = groups[order], scores[order], np.arange(len(order))
    first = np.maximum.accumulate(np.where(np.diff(groups, prepend=-1) > 0, rows, 0))
    if (rows - first).max() < limit:
        return None
    last = np.minimum(first + limit - 1, len(order) - 1)
    is_beyond = (groups[last] == groups) & (scores < scores[last])
    keeps = np.ones(len(datums), bool)
    keeps[crowded[order[is_beyond]]] = False
    return np.flatnonzero(keeps)


def _score_order(groups: Codes, scores: Floats, count: int) -> Codes:
    """Sort rows by group and descending score; `count` is the number of possible groups."""
    if count > len(groups):  # the kernel has an entry for each
        return np.lexsort((-scores, groups))
    return kernels.score_order(groups, scores, count)


def _of_labels(content: StateContent, name: str, kind: type[_T], count: int) -> dict[int, _T]:
    """Return saved numbers or groups by label code."""
    found = content.get(name, {} if name == "label_groups" else None)  # {} in older states
    what, one = ("numbers", "a whole number") if kind is int else ("groups", "a name")
    if not isinstance(found, dict):
        raise StateError(f"{name}: expected {what} of labels, found {short_repr(found)}")
    for code, value in found.items():
        if type(code) is not int or type(value) is not kind or not 0 <= code < count:
            raise StateError(
                f"{name}: expected {one} for each of {count:,} labels, "
                f"found {short_repr(value)} for {short_repr(code)}"
            )
    return dict(found)


def _groups(labels: Sequence[Label], scope: str) -> Codes:
    """Return the group of each label. Only objects of one group can be pairs."""
    if scope == LABEL:
        return np.arange(len(labels))
    keys: dict[str, int] = {}
    return np.array([keys.setdefault(label.key, len(keys)) for label in labels], np.int64)

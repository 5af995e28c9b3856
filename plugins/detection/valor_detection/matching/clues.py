"""Clues to wrong box formats and duplicate ground truths.

Each image is examined separately, and the images with the least hashes are kept, so the clues do
not depend on the split of the data. Batches are examined together once they have enough objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from valor_core.errors import StateError, short_repr
from valor_core.schemas import Codes, Floats, Uids, natural_order
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.geometry import Shapes
from valor_core.schemas.geometry.shapes import ends
from valor_core.states import StateContent
from valor_core.states.saved_columns import saved_column, saved_positions, saved_uids
from valor_detection.kernels import matching as kernels

Flags = NDArray[np.bool_]
Hashes = NDArray[np.int64]

_ENOUGH = 16_384  # objects per examination
_MOST_IMAGES, _MOST_OBJECTS = 64, 50  # kept in all, and per image
_OVERLAP, _CLOSE = 0.5, 0.75
_FEW = 4  # minimum compared predictions for the clues of scale and label
_MANY = 20  # compared predictions of which few match by chance
_LEAST_SHARES = (
    1 / 3,
    1 / 5,
)  # share that must match in another format, for few and for many predictions
_SHARES, _PIXELS = (
    2.0,
    4.0,
)  # normalized boxes end below 2, boxes in pixels above 4

_XYXY, _XYWH, _CXCYWH = "corners (xyxy)", "corner and size (xywh)", "center and size (cxcywh)"
_FORMATS = (
    (_XYXY, _XYWH),
    (_XYWH, _XYXY),
    (_CXCYWH, _XYWH),
    (_XYWH, _CXCYWH),
    (_CXCYWH, _XYXY),
    (_XYXY, _CXCYWH),
    ("y before x", "x before y"),
)
"""Pairs of a possible format of boxes and the format that they were read as."""


class _Batch(NamedTuple):
    """Columns of a batch. The last one is a flag of the batch."""

    uids: Uids
    true_datums: Codes
    true_labels: Codes
    true_boxes: Floats
    true_outlines: Codes
    true_annotations: Codes
    crowd: Flags
    datums: Codes
    labels: Codes
    boxes: Floats
    scores: Floats
    hits: Flags
    are_boxes: bool


class Duplicates(NamedTuple):
    """Images with duplicate ground truths, one row each.

    Parameters
    ----------
    uids : ndarray
        Uids of the images.
    numbers : ndarray of int64, shape (n, 3)
        Number of duplicates, and positions of the first two equal annotations.
    """

    uids: Uids
    numbers: Codes

    def take(self, rows: Any) -> Duplicates:
        """Select rows."""
        return Duplicates(self.uids[rows], self.numbers[rows])


class Misses(NamedTuple):
    """Images without any prediction that has an IoU of 0.5 with a ground truth of its label.

    Parameters
    ----------
    uids : ndarray
        Uids of the images.
    hashes : ndarray of int64
        Hash of the objects of each image.
    true_datums, datums : ndarray of int64
        Position of the image of each ground truth and prediction, ascending.
    true_labels, labels : ndarray of int64
        Label codes, numbered by image.
    true_boxes, boxes : ndarray of float64
        Boxes of all ground truths, and of the same number of predictions with the highest scores.
    """

    uids: Uids
    hashes: Hashes
    true_datums: Codes
    true_labels: Codes
    true_boxes: Floats
    datums: Codes
    labels: Codes
    boxes: Floats

    @classmethod
    def joined(cls, parts: Sequence[Misses]) -> Misses:
        """Join parts and keep the images with the least hashes."""
        return cls(**_concatenated(parts, _COLUMNS)).least()

    def least(self) -> Misses:
        """Keep the images with the least hashes, equal ones by uid."""
        chosen = _least(self.uids, self.hashes)
        return self if chosen is None else self.take(chosen)

    def take(self, images: Codes) -> Misses:
        """Select images."""
        renamed = np.full(len(self.uids), -1)
        renamed[images] = np.arange(len(images))
        sides = []
        for datums in (self.true_datums, self.datums):
            images_of_rows = renamed[datums]
            order = np.argsort(images_of_rows, kind="stable")
            sides.append(order[images_of_rows[order] >= 0])
        true, predicted = sides
        return Misses(
            self.uids[images],
            self.hashes[images],
            renamed[self.true_datums[true]],
            self.true_labels[true],
            self.true_boxes[true],
            renamed[self.datums[predicted]],
            self.labels[predicted],
            self.boxes[predicted],
        )

    def hits(self, boxes: Floats, *, any_label: bool = False) -> tuple[int, int]:
        """Count the predictions with an IoU of 0.5, and of a high IoU, for other boxes."""
        true_labels, labels = self.true_labels, self.labels
        if any_label:
            true_labels, labels = np.zeros_like(true_labels), np.zeros_like(labels)
        starts, _, ious = kernels.box_pairs(
            self.true_datums,
            true_labels,
            self.true_boxes,
            np.zeros(len(self.true_datums), np.bool_),
            self.datums,
            labels,
            boxes,
            _OVERLAP,
        )
        owners = np.flatnonzero(starts[1:] > starts[:-1])
        if not len(owners):
            return 0, 0
        is_close = np.maximum.reduceat(ious, starts[owners]) >= _CLOSE
        return len(owners), int(np.count_nonzero(is_close))


_COLUMNS = Misses._fields


@define(eq=False, repr=False)
class Clues:
    """Clues of all counted images.

    Examples
    --------
    >>> from valor_core.schemas.detection import Detection, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = [TrueObject("dog", Box(0, 0, 2, 2))] * 2
    >>> clues = Clues()
    >>> clues.add(DetectionBatch.of([Detection("a", true)]), np.empty(0, bool))
    >>> print(*clues.warnings(0, 0))
    1 ground truth has the label and the geometry of another one in its image (first: image 'a',
    annotations 0 and 1); each counts: remove the duplicates
    """

    _duplicates: list[Duplicates] = field(factory=list)
    _misses: list[Misses] = field(factory=list)
    _waiting: list[_Batch] = field(factory=list)
    _size: int = 0

    def add(self, batch: DetectionBatch, hits: Flags) -> None:
        """Examine a batch, now or with the next ones.

        Parameters
        ----------
        batch : DetectionBatch
            Batch.
        hits : ndarray of bool
            True for predictions with an IoU of at least 0.5.
        """
        truths, predicted = batch.groundtruths, batch.predictions
        self._waiting.append(
            _Batch(
                batch.datums.uids,
                truths.datums,
                truths.labels,
                truths.shapes.boxes,
                _outlines(truths.shapes),
                truths.annotations,
                truths.crowd,
                predicted.datums,
                predicted.labels,
                predicted.shapes.boxes,
                predicted.scores,
                hits,
                truths.shapes.only_boxes and predicted.shapes.only_boxes,
            )
        )
        self._size += len(truths) + len(predicted)
        if self._size >= _ENOUGH:
            self._examine()

    def merge(self, other: Clues) -> None:
        """Add the clues of other images."""
        self._duplicates += other._duplicates
        self._misses += other._misses
        self._waiting += other._waiting
        self._size += other._size
        if self._size >= _ENOUGH:
            self._examine()
        if len(self._misses) > _MOST_IMAGES:
            self._misses = [Misses.joined(self._misses)]

    def of_images(self, uids: Uids) -> Clues:
        """Return the clues of selected images."""
        self._examine()
        return Clues(
            [part.take(np.isin(part.uids, uids)) for part in self._duplicates],
            [part.take(np.flatnonzero(np.isin(part.uids, uids))) for part in self._misses],
        )

    def detach(self) -> None:
        """Copy the arrays of batches that are not examined yet."""
        names = _Batch._fields[:-1]
        self._waiting = [
            one._replace(**{name: getattr(one, name).copy() for name in names})
            for one in self._waiting
        ]

    def dump(self) -> StateContent:
        """Return the columns by name."""
        self._examine()
        found: StateContent = {}
        if self._duplicates:
            found["duplicates"] = {
                "uids": np.concatenate([part.uids for part in self._duplicates]),
                "numbers": np.concatenate([part.numbers for part in self._duplicates]),
            }
        if self._misses:
            misses = Misses.joined(self._misses)
            found["misses"] = {name: getattr(misses, name) for name in _COLUMNS}
        return found

    @classmethod
    def restored(cls, content: object) -> Clues:
        """Create clues from what `dump` returned; empty clues for states saved without them.

        Raises
        ------
        StateError
            If a column is invalid.
        """
        restored = cls()
        parts = {} if content is None else _table(content, "clues")
        if "duplicates" in parts:
            columns = _table(parts["duplicates"], "duplicates")
            uids = saved_uids(columns, "uids")
            numbers = saved_column(columns, "numbers", np.int64, shape=(len(uids), 3), low=0)
            restored._duplicates = [Duplicates(uids, numbers)]
        if "misses" in parts:
            columns = _table(parts["misses"], "misses")
            uids = saved_uids(columns, "uids")
            true_datums = saved_positions(columns, "true_datums", len(uids))
            datums = saved_positions(columns, "datums", len(uids))
            true, predicted = len(true_datums), len(datums)
            restored._misses = [
                Misses(
                    uids,
                    saved_column(columns, "hashes", np.int64, shape=(len(uids),)),
                    true_datums,
                    saved_column(columns, "true_labels", np.int64, shape=(true,), low=0),
                    saved_column(columns, "true_boxes", np.float64, shape=(true, 4)),
                    datums,
                    saved_column(columns, "labels", np.int64, shape=(predicted,), low=0),
                    saved_column(columns, "boxes", np.float64, shape=(predicted, 4)),
                )
            ]
        return restored

    def warnings(self, missed: int, both: int) -> Iterator[str]:
        """Yield warnings for a report.

        Parameters
        ----------
        missed, both : int
            Number of images with both sides but no IoU of 0.5, and of all images with both sides.
        """
        self._examine()
        if self._misses and 2 * missed >= both:
            yield from _of_formats(Misses.joined(self._misses), missed, both)
        duplicates = [part for part in self._duplicates if len(part.uids)]
        if duplicates:
            yield _of_duplicates(duplicates)

    def _examine(self) -> None:
        """Examine the batches that are not examined yet."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        for are_boxes in (True, False):
            batches = [one for one in waiting if one.are_boxes == are_boxes]
            if not batches:
                continue
            batch = _joined(batches)
            duplicates = _duplicates(batch)
            if duplicates is not None:
                self._duplicates.append(duplicates)
            misses = _misses(batch) if are_boxes else None
            if misses is not None:
                self._misses.append(misses)


def _table(content: object, name: str) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise StateError(f"{name}: expected columns by name, found {short_repr(content)}")
    return content


def _joined(batches: Sequence[_Batch]) -> _Batch:
    """Concatenate batches. Label codes need no change, because no two batches share an image."""
    if len(batches) == 1:
        return batches[0]
    columns = _concatenated(batches, _Batch._fields[:-1])
    return _Batch(**columns, are_boxes=batches[0].are_boxes)


def _concatenated(parts: Sequence[_Batch | Misses], names: Sequence[str]) -> dict[str, Any]:
    """Concatenate columns of parts, and shift their positions of images."""
    before = ends([len(part.uids) for part in parts]).tolist()
    return {
        name: np.concatenate(
            [
                getattr(part, name) + shift if name.endswith("datums") else getattr(part, name)
                for part, shift in zip(parts, before, strict=False)
            ]
        )
        for name in names
    }


def _least(uids: Uids, hashes: Hashes) -> Codes | None:
    """Return the images with the least hashes, or None if all can be kept."""
    if len(uids) <= _MOST_IMAGES:
        return None
    ranks = np.empty(len(uids), np.int64)
    ranks[natural_order(uids)] = np.arange(len(ranks))
    return np.lexsort((ranks, hashes))[:_MOST_IMAGES]


def _mixed(*columns: Any) -> NDArray[np.uint64]:
    """Hash rows of columns of 64 bits."""
    mixed = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        mixed ^= np.ascontiguousarray(column).view(np.uint64)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _outlines(shapes: Shapes) -> Codes:
    """Hash the polygon or mask of each row; 0 for boxes."""
    found = np.zeros(len(shapes), np.uint64)
    if shapes.rings is not None:
        rings = shapes.rings
        starts = rings.rings[rings.polygons[rings.rows]] * 2
        found += _hashed(np.ascontiguousarray(rings.points).view(np.uint64).ravel(), starts)
    if shapes.masks is not None:
        found += _hashed(shapes.masks.runs.astype(np.uint64), shapes.masks.rows)
    return found.view(np.int64)


def _hashed(numbers: NDArray[np.uint64], starts: Codes) -> NDArray[np.uint64]:
    """Hash the numbers of each ragged row in integers that overflow."""
    positions = (np.arange(len(numbers)) - np.repeat(starts[:-1], np.diff(starts))).astype(
        np.uint64
    )
    mixed = (numbers ^ (numbers >> np.uint64(31))) * (positions * np.uint64(2) + np.uint64(1))
    totals = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    hashes: NDArray[np.uint64] = totals[starts[1:]] - totals[starts[:-1]]
    return hashes


def _duplicates(batch: _Batch) -> Duplicates | None:
    """Return ground truths with the image, label and geometry of an earlier one."""
    suspects = _alike(batch)
    if not len(suspects):
        return None
    names = (batch.true_labels, batch.true_datums, batch.true_outlines)
    columns = np.column_stack([column[suspects] for column in names])
    columns = np.concatenate(
        [columns, np.ascontiguousarray(batch.true_boxes[suspects]).view(np.int64)], axis=1
    )
    order = np.lexsort((suspects, *columns.T))
    columns, suspects = columns[order], suspects[order]
    again = np.flatnonzero((columns[1:] == columns[:-1]).all(axis=1)) + 1
    if not len(again):
        return None
    datums, positions = batch.true_datums[suspects[again]], batch.true_annotations[suspects]
    order = np.lexsort((positions[again], datums))
    images, first, counts = np.unique(datums[order], return_index=True, return_counts=True)
    chosen = again[order[first]]
    numbers = np.column_stack([counts, positions[chosen - 1], positions[chosen]])
    return Duplicates(batch.uids[images], numbers.astype(np.int64))


def _alike(batch: _Batch) -> Codes:
    """Return rows of ground truths that may share image, label and corner, without crowds."""
    count = len(batch.true_datums)
    if count < 2:
        return np.empty(0, np.int64)
    boxes = batch.true_boxes
    mixed = _mixed(batch.true_datums, batch.true_labels, boxes[:, 0], boxes[:, 1])
    bits = min((8 * count).bit_length(), 24)
    buckets = (mixed >> np.uint64(64 - bits)).astype(np.int64)
    is_shared = np.bincount(buckets, minlength=1 << bits) > 1
    rows = np.flatnonzero(is_shared[buckets] & ~batch.crowd)
    order = np.argsort(mixed[rows])
    ordered = mixed[rows][order]
    is_twice = np.zeros(len(rows) + 1, np.bool_)  # as the one before
    is_twice[1:-1] = ordered[1:] == ordered[:-1]
    return np.sort(rows[order[is_twice[:-1] | is_twice[1:]]])


def _misses(batch: _Batch) -> Misses | None:
    """Return the images with the least hashes in which no prediction has an IoU of 0.5."""
    count = len(batch.uids)
    true_counts = np.bincount(batch.true_datums, minlength=count)
    if batch.crowd.any():
        true_counts = np.bincount(batch.true_datums[~batch.crowd], minlength=count)
    is_missed = (true_counts > 0) & (np.bincount(batch.datums, minlength=count) > 0)
    is_missed[batch.datums[batch.hits]] = False
    images = np.flatnonzero(is_missed)
    if not len(images):
        return None
    first = np.searchsorted(batch.true_datums, images)
    columns = batch.true_boxes[first].T
    hashes = _mixed(true_counts[images], *columns).view(np.int64)
    chosen = _least(batch.uids[images], hashes)
    if chosen is not None:
        chosen.sort()
        images, hashes = images[chosen], hashes[chosen]
    renamed = np.full(count, -1)
    renamed[images] = np.arange(len(images))
    truths = np.flatnonzero((renamed[batch.true_datums] >= 0) & ~batch.crowd)
    predicted = _best(batch, renamed, true_counts)
    return Misses(
        batch.uids[images],
        hashes,
        renamed[batch.true_datums[truths]],
        batch.true_labels[truths],
        batch.true_boxes[truths],
        renamed[batch.datums[predicted]],
        batch.labels[predicted],
        batch.boxes[predicted],
    )


def _best(batch: _Batch, renamed: Codes, true_counts: Codes) -> Codes:
    """Return the predictions with the highest scores, as many as ground truths in each image."""
    rows = np.flatnonzero(renamed[batch.datums] >= 0)
    datums = batch.datums[rows]
    order = np.lexsort((rows, -batch.scores[rows], datums))
    ranks = np.arange(len(rows)) - np.searchsorted(datums, datums)
    return np.sort(rows[order[ranks < np.minimum(true_counts, _MOST_OBJECTS)[datums]]])


def _ends(boxes: Floats, datums: Codes, count: int) -> Floats:
    """Return the lower right end of the boxes of each image."""
    found = np.zeros(count)
    np.maximum.at(found, datums, (boxes[:, :2] + boxes[:, 2:]).max(axis=1))
    return found


def _in_other_formats(boxes: Floats) -> Iterator[Floats]:
    """Yield the boxes for each pair of formats: true format, and format that they were read as."""
    corner, size = boxes[:, :2], boxes[:, 2:]
    with np.errstate(over="ignore", invalid="ignore"):
        for start, sides in (
            (corner, size - corner),
            (corner, size + corner),
            (corner - size / 2, size),
            (corner + size / 2, size),
            (corner - (size + corner) / 2, size + corner),
            (corner + size / 2, size / 2 - corner),
            (corner[:, ::-1], size[:, ::-1]),
        ):
            other = np.concatenate([start, sides], axis=1)
            other[~np.isfinite(other).all(axis=1) | (sides < 0).any(axis=1)] = 0.0
            yield np.ascontiguousarray(other)


def _of_formats(misses: Misses, missed: int, both: int) -> Iterator[str]:
    """Return the warning for images without overlaps, if another format explains them."""
    count = len(misses.uids)
    start = (
        f"no prediction overlaps a ground truth of its label by an IoU of {_OVERLAP} in "
        f"{missed:,} of {both:,} images"
    )
    which = f"{count:,} of them" if count < missed else "them"
    true_ends = _ends(misses.true_boxes, misses.true_datums, count)
    predicted_ends = _ends(misses.boxes, misses.datums, count)
    for one, other, small, large in (
        ("predictions", "ground truths", predicted_ends, true_ends),
        ("ground truths", "predictions", true_ends, predicted_ends),
    ):
        in_shares = int(np.count_nonzero((small < _SHARES) & (large > _PIXELS)))
        if 2 * in_shares > count:
            yield (
                f"{start}; in {in_shares:,} of {count:,} of them, boxes of the {one} end below "
                f"{_SHARES:g} and those of the {other} beyond {_PIXELS:g}: they look like shares "
                "of the image. Multiply them by its width and height (in tables: "
                "data.normalized: true)"
            )
            return
    compared = len(misses.boxes)
    as_read, _ = misses.hits(misses.boxes)
    found = [misses.hits(boxes) for boxes in _in_other_formats(misses.boxes)]
    best = max(range(len(found)), key=lambda index: (found[index], -index))
    hits, close = found[best]
    least = max(2, compared * _LEAST_SHARES[compared >= _MANY])
    if hits > 2 * as_read and (hits >= least or (compared == 1 and close == 1)):
        actual, read = _FORMATS[best]
        yield (
            f"{start}, but {hits:,} of the {compared:,} best predictions in {which} would if their "
            f"boxes were {actual} instead of {read}, or those of the ground truths {read} "
            f"instead of {actual}. Check the format of the boxes (box_format)"
        )
        return
    if compared < _FEW:
        return
    hits, _ = misses.hits(misses.boxes, any_label=True)
    if hits > 2 * as_read and hits >= least:
        yield (
            f"{start}, but {hits:,} of the {compared:,} best predictions in {which} overlap one of "
            "another label. Check that both sides number or name their labels alike, such as from "
            "0 or from 1, or set label_map"
        )
        return
    scale = _scale(misses)
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = misses.boxes * np.tile(scale, 2)
    hits, _ = misses.hits(scaled) if np.isfinite(scaled).all() else (0, 0)
    if hits > 2 * as_read and hits >= least:
        across, down = scale.tolist()
        yield (
            f"{start}, but {hits:,} of the {compared:,} best predictions in {which} would if their "
            f"boxes were about {across:.3g} times as far right and {down:.3g} times as far down. "
            "Give the boxes of both sides in pixels of the same image size"
        )


def _scale(misses: Misses) -> Floats:
    """Return the median ratios of the right and lower ends of both sides."""
    count = len(misses.uids)
    ratios = []
    for axis in (0, 1):
        both = []
        for boxes, datums in (
            (misses.true_boxes, misses.true_datums),
            (misses.boxes, misses.datums),
        ):
            ends_of = np.zeros(count)
            np.maximum.at(ends_of, datums, boxes[:, axis] + boxes[:, 2 + axis])
            both.append(ends_of)
        has = (both[0] > 0) & (both[1] > 0)
        with np.errstate(over="ignore"):
            ratios.append(np.median(both[0][has] / both[1][has]) if has.any() else 1.0)
    return np.array(ratios)


def _of_duplicates(parts: Sequence[Duplicates]) -> str:
    """Return the warning for duplicate ground truths."""
    uids = np.concatenate([part.uids for part in parts])
    numbers = np.concatenate([part.numbers for part in parts])
    count = int(numbers[:, 0].sum())
    row = int(natural_order(uids)[0])
    _, first, second = numbers[row].tolist()
    uid = uids[row : row + 1].tolist()[0]
    has, its = ("ground truth has", "its") if count == 1 else ("ground truths have", "their")
    return (
        f"{count:,} {has} the label and the geometry of another one in {its} image (first: image "
        f"{uid!r}, annotations {first} and {second}); each counts: remove the duplicates"
    )

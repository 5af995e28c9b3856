"""Pixels by true and predicted label, of all images together and of each image."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from attrs import define, field, frozen
from valor_labels import ByLabelKey, check_total

from valor_core.errors import StateError
from valor_core.schemas import Codes, Label, Uids, Vocabulary, natural_order
from valor_core.schemas.pairing import look_alikes
from valor_core.schemas.segmentation import SegmentationBatch
from valor_core.states import StateContent, StateRequest
from valor_core.states.saved_columns import saved_column, saved_labels, saved_positions, saved_uids
from valor_segmentation.counting.layer_counts import (
    MOST_CONFUSIONS,
    ImageCounts,
    check_labels,
    layer_counts,
    outcomes,
)

_NEARLY = 0.9  # share of labeled pixels that a shift of values has to explain
_DIGITS = 10  # of names that are values


@frozen(kw_only=True, eq=False)
class Confusion:
    """Pixels by true and predicted label, labels sorted.

    Parameters
    ----------
    labels : tuple of Label
        All labels of a key that the data declare, whether a pixel has them or not.
    table : ndarray of int64, shape (n + 1, n + 1)
        Pixels by ground truth (row) and prediction (column); row and column 0 are background.
    """

    labels: tuple[Label, ...]
    table: Codes

    @property
    def names(self) -> list[str]:
        """Values of the labels."""
        return [label.value for label in self.labels]

    def counts(self, *, background: bool = False) -> tuple[Codes, Codes, Codes]:
        """True positives, false positives and false negatives of each label.

        Parameters
        ----------
        background : bool
            Whether background comes first, like a label.
        """
        tp, fp, fn = outcomes(self.table)[0 if background else 1 :].T
        return tp, fp, fn


@frozen(kw_only=True, eq=False)
class ImageRows:
    """One row for each image and each label in it, by uid, labels sorted.

    Parameters
    ----------
    uids : ndarray
        Uids of the images, in their order.
    datums, labels : ndarray of int64, shape (n,)
        Position of the image, and of the label; 0 is background, 1 the first label.
    tp, fp, fn : ndarray of int64, shape (n,)
        Pixels.
    names : list of str
        Names of background and of the labels.
    confusions : ndarray of int64, shape (n_images, MOST_CONFUSIONS, 3)
        True label, predicted label and pixels of the largest confusions of each image; -1 pixels
        in a state of 0.1.0, which did not count them.
    """

    uids: Uids
    datums: Codes
    labels: Codes
    tp: Codes
    fp: Codes
    fn: Codes
    names: list[str]
    confusions: Codes


@frozen(eq=False)
class _Chunk:
    """Rows of one batch; datums by position, background has the code 0, labels 1 and up."""

    uids: Uids
    datums: Codes
    codes: Codes
    counts: Codes
    confusions: Codes

    def recoded(self, rows: Codes) -> _Chunk:
        confusions = self.confusions.copy()
        confusions[..., :2] = rows[confusions[..., :2]]
        return _Chunk(self.uids, self.datums, rows[self.codes], self.counts, confusions)

    @classmethod
    def saved(cls, columns: Sequence[Any], size: int) -> _Chunk:
        """Rows of a file, of background and labels with codes below a size."""
        names = ("uids", "datums", "codes", "counts", "confusions")
        content = dict(zip(names, columns, strict=False))
        uids = saved_uids(content, "uids")
        datums = saved_positions(content, "datums", len(uids))
        shape = (len(datums),)
        codes = saved_column(content, "codes", np.int64, shape=shape, low=0, high=size - 1)
        counts = saved_column(content, "counts", np.int64, shape=(*shape, 3), low=0)
        check_total(counts)
        shaped = (len(uids), MOST_CONFUSIONS, 3)
        if "confusions" not in content:  # a state of 0.1.0
            unknown = np.tile([0, 0, -1], (*shaped[:2], 1))
            return cls(uids, datums, codes, counts, unknown)
        confusions = saved_column(content, "confusions", np.int64, shape=shaped, low=-1)
        if confusions[..., :2].max(initial=0) >= size:
            raise StateError("confusions: expected labels of the table, found others")
        return cls(uids, datums, codes, counts, confusions)


def _no_pixels() -> Codes:
    return np.zeros((1, 1), np.int64)


def _json(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


@define
class KeyCounts:
    """Pixels of one label key.

    Parameters
    ----------
    details : tuple of str
        ``("images",)`` if rows of each image are kept.

    Attributes
    ----------
    table : ndarray of int64, shape (n + 1, n + 1)
        By ground truth and prediction: background, then the vocabulary.
    """

    details: tuple[str, ...] = ()
    vocabulary: Vocabulary = field(factory=Vocabulary)
    table: Codes = field(factory=_no_pixels)
    chunks: list[_Chunk] = field(factory=list)

    def add(self, labels: list[Label], table: Codes, chunks: list[_Chunk]) -> None:
        """Count a table of background and some labels, and keep its rows."""
        rows = np.append(0, self.vocabulary.join(labels) + 1)
        check_labels(len(self.vocabulary))
        size = len(self.vocabulary) + 1
        if len(self.table) < size:
            grown = np.zeros((size, size), np.int64)
            grown[: len(self.table), : len(self.table)] = self.table
            self.table = grown
        check_total(self.table, table)
        self.table[np.ix_(rows, rows)] += table
        self.chunks += [chunk.recoded(rows) for chunk in chunks]

    def merge(self, other: KeyCounts) -> None:
        """Add other counts, which are not modified."""
        self.add(other.vocabulary.labels, other.table, other.chunks)

    def dump(self) -> StateContent:
        """Return the table and the rows, for a file."""
        chunks = [[c.uids, c.datums, c.codes, c.counts, c.confusions] for c in self.chunks]
        return {"labels": self.vocabulary.labels, "table": self.table, "chunks": chunks}

    def restore(self, content: StateContent) -> None:
        """The table and the rows that `dump` wrote.

        Raises
        ------
        StateError
            If they do not count the same pixels.
        """
        self.vocabulary = Vocabulary(saved_labels(content, "labels"))
        size = len(self.vocabulary) + 1
        self.table = saved_column(content, "table", np.int64, shape=(size, size), low=0)
        check_total(self.table)
        self.chunks = [_Chunk.saved(columns, size) for columns in content["chunks"]]
        counted = np.zeros((size, 3), np.int64)
        for chunk in self.chunks:
            np.add.at(counted, chunk.codes, chunk.counts)
        has_images = "images" in self.details
        if has_images and not np.array_equal(counted, outcomes(self.table)):
            raise StateError("chunks: expected the pixels of the table, found others")
        if self.chunks and not has_images:
            raise StateError("chunks: expected none, since images are not listed, found some")

    def shift(self) -> tuple[int, int, int] | None:
        """Shift of predicted against true values, number of shifted pixels, and of all pixels.

        None unless nearly all pixels differ by 1 in the same direction, except pixels that are 0 on
        both sides.
        Values are the names of labels if these are whole numbers, else positions in their list.
        """
        names = [label.value for label in self.vocabulary.labels]
        are_values = all(name.isdecimal() and len(name) < _DIGITS for name in names)
        values = [int(name) if are_values else i for i, name in enumerate(names, 1)]
        row_of = {0: 0} | {value: row for row, value in enumerate(values, 1)}
        agreed = self.table.diagonal().copy()
        agreed[[0, row_of[0]]] = 0  # a shift may have clipped these
        right = int(agreed.sum())
        total = int(self.table.sum() - self.table.trace()) + right
        if right >= (1 - _NEARLY) * total:  # also where there are no pixels
            return None
        for step in (-1, 1):
            pairs = [(row, row_of.get(value + step, -1)) for value, row in row_of.items()]
            found = [pair for pair in pairs if pair[1] >= 0]
            rows, columns = np.array(found, np.int64).reshape(-1, 2).T
            cells = self.table[rows, columns]
            is_most = 2 * cells > self.table[rows].sum(axis=1)
            has_label = is_most & (rows > 0) & (columns > 0)
            if cells.sum() >= _NEARLY * total and is_most.sum() > 1 and has_label.any():
                return step, int(cells.sum()), total
        return None

    def renamed(self) -> tuple[str, str] | None:
        """Only label without predictions and only label without truths, if their pixels agree.

        Pixels agree if nearly all pixels of either label have the other one on the other side.
        Similar names have a separate warning.
        """
        truths, predictions = self.table.sum(axis=1), self.table.sum(axis=0)
        only_true = np.flatnonzero((truths > 0) & (predictions == 0))
        only_seen = np.flatnonzero((predictions > 0) & (truths == 0))
        if len(only_true) != 1 or len(only_seen) != 1 or 0 in (only_true[0], only_seen[0]):
            return None
        row, column = int(only_true[0]), int(only_seen[0])
        if self.table[row, column] < _NEARLY * max(truths[row], predictions[column]):
            return None
        labels = self.vocabulary.labels
        true, predicted = labels[row - 1], labels[column - 1]
        return None if look_alikes({true}, {predicted}) else (true.value, predicted.value)

    @property
    def confusion(self) -> Confusion:
        """Pixels of all images, labels sorted."""
        order = self.vocabulary.order
        rows = np.append(0, order + 1)
        labels = tuple(self.vocabulary.labels[code] for code in order.tolist())
        return Confusion(labels=labels, table=self.table[np.ix_(rows, rows)])

    @property
    def has_rows(self) -> bool:
        """True if all pixels are in the row of an image."""
        # Each pixel is a true positive or false negative of one label or of background.
        counted = sum(int(chunk.counts[:, ::2].sum()) for chunk in self.chunks)
        return counted == int(self.table.sum())

    @property
    def rows(self) -> ImageRows:
        """Rows of all images, by uid."""
        order = self.vocabulary.order
        ranks = np.zeros(len(order) + 1, np.int64)
        ranks[order + 1] = np.arange(1, len(order) + 1)
        uids = np.concatenate([chunk.uids for chunk in self.chunks])
        starts = np.cumsum([0, *(len(chunk.uids) for chunk in self.chunks)])[:-1]
        by_uid = natural_order(uids)
        row_of = np.empty(len(uids), np.int64)
        row_of[by_uid] = np.arange(len(uids))
        datums = np.concatenate(
            [row_of[c.datums + start] for c, start in zip(self.chunks, starts, strict=True)]
        )
        labels = ranks[np.concatenate([chunk.codes for chunk in self.chunks])]
        counts = np.concatenate([chunk.counts for chunk in self.chunks])
        sorted_rows = np.lexsort((labels, datums))
        tp, fp, fn = counts[sorted_rows].T
        confusions = np.concatenate([chunk.confusions for chunk in self.chunks])[by_uid]
        confusions[..., :2] = ranks[confusions[..., :2]]
        return ImageRows(
            uids=uids[by_uid],
            datums=datums[sorted_rows],
            labels=labels[sorted_rows],
            tp=tp,
            fp=fp,
            fn=fn,
            names=["background", *(self.vocabulary.labels[code].value for code in order.tolist())],
            confusions=confusions,
        )


@define(slots=False)
class PixelCounts(ByLabelKey):
    """Pixels by label key, true label and predicted label.

    Parameters
    ----------
    details : tuple of str
        ``("images",)`` also stores rows of each image.
    rows : tuple of bool
        Not empty to store rows of each image for a report.

    Examples
    --------
    >>> state = PixelCounts()
    >>> from valor_segmentation.readers.in_memory import from_arrays
    >>> state.update(from_arrays([[[0, 1]]], [[[1, 1]]], labels=["cat"]))
    >>> state.keys["class"].confusion.table
    array([[0, 1],
           [0, 1]])
    """

    part: ClassVar[type[KeyCounts]] = KeyCounts
    keeps_rows: ClassVar[bool] = True
    details: tuple[str, ...] = ()
    rows: tuple[bool, ...] = ()

    def of(self, key: str) -> KeyCounts:
        """Return the counts of a label key, without pixels if the key is new."""
        details = ("images",) if self.rows else self.details
        part: KeyCounts = self.keys.setdefault(key, KeyCounts(details))
        return part

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned, with or without rows."""
        if any(np.any(one["table"]) and not one["chunks"] for one in content.values()):
            self.rows = ()
        super().restore(content)

    def update(self, batch: SegmentationBatch) -> None:
        """Count a batch."""
        has_images = bool(self.rows) or "images" in self.details
        for layer in batch.layers:
            found = layer_counts(batch, layer, by_datum=has_images)
            labels = [batch.labels[code] for code in found.codes.tolist()]
            if labels:
                chunks = [_chunk(batch.datums.uids, found.images)] if has_images else []
                self.of(labels[0].key).add(labels, found.table, chunks)

    def warnings(self) -> Iterator[str]:
        """Values of predictions that differ by 1 from true ones, and labels that look renamed."""
        for key, counts in self.sorted():
            shift, renamed = counts.shift(), counts.renamed()
            if shift is None and renamed is not None:
                true, predicted = renamed
                yield (
                    f"the pixels of the true label {true!r} are predicted as {predicted!r}, which "
                    f"is no true label; if they are the same, set label_map: {{{_json(predicted)}: "
                    f"{_json(true)}}}"
                )
            if shift is not None:
                step, shifted, total = shift
                word, remedy = ("below", "Add 1 to") if step < 0 else ("above", "Subtract 1 from")
                where = f" of the label key {key!r}" if len(self.keys) > 1 else ""
                yield (
                    f"{shifted:,} of {total:,} pixels{where} have a predicted value 1 {word} the "
                    f"true one, as with reduce_zero_label. {remedy} the values of the predictions; "
                    "data.labels and data.values hold for both sides"
                )


def _chunk(uids: Uids, images: list[ImageCounts]) -> _Chunk:
    """Rows of some datums."""
    none = np.zeros(0, np.int64)
    datums = np.repeat(np.arange(len(images)), [len(image.labels) for image in images])
    codes = np.concatenate([none, *(image.labels for image in images)])
    counts = np.concatenate([none.reshape(0, 3), *(image.counts for image in images)])
    uids_of_images = uids[np.array([image.datum for image in images], np.int64)]
    nothing = np.zeros((0, MOST_CONFUSIONS, 3), np.int64)
    confusions = np.concatenate([nothing, *(image.confusions[None] for image in images)])
    return _Chunk(uids_of_images, datums, codes, counts, confusions)


def request(*, images: bool = False) -> StateRequest:
    """Request the pixel counts, optionally also of each image."""
    return StateRequest(PixelCounts, union={"details": ["images"] if images else []})

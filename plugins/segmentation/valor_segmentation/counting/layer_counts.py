"""Pixels of a layer of a batch by true and predicted label."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import define, field, frozen

from valor_core.errors import SchemaError
from valor_core.schemas import Codes
from valor_core.schemas.segmentation import (
    BACKGROUND,
    IGNORED,
    Layer,
    Legend,
    SegmentationBatch,
)
from valor_segmentation.counting.strips import over_spans, strips
from valor_segmentation.counting.value_map import unknown_value
from valor_segmentation.kernels import counting as kernels
from valor_segmentation.kernels.value_positions import Pair, ValuePositions

_STRIP = 1 << 22  # pixels that are read, and counted, at a time

_SIDES = ("groundtruth", "prediction")

MOST_CONFUSIONS = 3
"""Number of confusions that are kept of each image."""

MOST_LABELS = 10_000
"""Maximum number of labels of a key: their table takes 0.8 GB per thread."""


def check_labels(count: int) -> None:
    """Raise a `SchemaError` if a table of as many labels would be too large.

    Examples
    --------
    >>> check_labels(65_535)
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: labels: expected at most 10,000 of one key, got 65,535, whose \
table of true and predicted labels takes 34.4 GB
    Leave out labels that no image has, or join some with label_map.
    """
    if count > MOST_LABELS:
        raise SchemaError(
            f"labels: expected at most {MOST_LABELS:,} of one key, got {count:,}, whose table of "
            f"true and predicted labels takes {8 * (count + 1) ** 2 / 1e9:,.1f} GB",
            "Leave out labels that no image has, or join some with label_map.",
        )


def outcomes(table: Codes) -> Codes:
    """True positives, false positives and false negatives of each row of a table.

    Examples
    --------
    >>> outcomes(np.array([[5, 1], [0, 2]]))
    array([[5, 0, 1],
           [2, 1, 0]])
    """
    tp = table.diagonal()
    return np.stack([tp, table.sum(axis=0) - tp, table.sum(axis=1) - tp], axis=1)


@frozen(eq=False)
class ImageCounts:
    """Pixels of one datum by label, for labels that occur.

    Parameters
    ----------
    datum : int
        Its position.
    labels : ndarray of int64, shape (k,)
        Rows of the table that are not empty; 0 is background.
    counts : ndarray of int64, shape (k, 3)
        Their true positives, false positives and false negatives.
    confusions : ndarray of int64, shape (MOST_CONFUSIONS, 3)
        True label, predicted label and pixels of the largest confusions, the largest first; zeros
        if there are fewer.
    """

    datum: int
    labels: Codes
    counts: Codes
    confusions: Codes

    @classmethod
    def of(cls, datum: int, table: Codes, ranks: Codes) -> ImageCounts:
        """Make the counts of a table.

        Parameters
        ----------
        datum : int
            Position of the datum.
        table : ndarray of int64
            Its pixels by true and predicted label.
        ranks : ndarray of int64
            Rank of each label, which orders confusions of as many pixels.
        """
        counts = outcomes(table)
        present = np.flatnonzero(counts.any(axis=1))
        within = table[np.ix_(present, present)]
        rows, columns = np.nonzero(within)
        is_wrong = rows != columns
        rows, columns = rows[is_wrong], columns[is_wrong]
        pixels = within[rows, columns]
        true, predicted = present[rows], present[columns]
        largest = np.lexsort((ranks[predicted], ranks[true], -pixels))[:MOST_CONFUSIONS]
        confusions = np.zeros((MOST_CONFUSIONS, 3), np.int64)
        confusions[: len(largest)] = np.stack([true, predicted, pixels], axis=1)[largest]
        return cls(datum, present, counts[present], confusions)


@frozen(eq=False)
class LayerCounts:
    """Pixels of a layer without ignored ones.

    Parameters
    ----------
    codes : ndarray of int64, shape (n,)
        Label codes of the layer, ascending.
    table : ndarray of int64, shape (n + 1, n + 1)
        Pixels by true and predicted label; row and column 0 are background.
    images : list of ImageCounts
        Counts of each datum with pixels, if requested.
    """

    codes: Codes
    table: Codes
    images: list[ImageCounts]


def layer_counts(batch: SegmentationBatch, layer: Layer, *, by_datum: bool = False) -> LayerCounts:
    """Count a layer, images side by side, large ones strip by strip.

    Raises
    ------
    SchemaError
        If a pixel has a value that the legend lacks; names the item. If there are more labels than
        a table can have.

    Examples
    --------
    >>> from valor_segmentation.readers.in_memory import from_arrays
    >>> batch = from_arrays([[[0, 1]]], [[[1, 1]]], labels=["cat"])
    >>> layer_counts(batch, batch.layers[0]).table
    array([[0, 1],
           [0, 1]])
    """
    counter = _Counter(batch, layer, by_datum)
    parts = over_spans(counter.count, layer)
    for part in parts:
        if part.error is not None:
            raise part.error
    last = len(counter.codes) + 1
    return LayerCounts(
        counter.codes,
        np.sum([part.table for part in parts], axis=0)[:last, :last],
        [image for part in parts for image in part.images],
    )


@frozen(eq=False)
class _Strip:
    """Rows of a datum that wait to be counted."""

    datum: int
    row: int
    pair: Pair


@define(eq=False)
class _Part:
    """Counts of one thread."""

    table: Codes
    image: Codes | None = None
    images: list[ImageCounts] = field(factory=list)
    error: SchemaError | None = None


class _Counter:
    """Counts spans of a layer's datums.

    Positions in its tables are 0 for background, then the labels, then ignored pixels, then
    unknown values.
    """

    def __init__(self, batch: SegmentationBatch, layer: Layer, by_datum: bool) -> None:
        self.batch, self.by_datum = batch, by_datum
        self.sides = list(zip(layer.groundtruths, layer.predictions, strict=True))
        legends = {
            id(one.legend): one.legend for pair in self.sides for one in pair if one is not None
        }
        self.codes = layer.codes
        check_labels(len(self.codes))
        labels = [batch.labels[code] for code in self.codes.tolist()]
        self.ranks = np.zeros(len(labels) + 1, np.int64)  # background is the first
        self.ranks[sorted(range(1, len(labels) + 1), key=lambda row: labels[row - 1])] = np.arange(
            1, len(labels) + 1
        )
        self.by_legend = {name: self._value_positions(legend) for name, legend in legends.items()}
        # A side without annotation is the other side's image with every value read as background.
        self.blank = {
            name: ValuePositions(positions.values, np.zeros_like(positions.positions))
            for name, positions in self.by_legend.items()
        }

    @property
    def position_count(self) -> int:
        return len(self.codes) + 2

    def count(self, first: int, last: int) -> _Part:
        part = _Part(np.zeros((self.position_count + 1, self.position_count + 1), np.int64))
        waiting: list[_Strip] = []
        pixels = 0
        try:
            for i in range(first, last):
                for strip in self._strips(i):
                    pixels += strip.pair[0].size
                    waiting.append(strip)
                    del strip  # frees it after counting
                    if pixels >= _STRIP:
                        self._add(waiting, part)
                        pixels = 0
                if self.by_datum:
                    self._add(waiting, part)
                    self._finish(i, part)
            self._add(waiting, part)
        except SchemaError as error:
            part.error = error
        return part

    def _value_positions(self, legend: Legend) -> ValuePositions:
        positions = np.searchsorted(self.codes, legend.codes) + 1
        positions[legend.codes == BACKGROUND] = 0
        positions[legend.codes == IGNORED] = len(self.codes) + 1
        return ValuePositions(legend.values, positions)

    def _strips(self, datum: int) -> Iterator[_Strip]:
        maps = [one for one in self.sides[datum] if one is not None]
        if not maps:
            return
        shape = maps[0].pixels.shape
        for start, stop in strips(shape, *(one.pixels for one in maps), most=_STRIP):
            # Nothing here keeps a strip alive while the next one is read.
            yield _Strip(datum, start, self._pair(datum, start, stop))

    def _pair(self, datum: int, start: int, stop: int) -> Pair:
        true, predicted = self.sides[datum]
        first = true or predicted
        last = predicted or true
        assert first is not None
        assert last is not None
        rows = (self.by_legend if true is not None else self.blank)[id(first.legend)]
        columns = (self.by_legend if predicted is not None else self.blank)[id(last.legend)]
        truth = first.read(start, stop, self._place(datum, 0 if true is first else 1))
        prediction = truth if last is first else last.read(start, stop, self._place(datum, 1))
        return truth, rows, prediction, columns

    def _place(self, datum: int, side: int) -> str:
        return f"{self.batch.datums.name(datum)}, {_SIDES[side]}"

    def _add(self, waiting: list[_Strip], part: _Part) -> None:
        """Count and free the waiting strips."""
        if not waiting:
            return
        found = kernels.count_pairs(
            [strip.pair for strip in waiting], self.position_count, self.position_count
        )
        if found[-1].any() or found[:, -1].any():
            raise self._unknown(waiting)
        part.table += found
        if self.by_datum:
            part.image = found if part.image is None else part.image + found
        waiting.clear()

    def _finish(self, datum: int, part: _Part) -> None:
        """Store the counts of a datum; its full table would take too much memory."""
        last = len(self.codes) + 1
        if part.image is not None:
            part.images.append(ImageCounts.of(datum, part.image[:last, :last], self.ranks))
            part.image = None

    def _unknown(self, waiting: list[_Strip]) -> SchemaError:
        for strip in waiting:
            truth, rows, prediction, columns = strip.pair
            images, positions = (truth, prediction), (rows, columns)
            for side, one in enumerate(self.sides[strip.datum]):
                found = None if one is None else positions[side].unknown(images[side])
                if found is not None:
                    row, column, value = found
                    where = f"at row {strip.row + row}, column {column}"
                    return unknown_value(self._place(strip.datum, side), value, where)
        raise AssertionError("a value was counted as unknown that no image has")

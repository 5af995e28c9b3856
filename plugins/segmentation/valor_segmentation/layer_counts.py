"""Layer counts: the pixels of a batch's layer by true and predicted label."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError
from valor_core.schemas.arrays import Codes
from valor_core.schemas.pixels import Pixels, strips
from valor_core.schemas.segmentation import (
    BACKGROUND,
    IGNORED,
    LabelMap,
    Layer,
    Legend,
    SegmentationBatch,
)
from valor_core.threads import over, shares
from valor_segmentation.kernels.counting import count_pairs
from valor_segmentation.kernels.places import Pair, Places

_STRIP = 1 << 22  # pixels that are read, and counted, at a time
_THREAD_PIXELS = 1 << 18  # pixels of images that are worth a thread of their own

_SIDES = ("groundtruth", "prediction")
_REMEDIES = (
    "Add its label to the labels, or set ignore to {value} if such pixels do not count.",
    "Add its label to the labels.",
)


@frozen(eq=False)
class LayerCounts:
    """Pixels of a layer, ignored ones left out.

    Parameters
    ----------
    codes : ndarray of int64, shape (n,)
        Label codes of the layer, ascending.
    table : ndarray of int64, shape (n + 1, n + 1)
        Pixels by true and predicted label; row and column 0 are background.
    tables : list of (int, ndarray)
        Where asked for, the position of each datum and a table of its pixels.
    """

    codes: Codes
    table: Codes
    tables: list[tuple[int, Codes]]


def layer_counts(batch: SegmentationBatch, layer: Layer, *, by_datum: bool = False) -> LayerCounts:
    """Count a layer, images side by side, large ones strip by strip.

    Raises
    ------
    SchemaError
        If a pixel has a value that the legend lacks; names the item.

    Examples
    --------
    >>> batch = SegmentationBatch.from_arrays([[[0, 1]]], [[[1, 1]]], labels=["cat"])
    >>> layer_counts(batch, batch.layers[0]).table
    array([[0, 1],
           [0, 1]])
    """
    counter = _Counter(batch, layer, by_datum)
    spans = shares(counter.costs, _THREAD_PIXELS)
    parts = over(counter.count, spans)
    for part in parts:
        if part.error is not None:
            raise part.error
    last = len(counter.codes) + 1
    return LayerCounts(
        counter.codes,
        np.sum([part.table for part in parts], axis=0)[:last, :last],
        [(i, table[:last, :last]) for part in parts for i, table in part.tables],
    )


@frozen(eq=False)
class _Strip:
    """Rows of a datum, from one on, that wait to be counted."""

    datum: int
    row: int
    pair: Pair


@define(eq=False)
class _Part:
    """What one thread has counted."""

    table: Codes
    tables: list[tuple[int, Codes]] = field(factory=list)
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
        self.codes = _label_codes(list(legends.values()))
        self.places = {name: self._places(legend) for name, legend in legends.items()}
        # A side without annotation is the other side's image with every value read as background.
        self.blank = {
            name: Places(places.values, np.zeros_like(places.positions))
            for name, places in self.places.items()
        }
        sizes = [0, *(_pixel_count(*pair) for pair in self.sides)]
        self.costs = np.cumsum(sizes, dtype=np.int64)

    @property
    def positions(self) -> int:
        return len(self.codes) + 2

    def count(self, first: int, last: int) -> _Part:
        part = _Part(np.zeros((self.positions + 1, self.positions + 1), np.int64))
        waiting: list[_Strip] = []
        pixels = 0
        try:
            for i in range(first, last):
                for strip in self._strips(i):
                    waiting.append(strip)
                    pixels += strip.pair[0].size
                    if pixels >= _STRIP:
                        self._add(waiting, part)
                        pixels = 0
                if self.by_datum:
                    self._add(waiting, part)
            self._add(waiting, part)
        except SchemaError as error:
            part.error = error
        return part

    def _places(self, legend: Legend) -> Places:
        positions = np.searchsorted(self.codes, legend.codes) + 1
        positions[legend.codes == BACKGROUND] = 0
        positions[legend.codes == IGNORED] = len(self.codes) + 1
        return Places(legend.values, positions)

    def _strips(self, datum: int) -> Iterator[_Strip]:
        maps = [one for one in self.sides[datum] if one is not None]
        if not maps:
            return
        true, predicted = self.sides[datum]
        first, last = maps[0], maps[-1]
        rows = (self.places if true is not None else self.blank)[id(first.legend)]
        columns = (self.places if predicted is not None else self.blank)[id(last.legend)]
        for start, stop in strips(first.pixels.shape, *(one.pixels for one in maps), most=_STRIP):
            truth = first.pixels.read(start, stop)
            prediction = truth if last is first else last.pixels.read(start, stop)
            yield _Strip(datum, start, (truth, rows, prediction, columns))

    def _add(self, waiting: list[_Strip], part: _Part) -> None:
        """Count what waits, and let it go."""
        if not waiting:
            return
        found = count_pairs([strip.pair for strip in waiting], self.positions, self.positions)
        if found[-1].any() or found[:, -1].any():
            raise self._unknown(waiting)
        part.table += found
        if self.by_datum:
            self._keep(waiting[0].datum, found, part)
        waiting.clear()

    def _keep(self, datum: int, found: Codes, part: _Part) -> None:
        if part.tables and part.tables[-1][0] == datum:
            part.tables[-1] = (datum, part.tables[-1][1] + found)
        else:
            part.tables.append((datum, found))

    def _unknown(self, waiting: list[_Strip]) -> SchemaError:
        for strip in waiting:
            truth, rows, prediction, columns = strip.pair
            images, known = (truth, prediction), (rows, columns)
            for side, one in enumerate(self.sides[strip.datum]):
                found = None if one is None else known[side].unknown(images[side])
                if found is not None:
                    row, column, value = found
                    return SchemaError(
                        f"{self.batch.datums.name(strip.datum)}, {_SIDES[side]}: expected the "
                        f"value of a label, got {value} at row {strip.row + row}, column {column}",
                        _REMEDIES[side].format(value=value),
                    )
        raise AssertionError("a value was counted as unknown that no image has")


def _label_codes(legends: list[Legend]) -> NDArray[np.int64]:
    """Codes of all labels that legends name, whether a pixel has them or not."""
    codes = np.unique(np.concatenate([np.empty(0, np.int64), *(one.codes for one in legends)]))
    return codes[codes >= 0]


def _pixel_count(true: LabelMap | None, predicted: LabelMap | None) -> int:
    pixels: Pixels | None = next((x.pixels for x in (true, predicted) if x is not None), None)
    return 0 if pixels is None else pixels.shape[0] * pixels.shape[1]

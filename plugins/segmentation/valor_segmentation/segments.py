"""Segments: the objects and regions of two label maps, and how they overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas.arrays import Codes
from valor_core.schemas.segmentation import BACKGROUND, LabelMap
from valor_segmentation.lookup import blocks, looked_up, narrow

Flags = NDArray[np.bool_]

_BLOCK = 1 << 20  # pixels that are looked up at a time
_TABLE = 1 << 22  # cells of a table of counts


@frozen(eq=False)
class Side:
    """The segments of one label map: single objects, or labels where values are labels.

    Parameters
    ----------
    codes : ndarray of int64, shape (s,)
        Label of each segment, `BACKGROUND` or `IGNORED`.
    crowd : ndarray of bool, shape (s,)
        Which segments are crowds.
    segments : ndarray of int64, shape (v,)
        Segment of each value of the legend.
    """

    codes: Codes
    crowd: Flags
    segments: Codes

    @classmethod
    def of(cls, one: LabelMap | None) -> Side:
        """The segments of a label map; without one, all is background."""
        if one is None:
            return cls(np.array([BACKGROUND]), np.zeros(1, bool), np.zeros(1, np.int64))
        codes = one.legend.codes
        if one.legend.crowd is not None:
            return cls(codes, one.legend.crowd, np.arange(len(codes)))
        labels, segments = np.unique(codes, return_inverse=True)
        return cls(labels, np.zeros(len(labels), bool), segments)


@frozen(eq=False)
class Overlaps:
    """Segments of two label maps of one image, and the pixels that pairs of them share.

    Parameters
    ----------
    true, predicted : Side
        The segments.
    rows, columns : ndarray of int64, shape (n,)
        True and predicted segment of each pair that shares pixels.
    pixels : ndarray of int64, shape (n,)
        How many they share.

    Examples
    --------
    >>> from valor_core.schemas.segmentation import Legend
    >>> legend = Legend.of_labels(1)
    >>> pair = Overlaps.of(LabelMap([[0, 1]], legend), LabelMap([[1, 1]], legend), "item 'a'")
    >>> pair.pixels, pair.predicted_areas
    (array([1, 1]), array([0, 2]))
    """

    true: Side
    predicted: Side
    rows: Codes
    columns: Codes
    pixels: Codes

    @classmethod
    def of(cls, true: LabelMap | None, predicted: LabelMap | None, place: str) -> Overlaps:
        """The overlaps of two label maps, read strip by strip.

        Parameters
        ----------
        true, predicted : LabelMap or None
            Both sides; None is all background.
        place : str
            What a message calls the image.

        Raises
        ------
        SchemaError
            If a pixel has a value that is no segment.
        """
        sides = Side.of(true), Side.of(predicted)
        count = len(sides[1].codes)
        pairs: Codes = np.zeros(0, np.int64)
        pixels: Codes = np.zeros(0, np.int64)
        there = [one.pixels for one in (true, predicted) if one is not None]
        for first, last in blocks(there[0].shape, *there, most=_BLOCK) if there else ():
            rows = _segments(true, sides[0], first, last, f"{place}, ground truth")
            columns = _segments(predicted, sides[1], first, last, f"{place}, prediction")
            keys = rows.astype(np.int64) * count + columns
            more, numbers = _counted(keys.ravel(), len(sides[0].codes) * count)
            pairs, places = np.unique(np.concatenate([pairs, more]), return_inverse=True)
            joined = np.zeros(len(pairs), np.int64)
            np.add.at(joined, places, np.concatenate([pixels, numbers]))
            pixels = joined
        return cls(*sides, pairs // count, pairs % count, pixels)

    @property
    def true_areas(self) -> Codes:
        """Pixels of each true segment."""
        return _sums(self.rows, self.pixels, len(self.true.codes))

    @property
    def predicted_areas(self) -> Codes:
        """Pixels of each predicted segment."""
        return _sums(self.columns, self.pixels, len(self.predicted.codes))

    def covered(self, is_covering: Flags) -> Codes:
        """Pixels of each predicted segment that lie on some of the pairs."""
        chosen = self.columns[is_covering]
        return _sums(chosen, self.pixels[is_covering], len(self.predicted.codes))


def _segments(one: LabelMap | None, side: Side, first: int, last: int, place: str) -> NDArray[Any]:
    """Segment of every pixel of some rows."""
    if one is None:
        return np.zeros((1, 1), np.int8)
    image = one.pixels.read(first, last)
    return looked_up(image, one.legend, narrow(side.segments), place)


def _counted(keys: Codes, count: int) -> tuple[Codes, Codes]:
    """The distinct whole numbers below a count, and how often each occurs."""
    if count > _TABLE:
        return np.unique(keys, return_counts=True)
    numbers = np.bincount(keys, minlength=count)
    found = np.flatnonzero(numbers)
    return found, numbers[found]


def _sums(groups: Codes, numbers: Codes, count: int) -> Codes:
    sums = np.zeros(count, np.int64)
    np.add.at(sums, groups, numbers)
    return sums

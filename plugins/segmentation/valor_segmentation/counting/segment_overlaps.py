"""Segments of two label images and their overlaps."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes
from valor_core.schemas.segmentation import Image, LabelImage
from valor_segmentation.counting.strips import row_blocks
from valor_segmentation.counting.value_map import map_values, smallest_type

Flags = NDArray[np.bool_]

_BLOCK = 1 << 20  # pixels that are looked up at a time
_TABLE = 1 << 18  # cells of a table of counts; more pairs of segments are sorted


@frozen(eq=False)
class Side:
    """Segments of one label image: objects, or one per label if values are labels.

    Parameters
    ----------
    codes : ndarray of int64, shape (s,)
        Label of each segment, background or ignored.
    crowd : ndarray of bool, shape (s,)
        Which segments are crowds.
    segments : ndarray of int64, shape (v,)
        Segment of each value of the legend.
    listed : bool
        Whether segments without pixels count.
    """

    codes: Codes
    crowd: Flags
    segments: Codes
    listed: bool = False

    @classmethod
    def of(cls, one: LabelImage) -> Side:
        """Make the segments of a label image."""
        codes = one.legend.codes
        if one.legend.crowd is not None:
            return cls(codes, one.legend.crowd, np.arange(len(codes)), one.legend.listed)
        labels, segments = np.unique(codes, return_inverse=True)
        return cls(labels, np.zeros(len(labels), bool), segments)


@frozen(eq=False)
class Overlaps:
    """Segments of two label images of one image, and the pixels that pairs of them share.

    Parameters
    ----------
    true, predicted : Side
        The segments.
    rows, columns : ndarray of int64, shape (n,)
        True and predicted segment of each pair that shares pixels.
    pixels : ndarray of int64, shape (n,)
        Number of shared pixels of each pair.

    Examples
    --------
    >>> from valor_core.schemas.segmentation import Legend
    >>> legend = Legend.of_labels(1)
    >>> pair = Overlaps.of(LabelImage([[0, 1]], legend), LabelImage([[1, 1]], legend), "item 'a'")
    >>> pair.pixels, pair.predicted_areas
    (array([1, 1]), array([0, 2]))
    """

    true: Side
    predicted: Side
    rows: Codes
    columns: Codes
    pixels: Codes

    @classmethod
    def of(cls, true: LabelImage, predicted: LabelImage, where: str) -> Overlaps:
        """Compute the overlaps of two label images, strip by strip.

        Parameters
        ----------
        true, predicted : LabelImage
            Both sides.
        where : str
            Name of the image in messages.

        Raises
        ------
        SchemaError
            If a pixel has a value that is no segment.
        """
        sides = Side.of(true), Side.of(predicted)
        count = len(sides[1].codes)
        pairs: Codes = np.zeros(0, np.int64)
        pixels: Codes = np.zeros(0, np.int64)
        for image, other in row_blocks(true, predicted, where, most=_BLOCK):
            starts, lengths = _runs(image, other)
            true_values, predicted_values = image.reshape(-1)[starts], other.reshape(-1)[starts]
            del image, other  # views of strips, which are let go before the next ones are read
            rows = _segments(true, sides[0], true_values, lengths, f"{where}, groundtruth")
            columns = _segments(
                predicted, sides[1], predicted_values, lengths, f"{where}, prediction"
            )
            keys = rows.astype(np.int64) * count + columns
            more, numbers = _counted(keys, lengths, len(sides[0].codes) * count)
            pairs, indices = np.unique(np.concatenate([pairs, more]), return_inverse=True)
            pixels = _sums(indices, np.concatenate([pixels, numbers]), len(pairs))
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
        """Pixels of each predicted segment that belong to the selected pairs."""
        chosen = self.columns[is_covering]
        return _sums(chosen, self.pixels[is_covering], len(self.predicted.codes))


def _runs(image: Image, other: Image) -> tuple[Codes, Codes]:
    """Starts and lengths of runs of equal pixel pairs, in reading order."""
    true_values, predicted_values = image.reshape(-1), other.reshape(-1)
    is_new = np.ones(len(true_values), bool)
    np.not_equal(true_values[1:], true_values[:-1], out=is_new[1:])
    is_new[1:] |= predicted_values[1:] != predicted_values[:-1]
    starts = np.flatnonzero(is_new)
    return starts, np.diff(starts, append=len(true_values))


def _segments(
    one: LabelImage, side: Side, true_values: Image, lengths: Codes, where: str
) -> NDArray[np.signedinteger[Any]]:
    """Segments of the values of runs of pixels."""
    return map_values(true_values, one.legend, smallest_type(side.segments), where, lengths)


def _counted(keys: Codes, lengths: Codes, count: int) -> tuple[Codes, Codes]:
    """Distinct keys and the sum of the lengths of each."""
    if count > _TABLE:
        found, indices = np.unique(keys, return_inverse=True)
        return found, _sums(indices, lengths, len(found))
    numbers = _sums(keys, lengths, count)
    found = np.flatnonzero(numbers)
    return found, numbers[found]


def _sums(groups: Codes, numbers: Codes, count: int) -> Codes:
    """Sums of whole numbers by group; exact, since images have fewer than 2^53 pixels."""
    return np.bincount(groups, weights=numbers, minlength=count).astype(np.int64)

"""Boundary pixels of each label."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np
from attrs import define

from valor_core.errors import StateError
from valor_core.schemas import Codes
from valor_core.schemas.segmentation import IGNORED, LabelImage, SegmentationBatch
from valor_core.states import MOST_COUNTED, Content, LabelRows, counted
from valor_segmentation.counting.boundary_pixels import Block, boundaries, width_of
from valor_segmentation.counting.layer_counts import check_labels
from valor_segmentation.counting.strips import map_images
from valor_segmentation.kernels import counting as kernels
from valor_segmentation.kernels.value_positions import Places

TRUE, BOTH = 0, 2  # columns of `BoundaryCounts.table`


@define(slots=False, repr=False)
class BoundaryCounts(LabelRows):
    """Boundary pixels of each label: true ones, predicted ones, and those that are both.

    Parameters
    ----------
    share : float
        Width of a boundary as a share of the diagonal.
    pixels : int or None
        The width in pixels, in place of the share.

    Examples
    --------
    >>> state = BoundaryCounts(share=0.02, pixels=None)
    >>> from valor_segmentation.readers.in_memory import from_arrays
    >>> state.update(from_arrays([[[0, 1]]], [[[1, 1]]], labels=["cat"]))
    >>> state.table
    array([[1, 2, 1]])
    """

    share: float
    pixels: int | None
    table: Codes = counted(lambda: np.zeros((0, 3), np.int64), by_label=True)

    def update(self, batch: SegmentationBatch) -> None:
        """Count the boundary pixels of a batch."""
        check_labels(len(batch.labels))
        table = np.zeros((len(batch.labels), 3), np.int64)
        for layer in batch.layers:
            for counts in map_images(partial(self._of_image, batch), layer):
                table += counts
        self.add(batch.labels, table=table)

    def restore(self, content: Content) -> None:
        """Set a new state to the content that `dump` returned.

        Raises
        ------
        StateError
            If more pixels are of both boundaries than of one of them.
        """
        super().restore(content)
        if (self.table[:, BOTH] > self.table[:, :BOTH].min(axis=1, initial=MOST_COUNTED)).any():
            raise StateError("table: expected at most as many pixels on both sides as on each")

    def _of_image(
        self, batch: SegmentationBatch, position: int, true: LabelImage, predicted: LabelImage
    ) -> Codes:
        table = np.zeros((len(batch.labels), 3), np.int64)
        places = _places(len(table))
        reach = width_of(true.pixels.shape, self.share, self.pixels)
        for block in boundaries(true, predicted, reach, batch.datums.name(position)):
            table += _counts(block, places, len(table))
        return table


@lru_cache(maxsize=8)
def _places(count: int) -> Places:
    """Return the row or column of each label code; the first is for all other pixels."""
    codes = np.arange(IGNORED, count)
    return Places(codes, np.maximum(codes + 1, 0))


def _counts(block: Block, places: Places, count: int) -> Codes:
    """Boundary pixels of each label, true, predicted and both."""
    true, predicted = block
    found = kernels.count_pairs([(true, places, predicted, places)], count + 1, count + 1)
    table = found[: count + 1, : count + 1]
    return np.stack([table.sum(axis=1), table.sum(axis=0), table.diagonal()], axis=1)[1:]

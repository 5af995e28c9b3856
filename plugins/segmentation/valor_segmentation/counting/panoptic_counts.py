"""Panoptic counts: matched, false and missed segments of every label, and the IoUs of matches."""

from __future__ import annotations

from functools import partial

import numpy as np
from attrs import define, frozen
from valor_labels import LabelRows, counted_by_label

from valor_core.errors import StateError
from valor_core.schemas import Codes, Datums, Floats, Label
from valor_core.schemas.segmentation import BACKGROUND, IGNORED, LabelImage, SegmentationBatch
from valor_core.states import ExactSums, StateContent, StateRequest, counted
from valor_core.states.sums import saved_sums
from valor_segmentation.counting.segment_overlaps import Overlaps
from valor_segmentation.counting.strips import map_images

MATCHED, FALSE, MISSED = range(3)
"""Columns of `PanopticCounts.table`."""


@define(slots=False, repr=False)
class PanopticCounts(LabelRows):
    """Segments of every label, matched if their IoU is above 0.5.

    A label image whose values are labels, not objects, has one segment for each label.

    Parameters
    ----------
    background_is_void : bool
        Whether true pixels without a label do not count.

    Attributes
    ----------
    table : ndarray of int64, shape (n, 3)
        Matched, false and missed segments of each label.
    ious : ExactSums
        Sums of the IoUs of matches.
    stuff : set of Label
        Labels that the data say are stuff.

    Examples
    --------
    >>> state = PanopticCounts(background_is_void=False)
    >>> from valor_segmentation.readers.in_memory import from_arrays
    >>> state.update(from_arrays([[[0, 1]]], [[[1, 1]]], labels=["cat"]))
    >>> state.table
    array([[0, 1, 1]])
    """

    background_is_void: bool
    table: Codes = counted_by_label(lambda: np.zeros((0, 3), np.int64))
    ious: ExactSums = counted_by_label(ExactSums)
    stuff: set[Label] = counted(set)

    def update(self, batch: SegmentationBatch) -> None:
        """Count the segments of a batch."""
        self.stuff |= set(batch.stuff)
        count = len(batch.labels)
        table, ious = np.zeros((count, 3), np.int64), ExactSums()
        for layer in batch.layers:
            for matching in map_images(partial(self._matching, batch.datums), layer):
                table += matching.counts(count)
                ious.add(matching.labels, matching.ious)
        self.add(batch.labels, table=table, ious=ious)

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned.

        Raises
        ------
        StateError
            If the sums of IoUs are not possible.
        """
        super().restore(content)
        matched = self.table[:, MATCHED].astype(np.float64)
        self.ious = saved_sums(content.get("ious"), "ious", matched)
        if (2 * self.ious.values < matched).any():
            raise StateError("ious: expected sums of IoUs above 0.5, found less")

    def _matching(
        self, datums: Datums, position: int, true: LabelImage, predicted: LabelImage
    ) -> Matching:
        overlaps = Overlaps.of(true, predicted, datums.name(position))
        return Matching.of(overlaps, background_is_void=self.background_is_void)


@frozen(eq=False)
class Matching:
    """Matched segments of an image.

    Parameters
    ----------
    labels : ndarray of int64, shape (n,)
        Label of each match.
    ious : ndarray of float64, shape (n,)
        Its intersection over union, without void pixels.
    false, missed : ndarray of int64
        Labels of predicted and of true segments without a match that count.
    """

    labels: Codes
    ious: Floats
    false: Codes
    missed: Codes

    @classmethod
    def of(cls, overlaps: Overlaps, *, background_is_void: bool) -> Matching:
        """Match the segments of two label images."""
        true, predicted = overlaps.true, overlaps.predicted
        rows, columns, shared = overlaps.rows, overlaps.columns, overlaps.pixels
        true_areas, areas = overlaps.true_areas, overlaps.predicted_areas
        is_void = true.codes == IGNORED
        if background_is_void:
            is_void |= true.codes == BACKGROUND
        void = overlaps.covered(is_void[rows])
        is_same = (true.codes[rows] == predicted.codes[columns]) & (true.codes[rows] >= 0)
        crowded = overlaps.covered(is_same & true.crowd[rows])
        unions = true_areas[rows] + areas[columns] - shared - void[columns]
        # Doubled, so that an IoU of exactly 0.5 and one above it differ in integers.
        is_match = is_same & ~true.crowd[rows] & (2 * shared > unions)
        is_missed = (true.codes >= 0) & ~true.crowd & (true.listed | (true_areas > 0))
        is_missed[rows[is_match]] = False
        is_false = (predicted.codes >= 0) & (areas > 0) & (2 * (void + crowded) <= areas)
        is_false[columns[is_match]] = False
        return cls(
            true.codes[rows[is_match]],
            shared[is_match] / unions[is_match],
            predicted.codes[is_false],
            true.codes[is_missed],
        )

    def counts(self, count: int) -> Codes:
        """Request matched, false and missed segments of each label."""
        kinds = (self.labels, self.false, self.missed)
        return np.stack([np.bincount(codes, minlength=count) for codes in kinds], axis=1)


def request(*, background_is_void: bool) -> StateRequest:
    """Request the panoptic counts."""
    return StateRequest(PanopticCounts, {"background_is_void": background_is_void})

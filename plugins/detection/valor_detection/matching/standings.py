"""Standings: matched predictions of every label by rank, and the false ones before each."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats
from valor_detection.kernels import matching as kernels
from valor_detection.matching.matches import Bits
from valor_detection.matching.table import Flags

Ranks = NDArray[np.int32]


@frozen(eq=False, repr=False)
class Standings:
    """The predictions that are matched at some threshold, by label and descending score.

    Parameters
    ----------
    starts : ndarray of int64, shape (n_labels + 1,)
        Where each label begins.
    at : ndarray of int64, shape (n,)
        Place of each in the ranking of all predictions.
    false_before : ndarray of int32, shape (n,)
        False positives of the label that rank before each and are matched at no threshold.
    counted : ndarray of bool, shape (n,)
        Whether each is a false positive at the thresholds where it is not matched.
    matched, excused : ndarray of uint64, shape (n,)
        Thresholds, as bits, at which each has a true object, and at which that is ignored.
    threshold_count : int
        Number of thresholds.
    """

    starts: Codes
    at: Codes
    false_before: Ranks
    counted: Flags
    matched: Bits
    excused: Bits
    threshold_count: int

    def interpolated(self, needed: Codes, positives: Codes) -> tuple[Floats, Codes]:
        """Interpolated precisions, and true positives, at each threshold.

        Parameters
        ----------
        needed : ndarray of int64, shape (n_labels, n_recalls)
            True positives that each recall takes, ascending.
        positives : ndarray of int64, shape (n_labels,)
            True objects that count; the precisions of a label without any are -1.

        Returns
        -------
        precisions : ndarray of float64, shape (n_thresholds, n_recalls, n_labels)
        true_positives : ndarray of int64, shape (n_thresholds, n_labels)
        """
        return kernels.interpolated(*self._columns, needed, positives)[:2]

    def reached_by(self, needed: Codes, positives: Codes) -> Ranks:
        """Which one reaches each recall, in the shape of the precisions; -1 for none."""
        return kernels.interpolated(*self._columns, needed, positives, with_rows=True)[2]

    @property
    def _columns(self) -> tuple[Codes, Ranks, Flags, Bits, Bits, int]:
        return (
            self.starts,
            self.false_before,
            self.counted,
            self.matched,
            self.excused,
            self.threshold_count,
        )

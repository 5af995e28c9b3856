"""Arguments and results of the kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

Scores = NDArray[np.floating[Any]]
Codes = NDArray[np.int64]
Columns = NDArray[np.int32]
Counts = NDArray[np.signedinteger[Any]]

RowTops = tuple[Columns, Scores]
"""Column of the greatest score of each row, and the score."""

UNLISTED_RANK = int(np.iinfo(np.int64).max)
"""Rank of a truth that has no score: no top-k reaches it."""


def in_type(thresholds: NDArray[np.float64], dtype: np.dtype[Any]) -> Scores:
    """Round thresholds to the type of the scores, so that a printed score reaches itself.

    A threshold above 0 stays above 0; a threshold outside the range of the type becomes infinite.

    Parameters
    ----------
    thresholds : ndarray of float64, shape (t,)
        Thresholds.
    dtype : dtype
        float32 or float64.

    Examples
    --------
    >>> in_type(np.array([-1e300, 1e-300, 0.5]), np.dtype(np.float32)).tolist()
    [-inf, 1.401298464324817e-45, 0.5]
    """
    with np.errstate(over="ignore"):
        limits: Scores = thresholds.astype(dtype)
    limits[(limits == 0) & (thresholds > 0)] = np.finfo(dtype).smallest_subnormal
    return limits


@frozen(kw_only=True, eq=False, repr=False)
class RankAreas:
    """Areas under the curves of many labels, each against the rest."""

    positives: Codes
    """Datums of each label."""
    negatives: Codes
    """Datums of any other label."""
    auc: NDArray[np.float64]
    """Area under the ROC curve; nan without a positive or without a negative."""
    average_precision: NDArray[np.float64]
    """Average precision; nan without a positive."""

    @classmethod
    def of(cls, labels: Sequence[LabelAreas]) -> RankAreas:
        """Join the areas of labels into columns."""
        return cls(
            positives=np.array([label.positives for label in labels], np.int64),
            negatives=np.array([label.negatives for label in labels], np.int64),
            auc=np.array([label.auc for label in labels], np.float64),
            average_precision=np.array([label.average_precision for label in labels], np.float64),
        )


@frozen(kw_only=True, repr=False)
class LabelAreas:
    """Areas under the curves of one label against the rest, like `RankAreas`."""

    positives: int
    negatives: int
    auc: float
    average_precision: float

    @classmethod
    def counted(
        cls, positives: int, negatives: int, twice_wins: int, precisions: float
    ) -> LabelAreas:
        """Compute areas from counts.

        Parameters
        ----------
        positives, negatives : int
            Datums.
        twice_wins : int
            Pairs of a positive and a lower negative, counted twice, plus tied pairs.
        precisions : float
            Sum of the precisions at all positives.
        """
        # A single division at the end makes the area of a perfect ranking exactly 1.
        pairs = positives * negatives
        return cls(
            positives=positives,
            negatives=negatives,
            auc=twice_wins / (2 * pairs) if pairs else math.nan,
            average_precision=precisions / positives if positives else math.nan,
        )


@frozen(kw_only=True, eq=False, repr=False)
class RankCurve:
    """Numbers of datums at or above each distinct score, greatest score first."""

    thresholds: Scores
    """Distinct scores, descending, then -inf if there are unlisted datums."""
    true_positives: Counts
    """Positives at or above each threshold."""
    false_positives: Counts
    """Negatives at or above each threshold."""


def counts_of(datums: int) -> type[np.signedinteger[Any]]:
    """Smallest integer type for counts of a number of datums.

    Examples
    --------
    >>> counts_of(2**31).__name__
    'int64'
    """
    return np.int32 if datums <= np.iinfo(np.int32).max else np.int64


@frozen(kw_only=True, eq=False, repr=False)
class ConfusionCells:
    """Non-empty cells of a confusion matrix, in ascending order of their codes."""

    truths: Codes
    """Code of the ground truth, -1 for none."""
    predictions: Codes
    """Code of the predicted label, -1 for none."""
    bins: Codes
    """Number of thresholds the prediction passes."""
    counts: Codes
    """Datums in the cell, at least 1."""

    @classmethod
    def of(cls, table: Codes) -> ConfusionCells:
        """Select the non-zero cells of a table; index 0 of its first two axes means no label."""
        cells = np.nonzero(table)
        truths, predictions, bins = cells
        return cls(truths=truths - 1, predictions=predictions - 1, bins=bins, counts=table[cells])


@frozen(kw_only=True, eq=False, repr=False)
class ReliabilityBins:
    """Counts, hits and sums of scores by bin."""

    counts: Codes
    """Datums."""
    hits: Codes
    """Datums whose best label is right."""
    units: list[int]
    """Exact sums of the scores in units of 2**-1074, as `ExactSums` has them."""
    outside: int
    """Scores outside [0, 1], which are in no bin."""

    @classmethod
    def joined(cls, parts: Sequence[ReliabilityBins], size: int) -> ReliabilityBins:
        """Add the bins of several parts of the data."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            counts=sum((part.counts for part in parts), start=np.zeros(size, np.int64)),
            hits=sum((part.hits for part in parts), start=np.zeros(size, np.int64)),
            units=[sum(units) for units in zip([0] * size, *(p.units for p in parts), strict=True)],
            outside=sum(part.outside for part in parts),
        )

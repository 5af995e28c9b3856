"""Binned ranking: scores counted in equal bins of [0, 1] in place of every score."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.counting import scores, threshold_counts, unit_interval, unscored
from valor_classification.counting.threshold_counts import LabelCountsPart
from valor_core.schemas import Codes
from valor_core.states import StateRequest


def edges(bins: int) -> tuple[float, ...]:
    """Lower edges of equal bins in [0, 1], the thresholds of a binned ranking."""
    return tuple(i / bins for i in range(bins))


def requests(bins: int | None) -> tuple[StateRequest, ...]:
    """The states behind an exact area, or behind a binned one, and those behind its refusal."""
    if bins is None:
        return scores.request(), unscored.request()
    counted = threshold_counts.request(edges(bins), hardmax=False)
    return counted, unscored.request(), unit_interval.request()


def counts(part: LabelCountsPart, bins: int) -> tuple[NDArray[Any], NDArray[Any], Codes]:
    """True and false positives at every lower edge from the highest, and everything last.

    Returns
    -------
    tp, fp : ndarray of int64, shape (n_labels, bins + 1)
        The last column is all datums, listed or not.
    truths : ndarray of int64, shape (n_labels,)
        Ground truths of each label.
    """
    found = part.all_at(edges(bins)[::-1])
    truths = found[0].truths
    tp = np.stack([*(one.tp for one in found), truths], axis=1)
    fp = np.stack([*(one.fp for one in found), part.datums - truths], axis=1)
    return tp, fp, truths

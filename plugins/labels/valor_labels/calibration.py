"""Calibration errors: distance between scores and accuracy, in bins of the score."""

from __future__ import annotations

import math
from typing import Any

from valor_core.results import Undefined
from valor_core.schemas import Codes, Floats


def calibration_errors(
    counts: Codes, hits: Codes, sums: Floats, share: str, empty: str
) -> dict[str, Any] | Undefined:
    """Return the expected and the greatest calibration error, and the bins.

    Parameters
    ----------
    counts, hits : ndarray of int64 or float64, shape (n_bins,)
        Predictions, and right predictions, in bins of equal width from 0 to 1; sums of their
        weights if they have weights.
    sums : ndarray of float64, shape (n_bins,)
        Sums of their scores.
    share : str
        Name of the share of right predictions in a bin: ``"accuracy"``.
    empty : str
        Reason if there are no predictions.

    Examples
    --------
    >>> import numpy as np
    >>> value = calibration_errors(
    ...     np.array([0, 2]), np.array([0, 1]), np.array([0, 1.5]), "accuracy", "no predictions"
    ... )
    >>> value["ece"], value["bins"][1]["accuracy"], value["bins"][1]["confidence"]
    (0.25, 0.5, 0.75)
    """
    total, size = counts.sum().item(), len(counts)
    if not total:
        return Undefined(empty)
    rows = zip(counts.tolist(), hits.tolist(), sums.tolist(), strict=True)
    bins = [
        {
            "lower": i / size,
            "upper": (i + 1) / size,
            "count": count,
            share: hit / count if count else None,
            "confidence": score / count if count else None,
        }
        for i, (count, hit, score) in enumerate(rows)
    ]
    filled = [(one["count"], abs(one[share] - one["confidence"])) for one in bins if one["count"]]
    weighted = math.fsum(gap * count for count, gap in filled)
    return {"ece": weighted / total, "mce": max(gap for _, gap in filled), "bins": bins}

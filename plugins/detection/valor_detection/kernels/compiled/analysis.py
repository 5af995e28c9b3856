"""Calibration and error analysis, compiled.

The functions are documented in `valor_detection.kernels.reference.analysis`.
"""

from __future__ import annotations

import numpy as np

from valor_core.schemas import Codes, Floats
from valor_core.states import ExactSums
from valor_detection.kernels import KERNELS
from valor_detection.kernels.columns import ErrorColumns, FaultColumns, Flags, Kinds, RankedMatches
from valor_detection.kernels.reference.analysis import NOTHING

_LIMBS = KERNELS.constant("reliability_limbs")  # of 32 bits each
_UNIT_BITS = 1074  # of `ExactSums`

_reliability = KERNELS.function("reliability")
_faults = KERNELS.function("faults")
_repairs = KERNELS.function("repairs")


def reliability(
    labels: Codes,
    scores: Floats,
    right: Flags,
    wrong: Flags,
    score_threshold: float,
    groups: Codes,
    group_count: int,
    edges: Floats,
) -> tuple[Codes, Codes, Floats, Codes]:
    """See `reference.analysis.reliability`."""
    shape = (group_count, len(edges) + 1)
    counts, hits = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    limbs, outside = np.zeros((*shape, _LIMBS), np.uint64), np.zeros(group_count, np.int64)
    small = np.empty(len(labels), np.int64)
    scored = KERNELS.struct(
        "Scored", count=len(labels), labels=labels, scores=scores, right=right, wrong=wrong
    )
    small_count = _reliability(
        *(scored, score_threshold, groups, shape[1], edges, counts, hits, limbs, outside, small),
    )
    sums = ExactSums([_units(*cell) for cell in limbs.reshape(-1, _LIMBS).tolist()])
    rows = small[:small_count]
    # These rows are in the first bin: scores too small for the limbs are below the lowest edge.
    sums.add(groups[labels[rows]] * shape[1], scores[rows])
    return counts, hits, sums.values.reshape(shape), outside


def _units(first: int, second: int, third: int) -> int:
    return (first << 64) + (second << 32) + third << _UNIT_BITS - 32 * _LIMBS


def faults(
    columns: FaultColumns, foreground: float, background: float
) -> tuple[Codes, Kinds, Codes]:
    """See `reference.analysis.faults`."""
    most = len(columns.labels)
    rows, targets = np.empty(most, np.int64), np.empty(most, np.int64)
    kinds = np.empty(most, np.uint8)
    struct = KERNELS.struct("FaultColumns", count=most, **columns._asdict())
    count = _faults(struct, foreground, background, rows, kinds, targets)
    return rows[:count].copy(), kinds[:count].copy(), targets[:count].copy()


def repairs(columns: ErrorColumns) -> RankedMatches:
    """See `reference.analysis.repairs`."""
    most = len(columns.rows) + len(columns.moved_scores)
    found = RankedMatches.empty(len(columns.starts), most, NOTHING + 1)
    struct = KERNELS.struct("ErrorColumns", count=len(columns.starts) - 1, **columns._asdict())
    return found.head(_repairs(struct, *found.columns))

"""Shared areas of pairs of convex quadrilaterals: allocation for the function in C."""

from __future__ import annotations

import numpy as np

from valor_core.kernels import map_spans, spans_of_equal_cost
from valor_core.schemas import Codes, Floats
from valor_detection.kernels import KERNELS
from valor_detection.kernels.columns import Flags

_PAIRS_EACH = 1 << 13  # minimum per thread

_quadrilateral_ious = KERNELS.function("quadrilateral_ious")


def quadrilateral_ious(
    true_corners: Floats,
    corners: Floats,
    true_rows: Codes,
    rows: Codes,
    crowd: Flags,
    at_least: float = 0.0,
) -> Floats:
    """See `reference.quadrilaterals.quadrilateral_ious`."""
    ious = np.empty(len(rows))
    columns = (
        np.ascontiguousarray(true_corners, np.float64),
        np.ascontiguousarray(corners, np.float64),
        np.ascontiguousarray(true_rows, np.int64),
        np.ascontiguousarray(rows, np.int64),
        np.ascontiguousarray(crowd),
    )
    map_spans(
        lambda a, b: _quadrilateral_ious(*columns, at_least, a, b, ious),
        spans_of_equal_cost(np.arange(len(rows) + 1), _PAIRS_EACH),
    )
    return ious

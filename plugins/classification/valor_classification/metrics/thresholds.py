"""Thresholds: from which score on a label is a prediction."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any


def limit(threshold: float | None) -> float:
    """The least score of a prediction; null is no threshold, which every score reaches.

    Examples
    --------
    >>> limit(0.5), limit(None)
    (0.5, -inf)
    """
    return -math.inf if threshold is None else threshold


def limits(thresholds: Iterable[float | None]) -> tuple[float, ...]:
    """The least scores for several thresholds."""
    return tuple(map(limit, thresholds))


def coordinates(threshold: float | None, hardmax: bool) -> dict[str, Any]:
    """How a result says which labels were predictions.

    Examples
    --------
    >>> coordinates(None, hardmax=True)
    {'score_threshold': None, 'hardmax': True}
    """
    return {"score_threshold": threshold, "hardmax": hardmax}

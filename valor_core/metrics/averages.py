"""Averages: from one value for each label to means over labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from valor_core.metrics.result import Failed, Undefined, mean
from valor_core.schemas.columns import Codes
from valor_core.schemas.label import Label

NumberOrReason = float | Undefined | Failed
"""A number of a metric, or why there is none."""


def label_coordinates(label: Label) -> dict[str, Any]:
    """How a result says which label it belongs to.

    Examples
    --------
    >>> label_coordinates(Label("animal", "dog"))
    {'label_key': 'animal', 'label': 'dog'}
    """
    return {"label_key": label.key, "label": label.value}


def macro(
    values: Sequence[NumberOrReason], truths: Codes, include_prediction_only: bool = False
) -> tuple[NumberOrReason, dict[str, int]]:
    """Plain mean over labels with ground truth, and what it left out.

    Examples
    --------
    >>> import numpy as np
    >>> macro([1.0, 0.5, 0.0], np.array([3, 1, 0]))
    (0.75, {'label only in predictions': 1})
    """
    taken: list[NumberOrReason] = [
        value if count or include_prediction_only else Undefined("label only in predictions")
        for value, count in zip(values, truths.tolist(), strict=True)
    ]
    return mean(taken, "labels")


def weighted(
    values: Sequence[NumberOrReason], truths: Codes
) -> tuple[NumberOrReason, dict[str, int]]:
    """Mean over labels by their number of ground truths, and what it left out.

    Examples
    --------
    >>> import numpy as np
    >>> weighted([1.0, 0.5], np.array([3, 1]))
    (0.875, {})
    """
    _, left_out = mean([v for v, n in zip(values, truths, strict=True) if n], "labels")
    pairs = [
        (value, count)
        for value, count in zip(values, truths.tolist(), strict=True)
        if count and not isinstance(value, (Undefined, Failed))
    ]
    total = sum(count for _, count in pairs)
    if not total:
        return Undefined("no labels with a value"), left_out
    return math.fsum(value * count for value, count in pairs) / total, left_out

"""Means over labels, and which labels stay out of them."""

from __future__ import annotations

from collections.abc import Sequence

from valor_core.results import NumberOrReason, Undefined, mean
from valor_core.schemas import Codes

ABSENT = "label in no pixel"
"""Why a label that is declared, but neither true nor predicted anywhere, is left out."""


def macro(
    values: Sequence[NumberOrReason],
    truths: Codes,
    predictions: Codes,
    *,
    include_prediction_only: bool,
) -> tuple[NumberOrReason, dict[str, int]]:
    """Plain mean over labels with true pixels, and what it left out.

    Parameters
    ----------
    values : sequence of float or Undefined
        One for each label.
    truths, predictions : ndarray of int64
        Pixels of each label.
    include_prediction_only : bool
        Whether labels without true pixels take part too.

    Examples
    --------
    >>> import numpy as np
    >>> truths, predictions = np.array([3, 1, 0, 0]), np.array([3, 0, 2, 0])
    >>> macro([1.0, 0.5, 0.0, 0.0], truths, predictions, include_prediction_only=False)
    (0.75, {'label only in predictions': 1, 'label in no pixel': 1})
    """
    taken: list[NumberOrReason] = []
    columns = zip(values, truths.tolist(), predictions.tolist(), strict=True)
    for value, true, predicted in columns:
        if not true and not predicted:
            taken.append(Undefined(ABSENT))
        elif not true and not include_prediction_only:
            taken.append(Undefined("label only in predictions"))
        else:
            taken.append(value)
    return mean(taken, "labels")

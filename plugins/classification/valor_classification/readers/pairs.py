"""Pairs: true labels beside predicted labels or scores, as arrays in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas.classification import ClassificationBatch
from valor_core.schemas.columns import readable


def predicted(groundtruths: Any, predictions: Any) -> ClassificationBatch | None:
    """True labels and predicted labels.

    Examples
    --------
    >>> batch = predicted(["cat", "dog"], ["cat", "cat"])
    >>> [label.value for label in batch.labels]
    ['cat', 'dog']
    >>> predicted([0, 1], [0.25, 0.75]) is None
    True
    """
    groundtruths, predictions = readable(groundtruths), readable(predictions)
    truth, found = _column(groundtruths), _column(predictions)
    if truth is None or found is None or truth.ndim != found.ndim:
        return None
    if _are_scores(truth) or _are_scores(found):
        return None
    # 0/1 matrices are refused there with what to do: as scores, only the best label would count
    return ClassificationBatch.from_predicted(groundtruths, predictions)


def scored(groundtruths: Any, predictions: Any) -> ClassificationBatch | None:
    """True labels, or a 0/1 matrix of them, and the scores of all labels or of the second of two.

    Examples
    --------
    >>> scored([1, 0], [[0.25, 0.75], [0.5, 0.5]]).truth_labels
    array([1, 0])
    >>> scored(["cat"], ["dog"]) is None
    True
    """
    groundtruths, predictions = readable(groundtruths), readable(predictions)
    truth, found = _column(groundtruths), _column(predictions)
    if truth is None or found is None or _are_scores(truth) or found.dtype.kind not in "iufb":
        return None
    if truth.ndim > found.ndim or (truth.ndim == found.ndim and not _are_scores(found)):
        return None
    return ClassificationBatch.from_arrays(groundtruths, predictions)


def _column(values: Any) -> NDArray[Any] | None:
    """Labels or numbers as an array in one dimension or two; None for what is none."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError):
        return None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim not in (1, 2) or array.dtype.kind not in "iufbUO":
        return None
    return array if array.dtype.kind != "O" or _are_labels(array) else None


def _are_labels(cells: NDArray[Any]) -> bool:
    kinds = set(map(type, cells.ravel().tolist()))
    return kinds <= {str, int, float, bool, type(None)}


def _are_scores(values: NDArray[Any]) -> bool:
    """Whether numbers are scores and no labels: one of them is no whole number, or not finite."""
    return values.dtype.kind == "f" and bool((values != np.trunc(values)).any())

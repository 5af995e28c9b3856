"""Pairs: true labels beside predicted labels or scores, as arrays in memory."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.readers.arrays import from_arrays, from_predicted
from valor_core.schemas import is_numeral, readable
from valor_core.schemas.classification import ClassificationBatch


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
    if _are_scores(truth) or _are_scores(found) or _may_be_saturated(truth, found):
        return None
    # 0/1 matrices are refused there with what to do: as scores, only the best label would count
    return from_predicted(groundtruths, predictions)


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
    if truth is None or found is None or found.dtype.kind not in "iufb":
        return None
    if _are_scores(truth) and truth.ndim == found.ndim:
        return None
    if truth.ndim > found.ndim:
        return None
    if truth.ndim == found.ndim and not (_are_scores(found) or _may_be_saturated(truth, found)):
        return None
    return from_arrays(groundtruths, predictions)


def _column(values: Any) -> NDArray[Any] | None:
    """Labels or numbers as an array in one dimension or two; None for what is none."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError):
        return None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim not in (1, 2) or array.dtype.kind not in "iufbUOScM":
        return None
    return array if array.dtype.kind != "O" else _of_objects(array)


_NO_CLASSES = (type(None), bytes, complex, Decimal, date, Enum)
"""Types of cells that are neither labels nor scores, nor data of another task."""


def _of_objects(cells: NDArray[Any]) -> NDArray[Any] | None:
    """Objects as the column that they are without the missing ones; None if they are neither.

    The batch checks each of them, and says which one is missing.
    """
    listed = cells.ravel().tolist()
    if any(isinstance(cell, str) for cell in listed):
        return cells
    if not any(isinstance(cell, (int, float)) for cell in listed):
        return cells if listed and all(isinstance(cell, _NO_CLASSES) for cell in listed) else None
    numbers = [cell if isinstance(cell, (int, float)) and cell == cell else 0 for cell in listed]
    if all(isinstance(cell, int) for cell in numbers):
        return np.zeros(cells.shape, np.int64)  # of any size, they are no scores
    try:
        return np.array(numbers, np.float64).reshape(cells.shape)
    except OverflowError:
        return cells


def _are_scores(values: NDArray[Any]) -> bool:
    """Whether numbers are scores rather than labels: one has a fraction or is infinite."""
    if values.dtype.kind != "f" or not (values != np.trunc(values)).any():
        return False
    known = values[~np.isnan(values)]  # the batch says which one is missing
    return bool((known != np.trunc(known)).any())


def _may_be_saturated(truth: NDArray[Any], found: NDArray[Any]) -> bool:
    """Whether floats that are all 0 and 1 are scores of the second of two classes, or multilabel.

    As labels they would be the same predictions. A batch of saturated scores so counts like the
    other batches of its run, whatever their order.
    """
    if found.dtype.kind != "f" or not _are_zeros_and_ones(found):
        return False
    if found.ndim == 2:
        return truth.shape == found.shape and truth.dtype.kind in "iufb"
    if truth.dtype.kind in "iufb":
        return _are_zeros_and_ones(truth)
    classes = set(truth.tolist())
    return 0 < len(classes) <= 2 and not any(is_numeral(str(name)) for name in classes)


def _are_zeros_and_ones(values: NDArray[Any]) -> bool:
    return bool(values.size) and bool(((values == 0) | (values == 1)).all())

"""Arrays in memory: true labels with predicted labels or scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.readers.classes import (
    check_same_columns,
    class_codes,
    class_column,
    class_names,
    flat_column,
    indicated,
    named_columns,
    plain_array,
)
from valor_core.errors import SchemaError, and_more
from valor_core.schemas import DEFAULT_KEY, Datums, Floats
from valor_core.schemas.classification import ClassificationBatch, ScoreList, ScoreMatrix
from valor_core.schemas.classification.scores import Tops
from valor_core.schemas.columns import (
    Checked,
    any_floats,
    check_finite,
    floats,
    is_numeral,
    numbers,
    read_only,
    readable,
)
from valor_core.schemas.label import kept_label

_NAMED = 4  # classes listed in an error
_INDICATORS = (
    "Pass 0/1 matrices to valor_classification.from_arrays, the predictions as scores, and choose "
    "hardmax: false and score_thresholds: 0.5."
)


def from_arrays(
    y_true: Any,
    y_score: Any,
    *,
    labels: Sequence[Any] | None = None,
    key: str = DEFAULT_KEY,
    uids: Any = None,
    metadata: Mapping[str, Any] | None = None,
) -> ClassificationBatch:
    """Columns of scikit-learn style arrays.

    Parameters
    ----------
    y_true : array-like, shape (n,), (n, 1) or (n, k)
        True classes, or a 0/1 matrix of them for multilabel data.
    y_score : array-like, shape (n, k), (n,) or (n, 1)
        Score of every class; with two classes, the probability of the second alone will do,
        and the first gets one minus it. A single column is the only label of multilabel
        data where `labels` has one name, or both tables name it alike.
    labels : sequence of str or int, optional
        The class of every column; a whole number in `y_true` is the position of its class
        where no label is a number. Without it they are the names of a DataFrame's columns;
        else 0 … k-1 where `y_true` is a 0/1 matrix or holds whole numbers, and the sorted
        names where it holds text of exactly k classes.
    key : str
        Label key of all classes.
    uids, metadata : optional
        As in `Datums`; without uids the items are numbered.

    Raises
    ------
    SchemaError
        If shapes or classes do not fit, a value is missing, or the classes of the columns
        would differ between this batch and another one.

    Examples
    --------
    >>> batch = from_arrays([1, 0], [[0.25, 0.75], [0.5, 0.5]])
    >>> [label.value for label in batch.labels], batch.truth_labels
    (['0', '1'], array([1, 0]))
    """
    true, given = plain_array(y_true, "y_true"), plain_array(y_score, "y_score", "a number")
    true_names, names = named_columns(y_true), named_columns(y_score)
    is_one_label = len(labels) == 1 if labels is not None else names and names == true_names
    if not is_one_label:
        true, true_names = flat_column(true, true_names)
        given, names = flat_column(given, names)
    check_same_columns(true_names, names)
    labels = names if labels is None else labels
    truth = class_column(true, "y_true")
    values = any_floats(given, "y_score", ndim=given.ndim)
    tops = finite_tops(values, "y_score") if values.ndim == 2 else None
    if values.ndim == 1:
        values = _of_both(floats(values, "y_score"))
    if values.ndim != 2 or truth.ndim not in (1, 2) or len(truth) != len(values):
        raise SchemaError(
            "y_true and y_score: expected shapes (n,) or (n, k) and (n, k), "
            f"got {truth.shape} and {given.shape}"
        )
    width = values.shape[1]
    if truth.ndim == 2:
        rows, truth_labels = indicated(truth, values.shape)
        classes = class_names(labels, width)
    else:
        rows = None
        if given.ndim == 1 and labels is None:
            _check_two_classes(truth)
        classes, truth_labels = class_codes(truth, labels, width)
    datums = _datums(uids, metadata, len(values))
    if rows is None:
        rows = datums.uids if uids is None else numbers(len(values))
    return ClassificationBatch(
        datums,
        [kept_label(key, str(name)) for name in classes.tolist()],
        rows,
        truth_labels,
        ScoreMatrix(Checked(values), numbers(width), tops),
    )


def from_predicted(
    y_true: Any,
    y_pred: Any,
    *,
    key: str = DEFAULT_KEY,
    uids: Any = None,
    metadata: Mapping[str, Any] | None = None,
) -> ClassificationBatch:
    """Columns of true and predicted classes without scores; a prediction scores 1.

    Parameters
    ----------
    y_true, y_pred : array-like, shape (n,)
        Classes.
    key, uids, metadata : optional
        As in `from_arrays`.

    Raises
    ------
    SchemaError
        If the shapes do not fit, a value is missing, or there are more or fewer uids.

    Examples
    --------
    >>> from_predicted(["dog"], ["cat"]).scores.values
    array([1.])
    """
    truth, predicted = (
        class_column(flat_column(plain_array(values, name), None)[0], name)
        for values, name in ((y_true, "y_true"), (y_pred, "y_pred"))
    )
    if truth.ndim != 1 or truth.shape != predicted.shape:
        is_matrix = truth.ndim == 2 and truth.shape == predicted.shape
        raise SchemaError(
            f"y_true, y_pred: expected one shape (n,), got {truth.shape} and {predicted.shape}",
            _INDICATORS if is_matrix else None,
        )
    names, joined = np.unique(np.concatenate([truth, predicted]), return_inverse=True)
    rows = numbers(len(truth))
    return ClassificationBatch(
        _datums(uids, metadata, len(rows)),
        [kept_label(key, str(name)) for name in names.tolist()],
        rows,
        joined[: len(rows)],
        ScoreList(rows, joined[len(rows) :], np.ones(len(rows)), scored=False),
    )


def _datums(uids: Any, metadata: Mapping[str, Any] | None, count: int) -> Datums:
    if uids is None:
        return Datums.numbers(count, metadata)
    datums = Datums(uids, metadata)
    if len(datums) != count:
        raise SchemaError(f"uids: expected {count:,}, one for each item, got {len(datums):,}")
    return datums


def _check_two_classes(truth: NDArray[Any]) -> None:
    """Raise a `SchemaError` if one column of scores is for more than two classes."""
    if not truth.size or truth.dtype.kind == "b":
        return
    if truth.dtype.kind in "iu" and int(truth.max()) - int(truth.min()) < 2:
        return
    classes = np.unique(truth).tolist()
    if len(classes) > 2:
        listed = ", ".join(map(repr, classes[:_NAMED])) + and_more(len(classes) - _NAMED)
        raise SchemaError(
            f"y_true: expected two classes for one column of scores, found {listed}",
            "Pass a column of scores for each class: y_score of shape (n, k).",
        )


def _of_both(second: Floats) -> Floats:
    """Probabilities of two classes, from those of the second."""
    outside = np.flatnonzero((second < 0) | (second > 1))
    if len(outside):
        raise SchemaError(
            f"y_score[{outside[0]}]: expected a probability in [0, 1], got "
            f"{float(second[outside[0]])}{and_more(len(outside) - 1)}",
            "Pass probabilities of the second class, or the scores of both as two columns.",
        )
    return read_only(np.stack([1 - second, second], axis=1))


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
    # from_predicted rejects 0/1 matrices with a remedy: as scores, only the best label would count
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
    """Convert labels or numbers to an array of one or two dimensions; None for other data."""
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
    """Return whether numbers are scores, not labels: one has a fraction or is infinite."""
    if values.dtype.kind != "f" or not (values != np.trunc(values)).any():
        return False
    finite = values[~np.isnan(values)]  # the batch says which one is missing
    return bool((finite != np.trunc(finite)).any())


def _may_be_saturated(truth: NDArray[Any], found: NDArray[Any]) -> bool:
    """Return whether floats of 0 and 1 are scores of the second of two classes, or multilabel.

    As labels they would be the same predictions. A batch of saturated scores so counts like the
    other batches of its run, in any order.
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


_FEW = 1 << 12  # scores that stay in cache: reading them again costs less than calling a kernel
_SHORT = 64  # columns of a row: shorter rows are read again faster than their maxima are stored


def finite_tops(matrix: Floats, name: str) -> Tops | None:
    """Check that a matrix is finite, and return its row maxima if the check computed them.

    Raises
    ------
    SchemaError
        If a score is not finite; the message names the first place.

    Examples
    --------
    >>> import numpy as np
    >>> finite_tops(np.array([[0.25, float("inf")]]), "y_score")
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: y_score[0, 1]: expected a finite number, got inf
    """
    is_worth_it = matrix.size >= _FEW and matrix.shape[1] >= _SHORT
    tops = _compiled_tops(matrix) if is_worth_it else None
    if tops is None:
        check_finite(matrix, name)
    return tops


def _compiled_tops(matrix: Floats) -> Tops | None:
    """Row maxima by the compiled kernel; None without it, or if a score is not finite."""
    from valor_classification.kernels import KERNELS

    if KERNELS.library is None:
        return None
    from valor_classification.kernels.compiled.best import tops

    return tops(matrix)

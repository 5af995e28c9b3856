"""Classification batches from scikit-learn style arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.readers.best_scores import finite_tops
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
from valor_core.schemas import (
    DEFAULT_KEY,
    Checked,
    Datums,
    Floats,
    any_floats,
    floats,
    kept_label,
    numbers,
    read_only,
)
from valor_core.schemas.classification import ClassificationBatch, ScoreList, ScoreMatrix

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
        cannot be told from this batch in the same way as from any other.

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

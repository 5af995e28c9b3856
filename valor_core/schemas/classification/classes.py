"""Classes: columns of class names or numbers, and the codes that they get.

What is read from a column never depends on the other items of its batch, so that batches of any
size mean the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, and_more, shown
from valor_core.schemas.characters import check_names
from valor_core.schemas.columns import Codes, are_below, readable
from valor_core.schemas.order import is_numeral

_NAMED = "Pass labels=[…], the class of every column of y_score."


def plain_array(values: Any, name: str) -> NDArray[Any]:
    """The array that some values make.

    Raises
    ------
    SchemaError
        If rows differ in length, or a value is masked or text with the character NUL; the message
        names the first such place.

    Examples
    --------
    >>> plain_array(np.ma.masked_array([1, 2], [False, True]), "y_true")
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: y_true[1]: expected a value, found a masked one
    Leave the item out of all columns.
    """
    values = readable(values)
    if np.ma.is_masked(values):
        masked = np.argwhere(np.ma.getmaskarray(values))
        place = ", ".join(map(str, masked[0]))
        raise SchemaError(
            f"{name}[{place}]: expected a value, found a masked one{and_more(len(masked) - 1)}",
            "Leave the item out of all columns.",
        )
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise SchemaError(f"{name}: expected rows of one length, got {shown(values)}") from error
    except TypeError as error:
        raise SchemaError(f"{name}: expected an array, got {shown(values)}", str(error)) from error
    if array.dtype.kind == "U" and isinstance(values, (list, tuple)):
        check_names(values, name)
    return array


def class_column(values: Any, name: str) -> NDArray[Any]:
    """Classes as whole numbers, truth values or text; ``1.0`` is the class 1.

    Raises
    ------
    SchemaError
        If one of them is missing or is neither text nor a number; the message names the place.

    Examples
    --------
    >>> class_column([1.0, 0.0], "y_true"), class_column(["dog", 3], "y_true")
    (array([1, 0]), array(['dog', '3'], dtype='<U21'))
    """
    array = plain_array(values, name)
    if array.dtype.kind in "iubU" or array.ndim != 1:
        return array
    listed = array.tolist()
    for place, value in enumerate(listed):
        # Only NaN differs from itself.
        if not isinstance(value, (str, int, float)) or value != value:
            raise SchemaError(
                f"{name}[{place}]: expected a class as text or number, got {shown(value)}",
                "Leave items without a class out of all columns.",
            )
    if not all(map(_is_whole, listed)):
        check_names(listed, name)
        return np.array([str(int(value)) if _is_whole(value) else str(value) for value in listed])
    return np.array([int(value) for value in listed], np.int64)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def class_names(labels: Sequence[Any] | None, width: int) -> NDArray[Any]:
    """The classes of the columns of a score matrix, their numbers where there are no `labels`.

    Raises
    ------
    SchemaError
        If there are not as many as columns.
    """
    if labels is None:
        return np.arange(width)
    names = class_column(labels, "labels")
    if names.shape != (width,):
        raise SchemaError(
            f"labels: expected a class for each of the {width} columns of y_score, "
            f"got {len(np.atleast_1d(names))}",
            "Pass labels=[…] in the order of the columns.",
        )
    return names


def named_columns(values: Any) -> Sequence[Any] | None:
    """The names of the columns of a table, such as a DataFrame; none where they are numbered.

    Examples
    --------
    >>> named_columns([[0.5, 0.5]]) is None
    True
    """
    columns = getattr(values, "columns", None)
    if columns is None or callable(columns):
        return None
    names: list[Any] = list(columns)
    return None if names == list(range(len(names))) else names


def flat_column(
    array: NDArray[Any], names: Sequence[Any] | None
) -> tuple[NDArray[Any], Sequence[Any] | None]:
    """A matrix of one column as that column, whose name no longer matters; others as they are.

    Examples
    --------
    >>> flat_column(np.array([[0.25], [0.5]]), ["score"])
    (array([0.25, 0.5 ]), None)
    """
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0], None
    return array, names


def check_same_columns(truth: Sequence[Any] | None, scores: Sequence[Any] | None) -> None:
    """Raise a `SchemaError` if two tables name their columns otherwise, or in another order.

    Examples
    --------
    >>> check_same_columns(["cat", "dog"], ["cat", "dog"])
    """
    if truth is None or scores is None or list(truth) == list(scores):
        return
    raise SchemaError(
        f"y_true: expected the columns of y_score, {shown(list(scores))}, got {shown(list(truth))}",
        "Bring them into one order: y_true[y_score.columns].",
    )


def indicated(truth: NDArray[Any], shape: tuple[int, ...]) -> tuple[Codes, Codes]:
    """Rows and columns of the ones of a 0/1 matrix.

    Raises
    ------
    SchemaError
        If it has another shape than the scores, or holds something else.

    Examples
    --------
    >>> indicated(np.array([[1, 1], [0, 1]]), (2, 2))
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    if truth.shape != shape or not np.isin(truth, (0, 1)).all():
        raise SchemaError(
            f"y_true: expected 0 and 1 in the shape of y_score, {shape}, got {shown(truth)}"
        )
    rows, columns = np.nonzero(truth)
    return rows, columns


def class_codes(
    truth: NDArray[Any], labels: Sequence[Any] | None, width: int
) -> tuple[NDArray[Any], Codes]:
    """The classes of the columns of a score matrix, and the column of every true class.

    Raises
    ------
    SchemaError
        If a true class is none of them, or it takes `labels` to tell which they are.

    Examples
    --------
    >>> class_codes(np.array(["dog", "cat"]), None, 2)
    (array(['cat', 'dog'], dtype='<U3'), array([1, 0]))
    >>> class_codes(np.array([1, 0]), ["ham", "spam"], 2)
    (array(['ham', 'spam'], dtype='<U4'), array([1, 0]))
    """
    are_numbers = truth.dtype.kind in "iub" or not truth.size
    if labels is None and not are_numbers:
        names = np.unique(truth)
        # Batches that show every class agree on the columns; one that does not cannot know them.
        if len(names) != width:
            raise SchemaError(
                f"y_true: expected all {width} classes of the columns of y_score, "
                f"found {len(names)}",
                _NAMED,
            )
        return names, np.searchsorted(names, truth)
    names = class_names(labels, width)
    if labels is None or (are_numbers and not any(map(is_numeral, map(str, names.tolist())))):
        return names, _positions(truth, width)
    return names, _places(names, truth)


def _positions(truth: NDArray[Any], width: int) -> Codes:
    codes: Codes = truth.astype(np.int64, copy=False)
    if not are_below(codes, width):
        strange = np.flatnonzero((codes < 0) | (codes >= width))
        raise SchemaError(
            f"y_true[{strange[0]}]: expected the number of a column of y_score, 0 to {width - 1}, "
            f"got {truth[strange[0]].item()!r}{and_more(len(strange) - 1)}",
            _NAMED,
        )
    return codes


def _places(names: NDArray[Any], truth: NDArray[Any]) -> Codes:
    """Where each true class stands among the names; text and numbers are compared as text."""
    if (names.dtype.kind == "U") != (truth.dtype.kind == "U"):
        names, truth = names.astype(str), truth.astype(str)
    order = np.argsort(names)
    found = order[np.minimum(np.searchsorted(names[order], truth), len(names) - 1)]
    strange = np.flatnonzero(names[found] != truth)
    if len(strange):
        raise SchemaError(
            f"y_true[{strange[0]}]: expected one of the labels, got "
            f"{truth[strange[0]].item()!r}{and_more(len(strange) - 1)}",
            _NAMED,
        )
    return found

"""Columns of class names or numbers, and their codes.

The interpretation of a value never depends on other items of its batch, so results do not depend
on the size of batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, and_more, short_repr
from valor_core.schemas import Codes
from valor_core.schemas.columns import (
    are_below,
    check_names,
    check_not_masked,
    is_numeral,
    plain_text,
    readable,
)
from valor_core.schemas.label import EXACT

_TEXT, _NUMBER, _FLAG = "text", "a number", "true or false"
_EXPECTED = "a class as text or number"
_MISSING = ("NAType", "NaTType")  # of pandas
_LEAVE_OUT = "Remove the item from all columns."


def _name_them(labels: str = "[…]") -> str:
    return (
        "Name the class of each column: valor_classification.from_arrays(y_true, y_score, "
        f"labels={labels})"
    )


def plain_array(values: Any, name: str, expected: str = _EXPECTED) -> NDArray[Any]:
    """Convert values to an array.

    Raises
    ------
    SchemaError
        If rows differ in length, a value is missing, masked or text with the character NUL, or a
        list mixes text and numbers; the message names the first such position, and what was
        `expected` there.

    Examples
    --------
    >>> plain_array(np.ma.masked_array([1, 2], [False, True]), "y_true")
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: y_true[1]: expected a value, found a masked one
    Remove the item from all columns.
    """
    values = readable(values)
    check_not_masked(values, name, _LEAVE_OUT)
    is_list = isinstance(values, (list, tuple))
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise SchemaError(
            f"{name}: expected rows of one length, got {short_repr(values)}"
        ) from error
    except TypeError as error:
        raise SchemaError(
            f"{name}: expected an array, got {short_repr(values)}", str(error)
        ) from error
    cells = _cells(values if is_list else array, array)
    if cells:
        _check_one_kind(cells, array, name, expected)
        if array.dtype.kind == "U":
            check_names(cells, name)
            if not set(map(type, cells)) <= {str, np.str_}:  # NumPy cuts members of an enum
                array = np.array(list(map(plain_text, cells)), np.str_).reshape(array.shape)
    return array


_KINDS = (
    (str, _TEXT),
    ((bool, np.bool_), _FLAG),
    ((int, np.integer, float, np.floating), _NUMBER),
)


def _kind(kind: type) -> str:
    """Word for values of a type; empty for types that are neither labels nor scores."""
    return next((word for base, word in _KINDS if issubclass(kind, base)), "")


def _cells(values: Any, array: NDArray[Any]) -> Sequence[Any]:
    """Cells of a list, of a list of rows, or of an array of objects; none of other types.

    NumPy joined those of a list into `array`, which is one of numbers also if they are tensors.
    """
    if isinstance(values, np.ndarray):
        return list(values.ravel()) if values.dtype.kind == "O" else ()
    if array.ndim == 1:
        return list(values)
    is_rows = array.ndim == 2 and all(isinstance(row, (list, tuple)) for row in values)
    return list(chain.from_iterable(values)) if is_rows else ()


def _check_one_kind(cells: Sequence[Any], array: NDArray[Any], name: str, expected: str) -> None:
    """Raise a `SchemaError` if NumPy changes a cell in the array of all of them.

    It makes text of a number next to text, also of NaN, and rounds a great integer next to a
    float.
    """
    kinds = set(map(type, cells))
    words = {_kind(kind) for kind in kinds}
    may_round = array.dtype.kind == "f" and any(issubclass(kind, int) for kind in kinds)
    is_one = len(words - {_FLAG} if expected == _NUMBER else words) <= 1 and "" not in words
    rounds = may_round and any(isinstance(cell, int) and abs(cell) > EXACT for cell in cells)
    if is_one and not rounds and not (expected == _NUMBER and _TEXT in words):
        return
    first = next((word for cell in cells if (word := _kind(type(cell)))), "text")
    for position, cell in enumerate(cells):
        row = ", ".join(map(str, np.unravel_index(position, array.shape)))
        where, word, found = f"{name}[{row}]", _kind(type(cell)), short_repr(cell)
        # Only NaN differs from itself.
        if not word or (len(words) > 1 and cell != cell):
            missing = cell is None or isinstance(cell, float) or type(cell).__name__ in _MISSING
            remedy = _LEAVE_OUT if missing else "Write them as text or as numbers."
            raise SchemaError(f"{where}: expected {expected}, got {found}", remedy)
        if expected == _NUMBER and word == _TEXT:
            raise SchemaError(f"{where}: expected {expected}, got {found}")
        if word != first and expected != _NUMBER:
            raise SchemaError(
                f"{where}: expected {first} like the values before it, got {found}",
                "Write all of them as text, or all as numbers.",
            )
        if rounds and isinstance(cell, int) and abs(cell) > EXACT:
            raise SchemaError(
                f"{where}: expected {expected}, got {found}, which NumPy rounds in this list",
                "Write all of them as text, or all as whole numbers in 64 bits."
                if expected != _NUMBER
                else None,
            )


def class_column(values: Any, name: str) -> NDArray[Any]:
    """Classes as whole numbers, truth values or text; ``1.0`` is the class 1.

    Raises
    ------
    SchemaError
        If one of them is missing, has a fraction or is neither text nor a number, or if text and
        numbers are mixed; the message names the position.

    Examples
    --------
    >>> class_column([1.0, 0.0], "y_true"), class_column(["dog", "3"], "y_true")
    (array([1, 0]), array(['dog', '3'], dtype='<U3'))
    """
    array = plain_array(values, name)
    if array.ndim != 1 or array.dtype.kind in "ibU":
        return array
    if array.dtype.kind == "f":
        return _whole_floats(array, name)
    if array.dtype.kind == "O":
        listed = array.tolist()
        if listed and isinstance(listed[0], str):
            check_names(listed, name)
            return np.array(list(map(plain_text, listed)), np.str_)
        if any(isinstance(value, float) for value in listed):
            return _whole_floats(array.astype(np.float64), name)
    elif array.dtype.kind == "u":
        listed = array.tolist() if array.size and array.max() > _GREATEST else []
    else:
        raise SchemaError(f"{name}: expected {_EXPECTED}, got {short_repr(array)}", _LEAVE_OUT)
    for position, value in enumerate(listed):
        if not -_GREATEST <= value <= _GREATEST:
            raise SchemaError(
                f"{name}[{position}]: expected a class in 64 bits, got {short_repr(value)}",
                "Write greater numbers as text, in all columns.",
            )
    return array.astype(np.int64)


_GREATEST = 2**63 - 1


def _whole_floats(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Floats without a fraction as whole numbers."""
    with np.errstate(invalid="ignore"):
        wrong = np.flatnonzero((array != np.trunc(array)) | ~(np.abs(array) < EXACT))
    if not len(wrong):
        return array.astype(np.int64)
    value = array[wrong[0]].item()
    is_missing = value != value
    expected = _EXPECTED if is_missing else "a class as text or whole number"
    raise SchemaError(
        f"{name}[{wrong[0]}]: expected {expected}, "
        f"got {short_repr(value)}{and_more(len(wrong) - 1)}",
        _LEAVE_OUT if is_missing else "Write classes that are no whole numbers as text.",
    )


def class_names(labels: Sequence[Any] | None, width: int) -> NDArray[Any]:
    """Classes of the columns of a score matrix; column numbers without `labels`.

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
            _name_them(),
        )
    return names


def named_columns(values: Any) -> Sequence[Any] | None:
    """Names of the columns of a table, such as a DataFrame; none if they are numbered.

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
    """Return the column of a one-column matrix without its name; other matrices are unchanged.

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
        f"y_true: expected the columns of y_score, {short_repr(list(scores))}, "
        f"got {short_repr(list(truth))}",
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
            f"y_true: expected 0 and 1 in the shape of y_score, {shape}, got {short_repr(truth)}"
        )
    rows, columns = np.nonzero(truth)
    return rows, columns


def class_codes(
    truth: NDArray[Any], labels: Sequence[Any] | None, width: int
) -> tuple[NDArray[Any], Codes]:
    """Classes of the columns of a score matrix, and the column of every true class.

    Raises
    ------
    SchemaError
        If a true class is not among them, or `labels` is needed to define them.

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
                _name_them(),
            )
        return names, np.searchsorted(names, truth)
    names = class_names(labels, width)
    if labels is None or (are_numbers and not any(map(is_numeral, map(str, names.tolist())))):
        return names, _positions(truth, width)
    return names, _positions_of(names, truth)


def _positions(truth: NDArray[Any], width: int) -> Codes:
    codes: Codes = truth.astype(np.int64, copy=False)
    if not are_below(codes, width):
        strange = np.flatnonzero((codes < 0) | (codes >= width))
        classes = np.unique(codes).tolist()
        raise SchemaError(
            f"y_true[{strange[0]}]: expected the number of a column of y_score, 0 to {width - 1}, "
            f"got {truth[strange[0]].item()!r}{and_more(len(strange) - 1)}",
            _name_them(str(classes)) if len(classes) == width else _name_them(),
        )
    return codes


def _positions_of(names: NDArray[Any], truth: NDArray[Any]) -> Codes:
    """Return the position of each true class among the names, compared as text."""
    if (names.dtype.kind == "U") != (truth.dtype.kind == "U"):
        names, truth = names.astype(str), truth.astype(str)
    order = np.argsort(names)
    found = order[np.minimum(np.searchsorted(names[order], truth), len(names) - 1)]
    strange = np.flatnonzero(names[found] != truth)
    if len(strange):
        raise SchemaError(
            f"y_true[{strange[0]}]: expected one of the labels, got "
            f"{truth[strange[0]].item()!r}{and_more(len(strange) - 1)}",
            _name_them(),
        )
    return found

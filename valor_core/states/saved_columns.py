"""Validation of the columns in a state file before `State.restore` uses them.

A state file may be truncated, damaged or written by another program. Kernels trust their arrays, so
`restore` reads every array with these functions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from valor_core.errors import SchemaError, StateError, short_repr
from valor_core.schemas.columns import Codes, is_ascending
from valor_core.schemas.datum import Uids, check_unique
from valor_core.schemas.label import Label, are_distinct


def saved_column(
    content: Mapping[str, Any],
    name: str,
    dtype: DTypeLike,
    *,
    shape: tuple[int | None, ...] = (None,),
    low: float | None = None,
    high: float | None = None,
    finite: bool = True,
) -> NDArray[Any]:
    """Return an array of a state's content after validating it.

    Parameters
    ----------
    content : mapping
        Content returned by `dump`, as read from a file.
    name : str
        Name of the array in the content.
    dtype : dtype
        Exact type. ``"U"``, ``"S"`` and ``"M8"`` accept strings and times of any length and unit.
    shape : tuple of int or None
        Shape; None accepts any length.
    low, high : float, optional
        Smallest and largest accepted number.
    finite : bool
        Whether to reject NaN and infinity.

    Raises
    ------
    StateError
        If the array is missing or invalid.

    Examples
    --------
    >>> saved_column({"counts": np.array([1, 2])}, "counts", np.int64, low=0)
    array([1, 2])
    >>> saved_column({"counts": np.array([1, -2])}, "counts", np.int64, low=0)
    Traceback (most recent call last):
        ...
    valor_core.errors.StateError: counts: expected numbers of 0 or more, found -2
    """
    array = content.get(name)
    if not isinstance(array, np.ndarray):
        raise StateError(f"{name}: expected an array, found {short_repr(array)}")
    if not _has_type(array, dtype):
        raise StateError(f"{name}: expected an array of {_named(dtype)}, found {array.dtype}")
    _check_characters(array, name)
    if len(array.shape) != len(shape) or any(
        want not in (None, have) for want, have in zip(shape, array.shape, strict=True)
    ):
        wanted = " by ".join("any" if size is None else f"{size:,}" for size in shape)
        found = " by ".join(f"{size:,}" for size in array.shape)
        raise StateError(f"{name}: expected the shape {wanted or '()'}, found {found or '()'}")
    if finite and array.dtype.kind in "fc" and not np.isfinite(array).all():
        invalid = array[~np.isfinite(array)].flat[0]
        raise StateError(f"{name}: expected finite numbers, found {invalid}")
    if array.size and low is not None and array.min() < low:
        raise StateError(f"{name}: expected numbers of {low:g} or more, found {array.min()}")
    if array.size and high is not None and array.max() > high:
        raise StateError(f"{name}: expected numbers of at most {high:g}, found {array.max()}")
    # Kernels require contiguous arrays; a zero-dimensional array would get a dimension.
    return np.ascontiguousarray(array) if array.ndim else array


def saved_offsets(
    content: Mapping[str, Any], name: str, count: int, total: int
) -> NDArray[np.int64]:
    """Return the offsets of groups of rows in a longer column.

    Parameters
    ----------
    content, name
        As in `saved_column`.
    count : int
        Number of groups; there is one more offset.
    total : int
        Length of the column.

    Raises
    ------
    StateError
        If the offsets do not increase from 0 to the total.

    Examples
    --------
    >>> saved_offsets({"starts": np.array([0, 2, 2])}, "starts", count=2, total=2)
    array([0, 2, 2])
    """
    found = saved_column(content, name, np.int64, shape=(count + 1,))
    if found[0] != 0 or found[-1] != total or not is_ascending(found):
        raise StateError(f"{name}: expected increasing offsets from 0 to {total:,}")
    return found


def saved_positions(content: Mapping[str, Any], name: str, count: int) -> Codes:
    """Return the position of each row's group, ascending.

    Parameters
    ----------
    content, name
        As in `saved_column`.
    count : int
        Number of groups.

    Raises
    ------
    StateError
        If a position is out of range, or less than the one before it.

    Examples
    --------
    >>> saved_positions({"datums": np.array([0, 0, 2])}, "datums", count=3)
    array([0, 0, 2])
    """
    found: Codes = saved_column(content, name, np.int64, low=0, high=count - 1)
    if not is_ascending(found):
        raise StateError(f"{name}: expected ascending numbers")
    return found


def saved_uids(content: Mapping[str, Any], name: str) -> Uids:
    """Return uids, all strings or all integers, without duplicates.

    Raises
    ------
    StateError
        If they have another type, or one occurs twice.

    Examples
    --------
    >>> saved_uids({"uids": np.array(["a", "b"])}, "uids")
    array(['a', 'b'], dtype='<U1')
    """
    stored = content.get(name)
    is_text = isinstance(stored, np.ndarray) and stored.dtype.kind == "U"
    found: Uids = saved_column(content, name, "U" if is_text else np.int64)
    try:
        check_unique(found)
    except SchemaError as error:
        raise StateError(f"{name}: {error.message}") from error
    return found


def saved_labels(content: Mapping[str, Any], name: str) -> list[Label]:
    """Return the vocabulary of a state, without duplicates.

    Raises
    ------
    StateError
        If they have another type, or one occurs twice.

    Examples
    --------
    >>> saved_labels({"labels": [Label("class", "dog")]}, "labels")
    [Label(key='class', value='dog')]
    """
    found = content.get(name)
    if not isinstance(found, list) or not all(isinstance(label, Label) for label in found):
        raise StateError(f"{name}: expected labels, found {short_repr(found)}")
    if not are_distinct(found):
        raise StateError(f"{name}: expected distinct labels, found one twice")
    return found


def saved_number(content: Mapping[str, Any], name: str, *, low: int | None = None) -> int:
    """Return an integer of a state's content.

    Raises
    ------
    StateError
        If it is missing, has another type or is below `low`.

    Examples
    --------
    >>> saved_number({"read": 3}, "read", low=0)
    3
    """
    value = content.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise StateError(f"{name}: expected a whole number, found {short_repr(value)}")
    if low is not None and value < low:
        raise StateError(f"{name}: expected {low:,} or more, found {value:,}")
    return value


def check_same_length(lengths: Mapping[str, Collection[Any]]) -> None:
    """Raise a `StateError` unless the columns have equal lengths.

    Examples
    --------
    >>> check_same_length({"labels": [0, 1], "scores": [0.5]})
    Traceback (most recent call last):
        ...
    valor_core.errors.StateError: scores: expected 2 rows as in labels, found 1
    """
    first = next(iter(lengths), "")
    for name, values in lengths.items():
        if len(values) != len(lengths[first]):
            raise StateError(
                f"{name}: expected {len(lengths[first]):,} rows as in {first}, "
                f"found {len(values):,}"
            )


def _has_type(array: NDArray[Any], dtype: DTypeLike) -> bool:
    if dtype in ("U", "S", "M8"):
        return array.dtype.kind == str(dtype)[0] and array.dtype.isnative
    return array.dtype == np.dtype(dtype)


def _named(dtype: DTypeLike) -> str:
    words = {"U": "text", "S": "ASCII text", "M8": "times"}
    return words[dtype] if isinstance(dtype, str) and dtype in words else str(np.dtype(dtype))


def _check_characters(array: NDArray[Any], name: str) -> None:
    """Raise a `StateError` for an invalid code point or a lone surrogate.

    NumPy accepts any 32 bits of a file as a character; Python fails much later, on access.
    """
    if array.dtype.kind != "U" or not array.nbytes:
        return
    characters = np.ascontiguousarray(array).reshape(-1).view(np.uint32)
    bad = (characters > 0x10FFFF) | ((characters >= 0xD800) & (characters <= 0xDFFF))
    if bad.any():
        raise StateError(f"{name}: expected text, found the character {characters[bad][0]:#x}")

"""Saved columns: what a state file holds, checked before a state takes it.

A state file may have been cut off, damaged or made by somebody else. Kernels trust their arrays,
so `restore` takes every array through one of these.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from valor_core.errors import SchemaError, StateError, shown
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
    """An array of a state's content, as the state expects it.

    Parameters
    ----------
    content : mapping
        What `dump` returned, as read from a file.
    name : str
        Name of the array in it.
    dtype : dtype
        Its type, exactly; ``"U"``, ``"S"`` and ``"M8"`` stand for texts and times of any length
        and unit.
    shape : tuple of int or None
        Its shape; None is any length.
    low, high : float, optional
        Least and greatest number that it may hold.
    finite : bool
        Whether NaN and the infinite are refused.

    Raises
    ------
    StateError
        If it is missing or is not as expected.

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
        raise StateError(f"{name}: expected an array, found {shown(array)}")
    if not _is_of(array, dtype):
        raise StateError(f"{name}: expected an array of {_named(dtype)}, found {array.dtype}")
    _check_characters(array, name)
    if len(array.shape) != len(shape) or any(
        want not in (None, have) for want, have in zip(shape, array.shape, strict=True)
    ):
        wanted = " by ".join("any" if size is None else f"{size:,}" for size in shape)
        found = " by ".join(f"{size:,}" for size in array.shape)
        raise StateError(f"{name}: expected the shape {wanted or '()'}, found {found or '()'}")
    if finite and array.dtype.kind in "fc" and not np.isfinite(array).all():
        odd = array[~np.isfinite(array)].flat[0]
        raise StateError(f"{name}: expected finite numbers, found {odd}")
    if array.size and low is not None and array.min() < low:
        raise StateError(f"{name}: expected numbers of {low:g} or more, found {array.min()}")
    if array.size and high is not None and array.max() > high:
        raise StateError(f"{name}: expected numbers of at most {high:g}, found {array.max()}")
    # kernels ask for contiguous arrays; of a single number, NumPy would make a row
    return np.ascontiguousarray(array) if array.ndim else array


def saved_offsets(
    content: Mapping[str, Any], name: str, count: int, total: int
) -> NDArray[np.int64]:
    """Where the rows of each of some things start in a longer column, and where the last ends.

    Parameters
    ----------
    content, name
        As in `saved_column`.
    count : int
        How many things there are; there is one offset more.
    total : int
        Length of the longer column.

    Raises
    ------
    StateError
        If the offsets do not rise from 0 to the total.

    Examples
    --------
    >>> saved_offsets({"starts": np.array([0, 2, 2])}, "starts", count=2, total=2)
    array([0, 2, 2])
    """
    found = saved_column(content, name, np.int64, shape=(count + 1,))
    if found[0] != 0 or found[-1] != total or not is_ascending(found):
        raise StateError(f"{name}: expected offsets that rise from 0 to {total:,}")
    return found


def saved_positions(content: Mapping[str, Any], name: str, count: int) -> Codes:
    """Which of some things each row is about, where rows of one thing stand together, in order.

    Parameters
    ----------
    content, name
        As in `saved_column`.
    count : int
        How many things there are.

    Raises
    ------
    StateError
        If a position is none of theirs, or less than the one before it.

    Examples
    --------
    >>> saved_positions({"datums": np.array([0, 0, 2])}, "datums", count=3)
    array([0, 0, 2])
    """
    found: Codes = saved_column(content, name, np.int64, low=0, high=count - 1)
    if not is_ascending(found):
        raise StateError(f"{name}: expected numbers that do not fall")
    return found


def saved_uids(content: Mapping[str, Any], name: str) -> Uids:
    """Names of datums, all text or all whole numbers, each once.

    Raises
    ------
    StateError
        If they are something else, or one occurs twice.

    Examples
    --------
    >>> saved_uids({"uids": np.array(["a", "b"])}, "uids")
    array(['a', 'b'], dtype='<U1')
    """
    given = content.get(name)
    is_text = isinstance(given, np.ndarray) and given.dtype.kind == "U"
    found: Uids = saved_column(content, name, "U" if is_text else np.int64)
    try:
        check_unique(found)
    except SchemaError as error:
        raise StateError(f"{name}: {error.message}") from error
    return found


def saved_labels(content: Mapping[str, Any], name: str) -> list[Label]:
    """The labels of a state's codes, each once.

    Raises
    ------
    StateError
        If they are something else, or one occurs twice.

    Examples
    --------
    >>> saved_labels({"labels": [Label("class", "dog")]}, "labels")
    [Label(key='class', value='dog')]
    """
    found = content.get(name)
    if not isinstance(found, list) or not all(isinstance(label, Label) for label in found):
        raise StateError(f"{name}: expected labels, found {shown(found)}")
    if not are_distinct(found):
        raise StateError(f"{name}: expected each label once, found one twice")
    return found


def saved_number(content: Mapping[str, Any], name: str, *, low: int | None = None) -> int:
    """A whole number of a state's content.

    Raises
    ------
    StateError
        If it is missing, is something else or is below `low`.

    Examples
    --------
    >>> saved_number({"read": 3}, "read", low=0)
    3
    """
    value = content.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise StateError(f"{name}: expected a whole number, found {shown(value)}")
    if low is not None and value < low:
        raise StateError(f"{name}: expected {low:,} or more, found {value:,}")
    return value


def check_same_length(lengths: Mapping[str, Collection[Any]]) -> None:
    """Raise a `StateError` unless columns by name are equally long.

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


def _is_of(array: NDArray[Any], dtype: DTypeLike) -> bool:
    if dtype in ("U", "S", "M8"):
        return array.dtype.kind == str(dtype)[0] and array.dtype.isnative
    return array.dtype == np.dtype(dtype)


def _named(dtype: DTypeLike) -> str:
    words = {"U": "text", "S": "ASCII text", "M8": "times"}
    return words[dtype] if isinstance(dtype, str) and dtype in words else str(np.dtype(dtype))


def _check_characters(array: NDArray[Any], name: str) -> None:
    """Raise a `StateError` if a text has a character that no text has, or half of one.

    NumPy takes any 32 bits of a file for a character; Python fails much later, where it reads them.
    """
    if array.dtype.kind != "U" or not array.nbytes:
        return
    characters = np.ascontiguousarray(array).reshape(-1).view(np.uint32)
    bad = (characters > 0x10FFFF) | ((characters >= 0xD800) & (characters <= 0xDFFF))
    if bad.any():
        raise StateError(f"{name}: expected text, found the character {characters[bad][0]:#x}")

"""Columns of batches: converters and validators of arrays, read-only after conversion."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Sequence
from copy import copy
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from attrs import cmp_using, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, and_more, short_repr
from valor_core.kernels.threads import map_spans, thread_count

if TYPE_CHECKING:
    from decimal import Decimal


_T = TypeVar("_T")
Codes = NDArray[np.int64]
"""One-dimensional integer column of label codes, positions or offsets."""
Floats = NDArray[np.floating[Any]]
"""One-dimensional float column."""

BY_CONTENT = cmp_using(eq=np.array_equal)
"""Equality of attrs fields that hold arrays: same shape and same values."""

_BLOCK = 1 << 16  # values checked at a time, so that they stay in the CPU cache
_MOST_CACHED = 1 << 20  # longest range that `numbers` caches
_cached_range = np.arange(1 << 10)
_THREAD = 1 << 20  # values that justify another thread
_EXACT = 2**53  # float64 represents every integer up to here
_BITS = {
    4: (np.uint32, np.float32(np.inf).view(np.uint32)),
    8: (np.uint64, np.float64(np.inf).view(np.uint64)),
}
"""Unsigned type with the bits of a float, and the bits of infinity, by size in bytes."""


@frozen(repr=False)
class Checked:
    """An array that `floats` has already checked."""

    array: Floats


def readable(values: Any) -> Any:
    """Return a tensor on the CPU without gradient, which NumPy can read; anything else unchanged.

    NumPy has no bfloat16: it becomes float32 with the same values.

    Examples
    --------
    >>> readable([0.5, 1.0])
    [0.5, 1.0]
    """
    if not hasattr(values, "detach"):
        return values
    tensor = values.detach().cpu()
    return tensor.float() if str(getattr(tensor, "dtype", "")).endswith("bfloat16") else tensor


def check_not_masked(values: Any, name: str, remedy: str | None = None) -> None:
    """Raise a `SchemaError` for the first masked value, which NumPy would read like any other.

    Examples
    --------
    >>> check_not_masked(np.ma.masked_array([0.5, 0.25], [False, True]), "scores")
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: scores[1]: expected a value, found a masked one
    """
    # Importing `numpy.ma` takes 9 ms; without it, nobody can have made a masked array.
    if "numpy.ma" not in sys.modules or not np.ma.is_masked(values):
        return
    masked = np.argwhere(np.ma.getmaskarray(values))
    place = ", ".join(map(str, masked[0]))
    raise SchemaError(
        f"{name}[{place}]: expected a value, found a masked one{and_more(len(masked) - 1)}", remedy
    )


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view; the array itself stays writable."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def with_columns(value: _T, **columns: Any) -> _T:
    """Return a copy of a frozen value with other columns, without converting or checking them.

    Examples
    --------
    >>> from valor_core.schemas.datum import Datums
    >>> with_columns(Datums(["a", "b"]), uids=np.array(["b", "c"])).uids
    array(['b', 'c'], dtype='<U1')
    """
    changed = copy(value)
    for name, column in columns.items():
        # `attrs.evolve` would check the columns, which takes longer than most callers do.
        object.__setattr__(changed, name, column)
    return changed


def with_copies(value: _T, *names: str) -> _T:
    """Return the same frozen value with the named arrays copied.

    Examples
    --------
    >>> from valor_core.schemas.datum import Datums
    >>> with_copies(Datums(["a", "b"]), "uids").uids
    array(['a', 'b'], dtype='<U1')
    """
    return with_columns(value, **{name: read_only(getattr(value, name).copy()) for name in names})


def shifted(columns: Sequence[Codes], starts: Sequence[int]) -> Codes:
    """Concatenate columns of codes after adding its start to each.

    Examples
    --------
    >>> shifted([np.array([0, 1]), np.array([0])], [0, 2])
    array([0, 1, 2])
    """
    joined: Codes = np.concatenate(columns)
    lengths = [len(column) for column in columns]
    joined += np.repeat(np.array(starts[: len(columns)]), lengths)
    return joined


def recoded(columns: Sequence[Codes], codes: Sequence[Codes]) -> Codes:
    """Concatenate columns of codes after mapping each through its own table of new codes.

    Examples
    --------
    >>> recoded([np.array([0, 1]), np.array([0])], [np.array([0, 1]), np.array([2])])
    array([0, 1, 2])
    """
    joined: Codes = np.concatenate(
        [table[column] for table, column in zip(codes, columns, strict=True)]
    )
    return joined


def numbers(count: int) -> Codes:
    """Return the integers from 0 to `count` - 1, read-only.

    Ranges up to a million are cached, since every batch without uids asks for one.

    Examples
    --------
    >>> numbers(3)
    array([0, 1, 2])
    """
    # Threads may compute the range twice at once; the last one is cached, and both are correct.
    global _cached_range
    if count > _MOST_CACHED:
        return read_only(np.arange(count))
    kept = _cached_range
    if count > len(kept):
        _cached_range = kept = np.arange(min(2 * count, _MOST_CACHED))
    return read_only(kept[:count])


def codes(values: Any, name: str, length: int | None = None) -> Codes:
    """Convert to a one-dimensional int64 column, contiguous and read-only.

    Raises
    ------
    SchemaError
        If the values are not one dimension of integers, or there are not `length` of them.

    Examples
    --------
    >>> codes([0, 2, 1], "truth_labels")
    array([0, 2, 1])
    """
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise SchemaError(f"{name}: expected a column of whole numbers, got {short_repr(array)}")
    check_length(array, name, length)
    return read_only(np.ascontiguousarray(array, np.int64))


def datum_codes(values: Any) -> Codes:
    """Convert to a column of datum positions."""
    return codes(values, "datums")


def label_codes(values: Any) -> Codes:
    """Convert to a column of label codes."""
    return codes(values, "labels")


def whole_numbers(values: Any) -> Codes:
    """Convert to a read-only int64 array of any shape, without checking the values."""
    return read_only(np.asarray(values, dtype=np.int64))


def booleans(values: Any) -> NDArray[np.bool_]:
    """Convert to a read-only array of booleans."""
    return read_only(np.asarray(values, dtype=bool))


def object_column(values: Iterable[Any]) -> NDArray[Any]:
    """Convert to a column of objects, one value per cell.

    Examples
    --------
    >>> object_column([[1, 2], [3, 4]]).shape
    (2,)
    """
    values = list(values)
    # np.array would turn lists of equal length into two dimensions.
    return np.fromiter(values, dtype=np.object_, count=len(values))


def floats(values: Any, name: str, ndim: int = 1, length: int | None = None) -> Floats:
    """Convert to an array as `any_floats` does, and check that all values are finite.

    Raises
    ------
    SchemaError
        If the array has another number of dimensions or type, or a value is not finite. The message
        names the index of the first one.

    Examples
    --------
    >>> floats([0.25, float("nan")], "scores")
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: scores[1]: expected a finite number, got nan
    """
    if isinstance(values, Checked):
        return values.array
    array = any_floats(values, name, ndim, length)
    check_finite(array, name)
    return array


def any_floats(values: Any, name: str, ndim: int = 1, length: int | None = None) -> Floats:
    """Convert to a float32 or float64 array, contiguous and read-only, possibly with NaN.

    float32 and float64 keep their type and integers become float64. A float16 becomes the float32
    that prints the same decimals, so that a score of 0.1 passes a threshold of 0.1.

    Raises
    ------
    SchemaError
        If the array has another number of dimensions or type, or a number that float64 would round,
        which could make two scores equal.

    Examples
    --------
    >>> any_floats([1, 0], "scores")
    array([1., 0.])
    """
    values = readable(values)
    check_not_masked(values, name)
    array = np.asarray(values)
    if array.size == 0 and array.ndim != ndim:
        array = array.reshape((0,) * ndim)
    if array.dtype.kind == "O" and array.ndim == ndim:
        _check_numbers(array, name)
        array = array.astype(np.float64)
    if array.ndim != ndim or array.dtype.kind not in "fiub":
        raise SchemaError(
            f"{name}: expected {ndim} dimension(s) of numbers, got {short_repr(array)}"
        )
    if array.dtype == np.float16:
        array = widen_as_printed(array).astype(np.float32)
    elif array.dtype not in (np.float32, np.float64):
        _check_exact(array, name)
        array = array.astype(np.float64)
    check_length(array, name, length)
    return read_only(np.ascontiguousarray(array))


def _check_numbers(cells: NDArray[Any], name: str) -> None:
    """Raise a `SchemaError` for the first cell that is not a number that float64 represents."""
    for index, cell in np.ndenumerate(cells):
        is_number = isinstance(cell, (int, float)) and not abs(cell) > _EXACT
        if not is_number:
            row = ", ".join(map(str, index))
            raise SchemaError(f"{name}[{row}]: expected a number, got {short_repr(cell)}")


def _check_exact(array: NDArray[Any], name: str) -> None:
    """Raise a `SchemaError` for the first number that float64 would round."""
    if array.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            rounded = (array.astype(np.float64) != array) & np.isfinite(array)
    elif array.dtype.itemsize == 8:
        rounded = (array > _EXACT) | (array < -_EXACT if array.dtype.kind == "i" else False)
    else:
        return
    bad = np.flatnonzero(rounded.reshape(-1))
    if len(bad):
        place = ", ".join(str(int(i)) for i in np.unravel_index(bad[0], array.shape))
        raise SchemaError(
            f"{name}[{place}]: expected a number that float64 can represent, got "
            f"{array.reshape(-1)[bad[0]]}{and_more(len(bad) - 1)}",
            f"Round them first: {name} = np.asarray({name}, dtype=np.float64).",
        )


def check_length(array: NDArray[Any], name: str, length: int | None) -> None:
    """Raise a `SchemaError` unless the array has `length` rows."""
    if length is not None and len(array) != length:
        raise SchemaError(f"{name}: expected {length:,} rows, got {len(array):,}")


def check_finite(array: Floats, name: str) -> None:
    """Raise a `SchemaError` with the index of the first value that is not finite."""
    flat = array.reshape(-1)
    if _all_finite(flat):
        return
    bad = np.flatnonzero(~np.isfinite(flat))
    place = ", ".join(str(int(i)) for i in np.unravel_index(bad[0], array.shape))
    raise SchemaError(
        f"{name}[{place}]: expected a finite number, got {float(flat[bad[0]])}"
        f"{and_more(len(bad) - 1)}"
    )


def _all_finite(flat: Floats) -> bool:
    if flat.size < 2 * _THREAD:
        return _are_finite(flat, 0, flat.size)
    count = min(thread_count(), flat.size // _THREAD)
    edges = [flat.size * i // count for i in range(count + 1)]
    return all(map_spans(partial(_are_finite, flat), list(pairwise(edges))))


def _are_finite(flat: Floats, first: int, last: int) -> bool:
    bits, infinity = _BITS[flat.itemsize]
    for start in range(first, last, _BLOCK):
        block = flat[start : min(start + _BLOCK, last)]
        # Without negative numbers one comparison suffices: as bits, NaN is greater than infinity.
        if np.maximum.reduce(block.view(bits)) >= infinity and not np.isfinite(block).all():
            return False
    return True


def rows_of_datums(datums: Codes, positions: Codes) -> tuple[Codes, Codes]:
    """Return the rows of the datums at the given positions, and their new datum positions."""
    first = np.searchsorted(datums, positions, side="left")
    count = np.searchsorted(datums, positions, side="right") - first
    ends = np.cumsum(count)
    offsets = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - count, count)
    return np.repeat(first, count) + offsets, np.repeat(np.arange(len(positions)), count)


def is_ascending(column: NDArray[Any], *, strictly: bool = False) -> bool:
    """Return whether no value is less than the one before it or, if strictly, equal to it."""
    compare = np.greater if strictly else np.greater_equal
    return bool(compare(column[1:], column[:-1]).all())


def are_below(array: Codes, count: int) -> bool:
    """Return whether all integers are in [0, count).

    Examples
    --------
    >>> are_below(np.array([0, 2]), 3), are_below(np.array([-1, 2]), 3)
    (True, False)
    """
    # As an unsigned number, a negative one is greater than any count.
    return not array.size or int(np.maximum.reduce(array.view(np.uint64))) < count


def check_codes(array: Codes, count: int, name: str, of: str) -> None:
    """Raise a `SchemaError` unless every code is below `count`."""
    if not are_below(array, count):
        first = int(np.flatnonzero((array < 0) | (array >= count))[0])
        raise SchemaError(
            f"{name}[{first}]: expected one of {count:,} {of}, got {int(array[first])}"
        )


_TENS = np.array([float(10**places) for places in range(23)])
"""Powers of ten that float64 represents exactly."""


def check_number(value: Any, expected: str) -> None:
    """Raise a `SchemaError` that begins with `expected` unless the value is a number.

    Examples
    --------
    >>> check_number(True, "score: expected a number")
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: score: expected a number, got True
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise SchemaError(f"{expected}, got {short_repr(value)}")


def as_float(number: Any) -> float:
    """Convert a number to float; one that is too great becomes infinite, which checks report.

    Examples
    --------
    >>> as_float(2), as_float(-(10**400))
    (2.0, -inf)
    """
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def as_score(number: Any) -> float:
    """Convert a score of any type to float64, a narrower float by its printed decimals.

    Examples
    --------
    >>> import numpy as np
    >>> as_score(np.float32(0.35)), as_score(1)
    (0.35, 1.0)
    """
    return as_float(str(number) if isinstance(number, (np.float16, np.float32)) else number)


def widen_as_printed(values: NDArray[Any]) -> NDArray[np.float64]:
    """Convert numbers to float64; a narrower float becomes the shortest decimal that prints it.

    Order and equality are preserved, since different numbers have different shortest decimals.

    Parameters
    ----------
    values : ndarray of numbers, shape (n,)
        Numbers of any type. float64 and integers keep their values; float16 may have any shape.

    Examples
    --------
    >>> widen_as_printed(np.array([0.35, 1e-30], np.float32)).tolist()
    [0.35, 1e-30]
    """
    if values.dtype == np.float16:
        return _widen_halves(values)
    found = values.astype(np.float64)
    if values.dtype != np.float32:
        return found
    rows = np.flatnonzero(np.isfinite(values) & (values != 0))
    rows = rows[~_widen(found, values, rows)]
    found[rows] = [float(str(number)) for number in values[rows]]
    return found


def _widen_halves(values: NDArray[np.float16]) -> NDArray[np.float64]:
    """Convert float16 by a table of the distinct values."""
    bits = np.ascontiguousarray(values).view(np.uint16)
    present = np.flatnonzero(np.bincount(bits.reshape(-1)))
    written = np.zeros(1 << 16)
    written[present] = [float(str(half)) for half in present.astype(np.uint16).view(np.float16)]
    return written[bits]


def _widen(
    found: NDArray[np.float64], values: NDArray[Any], rows: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Write the decimals of float32 rows of usual magnitude; return which rows were usual."""
    exact, narrow = found[rows], values[rows]
    orders = np.floor(np.log10(np.abs(exact))).astype(np.int64)
    # For these magnitudes, the powers of ten below are exact integers.
    is_usual: NDArray[np.bool_] = (orders > -14) & (orders < 6)
    left = np.flatnonzero(is_usual)
    # Six digits are never too many, since shorter decimals end in zeros. Nine are always enough.
    for digits in range(6, 10):
        tens = _TENS[digits - 1 - orders[left]]
        # Both operands are integers that float64 represents, so the quotient is correctly rounded.
        written = np.rint(exact[left] * tens) / tens
        matches = written.astype(np.float32) == narrow[left]
        found[rows[left[matches]]] = written[matches]
        left = left[~matches]
    return is_usual


_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)", re.ASCII)


def is_numeral(name: str) -> bool:
    """Return whether a name is a decimal number, with or without a sign.

    Examples
    --------
    >>> [is_numeral(name) for name in ("-5", "0.25", "1e3", "cat")]
    [True, True, False, False]
    """
    return _NUMBER.fullmatch(name) is not None


def natural(name: str | int) -> tuple[bool, Decimal | int, str]:
    """Return the sort key of a name; the spelling of a number only orders equal numbers.

    Examples
    --------
    >>> sorted(["b", "10", "-9", "a", "010", "9.5"], key=natural)
    ['-9', '9.5', '010', '10', 'a', 'b']
    """
    if not isinstance(name, str):
        return (False, int(name), str(name))
    if not is_numeral(name):
        return (True, 0, name)
    from decimal import Decimal

    return (False, Decimal(name), name)


def natural_order(names: NDArray[Any]) -> Codes:
    """Return the positions that sort names, all strings or all integers, by `natural`.

    Examples
    --------
    >>> natural_order(np.array(["10", "b", "-9"]))
    array([2, 0, 1])
    """
    if names.dtype.kind != "U" or not len(names):
        return np.argsort(names, kind="stable")
    letters = np.ascontiguousarray(names).view(np.uint32).reshape(len(names), -1)
    first = letters[:, 0]
    is_digits = (_are_digits(letters) | (letters == 0)).all(axis=1) & (first != 0)
    starts_one = _are_digits(first) | (first == _PLUS) | (first == _MINUS) | (first == _POINT)
    if any(map(is_numeral, names[starts_one & ~is_digits].tolist())):
        listed = names.tolist()
        return np.array(sorted(range(len(listed)), key=lambda i: natural(listed[i])), np.int64)
    if not is_digits.any():
        return np.argsort(names, kind="stable")
    # Sorting by length before digits orders integers without parsing them.
    digits = np.where(is_digits, np.char.lstrip(names, "0"), "")
    return np.lexsort((names, digits, np.char.str_len(digits), ~is_digits))


_PLUS, _MINUS, _POINT = map(ord, "+-.")


def _are_digits(letters: NDArray[np.uint32]) -> NDArray[np.bool_]:
    return (letters >= ord("0")) & (letters <= ord("9"))


_LONE = re.compile("[\ud800-\udfff]")
_FIRST, _LAST = 0xD800, 0xDFFF
_BLOCK = 2**18  # characters checked at a time, so that they stay in the CPU cache
NUL = "\0"
"""The character NUL, which NumPy drops at the end of a string."""


def plain_text(text: str) -> str:
    """Return the text as a built-in `str`; a NumPy string is equal but has another repr.

    Examples
    --------
    >>> plain_text(np.str_("cat"))
    'cat'
    """
    return text if type(text) is str else str.__str__(text)


def check_unicode(text: str, place: str) -> None:
    r"""Raise a `SchemaError` if a text contains a lone surrogate.

    Examples
    --------
    >>> check_unicode("img \U0001f600", "uid")
    >>> check_unicode("img \ud83d", "uid")
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: uid: expected Unicode text, got 'img \ud83d', a lone surrogate
    """
    if not text.isascii() and _LONE.search(text):
        raise SchemaError(
            f"{place}: expected Unicode text, got {short_repr(text)}, a lone surrogate"
        )


def check_name(text: str, place: str) -> None:
    r"""Raise a `SchemaError` if a text contains a lone surrogate or NUL and so cannot be a name.

    Examples
    --------
    >>> check_name("img_7\0", "uid")
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: uid: expected a name without the character NUL, got 'img_7\x00'
    """
    check_unicode(text, place)
    if NUL in text:
        raise SchemaError(
            f"{place}: expected a name without the character NUL, got {short_repr(text)}"
        )


def check_names(values: Iterable[Any], name: str) -> None:
    """Raise a `SchemaError` if a text contains NUL, before NumPy drops it.

    Examples
    --------
    >>> check_names(["cat", 3], "labels")
    """
    values = list(values)
    try:
        has_none = NUL not in "".join(values)  # three times as fast as checking each one
    except TypeError:
        has_none = False
    for position, value in enumerate(() if has_none else values):
        if isinstance(value, str) and NUL in value:
            check_name(value, f"{name}[{position}]")


def check_name_column(column: NDArray[Any], name: str) -> None:
    """Raise a `SchemaError` if a text in a column contains a lone surrogate or NUL."""
    if column.dtype.kind != "U" or column.dtype.itemsize == 0 or column.size == 0:
        return
    width = column.dtype.itemsize // 4
    characters = np.ascontiguousarray(column).view(np.uint32).reshape(-1, width)
    rows = max(_BLOCK // width, 1)
    for start in range(0, len(characters), rows):
        block = characters[start : start + rows]
        # NumPy pads strings with NUL after the last character.
        is_wrong = (block[:, :-1] == 0) & (block[:, 1:] != 0)
        if block.max() >= _FIRST:
            is_wrong = np.hstack([is_wrong, (block >= _FIRST) & (block <= _LAST)])
        if is_wrong.any():
            position = start + int(is_wrong.any(axis=1).argmax())
            check_name(column[position].item(), f"{name}[{position}]")

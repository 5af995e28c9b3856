"""Columns as they stand in a file, without a Python object for each cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas.columns import Codes

_LAST_ASCII: Final = 127
_ZERO, _POINT, _MINUS = b"0.-"
_MOST_DIGITS: Final = 18
"""Characters of a number whose digits fit into 64 bits."""
_TENS: Final = np.array([float(10**power) for power in range(_MOST_DIGITS + 1)])
_MOST_PADDING: Final = 16
"""How many times the size of a file a column may take when all its cells are as wide as one."""


class Cells(ABC):
    """A column that has no object for each cell until one asks for them."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, index: int) -> Any: ...

    @abstractmethod
    def tolist(self) -> list[Any]:
        """The cells as Python's values, None where there is none."""

    @abstractmethod
    def texts(self) -> NDArray[np.str_] | None:
        """The cells as fixed-width text, nothing if that takes an object for each."""

    @abstractmethod
    def floats(self) -> NDArray[np.float64] | None:
        """The cells as numbers, nothing if that takes an object for each."""

    @abstractmethod
    def integers(self) -> NDArray[np.int64] | None:
        """The cells as integers, nothing if that takes an object for each."""

    def distinct(self) -> tuple[Codes, list[Any]]:
        """Codes of the cells, and the cell of each code, in the order in which they appear."""
        return numbered(self.tolist())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())


@frozen(eq=False, repr=False)
class TextCells(Cells):
    r"""Cells of a column of text: where each begins and ends in what was read.

    An empty cell is none. No cell holds the character NUL, which fixed-width text of NumPy drops.

    Parameters
    ----------
    data : ndarray of uint8
        Text in UTF-8 that holds the cells and maybe more.
    starts, stops : ndarray of int64, shape (n,)
        Half-open range of each cell.

    Examples
    --------
    >>> data = np.frombuffer(b"cat,0.5\ndog,1.0\n", np.uint8)
    >>> labels = TextCells(data, np.array([0, 8]), np.array([3, 11]))
    >>> len(labels), labels[1], labels.tolist()
    (2, 'dog', ['cat', 'dog'])
    >>> TextCells(data, np.array([4, 12]), np.array([7, 15])).floats()
    array([0.5, 1. ])
    """

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> str | None:
        cell = self.data[self.starts[index] : self.stops[index]].tobytes()
        return cell.decode("utf-8") if cell else None

    def tolist(self) -> list[Any]:
        """The cells as Python's text, None where there is none."""
        texts = self._listed()
        return [text or None for text in texts] if self.has_empty else texts

    @property
    def has_empty(self) -> bool:
        """Whether a cell is empty."""
        return bool((self.starts == self.stops).any())

    def texts(self) -> NDArray[np.str_] | None:
        """The cells as fixed-width text; nothing if one is empty or far longer than the others.

        Examples
        --------
        >>> TextCells(np.frombuffer(b"cat", np.uint8), np.array([0]), np.array([3])).texts()
        array(['cat'], dtype='<U3')
        """
        if self.has_empty:
            return None
        characters = self._padded()
        if characters is None:
            return None
        if characters.max(initial=0) > _LAST_ASCII:
            return np.array(self._listed(), dtype=np.str_)
        wide = characters.astype(np.uint32)
        return wide.view(f"U{characters.shape[1]}").ravel()

    def floats(self) -> NDArray[np.float64] | None:
        """The cells as numbers, NaN where there is none; nothing if one is no finite number.

        A spelling that is a number to some programs alone counts as no number here.
        """
        filled = np.flatnonzero(self.starts < self.stops)
        characters = TextCells(self.data, self.starts[filled], self.stops[filled])._padded()
        if characters is None or not len(filled):
            return None
        values, is_known = _decimals(characters)
        others = np.flatnonzero(~is_known)
        numerals = _numerals(characters[others])
        if numerals is None:
            return None
        try:
            values[others] = numerals.astype(np.float64)
        except ValueError:
            return None
        numbers = np.full(len(self), np.nan)
        numbers[filled] = values
        return numbers if np.isfinite(values).all() else None

    def integers(self) -> NDArray[np.int64] | None:
        """The cells as integers of 64 bits; nothing if one is empty, or written as anything else.

        Examples
        --------
        >>> data = np.frombuffer(b"7,-12", np.uint8)
        >>> TextCells(data, np.array([0, 2]), np.array([1, 5])).integers()
        array([  7, -12])
        """
        characters = None if self.has_empty else self._padded()
        numerals = None if characters is None else _numerals(characters)
        try:
            return None if numerals is None else numerals.astype(np.int64)
        except (ValueError, OverflowError):
            return None

    def _listed(self) -> list[str]:
        characters = self._padded()
        if characters is None or characters.max(initial=0) > _LAST_ASCII:
            data = self.data.tobytes()
            spans = zip(self.starts.tolist(), self.stops.tolist(), strict=True)
            return [data[start:stop].decode("utf-8") for start, stop in spans]
        wide = characters.astype(np.uint32)
        listed: list[str] = wide.view(f"U{characters.shape[1]}").ravel().tolist()
        return listed

    def _padded(self) -> NDArray[np.uint8] | None:
        """The bytes of each cell in a row of its own, filled up with 0, if they fit into memory."""
        widths = self.stops - self.starts
        width = max(1, int(widths.max(initial=0)))
        if width * len(self) > _MOST_PADDING * max(len(self.data), 1):
            return None
        is_even = bool((widths == width).all())
        if is_even and (np.diff(self.starts) == width).all() and len(self):
            joined = self.data[self.starts[0] : self.stops[-1]]
            return joined.reshape(len(self), width)
        data = np.concatenate([self.data, np.zeros(width, np.uint8)])
        rows = np.lib.stride_tricks.sliding_window_view(data, width)[self.starts]
        if not is_even:
            rows[np.arange(width) >= widths[:, None]] = 0
        return rows


def _numerals(characters: NDArray[np.uint8]) -> NDArray[np.bytes_] | None:
    """Padded cells as bytes, if all of them are written in what NumPy and Python read alike."""
    if b"_" in characters.tobytes() or characters.max(initial=0) > _LAST_ASCII:
        return None
    return characters.view(f"S{characters.shape[1]}").ravel()


def _decimals(characters: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Numbers of padded cells, and which cells are plain decimals that these are the numbers of.

    The digits of such a cell are an integer below 2**53, and the power of ten that they are divided
    by is exact, too, so that their quotient is rounded once: as correctly as by any parser.
    """
    digits = characters[:, :_MOST_DIGITS].T.copy()
    units = np.zeros(len(characters), dtype=np.int64)
    places = np.zeros(len(characters), dtype=np.int64)
    has_digit, has_point = np.zeros((2, len(characters)), dtype=np.bool_)
    is_negative = digits[0] == _MINUS
    is_known = ~characters[:, _MOST_DIGITS:].any(axis=1)
    for position, column in enumerate(digits):
        values = column - np.uint8(_ZERO)
        is_digit, is_point = values < 10, column == _POINT
        units = np.where(is_digit, units * 10 + values, units)
        places += is_digit & has_point
        is_sign = is_negative if position == 0 else False
        is_known &= (is_digit | is_point | is_sign | (column == 0)) & ~(is_point & has_point)
        has_point |= is_point
        has_digit |= is_digit
    numbers = units / _TENS[places]
    return np.where(is_negative, -numbers, numbers), is_known & has_digit & (units < 2**53)


@frozen(eq=False, repr=False)
class NumberCells(Cells):
    """Cells of a column of JSON in which all are numbers.

    Parameters
    ----------
    numbers : ndarray of int64 or float64
        What they are; integers where all are written as integers.
    exactly : callable
        Gives the cells as they are written, where 1 differs from 1.0.

    Examples
    --------
    >>> cells = NumberCells(np.array([0.5, 1.0]), lambda: [0.5, 1])
    >>> cells.floats(), cells.tolist()
    (array([0.5, 1. ]), [0.5, 1])
    """

    numbers: NDArray[Any]
    exactly: Callable[[], list[Any]]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: int) -> Any:
        return self.tolist()[index]

    def tolist(self) -> list[Any]:
        """The cells as Python's integers and floats, as they are written."""
        is_told = self._are_integers or not (self.numbers == np.trunc(self.numbers)).any()
        listed: list[Any] = self.numbers.tolist() if is_told else self.exactly()
        return listed

    def texts(self) -> NDArray[np.str_] | None:
        """Whole numbers written out; nothing if they are none."""
        return digits(self.numbers) if self._are_integers else None

    def floats(self) -> NDArray[np.float64]:
        """The numbers."""
        return self.numbers.astype(np.float64)

    def integers(self) -> NDArray[np.int64] | None:
        """The numbers where they are written as integers."""
        return self.numbers if self._are_integers else None

    @property
    def _are_integers(self) -> bool:
        return self.numbers.dtype.kind == "i"


def digits(numbers: NDArray[Any]) -> NDArray[np.str_] | None:
    """Whole numbers as fixed-width text; nothing if there is none.

    Examples
    --------
    >>> digits(np.array([7, -12]))
    array(['7', '-12'], dtype='<U3')
    """
    if not len(numbers):
        return None
    width = max(len(str(numbers.min())), len(str(numbers.max())))
    return numbers.astype(f"U{width}")


def numbered(values: Sequence[Any]) -> tuple[Codes, list[Any]]:
    """Codes of values, and the value of each code, in the order in which they appear.

    Values of different types differ. Where one has no hash, as a list, each is one of its own.

    Examples
    --------
    >>> numbered(["cat", "dog", "cat"])
    (array([0, 1, 0]), ['cat', 'dog'])
    """
    # 1, 1.0 and True are one key of a dict; a column mostly has one type that compares like that.
    is_told_by_value = len(set(map(type, values)) - {str, type(None)}) <= 1
    keys = values if is_told_by_value else [(type(value), value) for value in values]
    try:
        known = list(dict.fromkeys(keys))
    except TypeError:
        return np.arange(len(values)), list(values)
    numbers = {key: code for code, key in enumerate(known)}
    codes = np.fromiter(map(numbers.__getitem__, keys), np.int64, len(values))
    return codes, known if is_told_by_value else [value for _, value in known]

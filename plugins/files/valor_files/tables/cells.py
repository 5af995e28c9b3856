"""Lazy columns that create Python objects only on request."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes


class Cells(ABC):
    """Column without a Python object for each cell."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, index: int) -> Any: ...

    @abstractmethod
    def tolist(self) -> list[Any]:
        """Cells as Python objects; missing cells are None."""

    @abstractmethod
    def texts(self) -> NDArray[np.str_] | None:
        """Cells as fixed-width text; None if the conversion needs Python objects."""

    @abstractmethod
    def floats(self) -> NDArray[np.float64] | None:
        """Cells as floats; None if the conversion needs Python objects."""

    @abstractmethod
    def integers(self) -> NDArray[np.int64] | None:
        """Cells as integers; None if the conversion needs Python objects."""

    def distinct(self) -> tuple[Codes, list[Any]]:
        """Code of each cell, and distinct cells in order of appearance."""
        return numbered(self.tolist())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())


@frozen(eq=False, repr=False)
class NumberCells(Cells):
    """Column of JSON numbers.

    Parameters
    ----------
    numbers : ndarray of int64 or float64
        Values; int64 if all cells are written as integers.
    exactly : callable
        Parses the cells again, keeping 1 and 1.0 apart.

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
        """Cells as integers or floats, as written in the file."""
        is_exact = self._are_integers or not (self.numbers == np.trunc(self.numbers)).any()
        listed: list[Any] = self.numbers.tolist() if is_exact else self.exactly()
        return listed

    def texts(self) -> NDArray[np.str_] | None:
        """Integers as text; None for floats."""
        return digits(self.numbers) if self._are_integers else None

    def floats(self) -> NDArray[np.float64]:
        """Cells as float64."""
        return self.numbers.astype(np.float64)

    def integers(self) -> NDArray[np.int64] | None:
        """Cells as int64; None if one is written as a float."""
        return self.numbers if self._are_integers else None

    @property
    def _are_integers(self) -> bool:
        return self.numbers.dtype.kind == "i"


def digits(numbers: NDArray[Any]) -> NDArray[np.str_] | None:
    """Convert integers to fixed-width text; None for an empty array.

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
    """Code of each value, and distinct values in order of appearance.

    Values of different types differ. If a value is not hashable, each value gets its own code.

    Examples
    --------
    >>> numbered(["cat", "dog", "cat"])
    (array([0, 1, 0]), ['cat', 'dog'])
    """
    # 1, 1.0 and True are equal keys, so keys need the type in columns of several numeric types.
    is_key = len(set(map(type, values)) - {str, type(None)}) <= 1
    keys = values if is_key else [(type(value), value) for value in values]
    try:
        distinct = list(dict.fromkeys(keys))
    except TypeError:
        return np.arange(len(values)), list(values)
    numbers = {key: code for code, key in enumerate(distinct)}
    codes = np.fromiter(map(numbers.__getitem__, keys), np.int64, len(values))
    return codes, distinct if is_key else [value for _, value in distinct]

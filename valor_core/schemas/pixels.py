"""Pixels: images of whole numbers, in memory or read strip by strip."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, shown
from valor_core.schemas.arrays import BY_CONTENT, read_only

Image = NDArray[np.integer[Any]]
"""Pixel values, one row of the array for each row of pixels."""


@runtime_checkable
class Pixels(Protocol):
    """An image whose rows can be read a few at a time; pickles."""

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width, in pixels."""

    @property
    def strip_rows(self) -> int:
        """Rows that are best read together."""

    def read(self, first: int, last: int) -> Image:
        """Rows from `first` up to, and without, `last`."""


Flags = NDArray[np.bool_]
"""Booleans, one row of the array for each row of pixels."""


def flags(values: Any, name: str) -> Flags:
    """An image of booleans: whether numbers are not 0.

    Parameters
    ----------
    values : array-like
        Booleans or numbers.
    name : str
        What a message calls them.

    Raises
    ------
    SchemaError
        If they are no rows and columns of these, or one is no number.

    Examples
    --------
    >>> flags([[0, 1]], "'cat'")
    array([[False,  True]])
    """
    array = _array(values, name)
    is_number = array.dtype.kind in "biu" or (
        array.dtype.kind == "f" and bool(np.isfinite(array).all())
    )
    if array.ndim != 2 or not is_number:
        raise SchemaError(
            f"{name}: expected rows and columns of pixels, true or false, got {shown(array)}"
        )
    return read_only(array != 0)


def _array(values: Any, name: str) -> NDArray[Any]:
    if np.ma.is_masked(values):
        raise SchemaError(
            f"{name}: expected an array without masked values",
            "Fill it, as in array.filled(255), and set ignore=255 if such pixels do not count.",
        )
    try:
        return np.asarray(values)
    except ValueError:
        raise SchemaError(f"{name}: expected rows of one length, got {shown(values)}") from None


def _image(values: Any) -> Image:
    array = _array(values, "pixels")
    if array.dtype == np.bool_:
        array = array.view(np.uint8)
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise SchemaError(f"pixels: expected rows and columns of whole numbers, got {shown(array)}")
    return read_only(np.ascontiguousarray(array))


@frozen
class InMemory:
    """Pixels of an array.

    Parameters
    ----------
    array : ndarray of whole numbers, shape (height, width)
        The values; of any integer type.

    Examples
    --------
    >>> InMemory([[0, 1, 1]]).shape
    (1, 3)
    """

    array: Image = field(eq=BY_CONTENT, converter=_image)

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        height, width = self.array.shape
        return height, width

    @property
    def strip_rows(self) -> int:
        """All rows."""
        return max(1, len(self.array))

    def read(self, first: int, last: int) -> Image:
        """Rows of the array itself."""
        return self.array[first:last]


def as_pixels(value: Any) -> Pixels:
    """The pixels that an array, or an object with the methods of `Pixels`, stands for."""
    if isinstance(value, InMemory):  # asked first, since asking for a protocol takes long
        return value
    if isinstance(value, np.ndarray) or not isinstance(value, Pixels):
        return InMemory(value)
    return value


def strips(
    shape: tuple[int, int], *sides: Pixels, most: int = 1 << 24
) -> Iterator[tuple[int, int]]:
    """Spans of rows, first and last, in which images of one shape are read side by side.

    Parameters
    ----------
    shape : (int, int)
        Height and width of all of them.
    *sides : Pixels
        The images.
    most : int
        Most pixels of a span, unless a single strip has more.

    Examples
    --------
    >>> list(strips((5, 10), InMemory(np.zeros((5, 10), np.uint8))))
    [(0, 5)]
    """
    height, width = shape
    step = max([side.strip_rows for side in sides], default=height)
    if step < height:
        step *= max(1, most // max(1, step * width))
    for first in range(0, height, max(1, step)):
        yield first, min(first + max(1, step), height)

"""Pixels: images of integers, in memory or read in strips."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, and_more, short_repr
from valor_core.schemas.columns import BY_CONTENT, check_not_masked, read_only, readable

_BACKGROUND = "0 is then background, unless it has a name: {0: …}."

MASKS = "Pass one mask per label: {'cat': mask, 'dog': mask}."
"""Remedy for boolean images of several labels."""


def remedy_for(array: NDArray[Any]) -> str | None:
    """Return how to convert an array to an image of integers, or None if unclear.

    Examples
    --------
    >>> print(remedy_for(np.full((3, 4, 5), 0.5)))
    Choose the label of each pixel: scores.argmax(axis=-3); 0 is then background, unless it has a \
name: {0: …}.
    >>> remedy_for(np.ones((2, 2)))
    'Convert them: image.astype(int).'
    """
    kind = array.dtype.kind
    if array.ndim == 2 and kind == "f":
        return _of_floats(array)
    if array.ndim != 3 or kind not in "fiub" or not array.size:
        return None
    axis = -3 if array.shape[0] <= array.shape[2] else -1
    if array.shape[axis] == 1:
        level = " >= 0.5" if kind == "f" and not _are_whole(array) else ""
        return f"Remove the axis of length 1: image.squeeze(axis={axis}){level}."
    if kind == "f":
        return f"Choose the label of each pixel: scores.argmax(axis={axis}); {_BACKGROUND}"
    if array.min() >= 0 and array.max() <= 1:
        return _of_masks(array)
    if array.shape[2] in (3, 4):
        return "Pass label numbers instead of colors; the reader png has a palette."
    return None


def _of_floats(array: NDArray[Any]) -> str:
    if _are_whole(array):
        return "Convert them: image.astype(int)."
    return (
        "Convert scores to labels: scores.argmax over the axis of the classes, or scores "
        ">= 0.5 for a single label."
    )


def _of_masks(masks: NDArray[Any]) -> str:
    for axis in (-3, -1):
        if bool((masks.sum(axis=axis) == 1).all()):
            return f"Choose the label of each pixel: masks.argmax(axis={axis}); {_BACKGROUND}"
    return MASKS


def _are_whole(array: NDArray[Any]) -> bool:
    return bool((np.isfinite(array) & (array == np.rint(array))).all())


Image = NDArray[np.integer[Any]]
"""Pixel values, shape (height, width)."""


@runtime_checkable
class Pixels(Protocol):
    """Picklable image that can be read a few rows at a time."""

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width, in pixels."""

    @property
    def strip_rows(self) -> int:
        """Best number of rows to read at once."""

    def read(self, first: int, last: int) -> Image:
        """Return the rows from `first` to `last` - 1."""


Flags = NDArray[np.bool_]
"""Boolean image, shape (height, width)."""


def flags(values: Any, name: str) -> Flags:
    """Convert booleans or integers to a boolean image; only 0 is false.

    Parameters
    ----------
    values : array-like
        Booleans, or integers of any type including floats.
    name : str
        Name of the image in error messages.

    Raises
    ------
    SchemaError
        If the values are not two-dimensional, or not integers.

    Examples
    --------
    >>> flags([[0, 1]], "'cat'")
    array([[False,  True]])
    """
    array = as_array(values, name)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise SchemaError(
            f"{name}: expected rows and columns of pixels, true or false, got {short_repr(array)}"
        )
    if array.dtype.kind == "f":
        _check_whole(array, name)
    return read_only(array != 0)


def _check_whole(array: NDArray[Any], name: str) -> None:
    """Raise a `SchemaError` for scores, almost all of which would be true."""
    invalid = np.argwhere(~(np.isfinite(array) & (array == np.rint(array))))
    if len(invalid):
        row, column = invalid[0].tolist()
        raise SchemaError(
            f"{name}: expected rows and columns of pixels, true or false, got "
            f"{array[row, column]} at row {row}, column {column}{and_more(len(invalid) - 1)}",
            "Apply a threshold to scores: scores >= 0.5.",
        )


def as_array(values: Any, name: str) -> NDArray[Any]:
    """Convert rows, a tensor or a picture to an array.

    Parameters
    ----------
    values : array-like
        Values in rows.
    name : str
        Name of the values in error messages.

    Raises
    ------
    SchemaError
        If rows differ in length, values are masked, or NumPy cannot read them.

    Examples
    --------
    >>> as_array([[1, 0]], "pixels")
    array([[1, 0]])
    """
    values = readable(values)
    check_not_masked(
        values,
        name,
        "Fill it, as in array.filled(255), and set ignore=255 if such pixels do not count.",
    )
    try:
        return np.asarray(values)
    except ValueError:
        raise SchemaError(
            f"{name}: expected rows of one length, got {short_repr(values)}"
        ) from None
    except (TypeError, RuntimeError) as error:
        raise SchemaError(
            f"{name}: expected an array, got {type(values).__name__}: {error}",
            "Pass a value that np.asarray converts to an array.",
        ) from error


def _image(values: Any) -> Image:
    array = as_array(values, "pixels")
    if array.ndim != 2 or array.dtype.kind not in "iub":
        raise SchemaError(
            f"pixels: expected rows and columns of whole numbers, got {short_repr(array)}",
            remedy_for(array),
        )
    if array.dtype == np.bool_:
        array = array.view(np.uint8)
    return read_only(np.ascontiguousarray(array))


def size_words(image: NDArray[Any] | Pixels) -> str:
    """Return the size of an image for error messages.

    Examples
    --------
    >>> size_words(np.zeros((2, 3)))
    '2 by 3'
    """
    return " by ".join(map(str, image.shape))


@frozen
class ImageInMemory:
    """Pixels in memory.

    Parameters
    ----------
    array : ndarray of whole numbers, shape (height, width)
        Pixel values of any integer type.

    Examples
    --------
    >>> ImageInMemory([[0, 1, 1]]).shape
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
        """Return a view of the rows."""
        return self.array[first:last]


def as_pixels(value: Any) -> Pixels:
    """Convert an array to pixels; objects with the methods of `Pixels` are returned unchanged."""
    if isinstance(value, ImageInMemory):  # first, since checking a protocol is slow
        return value
    if isinstance(value, np.ndarray) or not isinstance(value, Pixels):
        return ImageInMemory(value)
    return value

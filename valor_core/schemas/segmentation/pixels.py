"""Pixels: images of whole numbers, in memory or read strip by strip."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, and_more, shown
from valor_core.schemas.columns import BY_CONTENT, check_not_masked, read_only, readable

_BACKGROUND = "0 is then background, unless it has a name: {0: …}."

MASKS = "Give Segmentation a mask for each label: {'cat': mask, 'dog': mask}."
"""The remedy for images of true and false that belong to several labels."""


def remedy_for(array: NDArray[Any]) -> str | None:
    """How to make an image of whole numbers of an array that is none; None where nobody knows.

    Examples
    --------
    >>> print(remedy_for(np.full((3, 4, 5), 0.5)))
    Take the label of each pixel, scores.argmax(axis=-3); 0 is then background, unless it has a \
name: {0: …}.
    >>> remedy_for(np.ones((2, 2)))
    'Make whole numbers of them: image.astype(int).'
    """
    kind = array.dtype.kind
    if array.ndim == 2 and kind == "f":
        return _of_floats(array)
    if array.ndim != 3 or kind not in "fiub" or not array.size:
        return None
    axis = -3 if array.shape[0] <= array.shape[2] else -1
    if array.shape[axis] == 1:
        level = " >= 0.5" if kind == "f" and not _are_whole(array) else ""
        return f"Leave out the axis of length 1: image.squeeze(axis={axis}){level}."
    if kind == "f":
        return f"Take the label of each pixel, scores.argmax(axis={axis}); {_BACKGROUND}"
    if array.min() >= 0 and array.max() <= 1:
        return _of_masks(array)
    if array.shape[2] in (3, 4):
        return "Give the number of a label, not a color; the reader png has a palette."
    return None


def _of_floats(array: NDArray[Any]) -> str:
    if _are_whole(array):
        return "Make whole numbers of them: image.astype(int)."
    return (
        "Make labels of scores: scores.argmax over the axis of the classes, or scores >= 0.5 where "
        "there is one label."
    )


def _of_masks(masks: NDArray[Any]) -> str:
    for axis in (-3, -1):
        if bool((masks.sum(axis=axis) == 1).all()):
            return f"Take the label of each pixel, masks.argmax(axis={axis}); {_BACKGROUND}"
    return MASKS


def _are_whole(array: NDArray[Any]) -> bool:
    return bool((np.isfinite(array) & (array == np.rint(array))).all())


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
        Booleans or whole numbers, which may be floats.
    name : str
        What a message calls them.

    Raises
    ------
    SchemaError
        If they are no rows and columns of these, or one is no whole number.

    Examples
    --------
    >>> flags([[0, 1]], "'cat'")
    array([[False,  True]])
    """
    array = as_array(values, name)
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise SchemaError(
            f"{name}: expected rows and columns of pixels, true or false, got {shown(array)}"
        )
    if array.dtype.kind == "f":
        _check_whole(array, name)
    return read_only(array != 0)


def _check_whole(array: NDArray[Any], name: str) -> None:
    """Refuse scores, none of which would be false unless it is 0."""
    strange = np.argwhere(~(np.isfinite(array) & (array == np.rint(array))))
    if len(strange):
        row, column = strange[0].tolist()
        raise SchemaError(
            f"{name}: expected rows and columns of pixels, true or false, got "
            f"{array[row, column]} at row {row}, column {column}{and_more(len(strange) - 1)}",
            "Cut scores at a threshold: scores >= 0.5.",
        )


def as_array(values: Any, name: str) -> NDArray[Any]:
    """The array that rows, a tensor or a picture makes.

    Parameters
    ----------
    values : array-like
        What has rows.
    name : str
        What a message calls them.

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
        raise SchemaError(f"{name}: expected rows of one length, got {shown(values)}") from None
    except (TypeError, RuntimeError) as error:
        raise SchemaError(
            f"{name}: expected an array, got {type(values).__name__}: {error}",
            "Pass what np.asarray makes an array of.",
        ) from error


def _image(values: Any) -> Image:
    array = as_array(values, "pixels")
    if array.ndim != 2 or array.dtype.kind not in "iub":
        raise SchemaError(
            f"pixels: expected rows and columns of whole numbers, got {shown(array)}",
            remedy_for(array),
        )
    if array.dtype == np.bool_:
        array = array.view(np.uint8)
    return read_only(np.ascontiguousarray(array))


def size_words(image: NDArray[Any] | Pixels) -> str:
    """How a message calls the size of an image.

    Examples
    --------
    >>> size_words(np.zeros((2, 3)))
    '2 by 3'
    """
    return " by ".join(map(str, image.shape))


@frozen
class ImageInMemory:
    """Pixels of an array.

    Parameters
    ----------
    array : ndarray of whole numbers, shape (height, width)
        The values; of any integer type.

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
        """Rows of the array itself."""
        return self.array[first:last]


def as_pixels(value: Any) -> Pixels:
    """The pixels that an array, or an object with the methods of `Pixels`, stands for."""
    if isinstance(value, ImageInMemory):  # asked first, since asking for a protocol takes long
        return value
    if isinstance(value, np.ndarray) or not isinstance(value, Pixels):
        return ImageInMemory(value)
    return value

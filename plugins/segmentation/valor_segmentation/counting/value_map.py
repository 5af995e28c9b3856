"""Codes of pixels, looked up by value in a legend."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, and_more
from valor_core.schemas import Codes
from valor_core.schemas.segmentation import Image, LabelImage, Legend

LabelCodes = NDArray[np.signedinteger[Any]]

_NONE = -3  # below BACKGROUND and IGNORED


def smallest_type(meanings: NDArray[np.int64]) -> LabelCodes:
    """Convert integers to the smallest type that holds them.

    Examples
    --------
    >>> smallest_type(np.array([-2, 100])).dtype
    dtype('int8')
    """
    kind = np.min_scalar_type(min(_NONE, -1 - int(meanings.max(initial=0))))
    narrowed: LabelCodes = meanings.astype(kind)
    return narrowed


def map_values(
    image: Image, legend: Legend, meanings: LabelCodes, where: str, lengths: Codes | None = None
) -> LabelCodes:
    """Map every pixel of an image to the code of its value.

    Parameters
    ----------
    image : ndarray of whole numbers
        Pixel values.
    legend : Legend
        Legend with the values.
    meanings : ndarray of int, shape (v,)
        Code of each value of the legend; -2 or more.
    where : str
        Name of the image in messages.
    lengths : ndarray of int64, optional
        Number of pixels that each value represents; 1 by default.

    Returns
    -------
    ndarray of int
        Codes in the shape of the image and the type of `meanings`.

    Raises
    ------
    SchemaError
        If a pixel has a value that is not in the legend.

    Examples
    --------
    >>> legend = Legend.of_labels(2)
    >>> map_values(np.array([[0, 2]]), legend, legend.codes, "item 'a'")
    array([[-1,  1]])
    """
    if image.dtype.itemsize <= 2:
        found = _by_table(image, legend, meanings)
    else:
        found = _by_search(image, legend, meanings)
    is_unknown = found == _NONE
    if is_unknown.any():
        values = np.unique(image[is_unknown])
        is_first = image == values[0]
        count = np.count_nonzero(is_first) if lengths is None else int(lengths[is_first].sum())
        pixels = f"at {count:,} pixels{and_more(len(values) - 1)}"
        raise unknown_value(where, int(values[0]), pixels)
    return found


def unknown_value(where: str, value: int, pixels: str) -> SchemaError:
    """Make the error for a pixel value outside of the legend.

    Parameters
    ----------
    where : str
        Item and side.
    value : int
        The value.
    pixels : str
        Description of the pixels.

    Examples
    --------
    >>> unknown_value("item 'a', prediction", 7, "at 3 pixels").message
    "item 'a', prediction: expected the value of a label, got 7 at 3 pixels"
    """
    return SchemaError(
        f"{where}: expected the value of a label, got {value} {pixels}",
        f"Name {value} in data.values of a config (instead of data.labels), as null if it is "
        f"background, or in data.ignore if it is in a ground truth and does not count; in Python, "
        f"labels={{{value}: None}} or ignore={value}.",
    )


def label_codes(one: LabelImage, image: Image, where: str) -> LabelCodes:
    """Label codes of rows of a label image.

    Examples
    --------
    >>> label_codes(LabelImage([[0, 1]], Legend.of_labels(1)), np.array([[1, 0]]), "item 'a'")
    array([[ 0, -1]], dtype=int8)
    """
    return map_values(image, one.legend, smallest_type(one.legend.codes), where)


def _by_table(image: Image, legend: Legend, meanings: LabelCodes) -> LabelCodes:
    bounds = np.iinfo(image.dtype)
    table = np.full(bounds.max - bounds.min + 1, _NONE, meanings.dtype)
    possible = (legend.values >= bounds.min) & (legend.values <= bounds.max)
    # A negative index counts from the end: the negative values of an int8 are at the end.
    table[legend.values[possible]] = meanings[possible]
    found: LabelCodes = table.take(image)
    return found


def _by_search(image: Image, legend: Legend, meanings: LabelCodes) -> LabelCodes:
    values, positions = legend.of_type(image.dtype)  # of unlike types, 2**53 + 1 would be 2**53
    if not len(values):
        return np.full(image.shape, _NONE, meanings.dtype)
    indices = np.searchsorted(values, image)
    np.minimum(indices, len(values) - 1, out=indices)
    found = meanings[positions[indices]]
    found[values[indices] != image] = _NONE
    return found

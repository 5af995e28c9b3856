"""Lookup: what a legend says of every pixel of an image."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, and_more
from valor_core.schemas.pixels import Image, Pixels, strips
from valor_core.schemas.segmentation import BACKGROUND, LabelMap, Legend

Meanings = NDArray[np.signedinteger[Any]]

_NONE = -3  # below BACKGROUND and IGNORED


def narrow(meanings: NDArray[np.int64]) -> Meanings:
    """The same whole numbers in as few bytes as hold them.

    Examples
    --------
    >>> narrow(np.array([-2, 100])).dtype
    dtype('int8')
    """
    kind = np.min_scalar_type(min(_NONE, -1 - int(meanings.max(initial=0))))
    narrowed: Meanings = meanings.astype(kind)
    return narrowed


def looked_up(image: Image, legend: Legend, meanings: Meanings, place: str) -> Meanings:
    """The meaning of every pixel of an image.

    Parameters
    ----------
    image : ndarray of whole numbers
        Pixel values.
    legend : Legend
        Which values there are.
    meanings : ndarray of int, shape (v,)
        What stands for each value of the legend; -2 or more.
    place : str
        What a message calls the image.

    Returns
    -------
    ndarray of int
        As large as the image, of the type of `meanings`.

    Raises
    ------
    SchemaError
        If a pixel has a value that is not in the legend.

    Examples
    --------
    >>> legend = Legend.of_labels(2)
    >>> looked_up(np.array([[0, 2]]), legend, legend.codes, "item 'a'")
    array([[-1,  1]])
    """
    if image.dtype.itemsize <= 2:
        found = _by_table(image, legend, meanings)
    else:
        found = _by_search(image, legend, meanings)
    is_unknown = found == _NONE
    if is_unknown.any():
        values, counts = np.unique(image[is_unknown], return_counts=True)
        raise SchemaError(
            f"{place}: expected pixel values that have a label, got {values[0]} at "
            f"{counts[0]:,} pixels{and_more(len(values) - 1)}",
            "Give the value a label, or name it as the one to ignore.",
        )
    return found


def blocks(shape: tuple[int, int], *sides: Pixels, most: int) -> Iterator[tuple[int, int]]:
    """Spans of rows that are looked at together, parts of the strips that are read best.

    Parameters
    ----------
    shape : (int, int)
        Height and width of the images.
    *sides : Pixels
        The images.
    most : int
        Most pixels of a span, unless a row has more.

    Examples
    --------
    >>> from valor_core.schemas.pixels import InMemory
    >>> list(blocks((5, 10), InMemory(np.zeros((5, 10), np.uint8)), most=20))
    [(0, 2), (2, 4), (4, 5)]
    """
    step = max(1, most // max(1, shape[1]))
    for first, last in strips(shape, *sides, most=most):
        for start in range(first, last, step):
            yield start, min(start + step, last)


def codes(one: LabelMap | None, first: int, last: int, width: int, place: str) -> Meanings:
    """Label codes of some rows of a label map; of none, all background.

    Examples
    --------
    >>> codes(LabelMap([[0, 1]], Legend.of_labels(1)), 0, 1, 2, "item 'a'")
    array([[-1,  0]], dtype=int8)
    """
    if one is None:
        return np.full((last - first, width), BACKGROUND, np.int8)
    image = one.pixels.read(first, last)
    return looked_up(image, one.legend, narrow(one.legend.codes), place)


def _by_table(image: Image, legend: Legend, meanings: Meanings) -> Meanings:
    bounds = np.iinfo(image.dtype)
    table = np.full(bounds.max - bounds.min + 1, _NONE, meanings.dtype)
    possible = (legend.values >= bounds.min) & (legend.values <= bounds.max)
    # A negative index counts from the end, where the negative values of an int8 then are.
    table[legend.values[possible]] = meanings[possible]
    found: Meanings = table[image]
    return found


def _by_search(image: Image, legend: Legend, meanings: Meanings) -> Meanings:
    if not len(legend.values):
        return np.full(image.shape, _NONE, meanings.dtype)
    places = np.searchsorted(legend.values, image)
    np.minimum(places, len(legend.values) - 1, out=places)
    found = meanings[places]
    found[legend.values[places] != image] = _NONE
    return found

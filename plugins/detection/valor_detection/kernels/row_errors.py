"""Errors of kernels for invalid rows, and limits of sizes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError
from valor_core.schemas import Codes

FARTHEST = 100_000_000
"""Maximum coordinate of polygons."""

MOST_PIXELS = 2**31 - 1
"""Maximum number of pixels of an image with masks."""

MOST_CROSSED = 20_000_000
"""Maximum number of columns that the edges of an object's polygons cross; drawing takes seconds.

Outlines of objects cross thousands of columns, and a million if they wind through large images.
"""

MOST_PREDICTIONS = 2**31 - 1
"""Maximum number of predictions ranked together: ranks are 32-bit integers."""

NO_TEXT = "expected COCO's compressed run lengths"
"""Error message for invalid compressed run lengths."""


class RowError(SchemaError):
    """Error for an invalid row of a column. Callers replace the row number with a location.

    Parameters
    ----------
    row : int
        Index of the first invalid row.
    sentence : str
        Expectation and finding.

    Examples
    --------
    >>> print(RowError(3, "expected run lengths, got 'a'"))
    row 3: expected run lengths, got 'a'
    >>> print(RowError(3, "expected run lengths, got 'a'").at("results.json, annotation 4"))
    results.json, annotation 4: expected run lengths, got 'a'
    """

    def __init__(self, row: int, sentence: str) -> None:
        super().__init__(f"row {row}: {sentence}")
        self.row = row
        self.sentence = sentence

    def at(self, place: str) -> SchemaError:
        """Return the error with the location `place`."""
        return SchemaError(f"{place}: {self.sentence}")

    def __reduce__(self) -> tuple[object, ...]:
        return RowError, (self.row, self.sentence)


def check_pixels(sizes: Codes) -> None:
    """Raise a `RowError` unless the pixels of every row's image can be counted in 31 bits.

    Examples
    --------
    >>> check_pixels(np.array([[1 << 20, 1 << 20]]))
    Traceback (most recent call last):
        ...
    valor_detection.kernels.row_errors.RowError: row 0: expected an image of at most 2 billion
    pixels, found 1048576 by 1048576
    """
    large = np.flatnonzero(is_large(sizes))
    if len(large):
        raise RowError(int(large[0]), large_sentence(sizes[large[0]]))


def check_predictions(count: int) -> None:
    """Raise a `SchemaError` if there are more predictions than can be ranked together.

    Examples
    --------
    >>> check_predictions(1 << 31)
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: predictions: expected at most 2,147,483,647 in one evaluation,
    found 2,147,483,648
    Exclude predictions with low scores, or evaluate parts of the images separately.
    """
    if count > MOST_PREDICTIONS:
        raise SchemaError(
            f"predictions: expected at most {MOST_PREDICTIONS:,} in one evaluation, "
            f"found {count:,}",
            "Exclude predictions with low scores, or evaluate parts of the images separately.",
        )


def is_large(sizes: Codes) -> NDArray[np.bool_]:
    """Return True for rows whose image has too many pixels or an invalid size.

    Examples
    --------
    >>> is_large(np.array([[1 << 20, 1 << 20], [480, 640]]))
    array([ True, False])
    """
    no_side = ((sizes < 0) | (sizes > MOST_PIXELS)).any(axis=1)
    large: NDArray[np.bool_] = no_side | (np.minimum(sizes, MOST_PIXELS).prod(axis=1) > MOST_PIXELS)
    return large


def large_sentence(size: Codes) -> str:
    """Return the error message for an image with too many pixels.

    Examples
    --------
    >>> large_sentence(np.array([1 << 20, 1 << 20]))
    'expected an image of at most 2 billion pixels, found 1048576 by 1048576'
    """
    height, width = size.tolist()
    return f"expected an image of at most 2 billion pixels, found {height} by {width}"

"""Rows that a kernel cannot work on."""

from __future__ import annotations

import numpy as np

from valor_core.errors import SchemaError
from valor_core.schemas.arrays import Codes

FARTHEST = 100_000_000
"""Largest coordinate of a polygon that is drawn, and side of an image."""

MOST_PIXELS = 2**31 - 1
"""Most pixels of an image with masks."""

NO_TEXT = "expected COCO's compressed run lengths"
NO_RASTER = "expected coordinates within 100 million pixels, and an image of at most 2 billion"
"""Expectations that both implementations state."""


class RowError(SchemaError):
    """A row of a column is not what a kernel expects; whoever knows what it holds names it.

    Parameters
    ----------
    row : int
        The first such row.
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
        """The same error found at `place`."""
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
    valor_detection.kernels.rows.RowError: row 0: expected an image of at most 2 billion pixels,
    got 1048576 by 1048576
    """
    sides = np.minimum(sizes, FARTHEST)
    large = np.flatnonzero((sides[:, 0] * sides[:, 1] > MOST_PIXELS) | (sizes < 0).any(axis=1))
    if len(large):
        height, width = sizes[large[0]].tolist()
        sentence = f"expected an image of at most 2 billion pixels, got {height} by {width}"
        raise RowError(int(large[0]), sentence)

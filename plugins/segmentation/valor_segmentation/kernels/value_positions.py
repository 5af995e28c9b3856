"""Positions of pixel values in a table of counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, short_repr
from valor_core.schemas import Codes
from valor_core.schemas.segmentation import Image


@frozen(eq=False)
class ValuePositions:
    """Rows or columns of a table of counts, by pixel value.

    Parameters
    ----------
    values : ndarray of int64, shape (v,)
        Pixel values, ascending.
    positions : ndarray of int64, shape (v,)
        Row or column of each; several values may share one.
    """

    values: Codes
    positions: Codes
    derived: dict[Any, Any] = field(factory=dict, init=False)
    """Tables that kernels derived from the values, cached for the next image."""

    def __attrs_post_init__(self) -> None:
        if len(self.values) != len(self.positions):
            raise SchemaError(
                f"positions: expected {len(self.values):,}, one for each value, got "
                f"{len(self.positions):,}"
            )

    def check_positions(self, count: int) -> None:
        """Raise a `SchemaError` if a position is outside of the table.

        Parameters
        ----------
        count : int
            Number of positions in the table.
        """
        outside = (self.positions < 0) | (self.positions >= count)
        if outside.any():
            raise SchemaError(
                f"positions: expected 0 to {count - 1:,}, got {self.positions[outside][0]}"
            )

    def of_type(self, dtype: np.dtype[Any]) -> tuple[NDArray[Any], Codes]:
        """Return the values within the range of a pixel type, in that type, and their positions."""
        limits = np.iinfo(dtype)
        fits = self.values >= limits.min
        if limits.max < np.iinfo(np.int64).max:
            fits &= self.values <= limits.max
        return self.values[fits].astype(dtype), self.positions[fits]

    def unknown(self, image: Image) -> tuple[int, int, int] | None:
        """Row, column and value of the first pixel without a position, or None.

        Examples
        --------
        >>> positions = ValuePositions(np.array([0, 1]), np.array([0, 1]))
        >>> positions.unknown(np.array([[0, 1], [1, 7]]))
        (1, 1, 7)
        """
        values, _ = self.of_type(image.dtype)
        for row, pixels in enumerate(image):
            strange = np.flatnonzero(~np.isin(pixels, values))
            if len(strange):
                return row, int(strange[0]), int(pixels[strange[0]])
        return None


Pair = tuple[Image, ValuePositions, Image, ValuePositions]
"""True image and positions of its values, predicted image and positions of its values."""


def flat(pair: Pair) -> tuple[Image, Image]:
    """Flatten both images into contiguous rows in native byte order.

    Raises
    ------
    SchemaError
        If pixels are not whole numbers, or the shapes differ.

    Examples
    --------
    >>> positions = ValuePositions(np.array([0, 1]), np.array([0, 1]))
    >>> flat((np.array([[0, 1], [1, 1]]), positions, np.array([[0, 1]]), positions))
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: images: expected 2 by 2 pixels on both sides, got 1 by 2
    """
    truth, _, prediction, _ = pair
    if truth.shape != prediction.shape:
        expected, found = (" by ".join(map(str, one.shape)) for one in (truth, prediction))
        raise SchemaError(f"images: expected {expected} pixels on both sides, got {found}")
    return _flat(truth), _flat(prediction)


def _flat(image: Image) -> Image:
    if image.dtype.kind not in "iu":
        raise SchemaError(f"images: expected whole numbers, got {short_repr(image)}")
    native = image.dtype.newbyteorder("=")
    return np.require(image, native, ["C", "ALIGNED"]).reshape(-1)

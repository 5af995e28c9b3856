"""Places: where in a table the pixels of an image are counted."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.schemas.arrays import Codes
from valor_core.schemas.pixels import Image


@frozen(eq=False)
class Places:
    """The rows, or columns, of a table in which pixel values are counted.

    Parameters
    ----------
    values : ndarray of int64, shape (v,)
        Pixel values, ascending.
    positions : ndarray of int64, shape (v,)
        Row or column of each; several values may share one.
    """

    values: Codes
    positions: Codes
    known: dict[Any, Any] = field(factory=dict, init=False)
    """What kernels made of it, for the next image."""

    def of_type(self, dtype: np.dtype[Any]) -> tuple[NDArray[Any], Codes]:
        """The values that a type of pixels can have, in that type, and their positions."""
        limits = np.iinfo(dtype)
        fits = self.values >= limits.min
        if limits.max < np.iinfo(np.int64).max:
            fits &= self.values <= limits.max
        return self.values[fits].astype(dtype), self.positions[fits]

    def unknown(self, image: Image) -> tuple[int, int, int] | None:
        """First pixel with another value: its row, its column and its value.

        Examples
        --------
        >>> Places(np.array([0, 1]), np.array([0, 1])).unknown(np.array([[0, 1], [1, 7]]))
        (1, 1, 7)
        """
        values, _ = self.of_type(image.dtype)
        for row, pixels in enumerate(image):
            strange = np.flatnonzero(~np.isin(pixels, values))
            if len(strange):
                return row, int(strange[0]), int(pixels[strange[0]])
        return None


Pair = tuple[Image, Places, Image, Places]
"""A true image, where its pixels are counted, and the same of the predicted image."""


def flat(image: Image) -> Image:
    """The pixels as one contiguous row in this machine's byte order."""
    native = image.dtype.newbyteorder("=")
    return np.ascontiguousarray(image, dtype=native).reshape(-1)

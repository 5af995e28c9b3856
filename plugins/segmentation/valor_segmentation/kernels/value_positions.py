"""Places: where in a table the pixels of an image are counted."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, shown
from valor_core.schemas import Codes
from valor_core.schemas.segmentation import Image


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
    """Tables that kernels derived from the values, for the next image."""

    def __attrs_post_init__(self) -> None:
        if len(self.values) != len(self.positions):
            raise SchemaError(
                f"positions: expected {len(self.values):,}, one for each value, got "
                f"{len(self.positions):,}"
            )

    def check_positions(self, count: int) -> None:
        """Raise a `SchemaError` if a value is to be counted outside of a table.

        Parameters
        ----------
        count : int
            Positions that there are.
        """
        outside = (self.positions < 0) | (self.positions >= count)
        if outside.any():
            raise SchemaError(
                f"positions: expected 0 to {count - 1:,}, got {self.positions[outside][0]}"
            )

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


def flat(pair: Pair) -> tuple[Image, Image]:
    """The pixels of both images, each as one contiguous row in this machine's byte order.

    Raises
    ------
    SchemaError
        If they are no whole numbers, or not as many on both sides.

    Examples
    --------
    >>> places = Places(np.array([0, 1]), np.array([0, 1]))
    >>> flat((np.array([[0, 1], [1, 1]]), places, np.array([[0, 1]]), places))
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
        raise SchemaError(f"images: expected whole numbers, got {shown(image)}")
    native = image.dtype.newbyteorder("=")
    return np.require(image, native, ["C", "ALIGNED"]).reshape(-1)

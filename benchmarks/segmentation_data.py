"""Label images like those of images, and maps of noise, from a fixed seed."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

Maps = NDArray[np.integer[Any]]

_SHAPES = 80  # of an image
_PRESENT = 12  # labels of an image
_SPECKS = 0.002  # pixels of a prediction that are wrong by themselves
_WRONG = 0.08  # shapes of a prediction that have another label


@frozen
class Recipe:
    """What maps are made.

    Parameters
    ----------
    count, side : int
        Images, and pixels of a side.
    labels : int
        Values, background among them.
    dtype : str
        Type of the pixels.
    is_noise : bool
        Whether each pixel is drawn by itself.
    seen_dtype : str
        Type of predicted pixels, `dtype` by default.
    """

    count: int
    side: int
    labels: int
    dtype: str
    is_noise: bool = False
    seen_dtype: str = field()

    @seen_dtype.default
    def _same(self) -> str:
        return self.dtype

    @property
    def pixels(self) -> int:
        """Pixels of one side."""
        return self.count * self.side**2

    @property
    def megabytes(self) -> float:
        """Memory of both sides."""
        sides = self.dtype, self.seen_dtype
        return self.pixels * sum(np.dtype(one).itemsize for one in sides) / 1e6


def made(recipe: Recipe, seed: int) -> tuple[Maps, Maps]:
    """True and predicted maps, shapes (count, side, side)."""
    generator = np.random.default_rng([seed, recipe.labels, recipe.side])
    draw = _noise if recipe.is_noise else _blobs
    pairs = [draw(generator, recipe.side, recipe.labels) for _ in range(recipe.count)]
    true, seen = (np.stack(side) for side in zip(*pairs, strict=True))
    return true.astype(recipe.dtype), seen.astype(recipe.seen_dtype)


def _noise(generator: np.random.Generator, side: int, labels: int) -> tuple[Maps, Maps]:
    """Values drawn pixel by pixel; seven in ten predictions are true."""
    true, other = generator.integers(0, labels, (2, side, side), dtype=np.uint8)
    return true, np.where(generator.random((side, side), dtype=np.float32) < 0.7, true, other)


def _blobs(generator: np.random.Generator, side: int, labels: int) -> tuple[Maps, Maps]:
    """Boxes and ellipses, in the prediction a little aside, and specks."""
    present = generator.choice(labels, min(labels, _PRESENT), replace=False)
    true = np.full((side, side), present[0], np.uint8)
    seen = true.copy()
    for _ in range(_SHAPES):
        is_ellipse = bool(generator.integers(2))
        center = generator.integers(0, side, 2)
        radius = (side * generator.beta(1.2, 9, 2) * 0.6 + 2).astype(int)
        label, other = generator.choice(present, 2)
        _paint(true, is_ellipse, center, radius, label)
        aside = generator.integers(-3, 4, (2, 2)) * max(1, side // 1024)
        guess = other if generator.random() < _WRONG else label
        _paint(seen, is_ellipse, center + aside[0], np.maximum(1, radius + aside[1]), guess)
    specks = generator.integers(0, side, (2, int(side**2 * _SPECKS)))
    seen[*specks] = generator.choice(present, specks.shape[1])
    return true, seen


def _paint(image: Maps, is_ellipse: bool, center: Any, radius: Any, value: int) -> None:
    low = np.maximum(0, center - radius)
    high = np.minimum(len(image), center + radius + 1)
    part = image[low[0] : high[0], low[1] : high[1]]
    if not is_ellipse:
        part[...] = value
        return
    rows, columns = (
        ((np.arange(first, last, dtype=np.float32) - middle) / size) ** 2
        for first, last, middle, size in zip(low, high, center, radius, strict=True)
    )
    part[rows[:, None] + columns <= 1] = value

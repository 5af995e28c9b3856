"""Iteration over the images of a layer in threads, and over the rows of both sides of an image."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
from attrs import frozen

from valor_core.kernels import map_spans, spans_of_equal_cost
from valor_core.schemas.segmentation import BACKGROUND, Image, LabelImage, Layer, Legend, Pixels

T = TypeVar("T")

_THREAD_PIXELS = 1 << 18  # pixels worth a thread, if they are only counted
_EDGE_WORK = 4  # work per pixel with neighbours or segments, in units of counting


@frozen
class Blank:
    """Pixels of an image of zeros that takes no memory.

    Parameters
    ----------
    shape : (int, int)
        Height and width.
    """

    shape: tuple[int, int]
    strip_rows: int = 1

    def read(self, first: int, last: int) -> Image:
        """Rows of zeros."""
        return np.broadcast_to(np.uint8(0), (last - first, self.shape[1]))


def with_blank_side(
    true: LabelImage | None, predicted: LabelImage | None
) -> tuple[LabelImage, LabelImage] | None:
    """Return both sides of an image, with background for a missing one; None if both are missing.

    Examples
    --------
    >>> true, predicted = with_blank_side(LabelImage([[1]], Legend.of_labels(1)), None)
    >>> predicted.pixels.shape, predicted.legend.codes
    ((1, 1), array([-1]))
    """
    if true is not None and predicted is not None:
        return true, predicted
    there = true or predicted
    if there is None:
        return None
    blank = LabelImage(Blank(there.pixels.shape), Legend.of({0: BACKGROUND}))
    return true or blank, predicted or blank


def strips(
    shape: tuple[int, int], *sides: Pixels, most: int = 1 << 24
) -> Iterator[tuple[int, int]]:
    """Spans of rows, first and last, in which images of one shape are read together.

    Parameters
    ----------
    shape : (int, int)
        Height and width of all of them.
    *sides : Pixels
        The images.
    most : int
        Maximum number of pixels of a span, unless a single strip has more.

    Examples
    --------
    >>> list(strips((5, 10), LabelImage(np.zeros((5, 10), int), Legend.of_labels(1)).pixels))
    [(0, 5)]
    """
    height, width = shape
    step = max([side.strip_rows for side in sides], default=height)
    if step < height:
        step *= max(1, most // max(1, step * width))
    for first in range(0, height, max(1, step)):
        yield first, min(first + max(1, step), height)


def row_blocks(
    true: LabelImage, predicted: LabelImage, where: str, *, most: int
) -> Iterator[tuple[Image, Image]]:
    """Yield blocks of rows of two images, from strips that are read once.

    A strip is freed once its blocks are deleted, if that is before the next block is made.

    Parameters
    ----------
    true, predicted : LabelImage
        Both sides of an image.
    where : str
        Name of the image in messages.
    most : int
        Maximum number of pixels of a block, unless a row has more.

    Examples
    --------
    >>> one = LabelImage(np.zeros((5, 10), np.uint8), Legend.of_labels(1))
    >>> [len(rows) for rows, _ in row_blocks(one, one, "item 'a'", most=20)]
    [2, 2, 1]
    """
    shape = true.pixels.shape
    step = max(1, most // max(1, shape[1]))
    for first, last in strips(shape, true.pixels, predicted.pixels, most=most):
        images = [
            true.read(first, last, f"{where}, groundtruth"),
            predicted.read(first, last, f"{where}, prediction"),
        ]
        for start in range(0, last - first, step):
            yield images[0][start : start + step], images[1][start : start + step]
        del images  # before the next ones are read


def map_images(task: Callable[[int, LabelImage, LabelImage], T], layer: Layer) -> list[T]:
    """Call a task for each image, in threads, and return its results in order.

    Parameters
    ----------
    task : callable
        Called with the position of an image and its two sides, unless both are missing.
    layer : Layer
        The images.

    Examples
    --------
    >>> one = LabelImage([[0, 1]], Legend.of_labels(1))
    >>> map_images(lambda position, true, predicted: position, Layer([None, one], [None, one]))
    [1]
    """
    pairs = list(map(with_blank_side, layer.groundtruths, layer.predictions))

    def images(first: int, last: int) -> list[T]:
        numbered = enumerate(pairs[first:last], first)
        return [task(position, *pair) for position, pair in numbered if pair is not None]

    return [result for part in over_spans(images, layer, _EDGE_WORK) for result in part]


def over_spans(task: Callable[[int, int], T], layer: Layer, work: int = 1) -> list[T]:
    """Call a task with spans of a layer's images, in threads, and return its results in order.

    Parameters
    ----------
    task : callable
        Called with the position of the first image of a span, and the position after its last.
    layer : Layer
        The images.
    work : int
        Work per pixel, in units of counting.
    """
    sides = zip(layer.groundtruths, layer.predictions, strict=True)
    images = [true or predicted for true, predicted in sides]
    sizes = [0 if image is None else math.prod(image.pixels.shape) for image in images]
    costs = np.cumsum([0, *sizes], dtype=np.int64) * work
    return map_spans(task, spans_of_equal_cost(costs, _THREAD_PIXELS))

"""Random images with boxes, the same in every version of Python.

Edges are multiples of a power of two, so every program computes areas without rounding.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Sequence

Edges = tuple[float, float, float, float]
"""Left, top, right and bottom."""


@dataclasses.dataclass(frozen=True)
class TrueBox:
    """Ground truth of an image; `flag` marks a difficult object, or a group of objects."""

    image: str
    label: str
    edges: Edges
    flag: bool


@dataclasses.dataclass(frozen=True)
class PredictedBox:
    """Prediction of an image."""

    image: str
    label: str
    score: float
    edges: Edges


@dataclasses.dataclass(frozen=True)
class RandomSet:
    """Images and their boxes, by image and position."""

    images: tuple[str, ...]
    truths: tuple[TrueBox, ...]
    predictions: tuple[PredictedBox, ...]

    def counted_labels(self, *, with_flagged: bool) -> list[str]:
        """Return the labels with ground truths, sorted."""
        return sorted({one.label for one in self.truths if with_flagged or not one.flag})


@dataclasses.dataclass(frozen=True)
class Shape:
    """Sizes of random sets.

    Parameters
    ----------
    labels : sequence of str
        Labels to draw from.
    side : int
        Width and height of an image, in steps of coordinates.
    first : int
        Least coordinate.
    """

    labels: Sequence[str]
    side: int
    first: int


def random_set(name: str, shape: Shape, *, has_ties: bool) -> RandomSet:
    """Draw images, ground truths and predictions near and far from them.

    Parameters
    ----------
    name : str
        Seed; also the beginning of the names of images.
    shape : Shape
        Sizes.
    has_ties : bool
        True for few different scores; False for a score of its own for every prediction.
    """
    draw = random.Random(name)
    images = tuple(f"{name}-{number}" for number in range(draw.randint(2, 6)))
    labels = list(shape.labels)[: draw.randint(1, len(shape.labels))]
    truths = [
        TrueBox(image, draw.choice(labels), _random_edges(draw, shape), draw.random() < 0.2)
        for image in images
        for _ in range(draw.randint(0, 7))
    ]
    places = [
        (one.image, one.label, _moved(draw, one.edges, shape))
        for one in truths
        for _ in range(draw.choice((0, 1, 1, 1, 2, 3)))
    ]
    places = [
        (image, draw.choice(labels) if draw.random() < 0.1 else label, edges)
        for image, label, edges in places
    ]
    places += [
        (image, draw.choice(labels), _random_edges(draw, shape))
        for image in images
        for _ in range(draw.randint(0, 3))
    ]
    draw.shuffle(places)
    places.sort(key=lambda place: place[0])
    scores = [number / 1024 for number in draw.sample(range(1, 1024), len(places))]
    if has_ties:
        scores = [draw.randint(1, 8) / 8 for _ in places]
    predictions = [
        PredictedBox(image, label, score, edges)
        for (image, label, edges), score in zip(places, scores, strict=True)
    ]
    return RandomSet(images, tuple(truths), tuple(predictions))


def random_sets(
    program: str, count: int, shape: Shape, *, has_ties: bool
) -> Iterator[tuple[str, RandomSet]]:
    """Yield the names and the contents of sets."""
    for number in range(count):
        name = f"{program}{'t' if has_ties else 'd'}{number:04}"
        yield name, random_set(name, shape, has_ties=has_ties)


def _random_edges(draw: random.Random, shape: Shape) -> Edges:
    width, height = (draw.randint(4, shape.side // 2) for _ in range(2))
    left = draw.randint(shape.first, shape.side - width)
    top = draw.randint(shape.first, shape.side - height)
    return left, top, left + width, top + height


def _moved(draw: random.Random, edges: Edges, shape: Shape) -> Edges:
    most = draw.choice((0, 1, 2, 4, 8))
    low, high = shape.first, shape.side
    left, top, right, bottom = (
        min(max(int(edge) + draw.randint(-most, most), low), high) for edge in edges
    )
    return min(left, high - 1), min(top, high - 1), max(right, left + 1), max(bottom, top + 1)

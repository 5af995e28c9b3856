"""Readers of data that workers make themselves, by a seed for each part; nothing is stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from attrs import frozen
from valor_classification.readers.arrays import from_arrays

from valor_core.readers.reader import Position
from valor_core.schemas import Datums, Label
from valor_core.schemas.classification import ClassificationBatch
from valor_core.schemas.detection import DetectionBatch, PredictedObjects, TrueObjects
from valor_core.schemas.geometry import Shapes

LABELS = 80


@frozen
class Probabilities:
    """Items of two classes with a number as uid and the probability of the second class.

    Parameters
    ----------
    items, parts : int
        How many there are of each.
    """

    items: int
    parts: int

    def partitions(self) -> Sequence[Position]:
        """Parts of equal size."""
        return tuple(map(Position, range(self.parts)))

    def read(self, partition: Position) -> Iterator[ClassificationBatch]:
        """The items of a part, four in five of them on the right side."""
        random = np.random.default_rng(partition.number)
        size = self.items // self.parts
        truths = random.integers(0, 2, size)
        scores = random.random(size)
        scores = np.where(random.random(size) < 0.6, (scores + truths) / 2, scores)
        uids = np.arange(partition.number * size, (partition.number + 1) * size)
        yield from_arrays(truths, scores, uids=uids)


@frozen
class Boxes:
    """Images with ten true boxes each, of which most are found, and ten found ones.

    Parameters
    ----------
    boxes, parts : int
        How many boxes there are, true and found, and in how many parts.
    """

    boxes: int
    parts: int

    def partitions(self) -> Sequence[Position]:
        """Parts of equal size."""
        return tuple(map(Position, range(self.parts)))

    def read(self, partition: Position) -> Iterator[DetectionBatch]:
        """The images of a part."""
        random = np.random.default_rng(partition.number)
        images = self.boxes // 20 // self.parts
        count = images * 10
        rows, within = np.repeat(np.arange(images), 10), np.tile(np.arange(10), images)
        true = np.concatenate([random.random((count, 2)) * 500, random.random((count, 2)) * 200], 1)
        found = true * random.uniform(0.9, 1.1, (count, 4))
        labels = random.integers(0, LABELS, count)
        seen = np.where(random.random(count) < 0.8, labels, random.integers(0, LABELS, count))
        yield DetectionBatch(
            Datums(np.arange(images) + partition.number * images),
            tuple(Label("class", str(number)) for number in range(LABELS)),
            TrueObjects(
                datums=rows,
                labels=labels,
                shapes=Shapes(true),
                annotations=within,
                areas=true[:, 2] * true[:, 3],
                crowd=np.zeros(count, bool),
            ),
            PredictedObjects(
                datums=rows,
                labels=seen,
                shapes=Shapes(found),
                annotations=within,
                areas=found[:, 2] * found[:, 3],
                scores=random.random(count),
            ),
        )

"""Random images with rotated boxes, for programs that evaluate them."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

COUNT = 1200
IMAGES, LABELS = 3, 4


class Side(NamedTuple):
    """Boxes of all images of a set: x, y, width, height and angle in radians, exact as float32."""

    images: Codes
    labels: Codes
    boxes: Floats
    last: Floats
    """Scores of predictions; 1 for difficult ground truths, otherwise 0."""


def random_sets() -> Iterator[tuple[Side, Side]]:
    """Yield ground truths and predictions of sets of three images."""
    for seed in range(COUNT):
        yield _set(np.random.default_rng(seed))


def _set(random: np.random.Generator) -> tuple[Side, Side]:
    count = int(random.integers(0, 25))
    images = np.sort(random.integers(0, IMAGES, count))
    labels = random.integers(0, LABELS, count)
    boxes = np.concatenate(
        [random.integers(0, 120, (count, 2)), random.integers(4, 60, (count, 2))], axis=1
    )
    boxes = np.concatenate([boxes, random.integers(-100, 100, (count, 1)) / 32], axis=1)
    difficult = np.sort(random.random(count) < random.choice([0, 0.3]))
    # Difficult ground truths follow the others of their image, as in mmrotate's arrays.
    order = np.lexsort((difficult, images))
    true = Side(images[order], labels[order], boxes[order], difficult[order].astype(np.float64))
    # Predictions are moved ground truths, of which several may have the same, and unrelated boxes.
    moved = random.integers(0, count, int(random.integers(0, 60))) if count else np.arange(0)
    noise = random.integers(-8, 9, (len(moved), 5)) * [1, 1, 1, 1, 1 / 32]
    noise *= random.choice([0, 0.5, 1], (len(moved), 1))
    seen = true.boxes[moved] + noise
    seen[:, 2:4] = np.maximum(seen[:, 2:4], 1)
    wrong = random.random(len(moved)) < 0.1
    seen_labels = np.where(wrong, random.integers(0, LABELS, len(moved)), true.labels[moved])
    extra = int(random.integers(0, 5))
    seen = np.concatenate([seen, random.integers(4, 60, (extra, 5)) * [2, 2, 1, 1, 1 / 32]])
    seen_images = np.concatenate([true.images[moved], random.integers(0, IMAGES, extra)])
    seen_labels = np.concatenate([seen_labels, random.integers(0, LABELS, extra)])
    scores = random.permutation(64)[: len(seen)] / 64  # all different
    order = np.argsort(seen_images, kind="stable")
    return true, Side(seen_images[order], seen_labels[order], seen[order], scores[order])


def corners_of(boxes: Floats) -> Floats:
    """Return the corners of boxes, shape (n, 4, 2)."""
    x, y, width, height, angle = boxes.T
    along = np.stack([np.cos(angle) * width, np.sin(angle) * width], axis=1) / 2
    across = np.stack([-np.sin(angle) * height, np.cos(angle) * height], axis=1) / 2
    center = np.stack([x, y], axis=1)
    signs = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    return np.stack([center + a * along + b * across for a, b in signs], axis=1)


def checksum() -> str:
    """Return a checksum of all sets, by which another random generator is detected."""
    digest = sha256()
    for sides in random_sets():
        for column in (column for side in sides for column in side):
            digest.update(np.ascontiguousarray(column, "<f8").tobytes())
    return digest.hexdigest()

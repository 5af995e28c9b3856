"""Random label files of KITTI's object benchmark, for programs that evaluate them.

Objects are in different cells of a grid, so a prediction overlaps only one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

COUNT, IMAGES = 100, 16
COLUMNS, ROWS = 8, 3
WIDTH, HEIGHT = 155, 125
CATEGORIES = ("Car", "Pedestrian", "Cyclist", "Van", "Person_sitting", "Truck", "DontCare")
SHARES = (0.45, 0.15, 0.1, 0.08, 0.05, 0.05, 0.12)

Files = list[tuple[str, str]]
"""Texts of ground truths and results of each image."""


def random_sets() -> Iterator[Files]:
    """Yield sets of images."""
    for seed in range(COUNT):
        random = np.random.default_rng(seed)
        share, noise = random.uniform(0.1, 1), random.choice([2, 5, 10])
        scores = iter((random.permutation(5000) / 5000).tolist())  # all different
        yield [_image(random, share, noise, scores) for _ in range(IMAGES)]


def _image(
    random: np.random.Generator, share: float, noise: float, scores: Iterator[float]
) -> tuple[str, str]:
    truths, results = [], []
    for cell in np.flatnonzero(random.random(COLUMNS * ROWS) < share).tolist():
        corner = np.array([cell % COLUMNS * WIDTH, cell // COLUMNS * HEIGHT], np.float64)
        category = str(random.choice(CATEGORIES, p=SHARES))
        size = np.array([random.uniform(30, 100), random.uniform(15, 90)])
        first = corner + random.uniform(12, 24, 2)
        box = np.concatenate([first, first + size])
        truncated = random.choice([0, 0.1, 0.2, 0.4, 0.6], p=[0.6, 0.1, 0.1, 0.1, 0.1])
        occluded = random.choice(4, p=[0.5, 0.2, 0.2, 0.1])
        if category != "DontCare":
            truths.append(_line(category, truncated, int(occluded), box))
            found = int(random.choice(4, p=[0.2, 0.6, 0.15, 0.05]))
            for _ in range(found):
                seen = category if random.random() < 0.85 else str(random.choice(CATEGORIES[:3]))
                moved = box + random.uniform(-noise, noise, 4) * random.choice([0.3, 1])
                results.append(f"{_line(seen, -1, -1, moved)} {next(scores):.4f}")
            continue
        truths.append(_line(category, -1, -1, box))
        for _ in range(int(random.integers(0, 4))):
            inside = box + random.uniform(-20, 20, 4)
            seen = str(random.choice(CATEGORIES[:3]))
            results.append(f"{_line(seen, -1, -1, inside)} {next(scores):.4f}")
    return "".join(f"{line}\n" for line in truths), "".join(f"{line}\n" for line in results)


def _line(category: str, truncated: float, occluded: int, box: NDArray[np.float64]) -> str:
    x1, y1, x2, y2 = np.sort(box.reshape(2, 2), axis=0).round(2).ravel().tolist()
    if round(y2 - y1, 2) in (25, 40):  # a minimum height, which programs compare differently
        y2 += 0.01
    edges = f"{x1:.2f} {y1:.2f} {x2:.2f} {y2:.2f}"
    return f"{category} {truncated:.2f} {occluded} -10 {edges} -1 -1 -1 -1000 -1000 -1000 -10"


def checksum() -> str:
    """Return a checksum of all sets, by which another random generator is detected."""
    digest = sha256()
    for texts in (text for files in random_sets() for pair in files for text in pair):
        digest.update(texts.encode())
    return digest.hexdigest()

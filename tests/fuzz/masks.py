"""Fuzz run lengths: mutated texts and polygons become the same masks in C and in NumPy."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
from cases import fuzz
from numpy.typing import NDArray
from valor_detection.kernels import masks as kernels
from valor_detection.kernels.row_errors import RowError, is_large
from valor_detection.kernels.segmentations import (
    COMPRESSED,
    POLYGONS,
    RUNS,
    Segmentation,
    Segmentations,
)

from valor_core.schemas import Codes
from valor_core.schemas.geometry import RunLengths

_SIZES = (
    *((5, 4), (1, 1), (7, 9), (0, 0), (0, 3), (100, 3), (65536, 65535), (46340, 46340)),
    *((2**31 - 1, 1), (1, 2**31 - 1), (10**9, 10**9), (3, 2**33), (2**32, 1), (-1, 4)),
)
_LONG = (0, 1, 2, 3, 30, 31, 32, 33, 1000, 2**15, 2**20, 2**31, 2**32 - 1, 2**32, 2**59)
_MANY = (0, 1, 2, 3, 5, 9, 40)
_FAR = (1e8, -1e8, 1e9, -1e300, 5e-324, 99999999.9, -0.0, float("nan"), float("inf"))
_WIDE = 10**6  # pixels; beyond, polygons stay small, so that drawing one takes no minute


def case(draw: Random, folder: Path) -> str:
    """Digests of what the kernels make of some segmentations."""
    rows = [_segmentation(draw) for _ in range(draw.choice((1, 1, 2, 3, 6)))]
    order = np.arange(len(rows))
    if draw.random() < 0.3:
        order = np.array([draw.randrange(len(rows)) for _ in rows])
    Path(folder, "rows.txt").write_text(f"{rows!r}\norder = {order.tolist()}\n")
    sizes = np.array([rows[row].size for row in order], np.int64)
    try:
        return "masks " + _digests(Segmentations.of(rows), order, sizes)
    except RowError as error:
        return f"RowError: {error}"


def _digests(given: Segmentations, order: Codes, sizes: Codes) -> str:
    runs, starts = kernels.segmentation_runs(given, order, sizes)
    found = [runs, starts]
    if not is_large(sizes).any():
        measures = kernels.measured(runs, starts, sizes)
        whole = measures[2] == sizes.prod(axis=1)
        found += [
            *measures,
            _overlaps(RunLengths(runs, starts, sizes).select(np.flatnonzero(whole))),
        ]
    return " ".join(hashlib.sha256(array.tobytes()).hexdigest()[:12] for array in found)


def _overlaps(masks: RunLengths) -> NDArray[np.float64]:
    """IoUs of all pairs of masks of one size, every other ground truth a crowd."""
    same = (masks.sizes[:, None] == masks.sizes[None]).all(axis=2)
    true, predicted = np.nonzero(same)
    return kernels.mask_ious(masks, masks, true, predicted, true % 2 == 1)


def _segmentation(draw: Random) -> Segmentation:
    size = draw.choice(_SIZES)
    kind = draw.choice((COMPRESSED, COMPRESSED, RUNS, POLYGONS))
    if kind == COMPRESSED:
        return Segmentation(COMPRESSED, size, letters=_letters(draw))
    if kind == RUNS:
        counts = [
            draw.choice((0, 2**31, 2**32 - 1)) if draw.random() < 0.1 else draw.randrange(12)
            for _ in range(draw.choice(_MANY))
        ]
        return Segmentation(RUNS, size, counts=counts)
    rings = [_ring(draw, size) for _ in range(draw.choice((1, 1, 2, 3)))]
    farthest = max((abs(number) for ring in rings for number in ring), default=0)
    if not farthest <= _WIDE and size[1] > _WIDE:
        size = (size[0], 50)
    return Segmentation(POLYGONS, size, rings=rings)


def _letters(draw: Random) -> bytes:
    """Compressed run lengths, most of them damaged."""
    runs = [
        draw.choice(_LONG) if draw.random() < 0.3 else draw.randrange(8)
        for _ in range(draw.choice(_MANY))
    ]
    letters = bytearray(compressed(runs))
    for _ in range(draw.choice((0, 0, 1, 1, 2, 3))):
        at, how = draw.randrange(len(letters) + 1), draw.randrange(4)
        if how == 0:
            letters[at : at + 1] = bytes([draw.randrange(32, 127)])
        elif how == 1:
            del letters[at : at + draw.choice((1, 3))]
        elif how == 2:
            more = draw.choice((1, 2, 8, 15))
            letters[at:at] = bytes(draw.randrange(48, 112) for _ in range(more))
        else:
            again = draw.choice((1, 11, 12, 13, 14, 70))
            letters[at:at] = bytes([draw.randrange(80, 112)]) * again
    return bytes(letters)


def compressed(runs: Sequence[int]) -> bytes:
    """Run lengths as COCO compresses them, of any size."""
    letters = bytearray()
    for position, run in enumerate(runs):
        rest = run - runs[position - 2] if position > 2 else run
        while True:
            five, rest = rest & 31, rest >> 5
            is_last = rest == (-1 if five & 16 else 0)
            letters.append(48 + five + (0 if is_last else 32))
            if is_last:
                break
    return bytes(letters)


def _ring(draw: Random, size: tuple[int, int]) -> list[float]:
    reach = 50.0 if size[0] * size[1] > _WIDE else 200.0
    return [_coordinate(draw, reach) for _ in range(draw.choice((0, 2, 5, 6, 7, 8, 10, 20)))]


def _coordinate(draw: Random, reach: float) -> float:
    if draw.random() < 0.03:
        return draw.choice(_FAR)
    return draw.choice(
        (
            draw.uniform(-3, 12),
            draw.randrange(-2, 12) + 0.5,
            draw.uniform(-reach, reach),
            float(draw.randrange(10)),
        )
    )


if __name__ == "__main__":
    sys.exit(fuzz(case, __doc__))

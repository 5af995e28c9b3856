"""Segmentations of annotations in columns: polygons and run lengths."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import define, fields, frozen
from numpy.typing import NDArray

from valor_core.kernels import in_threads
from valor_core.schemas import Codes

NO_MASK, POLYGONS, RUNS, COMPRESSED = range(4)
"""Kinds of segmentations."""


@frozen(repr=False)
class Segmentation:
    """One segmentation in built-in types."""

    kind: int = NO_MASK
    size: tuple[int, int] = (0, 0)
    rings: Sequence[Sequence[float]] = ()
    counts: Sequence[int] = ()
    letters: bytes = b""


@define(eq=False, repr=False)
class Segmentations:
    """Segmentations of annotations as ragged columns.

    Parameters
    ----------
    kinds : ndarray of uint8, shape (n,)
        `NO_MASK`, `POLYGONS`, `RUNS` or `COMPRESSED`.
    sizes : ndarray of int64, shape (n, 2)
        Height and width of run lengths; 0 for polygons.
    row_ends : ndarray of int64, shape (n, 3)
        Ends of the rings, counts and letters of each row.
    ring_ends : ndarray of int64, shape (n_rings,)
        End of the numbers of each ring.
    numbers : ndarray of float64
        Alternating x and y.
    counts : ndarray of uint32
        Run lengths.
    letters : ndarray of uint8
        Text of compressed run lengths.
    """

    kinds: NDArray[np.uint8]
    sizes: Codes
    row_ends: Codes
    ring_ends: Codes
    numbers: NDArray[np.float64]
    counts: NDArray[np.uint32]
    letters: NDArray[np.uint8]

    @classmethod
    def of(cls, rows: Sequence[Segmentation]) -> Segmentations:
        """Convert rows to columns."""
        rings = [ring for row in rows for ring in row.rings]
        ends = [(len(row.rings), len(row.counts), len(row.letters)) for row in rows]
        return cls(
            np.array([row.kind for row in rows], np.uint8),
            np.array([row.size for row in rows], np.int64).reshape(-1, 2),
            np.cumsum(np.array(ends, np.int64).reshape(-1, 3), axis=0),
            np.cumsum([len(ring) for ring in rings], dtype=np.int64),
            np.array([number for ring in rings for number in ring], np.float64),
            np.array([run for row in rows for run in row.counts], np.uint32),
            np.frombuffer(b"".join(row.letters for row in rows), np.uint8),
        )

    def row(self, row: int) -> Segmentation:
        """Return one segmentation."""
        ends = self.row_ends[row].tolist()
        starts = self.row_ends[row - 1].tolist() if row else [0, 0, 0]
        rings, counts, letters = map(slice, starts, ends)
        edges = [0, *self.ring_ends[: rings.stop].tolist()][rings.start :]
        return Segmentation(
            int(self.kinds[row]),
            tuple(self.sizes[row].tolist()),
            [self.numbers[slice(*edge)].tolist() for edge in pairwise(edges)],
            self.counts[counts].tolist(),
            self.letters[letters].tobytes(),
        )

    @classmethod
    def joined(cls, parts: Sequence[Segmentations]) -> Segmentations:
        """Concatenate parts, and empty them to save memory."""
        if len(parts) == 1:
            return parts[0]
        sizes = [(len(part.ring_ends), len(part.counts), len(part.letters)) for part in parts]
        row_starts = np.cumsum([(0, 0, 0), *sizes], axis=0, dtype=np.int64)
        ring_starts = np.cumsum([0, *(len(part.numbers) for part in parts)], dtype=np.int64)
        moved: dict[str, NDArray[Any]] = {
            "row_ends": _moved([part.row_ends for part in parts], row_starts),
            "ring_ends": _moved([part.ring_ends for part in parts], ring_starts),
        }
        return cls(**joined_columns(parts) | moved)


def joined_columns(parts: Sequence[Any], without: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
    """Concatenate the fields of several parts in threads, and delete each from the parts.

    Deleting each field at once keeps only one column per thread in memory twice.
    """

    def joined(name: str) -> NDArray[Any]:
        column = np.concatenate([getattr(part, name) for part in parts])
        for part in parts:
            delattr(part, name)
        return column

    names = [one.name for one in fields(type(parts[0])) if one.name not in without]
    return dict(zip(names, in_threads([partial(joined, name) for name in names]), strict=True))


def _moved(ends: Sequence[Codes], starts: Codes) -> Codes:
    return np.concatenate([own + start for own, start in zip(ends, starts, strict=False)])

"""Run lengths of segmentations of any kind, in NumPy."""

from __future__ import annotations

from itertools import pairwise
from operator import attrgetter
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import Runs, ends, gathered, starts_of
from valor_detection.kernels.boundaries import line, runs_between, united
from valor_detection.kernels.reference.compressed import text_runs
from valor_detection.kernels.reference.polygons import crossed, ring_boundaries
from valor_detection.kernels.reference.ragged import strided
from valor_detection.kernels.row_errors import (
    FARTHEST,
    MOST_CROSSED,
    NO_TEXT,
    RowError,
    is_large,
    large_sentence,
)
from valor_detection.kernels.segmentations import COMPRESSED, POLYGONS, RUNS, Segmentations

_RUNS_EACH = 4  # of a polygon, for each of its numbers: about so many

Ragged = tuple[Runs, Codes]
"""Run lengths, and how many each row has."""


@frozen(eq=False)
class Columns:
    """Segmentations, and where each row of their columns begins."""

    given: Segmentations
    rings: Codes
    numbers: Codes
    counts: Codes
    letters: Codes

    @classmethod
    def of(cls, given: Segmentations) -> Columns:
        """Columns of segmentations."""
        rings, counts, letters = (starts_of(column) for column in given.row_ends.T)
        return cls(given, rings, starts_of(given.ring_ends), counts, letters)

    def costs(self, rows: Codes) -> Codes:
        """About how many runs all before each of some rows have, and all."""
        before = _RUNS_EACH * self.numbers[self.rings] + self.counts + self.letters
        return ends(before[rows + 1] - before[rows])

    def corners(self, rows: Codes) -> tuple[Floats, Codes, Codes]:
        """Corners of all rings of some rows: x and y, where each ring's begin, and whose it is."""
        rings, ring_starts = gathered(self.rings, rows)
        owner = np.repeat(np.arange(len(rows)), np.diff(ring_starts))
        numbers, starts = _taken(self.given.numbers, self.numbers, rings)
        if (starts % 2).any():  # the last of an odd number is none
            places, starts = strided(starts[:-1], np.diff(starts) // 2, 2)
            return np.stack([numbers[places], numbers[places + 1]]), starts, owner
        return np.ascontiguousarray(numbers.reshape(-1, 2).T), starts // 2, owner

    def refusal(self, row: int, size: Codes) -> str:
        """Why the polygons of a row cannot be drawn in an image of a size."""
        if is_large(size[None])[0]:
            return large_sentence(size)
        points, starts, _ = self.corners(np.array([row]))
        far = points.T[~(np.abs(points.T) <= FARTHEST)]
        if len(far):
            return f"expected coordinates within 100 million pixels, found {far[0]:g}"
        count = crossed(points, starts, np.repeat(size[None], len(starts) - 1, axis=0)).sum()
        return (
            f"expected edges that cross at most {MOST_CROSSED:,} columns of pixels, "
            f"found {count:,} of polygons of {points.shape[1]:,} corners"
        )

    def runs(self, rows: Codes, sizes: Codes) -> Ragged:
        """Run lengths of some rows.

        Raises
        ------
        RowError
            If one of them is no mask.
        """
        parts, refused = [], []
        for kind, runs in ((COMPRESSED, _texts), (RUNS, _counts), (POLYGONS, _polygons)):
            some = np.flatnonzero(self.given.kinds[rows] == kind)
            if len(some):
                try:
                    parts.append((some, *runs(self, rows[some], sizes[some])))
                except RowError as error:
                    refused.append(RowError(int(some[error.row]), error.sentence))
        if refused:
            raise min(refused, key=attrgetter("row"))
        return _joined(parts, len(rows))


def _joined(parts: list[tuple[Codes, Runs, Codes]], count: int) -> Ragged:
    """Runs of some rows each, as those of all rows in order."""
    lengths, stretches = np.zeros(count, np.int64), {}
    for some, runs, own in parts:
        lengths[some] = own
        first = np.flatnonzero(np.diff(some, prepend=-2) != 1)  # of rows that follow each other
        edges = [*ends(own)[first].tolist(), len(runs)]
        for row, (start, stop) in zip(some[first].tolist(), pairwise(edges), strict=True):
            stretches[row] = runs[start:stop]
    stretches[count] = np.empty(0, np.uint32)
    return np.concatenate([stretches[row] for row in sorted(stretches)]), lengths


def _taken(values: NDArray[Any], starts: Codes, rows: Codes) -> tuple[NDArray[Any], Codes]:
    """Elements of some ragged rows, and where each row's begin."""
    if len(rows) and (rows[1:] == rows[:-1] + 1).all():
        first = starts[rows[0]]
        return values[first : starts[rows[-1] + 1]], starts[rows[0] : rows[-1] + 2] - first
    places, begins = gathered(starts, rows)
    return values[places], begins


def _texts(columns: Columns, rows: Codes, sizes: Codes) -> Ragged:
    runs, lengths, bad = text_runs(*_taken(columns.given.letters, columns.letters, rows))
    if bad >= 0:
        raise RowError(bad, NO_TEXT)
    return runs, lengths


def _counts(columns: Columns, rows: Codes, sizes: Codes) -> Ragged:
    runs, starts = _taken(columns.given.counts, columns.counts, rows)
    return runs, np.diff(starts)


def _polygons(columns: Columns, rows: Codes, sizes: Codes) -> Ragged:
    points, starts, owner = columns.corners(rows)
    bad = _undrawable(points, starts, owner, sizes)
    if len(bad):
        raise RowError(bad[0], columns.refusal(rows[bad[0]], sizes[bad[0]]))
    pixels = sizes[:, 0] * sizes[:, 1]
    lines = line(pixels[owner]), line(pixels)
    boundaries = ring_boundaries(points, starts, sizes[owner], lines[0])
    return runs_between(united(boundaries, lines[0], owner, lines[1]), lines[1])


def _undrawable(points: Floats, starts: Codes, owner: Codes, sizes: Codes) -> list[int]:
    """Rows, ascending, that are far from any image, or too large, or in too large an image."""
    far = np.flatnonzero(~(np.abs(points) <= FARTHEST).all(axis=0))
    rings = np.searchsorted(starts, far, side="right") - 1
    bad = {*owner[rings].tolist(), *np.flatnonzero(is_large(sizes)).tolist()}
    if not bad and points.shape[1] * int(sizes[:, 1].max()) > MOST_CROSSED:
        counts = np.bincount(owner, crossed(points, starts, sizes[owner]), len(sizes))
        bad = set(np.flatnonzero(counts > MOST_CROSSED).tolist())
    return sorted(bad)

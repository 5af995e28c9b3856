"""Curves of each label against the rest, and the areas under them, compiled."""

from collections.abc import Sequence
from ctypes import Structure
from itertools import pairwise
from typing import Any

import numpy as np

from valor_classification.kernels import KERNELS
from valor_classification.kernels.compiled.functions import (
    function,
    in_threads,
    of_type,
    spans,
    sums,
    whole,
)
from valor_classification.kernels.reference import ranking as reference
from valor_classification.kernels.values import (
    Codes,
    Columns,
    LabelAreas,
    RankAreas,
    RankCurve,
    Scores,
    counts_of,
)

_rank_weighted = KERNELS.function("rank_weighted")

# A precision among fewer than 2**43 datums is above 2**-43, so that its 53 bits end above 2**-96.
_PRECISION_UNITS = 3 * 32
_PRECISION_LIMBS = 6

_CACHED = 1 << 16  # most scores that stay in cache with their copies
_COLUMN_BYTES = 1 << 23  # maximum size of the copies of columns of one thread
_COLUMN_SHARE = 4  # a thread copies at most one column in four, but at least one


def rank_label(
    scores: Scores,
    positive_scores: Scores,
    *,
    unlisted_positives: int = 0,
    unlisted_negatives: int = 0,
) -> LabelAreas:
    """Areas under the ROC and the precision-recall curve of one label, exact with ties."""
    limbs = np.zeros((1, _PRECISION_LIMBS), np.uint64)
    wins = function("rank", scores.dtype)(
        _label(scores, positive_scores, unlisted_positives, unlisted_negatives),
        *(0, sums(limbs, _PRECISION_UNITS)),
    )
    # Summed over the positives, the numbers of positives below and not above each add up to the
    # square of their count, with or without ties.
    twice_wins = wins - positive_scores.size**2 + 2 * positive_scores.size * unlisted_negatives
    return LabelAreas.counted(
        positive_scores.size + unlisted_positives,
        scores.size - positive_scores.size + unlisted_negatives,
        twice_wins + unlisted_positives * unlisted_negatives,
        whole(limbs)[0] / 2**_PRECISION_UNITS,
    )


def rank_matrix(
    chunks: Sequence[Scores], rows: Codes, columns: Codes, *, threads: int = 1
) -> RankAreas:
    """Areas under the curves of every column of a matrix, as by `rank_label`."""
    dtype = np.result_type(*chunks)
    chunks = [np.require(chunk, dtype, ["C", "ALIGNED"]) for chunk in chunks]
    width = chunks[0].shape[1]
    rows_before = np.cumsum([0, *map(len, chunks)])
    count = int(rows_before[-1])

    sizes = np.bincount(columns, minlength=width)
    ends = np.cumsum(sizes)
    positives = np.empty(columns.size, dtype)
    addresses = np.array([chunk.ctypes.data for chunk in chunks], np.uintp)
    function("positives", dtype)(
        *(addresses, rows_before, len(chunks), width),
        *(np.ascontiguousarray(rows), np.ascontiguousarray(columns), columns.size),
        *(ends, positives),
    )
    starts = np.append(ends, columns.size)  # where the columns' positives begin

    def rank(first: int, last: int) -> list[LabelAreas]:
        fitting = _columns_at_once(count, width, dtype.itemsize)
        room = np.empty((min(fitting, last - first), count + 1), dtype)
        return [
            areas
            for first, last in spans(first, last, len(room))
            for areas in _ranked(
                *(dtype, chunks, first, positives, starts[first : last + 1], room, count)
            )
        ]

    parts = in_threads(rank, width, count * width, threads)
    return RankAreas.of([areas for part in parts for areas in part])


def rank_curve(
    scores: Scores,
    positive_scores: Scores,
    *,
    unlisted_positives: int = 0,
    unlisted_negatives: int = 0,
    bends: bool = False,
) -> RankCurve:
    """Points of the ROC and the precision-recall curve of one label, as counts."""
    if counts_of(scores.size + unlisted_positives + unlisted_negatives) != np.int32:
        return reference.rank_curve(
            *(scores, positive_scores),
            unlisted_positives=unlisted_positives,
            unlisted_negatives=unlisted_negatives,
            bends=bends,
        )
    thresholds = np.empty(scores.size + 1, scores.dtype)
    true, false = np.empty(thresholds.size, np.int32), np.empty(thresholds.size, np.int32)
    points = function("rank_curve", scores.dtype)(
        _label(scores, positive_scores, unlisted_positives, unlisted_negatives),
        *(bends, thresholds, true, false),
    )
    return RankCurve(
        thresholds=thresholds[:points], true_positives=true[:points], false_positives=false[:points]
    )


def rank_weighted(
    marks: Columns,
    weights: Columns,
    *,
    below: int = 0,
    unlisted_positives: int = 0,
    unlisted_negatives: int = 0,
) -> LabelAreas:
    """Areas of a label whose rows are counted with the weight of their group."""
    limbs = np.zeros((1, _PRECISION_LIMBS), np.uint64)
    totals = np.empty(2, np.int64)
    twice_wins = _rank_weighted(
        *(marks, len(marks), weights, below, unlisted_positives, unlisted_negatives, totals),
        sums(limbs, _PRECISION_UNITS),
    )
    positives, negatives = totals.tolist()
    precisions = whole(limbs)[0] / 2**_PRECISION_UNITS
    return LabelAreas.counted(positives, negatives, twice_wins, precisions)


def _columns_at_once(count: int, width: int, itemsize: int) -> int:
    """Return the number of columns of `width` that a thread copies at a time."""
    if count * width <= _CACHED:
        return width
    return max(1, min(_COLUMN_BYTES // (itemsize * (count + 1)), width // _COLUMN_SHARE))


def _label(
    scores: Scores, positive_scores: Scores, unlisted_positives: int, unlisted_negatives: int
) -> Structure:
    return KERNELS.struct(
        of_type("Label", scores.dtype),
        scores=np.sort(scores),
        count=scores.size,
        positives=np.sort(positive_scores),
        positive_count=positive_scores.size,
        unlisted_positives=unlisted_positives,
        unlisted_negatives=unlisted_negatives,
    )


def _ranked(
    dtype: np.dtype[Any],
    chunks: Sequence[Scores],
    first: int,
    positives: Scores,
    starts: Codes,
    room: Scores,
    count: int,
) -> list[LabelAreas]:
    """Areas of consecutive columns whose positives begin at `starts`.

    Scores below all positives are not copied: they do not affect the ranks of positives.
    """
    edges = starts.tolist()
    columns = len(edges) - 1
    column_positives = [positives[start:end] for start, end in pairwise(edges)]
    for column in column_positives:
        column.sort()
    lowest = [column[0] if column.size else np.inf for column in column_positives]
    least = np.array(lowest, room.dtype)
    ends = np.zeros(columns, np.int64)
    for chunk in chunks:
        function("gather", dtype)(
            *(chunk.reshape(-1)[first:], *chunk.shape),
            *(columns, least, room, room.shape[1], ends),
        )
    for copy, end in zip(room, ends.tolist(), strict=False):
        copy[:end].sort()
    wins = np.empty(columns, np.int64)
    limbs = np.zeros((columns, _PRECISION_LIMBS), np.uint64)
    function("rank_columns", dtype)(
        *(room, room.shape[1], ends, positives, starts, columns, count, wins),
        sums(limbs, _PRECISION_UNITS),
    )
    sizes = (end - start for start, end in pairwise(edges))
    return [
        LabelAreas.counted(size, count - size, won - size**2, units / 2**_PRECISION_UNITS)
        for size, won, units in zip(sizes, wins.tolist(), whole(limbs), strict=True)
    ]

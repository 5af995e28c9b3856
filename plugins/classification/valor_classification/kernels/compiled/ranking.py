"""Ranking: curves of each label against the rest, and the areas under them."""

from collections.abc import Sequence

import numpy as np

from valor_classification.kernels import numeric
from valor_classification.kernels.compiled.functions import OF, Functions, whole
from valor_classification.kernels.spans import columns_at_once, spans, workers
from valor_classification.kernels.values import (
    Codes,
    LabelAreas,
    RankAreas,
    RankCurve,
    Scores,
    counts_of,
)
from valor_core.plugin import over

_PRECISION_UNITS = 3 * 32  # bits below one of an exact sum of precisions, all above 2**-43
_PRECISION_LIMBS = 6


def rank_label(
    scores: Scores,
    positive_scores: Scores,
    *,
    unlisted_positives: int = 0,
    unlisted_negatives: int = 0,
) -> LabelAreas:
    """Areas under the ROC and the precision-recall curve of one label, exact with ties."""
    limbs = np.zeros((1, _PRECISION_LIMBS), np.uint64)
    wins = OF[scores.dtype]["rank"](
        *(np.sort(scores), scores.size, np.sort(positive_scores), positive_scores.size),
        *(0, unlisted_positives, unlisted_positives + unlisted_negatives),
        *(limbs, _PRECISION_LIMBS, _PRECISION_UNITS),
    )
    # Summed over the positives, the positives below and not above them make the square of
    # their number, whatever the ties.
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
    width, functions = chunks[0].shape[1], OF[dtype]
    starts = np.cumsum([0, *map(len, chunks)])
    count = int(starts[-1])

    sizes = np.bincount(columns, minlength=width)
    ends = np.cumsum(sizes)
    positives = np.empty(columns.size, dtype)
    addresses = np.array([chunk.ctypes.data for chunk in chunks], np.uintp)
    functions["positives"](
        *(addresses, starts, len(chunks), width),
        *(np.ascontiguousarray(rows), np.ascontiguousarray(columns), columns.size),
        *(ends, positives),
    )
    of_columns = np.split(positives, ends[1:])

    def rank(first: int, last: int) -> list[LabelAreas]:
        fitting = columns_at_once(count, width, dtype.itemsize)
        room = np.empty((min(fitting, last - first), count + 1), dtype)
        return [
            _rank_column(functions, copy, own, count)
            for first, last in spans(first, last, len(room))
            for copy, own in zip(
                _copied(functions, chunks, (first, last), of_columns, room),
                of_columns[first:last],
                strict=True,
            )
        ]

    parts = over(rank, spans(0, width, -(-width // workers(count * width, threads))))
    return RankAreas.of([areas for part in parts for areas in part])


def rank_curve(
    scores: Scores,
    positive_scores: Scores,
    *,
    unlisted_positives: int = 0,
    unlisted_negatives: int = 0,
    bends: bool = False,
) -> RankCurve:
    """Counts behind the ROC and the precision-recall curve of one label."""
    if counts_of(scores.size + unlisted_positives + unlisted_negatives) != np.int32:
        return numeric.rank_curve(
            *(scores, positive_scores),
            unlisted_positives=unlisted_positives,
            unlisted_negatives=unlisted_negatives,
            bends=bends,
        )
    thresholds = np.empty(scores.size + 1, scores.dtype)
    true, false = np.empty(thresholds.size, np.int32), np.empty(thresholds.size, np.int32)
    points = OF[scores.dtype]["rank_curve"](
        *(np.sort(scores), scores.size, np.sort(positive_scores), positive_scores.size),
        *(unlisted_positives, unlisted_negatives, bends, thresholds, true, false),
    )
    return RankCurve(
        thresholds=thresholds[:points], true_positives=true[:points], false_positives=false[:points]
    )


def _copied(
    functions: Functions,
    chunks: Sequence[Scores],
    span: tuple[int, int],
    positives: Sequence[Scores],
    room: Scores,
) -> list[Scores]:
    """Copies of some columns without the scores below all positives, whose ranks say nothing."""
    first, last = span
    least = np.array([own.min(initial=np.inf) for own in positives[first:last]], room.dtype)
    ends = np.zeros(last - first, np.int64)
    for chunk in chunks:
        functions["gather"](
            *(chunk.ctypes.data + first * chunk.itemsize, *chunk.shape),
            *(last - first, least, room, room.shape[1], ends),
        )
    return [copy[:end] for copy, end in zip(room, ends.tolist(), strict=False)]


def _rank_column(functions: Functions, scores: Scores, positives: Scores, count: int) -> LabelAreas:
    scores.sort()
    positives.sort()
    limbs = np.zeros((1, _PRECISION_LIMBS), np.uint64)
    wins = functions["rank"](
        *(scores, scores.size, positives, positives.size, count - scores.size, 0, 0),
        *(limbs, _PRECISION_LIMBS, _PRECISION_UNITS),
    )
    return LabelAreas.counted(
        positives.size,
        count - positives.size,
        wins - positives.size**2,
        whole(limbs)[0] / 2**_PRECISION_UNITS,
    )

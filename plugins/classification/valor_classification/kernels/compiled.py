"""The kernels in C, called through ctypes: arrays are made and checked here, and worked on there.

Each function answers what the one of its name in `numeric` does.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from ctypes import c_double, c_int, c_int64, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels import numeric
from valor_classification.kernels.library import KERNELS
from valor_classification.kernels.spans import columns_at_once, spans, workers
from valor_classification.kernels.values import (
    UNLISTED_RANK,
    Codes,
    Columns,
    ConfusionCells,
    LabelAreas,
    RankAreas,
    RankCurve,
    ReliabilityBins,
    Scores,
)
from valor_core.compiled import array
from valor_core.threads import over

_SMALL_TABLE = 1 << 16  # size of a table of counts that costs nothing to fill
_BYTE = 255  # most thresholds that a byte can count

_SCORE_UNITS = 34 * 32  # bits below one of an exact sum of scores, more than any has
_SCORE_LIMBS = 38
_PRECISION_UNITS = 3 * 32  # and of precisions, which are not below 2**-43
_PRECISION_LIMBS = 6

Functions = Mapping[str, Callable[..., Any]]


def _declared(signatures: Mapping[str, Sequence[Any]], suffix: str = "") -> Functions:
    """Functions of the library by name; each signature is the answer's type and the arguments'."""
    functions = {}
    for name, (answer, *arguments) in signatures.items():
        functions[name] = KERNELS.function(name + suffix, answer, *arguments)
    return functions


_CODES, _COUNTED = array(np.int64), array(np.int64, written=True)
_BYTES, _MARKS, _COLUMNS = array(np.uint8), array(np.bool_), array(np.int32)
_LIMBS, _CHUNKS = array(np.uint64, written=True), array(np.uintp)


def _of_scores(score: type[Any]) -> Functions:
    """The functions over scores of one type."""
    scores, found = array(score), array(score, written=True)
    limbs = (_LIMBS, c_int64, c_int)
    signatures = {
        "top_of_rows": [None, scores, c_int64, c_int64, array(np.int32, written=True), found],
        "top_table": [
            *(None, scores, c_int64, c_int64, _CODES, _CODES, scores, c_int64, c_int64, _COUNTED)
        ],
        "top_of_runs": [None, _CODES, scores, c_int64, _COUNTED],
        "scores_in_rows": [None, scores, c_int64, c_int64, _CODES, found],
        "outside": [c_int64, scores, c_int64, c_double, c_double],
        "passed": [None, scores, c_int64, scores, c_int64, array(np.uint8, written=True)],
        "threshold_histogram": [None, scores, c_int64, c_int64, scores, c_int64, _COUNTED],
        "reliability": [
            *(None, scores, _MARKS, c_int64, scores, c_int64, _COUNTED, _COUNTED),
            *limbs,
        ],
        "positives": [
            *(None, _CHUNKS, _CODES, c_int64, c_int64, _CODES, _CODES, c_int64, _COUNTED, found)
        ],
        "gather": [None, c_void_p, c_int64, c_int64, c_int64, scores, found, c_int64, _COUNTED],
        "rank": [
            *(c_int64, scores, c_int64, scores, c_int64, c_int64, c_int64, c_int64),
            *limbs,
        ],
        "rank_curve": [
            *(c_int64, scores, c_int64, scores, c_int64, c_int64, c_int64, c_int),
            *(found, _COUNTED, _COUNTED),
        ],
        "ranks_of_truth": [None, scores, c_int64, c_int64, _CODES, c_int64, _COUNTED],
        "ranks_of_truth_in_runs": [None, _CODES, scores, c_int64, _CODES, _COUNTED],
    }
    return _declared(signatures, f"_{np.dtype(score).name}")


_OF = {np.dtype(score): _of_scores(score) for score in (np.float32, np.float64)}
_OF_CODES = _declared(
    {
        "confusion_table": [None, _CODES, _COLUMNS, _BYTES, c_int64, c_int64, c_int64, _COUNTED],
    }
)


def top_of_rows(values: Scores, *, threads: int = 1) -> tuple[Columns, Scores]:
    """Column of the greatest score in each row, the first of equals, and the score."""
    values = np.ascontiguousarray(values)
    count, width = values.shape
    top = np.empty(count, np.int32)
    scores = np.empty(count, values.dtype)
    find = _OF[values.dtype]["top_of_rows"]

    def task(first: int, last: int) -> None:
        own = slice(first, last)
        find(values[own], last - first, width, top[own], scores[own])

    over(task, spans(0, count, -(-count // workers(values.size, threads))))
    return top, scores


def scores_in_rows(values: Scores, columns: Codes) -> Scores:
    """Score that each row has in a column of its own."""
    values = np.ascontiguousarray(values)
    scores = np.empty(len(values), values.dtype)
    columns = np.ascontiguousarray(columns, np.int64)
    _OF[values.dtype]["scores_in_rows"](values, *values.shape, columns, scores)
    return scores


def outside(values: Scores, low: float, high: float) -> int:
    """Number of scores below `low` or above `high`."""
    values = np.ascontiguousarray(values)
    return int(_OF[values.dtype]["outside"](values, values.size, low, high))


def top_of_runs(datums: Codes, values: Scores, *, count: int) -> Codes:
    """Entry with each datum's greatest score in a listing; the first of equals."""
    values, datums = np.ascontiguousarray(values), np.ascontiguousarray(datums)
    top = np.full(count, -1, np.int64)
    _OF[values.dtype]["top_of_runs"](datums, values, values.size, top)
    return top


def passed(values: Scores, thresholds: NDArray[np.float64]) -> NDArray[np.unsignedinteger[Any]]:
    """Number of thresholds that each score reaches."""
    if thresholds.size > _BYTE:
        return numeric.passed(values, thresholds)
    values = np.ascontiguousarray(values)
    limits = thresholds.astype(values.dtype)
    out = np.empty(values.shape, np.uint8)
    _OF[values.dtype]["passed"](values, values.size, limits, limits.size, out)
    return out


def threshold_histogram(
    values: Scores, thresholds: NDArray[np.float64], *, threads: int = 1
) -> Codes:
    """Number of scores of each column by the number of thresholds they reach."""
    values = np.ascontiguousarray(values)
    count, width = values.shape
    limits = thresholds.astype(values.dtype)
    find = _OF[values.dtype]["threshold_histogram"]

    def task(first: int, last: int) -> Codes:
        table = np.zeros((width, limits.size + 1), np.int64)
        if limits.size and width:
            find(values[first:last], last - first, width, limits, limits.size, table)
        return table

    parts = over(task, spans(0, count, -(-count // workers(values.size, threads))))
    table = np.zeros((width, limits.size + 1), np.int64)
    for part in parts:
        table += part
    table[:, 0] = count - table[:, 1:].sum(axis=1)
    return table


def reliability(
    values: Scores, hits: NDArray[np.bool_], limits: Scores, *, threads: int = 1
) -> ReliabilityBins:
    """Scores by the number of limits that they reach, with the hits among them and their sums."""
    if limits.size > _BYTE:
        return numeric.reliability(values, hits, limits, threads=threads)
    values, hits = np.ascontiguousarray(values), np.ascontiguousarray(hits)
    find = _OF[values.dtype]["reliability"]

    def task(first: int, last: int) -> ReliabilityBins:
        counts = np.zeros(limits.size + 1, np.int64)
        found = np.zeros_like(counts)
        limbs = np.zeros((counts.size, _SCORE_LIMBS), np.uint64)
        find(
            *(values[first:last], hits[first:last], last - first, limits, limits.size),
            *(counts, found, limbs, _SCORE_LIMBS, _SCORE_UNITS),
        )
        units = [units >> _SCORE_UNITS - 1074 for units in _whole(limbs)]
        return ReliabilityBins(counts=counts, hits=found, units=units)

    step = -(-values.size // workers(values.size, threads))
    return ReliabilityBins.joined(over(task, spans(0, values.size, step)), limits.size + 1)


def rank_label(
    scores: Scores,
    positive_scores: Scores,
    *,
    unlisted_positives: int = 0,
    unlisted_negatives: int = 0,
) -> LabelAreas:
    """Areas under the ROC and the precision-recall curve of one label, exact with ties."""
    limbs = np.zeros((1, _PRECISION_LIMBS), np.uint64)
    wins = _OF[scores.dtype]["rank"](
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
        _whole(limbs)[0] / 2**_PRECISION_UNITS,
    )


def rank_matrix(
    chunks: Sequence[Scores], rows: Codes, columns: Codes, *, threads: int = 1
) -> RankAreas:
    """Areas under the curves of every column of a matrix, as by `rank_label`."""
    dtype = np.result_type(*chunks)
    chunks = [np.ascontiguousarray(chunk, dtype) for chunk in chunks]
    width, functions = chunks[0].shape[1], _OF[dtype]
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
        _whole(limbs)[0] / 2**_PRECISION_UNITS,
    )


def rank_curve(
    scores: Scores,
    positive_scores: Scores,
    *,
    unlisted_positives: int = 0,
    unlisted_negatives: int = 0,
    bends: bool = False,
) -> RankCurve:
    """Counts behind the ROC and the precision-recall curve of one label."""
    thresholds = np.empty(scores.size + 1, scores.dtype)
    true, false = np.empty(thresholds.size, np.int64), np.empty(thresholds.size, np.int64)
    points = _OF[scores.dtype]["rank_curve"](
        *(np.sort(scores), scores.size, np.sort(positive_scores), positive_scores.size),
        *(unlisted_positives, unlisted_negatives, bends, thresholds, true, false),
    )
    return RankCurve(
        thresholds=thresholds[:points], true_positives=true[:points], false_positives=false[:points]
    )


def ranks_of_truth(values: Scores, truths: Codes) -> Codes:
    """Number of columns that come before the true one in each row."""
    values = np.ascontiguousarray(values)
    ranks = np.empty(len(values), np.int64)
    _OF[values.dtype]["ranks_of_truth"](
        values, *values.shape, np.ascontiguousarray(truths), UNLISTED_RANK, ranks
    )
    return ranks


def ranks_of_truth_in_runs(datums: Codes, values: Scores, entries: Codes) -> Codes:
    """Number of entries of a listing that come before each datum's true one."""
    values, datums = np.ascontiguousarray(values), np.ascontiguousarray(datums)
    entries = np.ascontiguousarray(entries)
    ranks = np.where(entries >= 0, 0, UNLISTED_RANK)
    _OF[values.dtype]["ranks_of_truth_in_runs"](datums, values, values.size, entries, ranks)
    return ranks


def confusion_cells(
    truths: NDArray[np.integer[Any]],
    predictions: NDArray[np.integer[Any]],
    bins: NDArray[np.integer[Any]],
    *,
    label_count: int,
    threshold_count: int,
) -> ConfusionCells:
    """Number of datums with each truth, prediction and number of thresholds passed."""
    shape = (label_count + 1, label_count + 1, threshold_count + 1)
    if bins.dtype != np.uint8 or not _is_small(shape, truths.size):
        return numeric.confusion_cells(
            truths, predictions, bins, label_count=label_count, threshold_count=threshold_count
        )
    table = np.zeros(shape, np.int64)
    _OF_CODES["confusion_table"](
        np.ascontiguousarray(truths, np.int64),
        np.ascontiguousarray(predictions, np.int32),
        np.ascontiguousarray(bins),
        *(truths.size, label_count, threshold_count + 1, table),
    )
    return ConfusionCells.of(table)


def top_cells(
    values: Scores,
    labels: Codes,
    truths: Codes,
    thresholds: NDArray[np.float64],
    *,
    label_count: int,
    threads: int = 1,
) -> ConfusionCells:
    """Number of rows with each truth, best-scoring label and number of thresholds passed."""
    shape = (label_count + 1, label_count + 1, thresholds.size + 1)
    if not _is_small(shape, truths.size):
        columns, scores = top_of_rows(values, threads=threads)
        return confusion_cells(
            *(truths, labels[columns], passed(scores, thresholds)),
            label_count=label_count,
            threshold_count=thresholds.size,
        )
    values = np.ascontiguousarray(values)
    count, width = values.shape
    limits = thresholds.astype(values.dtype)
    labels, truths = np.ascontiguousarray(labels), np.ascontiguousarray(truths)
    find = _OF[values.dtype]["top_table"]

    def task(first: int, last: int) -> Codes:
        table = np.zeros(shape, np.int64)
        find(
            *(values[first:last], last - first, width, labels, truths[first:last]),
            *(limits, limits.size, label_count, table),
        )
        return table

    tables = over(task, spans(0, count, -(-count // workers(values.size, threads))))
    return ConfusionCells.of(sum(tables, start=np.zeros(shape, np.int64)))


def _is_small(shape: tuple[int, ...], count: int) -> bool:
    """Whether a table of counts is small beside the data."""
    return math.prod(shape) <= max(_SMALL_TABLE, count)


def _whole(limbs: NDArray[np.uint64]) -> list[int]:
    """The whole number that each row of 32-bit limbs stands for, the lowest first."""
    return [int.from_bytes(row.tobytes(), "little") for row in limbs.astype("<u4")]

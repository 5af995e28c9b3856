"""Best label of each datum, and rank of its true label, compiled."""

import math
from ctypes import Structure

import numpy as np

from valor_classification.kernels import KERNELS
from valor_classification.kernels.compiled.functions import function, in_threads, of_type
from valor_classification.kernels.values import UNLISTED_RANK, Codes, Columns, RowTops, Scores
from valor_core.kernels import thread_count
from valor_core.schemas.classification.scores import Tops


def tops(values: Scores) -> Tops | None:
    """Return the row maxima of a matrix, or None if the sum of its scores is not finite."""
    columns, scores, total = _look(values, thread_count())
    return Tops(columns, scores) if math.isfinite(total) else None


def top_of_rows(values: Scores, *, threads: int = 1) -> tuple[Columns, Scores]:
    """Column of the greatest score in each row, the first of equals, and the score."""
    columns, scores, _ = _look(np.ascontiguousarray(values), threads)
    return columns, scores


def rows_of(values: Scores, tops: RowTops | None, first: int, last: int) -> Structure:
    """Return the struct of a range of rows, with their maxima if there are any."""
    columns, scores = tops or (None, None)
    return KERNELS.struct(
        of_type("Rows", values.dtype),
        values=values[first:last],
        count=last - first,
        width=values.shape[1],
        top=None if columns is None else np.ascontiguousarray(columns[first:last]),
        scores=None if scores is None else np.ascontiguousarray(scores[first:last]),
    )


def _look(values: Scores, threads: int) -> tuple[Columns, Scores, float]:
    count, width = values.shape
    top = np.empty(count, np.int32)
    scores = np.empty(count, values.dtype)
    find = function("top_of_rows", values.dtype)

    def task(first: int, last: int) -> float:
        rows = slice(first, last)
        total: float = find(values[rows], last - first, width, top[rows], scores[rows])
        return total

    return top, scores, sum(in_threads(task, count, values.size, threads))


def scores_in_rows(values: Scores, columns: Codes) -> Scores:
    """Score of each row in the column given for it."""
    values = np.ascontiguousarray(values)
    scores = np.empty(len(values), values.dtype)
    columns = np.ascontiguousarray(columns, np.int64)
    function("scores_in_rows", values.dtype)(values, *values.shape, columns, scores)
    return scores


def top_of_runs(datums: Codes, values: Scores, *, count: int) -> Codes:
    """Entry with each datum's greatest score in a listing; the first of equals."""
    values, datums = np.ascontiguousarray(values), np.ascontiguousarray(datums)
    top = np.full(count, -1, np.int64)
    function("top_of_runs", values.dtype)(datums, values, values.size, top)
    return top


def ranks_of_truth(values: Scores, truths: Codes) -> Codes:
    """Number of columns that come before the true one in each row."""
    values = np.ascontiguousarray(values)
    ranks = np.empty(len(values), np.int64)
    function("ranks_of_truth", values.dtype)(
        values, *values.shape, np.ascontiguousarray(truths), UNLISTED_RANK, ranks
    )
    return ranks


def ranks_of_truth_in_runs(datums: Codes, values: Scores, entries: Codes) -> Codes:
    """Number of entries of a listing that come before each datum's true one."""
    values, datums = np.ascontiguousarray(values), np.ascontiguousarray(datums)
    entries = np.ascontiguousarray(entries)
    ranks = np.where(entries >= 0, 0, UNLISTED_RANK)
    function("ranks_of_truth_in_runs", values.dtype)(datums, values, values.size, entries, ranks)
    return ranks

"""Functions of the compiled library, for both types of scores, and the numbers that they answer."""

from collections.abc import Callable, Mapping, Sequence
from ctypes import c_double, c_int, c_int64, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_classification.kernels import KERNELS
from valor_core.kernels import array

MOST_THRESHOLDS = 255
"""More than these do not fit the byte that counts them."""

Functions = Mapping[str, Callable[..., Any]]


def _declared(signatures: Mapping[str, Sequence[Any]], suffix: str = "") -> Functions:
    """Functions of the library by name; each signature is the answer's type and the arguments'."""
    functions = {}
    for name, (answer, *arguments) in signatures.items():
        functions[name] = KERNELS.function(name + suffix, answer, *arguments)
    return functions


_CODES, _COUNTED = array(np.int64), array(np.int64, written=True)
_BYTES, _MARKS, _COLUMNS = array(np.uint8), array(np.bool_), array(np.int32)
_FEW = array(np.int32, written=True)
_LIMBS, _CHUNKS = array(np.uint64, written=True), array(np.uintp)


def _of_scores(score: type[Any]) -> Functions:
    """The functions over scores of one type."""
    scores, found = array(score), array(score, written=True)
    limbs = (_LIMBS, c_int64, c_int)
    tops = (array(np.int32, optional=True), array(score, optional=True))
    real = np.ctypeslib.as_ctypes_type(score)
    signatures = {
        "top_of_rows": [real, scores, c_int64, c_int64, _FEW, found],
        "top_table": [
            *(None, scores, c_int64, c_int64, *tops, _CODES, _CODES),
            *(scores, c_int64, c_int64, _COUNTED),
        ],
        "top_of_runs": [None, _CODES, scores, c_int64, _COUNTED],
        "scores_in_rows": [None, scores, c_int64, c_int64, _CODES, found],
        "outside": [c_int64, scores, c_int64, c_double, c_double],
        "passed": [None, scores, c_int64, scores, c_int64, array(np.uint8, written=True)],
        "threshold_histogram": [None, scores, c_int64, c_int64, scores, c_int64, _COUNTED],
        "reliability": [c_int64, scores, _MARKS, c_int64, scores, c_int64, _COUNTED, *limbs],
        "top_reliability": [
            *(c_int64, scores, c_int64, c_int64, *tops, _CODES, _CODES),
            *(scores, c_int64, _COUNTED),
            *limbs,
        ],
        "squared_errors": [
            *(None, scores, c_int64, c_int64, c_int64, _CODES, _CODES, c_int64),
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
        "rank_columns": [
            *(None, scores, c_int64, _CODES, scores, _CODES, c_int64, c_int64, _COUNTED),
            *limbs,
        ],
        "rank_curve": [
            *(c_int64, scores, c_int64, scores, c_int64, c_int64, c_int64, c_int),
            *(found, _FEW, _FEW),
        ],
        "ranks_of_truth": [None, scores, c_int64, c_int64, _CODES, c_int64, _COUNTED],
        "ranks_of_truth_in_runs": [None, _CODES, scores, c_int64, _CODES, _COUNTED],
    }
    return _declared(signatures, f"_{np.dtype(score).name}")


OF = {np.dtype(score): _of_scores(score) for score in (np.float32, np.float64)}
OF_CODES = _declared(
    {
        "confusion_table": [None, _CODES, _COLUMNS, _BYTES, c_int64, c_int64, c_int64, _COUNTED],
    }
)


def whole(limbs: NDArray[np.uint64]) -> list[int]:
    """The whole number that each row of 32-bit limbs stands for, the lowest first."""
    return [int.from_bytes(row.tobytes(), "little") for row in limbs.astype("<u4")]

"""COCO's compressed run lengths, in NumPy: groups of five bits, the lowest first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas import Codes
from valor_core.schemas.geometry import Runs

_ZERO = np.uint8(48)
_MORE, _SIGN, _BITS = 32, 16, 5  # of a group: others follow, the number is negative; its size
_GROUPS = 12  # in a number; more would not fit into 64 bits


def text_runs(text: NDArray[np.uint8], starts: Codes) -> tuple[Runs, Codes, int]:
    """Run lengths in the text of some rows.

    Parameters
    ----------
    text : ndarray of uint8
        The text of all rows.
    starts : ndarray of int64, shape (n + 1,)
        Where each row's begins.

    Returns
    -------
    runs, lengths : ndarray of uint32, ndarray of int64, shape (n,)
        Run lengths, and how many each row has.
    bad : int
        The first row that has something else; -1 if there is none.

    Examples
    --------
    >>> text_runs(np.frombuffer(b"52203", np.uint8), np.array([0, 2, 5]))
    (array([5, 2, 2, 0, 3], dtype=uint32), array([2, 3]), -1)
    """
    groups = text - _ZERO
    finishes = np.flatnonzero(groups < _MORE)
    rows = np.searchsorted(finishes, starts)
    lengths = np.diff(rows)
    bad = _unfinished(groups, starts)
    if len(bad):
        before = starts[: bad[0] + 1]
        *_, earlier = text_runs(text[: before[-1]], before)
        return np.empty(0, np.uint32), lengths, int(bad[0]) if earlier < 0 else earlier
    counts, long = _numbers(groups, finishes)
    counts = _summed(counts, rows)
    wrong = np.concatenate([long, np.flatnonzero(counts >> 32)])
    row = int(np.searchsorted(rows, wrong.min(), side="right")) - 1 if len(wrong) else -1
    return counts.astype(np.uint32), lengths, row


def _unfinished(groups: NDArray[np.uint8], starts: Codes) -> Codes:
    """Rows with other letters, or whose last group is not that of a number."""
    filled = np.flatnonzero(starts[1:] > starts[:-1])
    if not len(filled):
        return filled
    highest = np.maximum.reduceat(groups, starts[filled])
    last = groups[starts[filled + 1] - 1]
    return filled[(highest >= 2 * _MORE) | (last >= _MORE)]


def _numbers(groups: NDArray[np.uint8], finishes: Codes) -> tuple[Codes, Codes]:
    """Numbers whose last groups stand at some places, and those of them that have too many."""
    numbers = (groups[finishes] ^ _SIGN).astype(np.int64) - _SIGN
    more = np.flatnonzero(groups >= _MORE)
    owners = more - np.arange(len(more))
    begins = np.concatenate([[-1], finishes])[owners] + 1
    is_first = more == begins
    several = owners[is_first]
    others = finishes[several] - more[is_first]  # groups before the last one
    numbers[several] <<= _BITS * np.minimum(others, _GROUPS - 1)
    places = more - begins
    for place in range(min(int(others.max(initial=0)), _GROUPS - 1)):
        at = places == place
        numbers[owners[at]] |= (groups[more[at]] & (_MORE - 1)).astype(np.int64) << _BITS * place
    return numbers, several[others >= _GROUPS]


def _summed(numbers: Codes, rows: Codes) -> Codes:
    """Counts from numbers of which all behind a row's third are less the last but one."""
    counts = np.concatenate([np.zeros(2, np.int64), numbers])
    starts, stops = rows[:-1] + 2, rows[1:] + 2
    for parity in (0, 1):
        chain = counts[parity::2]
        np.cumsum(chain, out=chain)
        before = chain[np.minimum((starts - parity) // 2, len(chain) - 1)]
        chain[1:] -= np.repeat(before, (stops - parity + 1) // 2 - (starts - parity + 1) // 2)
    filled = stops > starts
    counts[starts[filled]] = numbers[rows[:-1][filled]]
    return counts[2:]

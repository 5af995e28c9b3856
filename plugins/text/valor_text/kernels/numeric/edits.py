"""Edits: what makes one text of another, in the fewest steps."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from valor_text.kernels.values import (
    DELETION,
    HIT,
    INSERTION,
    KINDS_OF_EDITS,
    SUBSTITUTION,
    Ids,
    Positions,
)

_MOST_BYTES = 1 << 20
_FEWEST_ROWS, _FEWEST_COLUMNS = 65, 10


def edit_counts(
    ids: Ids, starts: Positions, known: int, lefts: Positions, rights: Positions
) -> Positions:
    """Hits, substitutions, deletions and insertions of each pair of texts.

    Of all ways to make the right text of the left one in the fewest steps, it is the one that
    rapidfuzz takes.

    Parameters
    ----------
    ids : ndarray of int32
        Words of the tokens, below `known`.
    starts : ndarray of int64
        Where the tokens of each text begin; one more at the end.
    known : int
        How many words there are.
    lefts, rights : ndarray of int64
        The texts of each pair.

    Returns
    -------
    ndarray of int64, shape (pairs, 4)
        The counts, in this order.
    """
    edits, ends = edit_sequences(ids, starts, known, lefts, rights)
    counts = [np.bincount(edits[slice(*own)], minlength=KINDS_OF_EDITS) for own in pairwise(ends)]
    return np.array(counts, np.int64).reshape(len(lefts), KINDS_OF_EDITS)


def edit_sequences(
    ids: Ids, starts: Positions, known: int, lefts: Positions, rights: Positions
) -> tuple[NDArray[np.uint8], Positions]:
    """The edits of each pair of texts, in order, and where those of each begin.

    Parameters
    ----------
    ids, starts, known, lefts, rights
        As for `edit_counts`.

    Returns
    -------
    edits : ndarray of uint8
        `HIT`, `SUBSTITUTION`, `DELETION` or `INSERTION`, one pair behind the other.
    ends : ndarray of int64
        Where those of each pair begin; one more at the end.
    """

    def tokens(text: int) -> Ids:
        return ids[starts[text] : starts[text + 1]]

    pairs = zip(lefts.tolist(), rights.tolist(), strict=True)
    edits = [_edits(tokens(left), tokens(right), None) for left, right in pairs]
    ends = np.cumsum([0, *map(len, edits)])
    return np.array([kind for own in edits for kind in own], np.uint8), ends


def _edits(left: Ids, right: Ids, most: int | None) -> list[int]:
    """The edits of two texts; `most` is what is known of their number.

    Tokens that both texts begin and end with are hits. Where the table of the rest would be
    large, the right text is cut in halves, the left one at the first place that leaves the fewest
    edits.
    """
    prefix = _alike(left, right)
    left, right = left[prefix:], right[prefix:]
    suffix = _alike(left[::-1], right[::-1])
    left, right = left[: len(left) - suffix], right[: len(right) - suffix]
    rows, columns = len(left), len(right)
    most = max(rows, columns) if most is None else min(most, max(rows, columns))
    size = 2 * min(rows, 2 * most + 1) * columns // 8
    if size < _MOST_BYTES or rows < _FEWEST_ROWS or columns < _FEWEST_COLUMNS:
        inner = _edits_by_table(left, right)
    else:
        half = columns // 2
        before = _table(right[:half], left)[-1]
        after = _table(right[half:][::-1], left[::-1])[-1][::-1]
        at = int(np.argmin(before + after))
        inner = _edits(left[:at], right[:half], int(before[at]))
        inner += _edits(left[at:], right[half:], int(after[at]))
    return [HIT] * prefix + inner + [HIT] * suffix


def _alike(left: Ids, right: Ids) -> int:
    """Number of tokens that both texts begin with."""
    shorter = min(len(left), len(right))
    differ = np.flatnonzero(left[:shorter] != right[:shorter])
    return int(differ[0]) if len(differ) else shorter


def _table(left: Ids, right: Ids) -> NDArray[np.int64]:
    """Distances of the first so many tokens of one text (rows) and of the other (columns)."""
    across = np.arange(len(right) + 1)
    table = np.empty((len(left) + 1, len(right) + 1), np.int64)
    table[0] = across
    for row, token in enumerate(left):
        table[row + 1, 0] = row + 1
        table[row + 1, 1:] = np.minimum(table[row, :-1] + (right != token), table[row, 1:] + 1)
        table[row + 1] = np.minimum.accumulate(table[row + 1] - across) + across
    return table


def _edits_by_table(left: Ids, right: Ids) -> list[int]:
    """The edits of two texts, found from their ends.

    A token of the left text that can be deleted is; else one of the right text is inserted where
    the distance is less than without the left one; else both go together.
    """
    table = _table(left, right)
    row, column, edits = len(left), len(right), []
    while row and column:
        if table[row, column] > table[row - 1, column]:
            row -= 1
            edits.append(DELETION)
        elif table[row, column - 1] < table[row - 1, column - 1]:
            column -= 1
            edits.append(INSERTION)
        else:
            row, column = row - 1, column - 1
            edits.append(HIT if left[row] == right[column] else SUBSTITUTION)
    return [INSERTION] * column + [DELETION] * row + edits[::-1]

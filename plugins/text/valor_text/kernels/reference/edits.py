"""Shortest edit sequences between texts."""

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
    ids: Ids, starts: Positions, word_count: int, lefts: Positions, rights: Positions
) -> Positions:
    """Return the numbers of hits, substitutions, deletions and insertions of each pair of texts.

    Of several shortest sequences from the left to the right text, it is the one of rapidfuzz.

    Parameters
    ----------
    ids : ndarray of int32
        Words of the tokens, below `word_count`.
    starts : ndarray of int64
        Index of the first token of each text, and the total.
    word_count : int
        Number of words.
    lefts, rights : ndarray of int64
        Texts of each pair.

    Returns
    -------
    ndarray of int64, shape (pairs, 4)
        Counts, in this order.
    """
    edits, ends = edit_sequences(ids, starts, word_count, lefts, rights)
    counts = [np.bincount(edits[slice(*span)], minlength=KINDS_OF_EDITS) for span in pairwise(ends)]
    return np.array(counts, np.int64).reshape(len(lefts), KINDS_OF_EDITS)


def edit_sequences(
    ids: Ids, starts: Positions, word_count: int, lefts: Positions, rights: Positions
) -> tuple[NDArray[np.uint8], Positions]:
    """Return the edits of each pair of texts in order, and the offset of each pair's first edit.

    Parameters
    ----------
    ids, starts, known, lefts, rights
        As for `edit_counts`.

    Returns
    -------
    edits : ndarray of uint8
        `HIT`, `SUBSTITUTION`, `DELETION` or `INSERTION`, for one pair after another.
    ends : ndarray of int64
        Offset of the first edit of each pair, and the total.
    """

    def tokens(text: int) -> Ids:
        return ids[starts[text] : starts[text + 1]]

    pairs = zip(lefts.tolist(), rights.tolist(), strict=True)
    edits = [_edits(tokens(left), tokens(right), None) for left, right in pairs]
    ends = np.cumsum([0, *map(len, edits)])
    return np.array([kind for sequence in edits for kind in sequence], np.uint8), ends


def _edits(left: Ids, right: Ids, most: int | None) -> list[int]:
    """Return the edits of two texts, at most `most` if given.

    Tokens at the start and end of both texts are hits. If the table of the rest would be large, cut
    the right text in half, and the left text at the first position with the fewest edits.
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
    """Return the number of tokens at the start of both texts."""
    shorter = min(len(left), len(right))
    differ = np.flatnonzero(left[:shorter] != right[:shorter])
    return int(differ[0]) if len(differ) else shorter


def _table(left: Ids, right: Ids) -> NDArray[np.int64]:
    """Return distances between prefixes of one text (rows) and of the other (columns)."""
    across = np.arange(len(right) + 1)
    table = np.empty((len(left) + 1, len(right) + 1), np.int64)
    table[0] = across
    for row, token in enumerate(left):
        table[row + 1, 0] = row + 1
        table[row + 1, 1:] = np.minimum(table[row, :-1] + (right != token), table[row, 1:] + 1)
        table[row + 1] = np.minimum.accumulate(table[row + 1] - across) + across
    return table


def _edits_by_table(left: Ids, right: Ids) -> list[int]:
    """Return the edits of two texts, traced from their ends.

    Delete a token of the left text if that is optimal; otherwise insert one of the right text if
    the distance is smaller than without the left token; otherwise match both.
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

"""Longest common subsequences of texts."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from valor_text.kernels.values import Ids, Positions


def _table(left: Ids, right: Ids) -> NDArray[np.int64]:
    """Return lengths for prefixes of one text (rows) and of the other (columns)."""
    table = np.zeros((len(left) + 1, len(right) + 1), np.int64)
    for row, token in enumerate(left):
        extended = table[row, :-1] + (right == token)
        table[row + 1, 1:] = np.maximum.accumulate(np.maximum(extended, table[row, 1:]))
    return table


def longest_common(
    ids: Ids, starts: Positions, word_count: int, lefts: Positions, rights: Positions
) -> Positions:
    """Return the length of a longest common subsequence of each pair of texts.

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
    """

    def tokens(text: int) -> Ids:
        return ids[starts[text] : starts[text + 1]]

    pairs = zip(lefts.tolist(), rights.tolist(), strict=True)
    lengths = [_table(tokens(left), tokens(right))[-1, -1] for left, right in pairs]
    return np.array(lengths, np.int64)


def _matched(left: Ids, right: Ids) -> set[int]:
    """Return positions of the left line in one of the longest common subsequences.

    Traced from the end: take a token at the end of both lines; otherwise drop the last token of the
    right line if that leaves a longer subsequence than dropping that of the left line.
    """
    table = _table(left, right)
    row, column, matched = len(left), len(right), set()
    while row and column:
        if left[row - 1] == right[column - 1]:
            row, column = row - 1, column - 1
            matched.add(row)
        elif table[row, column - 1] > table[row - 1, column]:
            column -= 1
        else:
            row -= 1
    return matched


def lines_in_common(
    ids: Ids, lines: Ids, starts: Positions, word_count: int, lefts: Positions, rights: Positions
) -> Positions:
    """Return the hits of each pair's left text, by longest common subsequences of lines.

    A token of a line is a hit if a longest common subsequence of the line and any line of the right
    text contains it, at most as often as both texts have its word.

    Parameters
    ----------
    ids : ndarray of int32
        Words of the tokens, below `word_count`.
    lines : ndarray of int32
        Line of each token in its text.
    starts : ndarray of int64
        Index of the first token of each text, and the total.
    word_count : int
        Number of words.
    lefts, rights : ndarray of int64
        Texts of each pair.
    """

    def lines_of(text: int) -> list[Ids]:
        span = slice(starts[text], starts[text + 1])
        if span.start == span.stop:
            return []
        return np.split(ids[span], np.flatnonzero(np.diff(lines[span])) + 1)

    hits = np.zeros(len(lefts), np.int64)
    for pair, (left, right) in enumerate(zip(lefts.tolist(), rights.tolist(), strict=True)):
        left_lines, right_lines = lines_of(left), lines_of(right)
        free = Counter(x for line in left_lines for x in line.tolist())
        free &= Counter(x for line in right_lines for x in line.tolist())
        for line in left_lines:
            matched = set().union(*(_matched(line, other) for other in right_lines))
            for at in sorted(matched):
                if free[int(line[at])]:
                    free[int(line[at])] -= 1
                    hits[pair] += 1
    return hits

"""Subsequences: the longest that texts have in common."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from valor_text.kernels.values import Ids, Positions


def _table(left: Ids, right: Ids) -> NDArray[np.int64]:
    """Lengths for the first so many tokens of one text (rows) and of the other (columns)."""
    table = np.zeros((len(left) + 1, len(right) + 1), np.int64)
    for row, token in enumerate(left):
        extended = table[row, :-1] + (right == token)
        table[row + 1, 1:] = np.maximum.accumulate(np.maximum(extended, table[row, 1:]))
    return table


def longest_common(
    ids: Ids, starts: Positions, known: int, lefts: Positions, rights: Positions
) -> Positions:
    """Length of a longest common subsequence of each pair of texts.

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
    """

    def tokens(text: int) -> Ids:
        return ids[starts[text] : starts[text + 1]]

    pairs = zip(lefts.tolist(), rights.tolist(), strict=True)
    lengths = [_table(tokens(left), tokens(right))[-1, -1] for left, right in pairs]
    return np.array(lengths, np.int64)


def _taken(left: Ids, right: Ids) -> set[int]:
    """Positions of the left line in one of the longest common subsequences.

    Read from the end, a token that both lines end with is taken; else the right line loses its
    last token where that leaves a longer subsequence than if the left line lost its own.
    """
    table = _table(left, right)
    row, column, taken = len(left), len(right), set()
    while row and column:
        if left[row - 1] == right[column - 1]:
            row, column = row - 1, column - 1
            taken.add(row)
        elif table[row, column - 1] > table[row - 1, column]:
            column -= 1
        else:
            row -= 1
    return taken


def lines_in_common(
    ids: Ids, lines: Ids, starts: Positions, known: int, lefts: Positions, rights: Positions
) -> Positions:
    """Hits of each pair's left text, by longest common subsequences of lines.

    A token of a line is a hit if one of the longest subsequences that the line has in common with
    some line of the right text takes it, and no more often than both texts have its word.

    Parameters
    ----------
    ids : ndarray of int32
        Words of the tokens, below `known`.
    lines : ndarray of int32
        Line of each token in its text.
    starts : ndarray of int64
        Where the tokens of each text begin; one more at the end.
    known : int
        How many words there are.
    lefts, rights : ndarray of int64
        The texts of each pair.
    """

    def lines_of(text: int) -> list[Ids]:
        own = slice(starts[text], starts[text + 1])
        if own.start == own.stop:
            return []
        return np.split(ids[own], np.flatnonzero(np.diff(lines[own])) + 1)

    hits = np.zeros(len(lefts), np.int64)
    for pair, (left, right) in enumerate(zip(lefts.tolist(), rights.tolist(), strict=True)):
        left_lines, right_lines = lines_of(left), lines_of(right)
        free = Counter(x for line in left_lines for x in line.tolist())
        free &= Counter(x for line in right_lines for x in line.tolist())
        for line in left_lines:
            taken = set().union(*(_taken(line, other) for other in right_lines))
            for at in sorted(taken):
                if free[int(line[at])]:
                    free[int(line[at])] -= 1
                    hits[pair] += 1
    return hits

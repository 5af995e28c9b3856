"""Edits that include shifts of runs of words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from attrs import frozen

from valor_text.kernels.values import Ids, Positions

_LONGEST, _FARTHEST, _MOST_TRIED = 10, 50, 1000
_BEAM = 25
_TOGETHER, _DROPPED, _ADDED = range(3)

Words = list[int]


def shifted_edits(
    ids: Ids, starts: Positions, responses: Positions, references: Positions
) -> Positions:
    """Return the number of edits, including shifts, from each response to its reference.

    While shifting a run of words that occurs elsewhere in the reference saves edits, shift the run
    that saves most; of equals the longest, then the earliest, to the earliest target. Each shift is
    one edit. Insertions, deletions and substitutions follow. Runs have at most 10 words and move at
    most 50 words; shifting stops after 1,000 attempts. Distances are those of paths within 25 words
    of the diagonal, or more for texts of very different length.

    Parameters
    ----------
    ids : ndarray of int32
        Words of the tokens.
    starts : ndarray of int64
        Index of the first token of each text, and the total.
    responses, references : ndarray of int64
        Texts of each pair.
    """

    def words(text: int) -> Words:
        found: Words = ids[starts[text] : starts[text + 1]].tolist()
        return found

    pairs = zip(responses.tolist(), references.tolist(), strict=True)
    return np.array([_edits(words(one), words(other)) for one, other in pairs], np.int64)


def _edits(response: Words, reference: Words) -> int:
    shifts = tried = 0
    while response and reference:
        distance, ways = _distance(response, reference)
        best, gain = None, 0
        for shift in _shifts(response, reference, ways, _MOST_TRIED - tried):
            tried += 1
            saved = distance - _distance(shift.words, reference)[0]
            if best is None or (saved, *shift.rank) > (gain, *best.rank):
                best, gain = shift, saved
        if best is None or gain <= 0 or tried >= _MOST_TRIED:
            return shifts + distance
        response = best.words
        shifts += 1
    return len(response) + len(reference)


@frozen
class _Shift:
    """Run of words moved before the word at a target, and the resulting response."""

    start: int
    length: int
    target: int
    words: Words

    @property
    def rank(self) -> tuple[int, int, int]:
        """Sort key; the larger shift is preferred."""
        return self.length, -self.start, -self.target


def _distance(response: Words, reference: Words) -> tuple[int, list[int]]:
    """Return the edits from a response to a reference, and the path through the table."""
    far = len(response) + len(reference) + 1
    ratio = len(reference) / len(response)
    beam = math.ceil(ratio / 2 + _BEAM) if ratio / 2 > _BEAM else _BEAM
    costs = [list(range(len(reference) + 1))]
    ways = [[_ADDED] * (len(reference) + 1)]
    for row, word in enumerate(response, 1):
        above, now, way = costs[-1], [far] * len(costs[0]), [_TOGETHER] * len(costs[0])
        diagonal = math.floor(row * ratio)
        last = len(costs[0]) if row == len(response) else diagonal + beam
        for column in range(max(0, diagonal - beam), min(len(costs[0]), last)):
            reached = [(above[column] + 1, _DROPPED)]
            if column:
                together = above[column - 1] + (word != reference[column - 1]), _TOGETHER
                reached = [together, *reached, (now[column - 1] + 1, _ADDED)]
            now[column], way[column] = min(reached, key=lambda one: one[0])
        costs.append(now)
        ways.append(way)
    row, column, path = len(response), len(reference), []
    while row or column:
        path.append(ways[row][column])
        row, column = row - (path[-1] != _ADDED), column - (path[-1] != _DROPPED)
    return costs[-1][-1], path[::-1]


def _shifts(response: Words, reference: Words, ways: list[int], most: int) -> Iterator[_Shift]:
    """Yield candidate shifts: runs of words that are wrong at both their current and new position.

    Stop after the run with which `most` shifts have been tried.
    """
    positions, wrong, missing = _aligned(response, reference, ways)
    tried = 0
    for start, at, length in _runs(response, reference):
        run = range(start, start + length)
        if positions[at] in run or not any(wrong[start : start + length]):
            continue
        if not any(missing[at : at + length]):
            continue
        targets = [
            0 if at + offset < 0 else positions[at + offset] + 1 for offset in range(-1, length)
        ]
        for previous, target in pairwise([None, *targets]):
            if target != previous and target is not None:
                tried += 1
                yield _Shift(start, length, target, _moved(response, start, length, target))
        if tried >= most:
            return


def _aligned(
    response: Words, reference: Words, ways: list[int]
) -> tuple[list[int], list[bool], list[bool]]:
    """Return where each word of the reference is in the response, and the wrong words of both.

    A word that is missing in the response has the position of the previous word.
    """
    positions: list[int] = []
    wrong: list[bool] = []
    missing: list[bool] = []
    for way in ways:
        is_hit = way == _TOGETHER and response[len(wrong)] == reference[len(positions)]
        if way != _ADDED:
            wrong.append(not is_hit)
        if way != _DROPPED:
            positions.append(len(wrong) - 1)
            missing.append(not is_hit)
    return positions, wrong, missing


def _runs(response: Words, reference: Words) -> Iterator[tuple[int, int, int]]:
    """Yield runs of words in both texts: offset in the response, in the reference, and length."""
    for start in range(len(response)):
        for at in range(max(0, start - _FARTHEST), min(len(reference), start + _FARTHEST + 1)):
            both = zip(response[start:], reference[at : at + _LONGEST], strict=False)
            for length, (one, other) in enumerate(both, 1):
                if one != other:
                    break
                yield start, at, length


def _moved(words: Words, start: int, length: int, target: int) -> Words:
    """Move a run of words before a target, which shifts if it is in or after the run."""
    stop = start + length
    if start <= target <= stop:
        target += length
    run = words[start:stop]
    if target < start:
        return words[:target] + run + words[target:start] + words[stop:]
    return words[:start] + words[stop:target] + run + words[target:]

"""Differences between two texts, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby

from attrs import frozen
from valor_report import Piece

_PARTS = re.compile(r"\s+|\w+|[^\w\s]")


@frozen
class Differences:
    """Two texts as pieces that are common, in the same order, or in one text only.

    Parameters
    ----------
    left, right : tuple of Piece
        Pieces of each text; joined they are the text.
    """

    left: tuple[Piece, ...]
    right: tuple[Piece, ...]

    @classmethod
    def of(
        cls, left: str, right: str, meanings: tuple[str, str], *, ignore_case: bool = False
    ) -> Differences:
        """Compare two texts word by word, ignoring white space.

        Parameters
        ----------
        left, right : str
            Texts.
        meanings : tuple of str
            Meanings of pieces in the left text only, and in the right text only.
        ignore_case : bool
            Whether words that differ only in case are equal.

        Examples
        --------
        >>> found = Differences.of("a b c", "a c", ("extra", "missing"))
        >>> [(piece.text, piece.meaning) for piece in found.left]
        [('a ', None), ('b', 'extra'), (' c', None)]
        """
        texts = [_PARTS.findall(text) for text in (left, right)]
        words = [
            [(at, part) for at, part in enumerate(each) if not part.isspace()] for each in texts
        ]
        said, wanted = (
            [word.casefold() if ignore_case else word for _, word in each] for each in words
        )
        blocks = SequenceMatcher(None, said, wanted, autojunk=False).get_matching_blocks()
        sides = []
        for side, meaning in enumerate(meanings):
            common = {
                words[side][(block.a, block.b)[side] + step][0]
                for block in blocks
                for step in range(block.size)
            }
            sides.append(tuple(_pieces(texts[side], common, meaning)))
        return cls(sides[0], sides[1])

    @property
    def counts(self) -> tuple[int, int]:
        """Number of words in the left text only, and in the right text only."""
        marked = [[one for one in each if one.meaning] for each in (self.left, self.right)]
        left, right = (sum(len(one.text.split()) for one in each) for each in marked)
        return left, right


def _pieces(parts: Sequence[str], common: set[int], meaning: str) -> Iterator[Piece]:
    """Merge adjacent parts with equal marks; white space between marked parts is marked."""
    marks: list[str | None] = [None if at in common else meaning for at in range(len(parts))]
    for at, part in enumerate(parts):
        if part.isspace():
            around = (marks[at - 1] if at else None, marks[at + 1] if at + 1 < len(parts) else None)
            marks[at] = meaning if None not in around else None
    pairs = zip(marks, parts, strict=True)
    for mark, each in groupby(pairs, key=lambda pair: pair[0]):
        yield Piece("".join(part for _, part in each), mark)

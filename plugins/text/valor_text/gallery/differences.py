"""Differences: the words of two texts that the other one does not have at their place."""

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
    """Two texts cut into pieces that both have, in the same order, and pieces that only one has.

    Parameters
    ----------
    left, right : tuple of Piece
        The pieces of each text; together they are the text.
    """

    left: tuple[Piece, ...]
    right: tuple[Piece, ...]

    @classmethod
    def of(
        cls, left: str, right: str, meanings: tuple[str, str], *, ignore_case: bool = False
    ) -> Differences:
        """The differences of two texts, word by word; white space is none.

        Parameters
        ----------
        left, right : str
            The texts.
        meanings : tuple of str
            What a piece means that only the left, or only the right text has.
        ignore_case : bool
            Whether words that differ in case alone are the same.

        Examples
        --------
        >>> found = Differences.of("a b c", "a c", ("extra", "missing"))
        >>> [(piece.text, piece.meaning) for piece in found.left]
        [('a ', None), ('b', 'extra'), (' c', None)]
        """
        texts = [_PARTS.findall(text) for text in (left, right)]
        words = [[(at, part) for at, part in enumerate(own) if not part.isspace()] for own in texts]
        said, wanted = (
            [word.casefold() if ignore_case else word for _, word in own] for own in words
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
        """How many words only the left, and only the right text has."""
        marked = [[one for one in own if one.meaning] for own in (self.left, self.right)]
        left, right = (sum(len(one.text.split()) for one in own) for own in marked)
        return left, right


def _pieces(parts: Sequence[str], common: set[int], meaning: str) -> Iterator[Piece]:
    """Parts that stand together and are alike, as one; white space between marks is marked."""
    marks: list[str | None] = [None if at in common else meaning for at in range(len(parts))]
    for at, part in enumerate(parts):
        if part.isspace():
            around = (marks[at - 1] if at else None, marks[at + 1] if at + 1 < len(parts) else None)
            marks[at] = meaning if None not in around else None
    pairs = zip(marks, parts, strict=True)
    for mark, own in groupby(pairs, key=lambda pair: pair[0]):
        yield Piece("".join(part for _, part in own), mark)

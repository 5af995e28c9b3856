"""NumericMatch: whether the number in a response is that of a reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import frozen

from valor_core import Undefined
from valor_core.results import DetailColumns, ItemRows
from valor_core.schemas.text import TextBatch
from valor_text.counting.answers import Answers
from valor_text.counting.latex import boxed, unmarked
from valor_text.counting.numbers_in_text import WrittenNumber, written_numbers
from valor_text.parameters.answers import NumericMatchParameters

_WITHOUT_NUMBER = Undefined("no number in a reference")


def score(
    batch: TextBatch, parameters: NumericMatchParameters, resources: Mapping[str, Any]
) -> ItemRows:
    """Whether the number that a response gives is near enough to that of a reference.

    A number `x` is near enough to a reference `r` if ``|x - r| <= max(absolute, relative * |r|)``,
    exactly: decimals are compared as they are written. The content of a LaTeX box is the answer
    of the text that has one.

    Parameters
    ----------
    batch : TextBatch
        Items with a response.
    parameters : NumericMatchParameters
        Tolerances, and how numbers are read.
    resources : mapping
        None are used.

    Returns
    -------
    ItemRows
        1 or 0; 0 for a response without a number. Undefined for an item without references, or
        with none that has a number; others without one are passed over. The details of an item
        are the number that was read and the one that was expected, as they are written.
    """
    answers = Answers.of(batch)
    reading = _Reading.of(parameters)
    pairs = answers.pairs
    said = [reading.offered(text) for text in pairs.texts[: pairs.items]]
    wanted = [reading.expected(text) for text in pairs.texts[pairs.items :]]
    right, codes = np.zeros(pairs.items, bool), np.zeros(pairs.items, np.uint8)
    told = np.full((2, pairs.items), None, object)
    for item, (start, stop) in enumerate(pairwise(pairs.starts.tolist())):
        expected = [number for number in wanted[start:stop] if number is not None]
        codes[item] = not expected
        read, reference = reading.nearest(said[item], expected)
        right[item] = read is not None and reference is not None and reading.agree(read, reference)
        told[:, item] = [None if one is None else one.text for one in (read, reference)]
    details = DetailColumns({"read": told[0], "expected": told[1]}, answers.positions)
    numbers = answers.numbers(right, codes, [_WITHOUT_NUMBER])
    return ItemRows(batch.datums.uids, {"": numbers}, details)


@frozen
class _Reading:
    """How numbers are read and compared; tolerances are the decimals that somebody wrote."""

    parameters: NumericMatchParameters
    absolute: Fraction
    relative: Fraction

    @classmethod
    def of(cls, parameters: NumericMatchParameters) -> _Reading:
        tolerances = (parameters.absolute, parameters.relative)
        return cls(parameters, *(Fraction(repr(tolerance)) for tolerance in tolerances))

    def _answer(self, text: str) -> str:
        boxes = boxed(text)
        chosen = {"first": slice(1), "last": slice(-1, None), "any": slice(None)}
        return " ; ".join(boxes[chosen[self.parameters.take]]) if boxes else text

    def _numbers(self, text: str) -> list[WrittenNumber]:
        return written_numbers(
            unmarked(text), self.parameters.decimal, percent=self.parameters.percent
        )

    def offered(self, response: str) -> list[WrittenNumber]:
        """The numbers of a response that count; of one with a box, those in the box."""
        numbers = self._numbers(self._answer(response))
        taken = {"first": slice(1), "last": slice(-1, None), "any": slice(None)}
        return numbers[taken[self.parameters.take]]

    def expected(self, reference: str) -> WrittenNumber | None:
        """The number of a reference: the first one if that of a response counts, else the last."""
        numbers = self._numbers(self._answer(reference))
        place = 0 if self.parameters.take == "first" else -1
        return numbers[place] if numbers else None

    def agree(self, read: WrittenNumber, reference: WrittenNumber) -> bool:
        """Whether a number is near enough."""
        if read.value == reference.value:
            return True
        if not self.absolute and not self.relative:
            return False
        far = abs(read.value - reference.value)
        return far <= max(self.absolute, self.relative * abs(reference.value))

    def nearest(
        self, said: Sequence[WrittenNumber], expected: Sequence[WrittenNumber]
    ) -> tuple[WrittenNumber | None, WrittenNumber | None]:
        """The first two that agree, or else the last number beside the first reference."""
        for reference in expected:
            for read in said:
                if self.agree(read, reference):
                    return read, reference
        return said[-1] if said else None, expected[0] if expected else None

"""NumericMatch: comparison of the number in a response with that of a reference."""

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
from valor_text.counting.latex import boxed, unmarked
from valor_text.counting.numbers_in_text import WrittenNumber, written_numbers
from valor_text.counting.pairs import Answers
from valor_text.parameters.answers import NumericMatchParameters

_WITHOUT_NUMBER = Undefined("no number in a reference")


def score(
    batch: TextBatch, parameters: NumericMatchParameters, resources: Mapping[str, Any]
) -> ItemRows:
    """Score 1 if the number of a response is within the tolerance of a reference, otherwise 0.

    A number `x` is within the tolerance of a reference `r` if ``|x - r| <= max(absolute, relative *
    |r|)``, with exact decimals. If a text has a LaTeX box, its content is the answer.

    Parameters
    ----------
    batch : TextBatch
        Items with a response.
    parameters : NumericMatchParameters
        Tolerances, and parsing of numbers.
    resources : mapping
        Unused.

    Returns
    -------
    ItemRows
        1 or 0; 0 for a response without a number. Undefined for an item without references that
        have a number; references without one are ignored. The details of an item are the numbers
        read and expected, as written.
    """
    answers = Answers.of(batch)
    reading = _Reading.of(parameters)
    pairs = answers.pairs
    said = [reading.offered(text) for text in pairs.texts[: pairs.items]]
    wanted = [reading.expected(text) for text in pairs.texts[pairs.items :]]
    right, codes = np.zeros(pairs.items, bool), np.zeros(pairs.items, np.uint8)
    shown_texts = np.full((2, pairs.items), None, object)
    for item, (start, stop) in enumerate(pairwise(pairs.starts.tolist())):
        expected = [number for number in wanted[start:stop] if number is not None]
        codes[item] = not expected
        read, reference = reading.nearest(said[item], expected)
        right[item] = read is not None and reference is not None and reading.agree(read, reference)
        shown_texts[:, item] = [None if one is None else one.text for one in (read, reference)]
    details = DetailColumns({"read": shown_texts[0], "expected": shown_texts[1]}, answers.positions)
    numbers = answers.numbers(right, codes, [_WITHOUT_NUMBER])
    return ItemRows(batch.datums.uids, {"": numbers}, details)


@frozen
class _Reading:
    """Parsing and comparison of numbers; tolerances are exact decimals."""

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
        """Return the numbers of a response that count; those in the box if there is one."""
        numbers = self._numbers(self._answer(response))
        slices = {"first": slice(1), "last": slice(-1, None), "any": slice(None)}
        return numbers[slices[self.parameters.take]]

    def expected(self, reference: str) -> WrittenNumber | None:
        """Return the first number of a reference if `take` is first, otherwise the last."""
        numbers = self._numbers(self._answer(reference))
        index = 0 if self.parameters.take == "first" else -1
        return numbers[index] if numbers else None

    def agree(self, read: WrittenNumber, reference: WrittenNumber) -> bool:
        """Return True if a number is within the tolerance."""
        if read.value == reference.value:
            return True
        if not self.absolute and not self.relative:
            return False
        far = abs(read.value - reference.value)
        return far <= max(self.absolute, self.relative * abs(reference.value))

    def nearest(
        self, said: Sequence[WrittenNumber], expected: Sequence[WrittenNumber]
    ) -> tuple[WrittenNumber | None, WrittenNumber | None]:
        """Return the first pair that agrees, or else the last number and the first reference."""
        for reference in expected:
            for read in said:
                if self.agree(read, reference):
                    return read, reference
        return said[-1] if said else None, expected[0] if expected else None

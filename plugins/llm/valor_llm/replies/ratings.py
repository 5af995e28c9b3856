"""Ratings: one grade, with the reason before it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from attrs import frozen

from valor_core.plugin import shown
from valor_llm.replies.json_text import without_thoughts
from valor_llm.replies.keys import NotAsked, analysis_of, object_in
from valor_llm.replies.reading import Data, Reading, object_schema

Grade = int | str


@frozen
class Rating:
    r"""One rating, with the reason before it.

    Parameters
    ----------
    grades : tuple of int, or tuple of str
        The ratings that there are: whole numbers, or names.

    Examples
    --------
    >>> Rating((1, 2, 3)).read('{"analysis": "so", "rating": 2}', {}, None).value
    {'rating': 2, 'analysis': 'so'}
    >>> Rating((1, 2, 3)).read("Rating: 2.0", {}, None).lenient
    ['no JSON', 'no analysis', 'other spelling']
    >>> Rating((1, 2, 3)).read("2 out of 3", {}, None).problems
    ['"rating" must be one of 1, 2, 3, got \'2 out of 3\'']
    """

    grades: tuple[int, ...] | tuple[str, ...]

    def schema(self, data: Data, missing: Mapping[str, Collection[int]] | None) -> dict[str, Any]:
        """JSON Schema of the reply."""
        kind = "integer" if isinstance(self.grades[0], int) else "string"
        rating = {"type": kind, "enum": list(self.grades)}
        return object_schema({"analysis": {"type": "string"}, "rating": rating})

    def outline(self) -> str:
        """The form as prompts show it."""
        grades = " or ".join(json.dumps(grade, ensure_ascii=False) for grade in self.grades)
        return f'{{"analysis": "…", "rating": {grades}}}'

    def read(self, text: str, data: Data, known: Reading | None, *, cut: bool = False) -> Reading:
        """The rating, under ``"rating"``, and the ``"analysis"``."""
        try:
            values, lenient = self._values(text, cut)
            told = values["rating"]
            grade = self._grade(told)
        except NotAsked as error:
            return Reading.of_nothing(error, error.unfit, known, cut)
        notes = list(lenient)
        notes += ["no analysis"] * (values.get("analysis") is None)
        notes += ["other spelling"] * (type(grade) is not type(told) or grade != told)
        analysis = analysis_of(values.get("analysis"))
        return Reading({"rating": grade, "analysis": analysis}, lenient=notes)

    def _values(self, text: str, cut: bool) -> tuple[dict[str, Any], tuple[str, ...]]:
        said = without_thoughts(text).strip().removeprefix("\ufeff")
        if said and "{" not in said and not said.startswith("<think") and not cut:
            return {"rating": said}, ("no JSON",)
        found = object_in(text, "rating", ["analysis"])
        if found.is_cut:
            raise NotAsked("it is cut off before its JSON is complete", unfit=False)
        return found.values, found.lenient

    def _grade(self, told: Any) -> Grade:
        """The grade that a value stands for, with no room for another."""
        found = set(self._meant(told))
        if len(found) == 1:
            return found.pop()
        expected = ", ".join(map(str, self.grades))
        raise NotAsked(f'"rating" must be one of {expected}, got {shown(told)}', unfit=False)

    def _meant(self, told: Any) -> Iterator[Grade]:
        if isinstance(told, float) and told.is_integer():
            told = int(told)
        if isinstance(told, bool) or not isinstance(told, (int, str)):
            return
        for grade in self.grades:
            if told == grade:
                yield grade
                return
        if isinstance(told, int):
            yield from (grade for grade in self.grades if grade == str(told))
            return
        if isinstance(self.grades[0], str):
            name = _LABEL.sub("", told, count=1).strip(_AROUND).casefold()
            yield from (grade for grade in self.grades if str(grade).casefold() == name)
            return
        if not _RATED.search(told):
            return
        numbers = [_number(part) for part in _PARTS.split(told) if _DIGIT.search(part)]
        if numbers and numbers[-1] in self.grades:
            yield from (grade for grade in self.grades for one in numbers if one == grade)


_LABEL = re.compile(r"^\W*(?:rating|grade|score)\W+", re.IGNORECASE)
_AROUND = " \t\r\n.!*_`\"'"
_RATED = re.compile(
    r"(?:^|[:=]|\b(?:rating|grade|score)\b(?:\s+(?:is|of|are))?)[^\w%+-]*-?\d+(?:\.0+)?[^\w%]*$",
    re.IGNORECASE,
)
"""A number at the end, alone or named as a rating; "it has 3 mistakes" and "I count 3" are none."""
_PARTS = re.compile(r"[\s:=]+")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"[^\w%+-]*(-?[0-9]{1,9})(?:\.0{1,9})?[^\w%+-]*")


def _number(part: str) -> int | None:
    """A whole number, if it is one and nothing else, such as ``4.0`` and not ``4/5``.

    Examples
    --------
    >>> [_number(part) for part in ("**4**.", "4.0", "4.5", "4/5", "-3", "4th", "1-5", "40%")]
    [4, 4, None, None, -3, None, None, None]
    """
    found = _NUMBER.fullmatch(part)
    return None if found is None else int(found[1])

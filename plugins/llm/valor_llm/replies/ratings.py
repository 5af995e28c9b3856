"""Ratings: one grade, with the reason before it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from attrs import frozen

from valor_core.errors import shown
from valor_llm.replies.keys import Asked, NotAsked, analysis_of, object_in
from valor_llm.replies.reading import Data, ParsedReply, object_schema
from valor_llm.replies.thoughts import OpenThought, after_thoughts

Grade = int | str


@frozen
class Rating:
    r"""One rating, with the reason before it.

    Parameters
    ----------
    grades : tuple of int, or tuple of str
        Possible grades: whole numbers, or names.

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

    def read(
        self, text: str, data: Data, known: ParsedReply | None, *, cut: bool = False
    ) -> ParsedReply:
        """The rating, under ``"rating"``, and the ``"analysis"``."""
        try:
            values, lenient = self._values(text, Asked(data, self.outline(), cut))
            value = values["rating"]
            grade = self._grade(value)
        except NotAsked as error:
            return ParsedReply.of_nothing(error, error.unfit, known, cut)
        notes = list(lenient)
        notes += ["no analysis"] * (values.get("analysis") is None)
        notes += ["other spelling"] * (type(grade) is not type(value) or grade != value)
        analysis = analysis_of(values.get("analysis"))
        return ParsedReply({"rating": grade, "analysis": analysis}, lenient=notes)

    def _values(self, text: str, asked: Asked) -> tuple[dict[str, Any], tuple[str, ...]]:
        try:
            said = after_thoughts(text.removeprefix("\ufeff")).strip()
        except OpenThought as error:
            raise NotAsked(str(error), unfit=False) from None
        if said and "{" not in said and not asked.cut:
            return {"rating": said}, ("no JSON",)
        found = object_in(text, "rating", ["analysis"], asked)
        if found.is_cut:
            raise NotAsked("it is cut off before its JSON is complete", unfit=False)
        return found.values, found.lenient

    def _grade(self, value: Any) -> Grade:
        """Return the only grade that a value can mean."""
        found = set(self._meant(value))
        if len(found) == 1:
            return found.pop()
        expected = ", ".join(map(str, self.grades))
        raise NotAsked(f'"rating" must be one of {expected}, got {shown(value)}', unfit=False)

    def _meant(self, value: Any) -> Iterator[Grade]:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            return
        for grade in self.grades:
            if value == grade:
                yield grade
                return
        if isinstance(value, int):
            yield from (grade for grade in self.grades if grade == str(value))
            return
        said = _NAMED.fullmatch(value)
        name = value if said is None else said[1]
        if isinstance(self.grades[0], str):
            name = name.strip(_AROUND).casefold()
            yield from (grade for grade in self.grades if str(grade).casefold() == name)
            return
        number = _NUMBER.fullmatch(name)
        if number is not None and int(number[1]) in self.grades:
            yield int(number[1])


_AROUND = " \t\r\n.!*_`\"'"
_NAMED = re.compile(
    r"[\s*_`#]*(?:(?:my|the|final|overall)\s+)*(?:rating|grade|score)[\s*_`]*"
    r"(?:\(\d+\s*(?:-|\u2013|to)\s*\d+\)[\s*_`]*)?(?:(?:is|of)\b\s*)?[:=]?([^:=]*)",
    re.IGNORECASE | re.DOTALL,
)
"""A rating with its name before it and nothing else: "I would not give a rating of 5" is none."""
_NUMBER = re.compile(r"[\s*_`\"']*(-?[0-9]{1,9})(?:\.0{1,9})?[\s*_`\"'.]*")
"""A whole number and the marks of Markdown or quotation around it.

>>> [bool(_NUMBER.fullmatch(one)) for one in ("**4**.", "4.0", "<4", "4.5", "4/5", "4th", "40%")]
[True, True, False, False, False, False, False]
"""

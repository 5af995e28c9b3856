"""Shapes of replies: a list of texts, verdicts on numbered items, and a rating with its reason."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from valor_core.errors import short_repr
from valor_llm.replies.entries import VerdictEntries
from valor_llm.replies.keys import Asked, NotAsked, analysis_of, lists_in, object_in
from valor_llm.replies.reading import Data, ParsedReply, object_schema
from valor_llm.replies.thoughts import OpenThought, after_thoughts

Grade = int | str


class _Shape:
    """Shape whose `_parsed` raises `NotAsked` for a reply in another form."""

    def outline(self) -> str:
        """The form as prompts show it."""
        raise NotImplementedError

    def read(
        self, text: str, data: Data, known: ParsedReply | None, *, cut: bool = False
    ) -> ParsedReply:
        """Parse a reply and merge it into the result so far, as in `Shape`."""
        try:
            return self._parsed(text, Asked(data, self.outline(), cut), known)
        except NotAsked as error:
            return ParsedReply.of_nothing(error, error.unfit, known, cut)

    def _parsed(self, text: str, asked: Asked, known: ParsedReply | None) -> ParsedReply:
        raise NotImplementedError


@frozen
class TextList(_Shape):
    """A list of texts, such as claims.

    Texts are kept unchanged, including duplicates. A truncated list is requested
    again, since the missing texts are unknown.

    Parameters
    ----------
    key : str
        Name of the list in the reply.
    most : int
        Maximum number of texts; a model that exceeds it does not stop.

    Examples
    --------
    >>> TextList("claims").read('{"claims": ["It rains."]}', {}, None).value
    {'claims': ('It rains.',)}
    """

    key: str
    most: int = 1000

    def schema(self, data: Data, missing: Mapping[str, Collection[int]] | None) -> dict[str, Any]:
        """JSON Schema of the reply."""
        return object_schema({self.key: {"type": "array", "items": {"type": "string"}}})

    def outline(self) -> str:
        """The form as prompts show it."""
        return json.dumps({self.key: ["…"]}, ensure_ascii=False)

    def _parsed(self, text: str, asked: Asked, known: ParsedReply | None) -> ParsedReply:
        """The texts, as a tuple under the key."""
        found = lists_in(text, [self.key], asked)
        if found.is_cut:
            raise NotAsked("it is cut off before its list is complete", unfit=False)
        texts, notes = self._checked(found.values[self.key])
        return ParsedReply({self.key: texts}, lenient=list(dict.fromkeys([*found.lenient, *notes])))

    def _checked(self, entries: Any) -> tuple[tuple[str, ...], list[str]]:
        if not isinstance(entries, list):
            raise NotAsked(f'"{self.key}" must be a list, got {short_repr(entries)}')
        if len(entries) > self.most:
            raise NotAsked(f'"{self.key}" has {len(entries)} texts, more than {self.most}', False)
        texts, notes = [], []
        for entry in entries:
            text = entry
            if isinstance(entry, dict):
                strings = [one for one in entry.values() if isinstance(one, str)]
                text = strings[0] if len(strings) == 1 else None
                notes.append("text in an object")
            if not isinstance(text, str):
                raise NotAsked(
                    f'"{self.key}" must be a list of texts, got {short_repr(entry)}', False
                )
            if text.strip():
                texts.append(text)
            else:
                notes.append("empty text")
        return tuple(texts), notes


@frozen
class VerdictList:
    """A list of verdicts on numbered items.

    Parameters
    ----------
    key : str
        Name of the list in the reply.
    items : str
        The field of the data whose items are judged.
    words : tuple of str
        Possible verdicts.
    """

    key: str
    items: str
    words: tuple[str, ...] = ("yes", "no")

    def schema(self, ids: Sequence[int]) -> dict[str, Any]:
        """Return the JSON Schema of the list with some ids."""
        verdict = {
            "id": {"type": "integer", "enum": list(ids)} if ids else {"type": "integer"},
            "analysis": {"type": "string"},
            "verdict": {"type": "string", "enum": list(self.words)},
        }
        entry = object_schema(verdict)
        return {"type": "array", "items": entry, "minItems": len(ids), "maxItems": len(ids)}

    def outline(self) -> str:
        """The form as prompts show it."""
        words = " or ".join(json.dumps(word) for word in self.words)
        return f'"{self.key}": [{{"id": 1, "analysis": "…", "verdict": {words}}}, …]'


@frozen
class VerdictGroup:
    """Texts of items with the same verdict, an alternative form of some models.

    Parameters
    ----------
    key : str
        Name of the group in the reply: ``"FP"``.
    of : str
        Key of the list of verdicts that the group replaces.
    word : str
        The verdict.
    """

    key: str
    of: str
    word: str


@frozen
class Verdicts(_Shape):
    """One list of verdicts, or several side by side.

    Parameters
    ----------
    lists : tuple of VerdictList
        The lists.
    groups : tuple of VerdictGroup
        Another form that is read as well, without ids and analyses.

    Examples
    --------
    >>> shape = Verdicts((VerdictList("verdicts", "claims"),))
    >>> text = '{"verdicts": [{"id": 2, "analysis": "so", "verdict": "No"}]}'
    >>> reading = shape.read(text, {"claims": ["a", "b"]}, None)
    >>> reading.value["verdicts"], reading.missing, reading.lenient
    ({2: Verdict(id=2, verdict='no', analysis='so')}, {'verdicts': (1,)}, ['other spelling'])
    """

    lists: tuple[VerdictList, ...]
    groups: tuple[VerdictGroup, ...] = ()

    def schema(self, data: Data, missing: Mapping[str, Collection[int]] | None) -> dict[str, Any]:
        """Return the JSON Schema of the reply, or of the part with some ids."""
        wanted = self._wanted(data, missing)
        return object_schema({one.key: one.schema(wanted[one.key]) for one in self._in(wanted)})

    def outline(self) -> str:
        """The form as prompts show it."""
        return "{" + ", ".join(one.outline() for one in self.lists) + "}"

    def _parsed(self, text: str, asked: Asked, known: ParsedReply | None) -> ParsedReply:
        """The verdicts by id, under the key of each list."""
        data = asked.data
        wanted = self._wanted(data, known.missing if known and known.missing else None)
        keys = [one.key for one in self._in(wanted)]
        found = lists_in(text, [*keys, *(group.key for group in self.groups)], asked)
        is_grouped = not set(keys) & set(found.values)
        reading = ParsedReply(lenient=list(known.lenient) if known else [])
        reading.overlook(found.lenient)
        for one in self.lists:
            reading.value[one.key] = dict(known.value.get(one.key, {})) if known else {}
            if wanted[one.key]:
                entries = VerdictEntries(one.key, one.words, wanted[one.key], data[one.items])
                if is_grouped:
                    entries.take_groups(self._groups(one, found.values))
                else:
                    entries.take(found.values.get(one.key), found.is_cut)
                reading.value[one.key] |= entries.verdicts
                reading.problems += entries.problems
                reading.overlook(entries.lenient)
            known_ids = reading.value[one.key]
            ids = range(1, len(data[one.items]) + 1)
            reading.missing[one.key] = tuple(number for number in ids if number not in known_ids)
        return reading

    def _wanted(
        self, data: Data, missing: Mapping[str, Collection[int]] | None
    ) -> dict[str, Sequence[int]]:
        if missing is None:
            return {one.key: range(1, len(data[one.items]) + 1) for one in self.lists}
        return {one.key: sorted(missing.get(one.key, ())) for one in self.lists}

    def _in(self, wanted: Mapping[str, Sequence[int]]) -> list[VerdictList]:
        """Return the lists that the reply should have: those with requested ids, or all."""
        return [one for one in self.lists if wanted[one.key]] or list(self.lists)

    def _groups(self, one: VerdictList, values: Mapping[str, Any]) -> dict[str, Any]:
        return {group.word: values.get(group.key) for group in self.groups if group.of == one.key}


@frozen
class Rating(_Shape):
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

    def _parsed(self, text: str, asked: Asked, known: ParsedReply | None) -> ParsedReply:
        """The rating, under ``"rating"``, and the ``"analysis"``."""
        values, lenient = self._values(text, asked)
        value = values["rating"]
        grade = self._grade(value)
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
        raise NotAsked(f'"rating" must be one of {expected}, got {short_repr(value)}', unfit=False)

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

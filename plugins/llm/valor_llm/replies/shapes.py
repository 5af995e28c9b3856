"""Shapes of replies: the JSON Schema that is asked for, and what is read from an answer to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from attrs import define, field, frozen

from valor_llm.replies.json_text import NoObject, first_object

Data = Mapping[str, Any]
"""What a step is asked about: texts, and lists of texts whose items are numbered from 1."""


@frozen
class Verdict:
    """What a judge says of one numbered item.

    Parameters
    ----------
    id : int
        The item's number.
    verdict : str
        One of the words that were asked for.
    analysis : str
        Why.
    """

    id: int
    verdict: str
    analysis: str = ""


@define
class Reading:
    """What is known of a reply so far, from one text or several.

    Parameters
    ----------
    value : dict
        What was read, by the reply's keys: texts, verdicts by id, or a rating.
    missing : mapping of str to tuple of int
        Ids that are asked for again, by key. With `problems` and without ids, everything is.
    problems : list of str
        What is wrong, in words for the model and for a report.
    lenient : list of str
        What was overlooked.
    """

    value: dict[str, Any] = field(factory=dict)
    missing: dict[str, tuple[int, ...]] = field(factory=dict)
    problems: list[str] = field(factory=list)
    lenient: list[str] = field(factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether nothing has to be asked for again."""
        return not self.problems and not any(self.missing.values())


class Shape(Protocol):
    """The form of a step's reply."""

    def schema(self, data: Data, missing: Mapping[str, Collection[int]] | None) -> dict[str, Any]:
        """JSON Schema of the reply, or of the part with some ids."""

    def read(self, text: str, data: Data, known: Reading | None) -> Reading:
        """What a text says, joined with what is known already."""


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


@frozen
class TextList:
    """A list of texts, such as claims.

    Parameters
    ----------
    key : str
        What the reply calls it.
    """

    key: str

    def schema(self, data: Data, missing: Mapping[str, Collection[int]] | None) -> dict[str, Any]:
        """JSON Schema of the reply."""
        return _object({self.key: {"type": "array", "items": {"type": "string"}}})

    def read(self, text: str, data: Data, known: Reading | None) -> Reading:
        """The texts."""
        try:
            found = first_object(text)
        except NoObject as error:
            return Reading(problems=[str(error)])
        lenient = list(found.lenient)
        texts = found.value.get(self.key)
        if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
            return Reading(problems=[f'the reply has no list of texts under "{self.key}"'])
        return Reading({self.key: tuple(texts)}, lenient=lenient)


@frozen
class VerdictList:
    """A list of verdicts on numbered items.

    Parameters
    ----------
    key : str
        What the reply calls it.
    items : str
        The field of the data whose items are judged.
    words : tuple of str
        The verdicts that there are.
    """

    key: str
    items: str
    words: tuple[str, ...] = ("yes", "no")


@frozen
class Verdicts:
    """One list of verdicts, or several side by side.

    Parameters
    ----------
    lists : tuple of VerdictList
        The lists.
    """

    lists: tuple[VerdictList, ...]

    def schema(self, data: Data, missing: Mapping[str, Collection[int]] | None) -> dict[str, Any]:
        """JSON Schema of the reply, or of the part with some ids."""
        return _object({one.key: _verdicts(one, _ids(one, data, missing)) for one in self.lists})

    def read(self, text: str, data: Data, known: Reading | None) -> Reading:
        """The verdicts, by id."""
        try:
            found = first_object(text)
        except NoObject as error:
            return Reading(dict(known.value) if known else {}, problems=[str(error)])
        reading = Reading(lenient=[*(known.lenient if known else ()), *found.lenient])
        for one in self.lists:
            before = dict(known.value.get(one.key, {})) if known else {}
            after = before | _read_verdicts(one, found.value, data, reading)
            reading.value[one.key] = after
            ids = range(1, len(data[one.items]) + 1)
            reading.missing[one.key] = tuple(number for number in ids if number not in after)
        return reading


@frozen
class Rating:
    """One rating, with the reason before it.

    Parameters
    ----------
    grades : tuple of int, or tuple of str
        The ratings that there are: whole numbers, or names.
    """

    grades: tuple[int, ...] | tuple[str, ...]

    def schema(self, data: Data, missing: Mapping[str, Collection[int]] | None) -> dict[str, Any]:
        """JSON Schema of the reply."""
        kind = "integer" if isinstance(self.grades[0], int) else "string"
        rating = {"type": kind, "enum": list(self.grades)}
        return _object({"analysis": {"type": "string"}, "rating": rating})

    def read(self, text: str, data: Data, known: Reading | None) -> Reading:
        """The rating, under ``"rating"``, and the ``"analysis"``."""
        try:
            found = first_object(text)
        except NoObject as error:
            return Reading(problems=[str(error)])
        rating = found.value.get("rating")
        if isinstance(rating, bool) or rating not in self.grades:
            told = ", ".join(map(str, self.grades))
            return Reading(problems=[f'"rating" must be one of {told}, got {rating!r}'])
        analysis = str(found.value.get("analysis", ""))
        return Reading({"rating": rating, "analysis": analysis}, lenient=list(found.lenient))


def _ids(
    one: VerdictList, data: Data, missing: Mapping[str, Collection[int]] | None
) -> Sequence[int]:
    return range(1, len(data[one.items]) + 1) if missing is None else sorted(missing[one.key])


def _verdicts(one: VerdictList, ids: Sequence[int]) -> dict[str, Any]:
    verdict = {
        "id": {"type": "integer", "enum": list(ids)} if ids else {"type": "integer"},
        "analysis": {"type": "string"},
        "verdict": {"type": "string", "enum": list(one.words)},
    }
    return {
        "type": "array",
        "items": _object(verdict),
        "minItems": len(ids),
        "maxItems": len(ids),
    }


def _read_verdicts(
    one: VerdictList, reply: Mapping[str, Any], data: Data, reading: Reading
) -> dict[int, Verdict]:
    entries = reply.get(one.key)
    if not isinstance(entries, list):
        reading.problems.append(f'the reply has no list under "{one.key}"')
        return {}
    found: dict[int, Verdict] = {}
    for entry in entries:
        number, word = entry.get("id"), entry.get("verdict")
        if number in range(1, len(data[one.items]) + 1) and word in one.words:
            found[number] = Verdict(number, word, str(entry.get("analysis", "")))
    return found

"""Correct answers of a judge, as a function of the question.

A text is supported if its last word stands in another text of the request. The claims of a text
are its sentences. A rating is the grade whose place is the number of words of the last text, taken
modulo the number of grades.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ANALYSIS = "The last word decides."
FENCED = re.compile(r"^(?P<fence>\S+)\n(?P<data>\{.*\})\n(?P=fence)$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"\w+")
FACT = re.compile(r"Fact \d+-\d+ names \w+\.")
NOTE = re.compile(r"Note \d+-\d+ names \w+\.")
TALE = re.compile(r"Tale \d+[\w ]*\.")
"""Sentences found in prompts of any form: of responses, of contexts, and of texts to be rated."""
_SCALE = re.compile(r"\(1-5\)")  # in a prompt that wants a bare number


@dataclass
class Asked:
    """Question of a request.

    Parameters
    ----------
    texts : list of str
        Its texts by themselves, in their order.
    lists : list of list of str
        Its lists of texts, in their order.
    names : list of str
        What the lists are called.
    ids : tuple of int
        The ids that a repair asks for; empty if it is none.
    is_fenced : bool
        Whether the data stood between two lines that are alike, as Valor sends them.
    """

    texts: list[str] = field(default_factory=list)
    lists: list[list[str]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    ids: tuple[int, ...] = ()
    is_fenced: bool = True

    def sentences(self, key: str) -> list[str]:
        """Sentences of what a list of texts is made from."""
        if not self.is_fenced:
            return list(self.texts if key == "truths" else self.lists[-1])
        text = self.texts[-1].strip() if self.texts else ""
        return [one for one in _SENTENCE.split(text) if _WORD.search(one)]

    def place(self, key: str) -> int:
        """The list that verdicts under a key are about: one called like it, or else the last."""
        return next((n for n, name in enumerate(self.names) if name.startswith(key)), -1)

    def verdicts(self, place: int) -> list[bool]:
        """Return whether each text of a list is supported."""
        judged = self.lists[place] if self.lists else []
        others = [one for one in self.lists if one is not judged]
        known = {
            word.casefold()
            for text in [*self.texts, *(text for one in others for text in one)]
            for word in _WORD.findall(text)
        }
        return [_last_word(text) in known for text in judged]

    def grade(self, grades: Sequence[Any]) -> Any:
        """The grade of the last text."""
        last = [*(text for one in self.lists for text in one), *self.texts][-1:]
        return grades[len(_WORD.findall(last[0])) % len(grades) if last else 0]


def _last_word(text: str) -> str:
    return (_WORD.findall(text) or [""])[-1].casefold()


def asked_of(prompts: Sequence[str]) -> Asked:
    """Return the data of messages: JSON between delimiter lines, or facts and notes."""
    whole = "\n".join(prompts)
    found = [json.loads(match["data"]) for match in FENCED.finditer(whole)]
    if not found and (tales := TALE.findall(whole)):
        return Asked([tales[-1]], is_fenced=False)
    if not found:
        notes = list(dict.fromkeys(NOTE.findall(whole)))
        return Asked(notes, [list(dict.fromkeys(FACT.findall(whole)))], is_fenced=False)
    asked = Asked(ids=_missing(prompts[-1]))
    for data in found:
        for name, value in data.items():
            if isinstance(value, str):
                asked.texts.append(value)
            elif isinstance(value, list):
                asked.names.append(name)
                asked.lists.append([one["text"] if isinstance(one, dict) else one for one in value])
    return asked


def _missing(prompt: str) -> tuple[int, ...]:
    if FENCED.search(prompt):
        return ()
    matches = re.findall(r"\bids? (\d+(?:(?:, | and )\d+)*)", prompt)
    return tuple(int(number) for one in matches for number in re.findall(r"\d+", one))


# ---- the form of the reply


def schema_of(prompts: Sequence[str]) -> dict[str, Any] | None:
    """The form that prompts describe: a JSON Schema in them, an outline, or names of keys."""
    whole = "\n".join(prompts)
    for one in _objects(whole):
        if "properties" in one:
            return one
    outlined = _outlined(whole)
    return outlined or _keyed(whole)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    for match in re.finditer(r'\{\s*"', text):
        try:
            found, _ = decoder.raw_decode(text, match.start())
        except ValueError:
            continue
        yield found


def _outlined(text: str) -> dict[str, Any] | None:
    properties: dict[str, Any] = {}
    for match in re.finditer(r'"(\w+)": \[\{"id": 1, "analysis": "…", "verdict": ([^}]+)\}', text):
        words = re.findall(r'"(\w+)"', match[2])
        verdict = {"id": {"type": "integer"}, "analysis": {"type": "string"}}
        element = {"type": "object", "properties": verdict | {"verdict": {"enum": words}}}
        properties[match[1]] = {"type": "array", "items": element}
    if match := re.search(r'"analysis": "…", "rating": ([^}]+)\}', text):
        grades = [json.loads(one) for one in match[1].split(" or ")]
        properties = {"analysis": {"type": "string"}, "rating": {"enum": grades}}
    if match := re.search(r'\{"(\w+)": \["…"', text):
        properties = {match[1]: {"type": "array", "items": {"type": "string"}}}
    return {"type": "object", "properties": properties} if properties else None


def _keyed(text: str) -> dict[str, Any] | None:
    """The form of prompts that only name a key, the last one that is named."""
    verdict = {"verdict": {"type": "string"}, "analysis": {"type": "string"}}
    if "reason" in text and "analysis" not in text:
        verdict = {"verdict": {"type": "string"}, "reason": {"type": "string"}}
    kinds = ("claims", "statements", "truths", "opinions")
    forms = {key: {"type": "string"} for key in kinds} | {
        "verdicts": {"type": "object", "properties": verdict}
    }
    places = {name: text.rfind(f'"{name}"') for name in forms}
    places |= {name: max(place, text.rfind(f"'{name}'")) for name, place in places.items()}
    key = max(places, key=lambda name: places[name])
    if places[key] < 0:
        rated = {"type": "object", "properties": {"rating": {"enum": [1, 2, 3, 4, 5]}}}
        return rated if _SCALE.search(text) else None
    return {"type": "object", "properties": {key: {"type": "array", "items": forms[key]}}}


def right_answer(schema: Mapping[str, Any], asked: Asked) -> Any:
    """A value that fits a schema and is right."""
    return _filled(schema, schema, asked, "")


def grades_of(schema: Mapping[str, Any] | None) -> list[Any]:
    """The ratings that a schema allows; none if it asks for none."""
    return list(((schema or {}).get("properties") or {}).get("rating", {}).get("enum", ()))


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in schema:
        node: Any = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            node = node[part]
        schema = node
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            options = [_resolved(one, root) for one in schema[key]]
            return next(one for one in options if one.get("type") != "null")
    return schema


def _is_verdicts(schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    one = _resolved(schema, root)
    element = _resolved(one.get("items", {}), root)
    return one.get("type") == "array" and "verdict" in element.get("properties", {})


def _filled(schema: Mapping[str, Any], root: Mapping[str, Any], asked: Asked, name: str) -> Any:
    one = _resolved(schema, root)
    if _is_verdicts(one, root):
        return _verdicts(_resolved(one["items"], root), root, asked, asked.place(name))
    if "enum" in one:
        return asked.grade(one["enum"])
    kind = one.get("type", "object" if "properties" in one else "string")
    if kind == "object":
        properties = one.get("properties", {})
        return {key: _filled(part, root, asked, key) for key, part in properties.items()}
    if kind == "array":
        return asked.sentences(name)
    return {"integer": 1, "number": 1, "boolean": True, "null": None}.get(kind, ANALYSIS)


def _verdicts(
    element: Mapping[str, Any], root: Mapping[str, Any], asked: Asked, place: int
) -> list[dict[str, Any]]:
    right = asked.verdicts(place)
    properties = {key: _resolved(part, root) for key, part in element["properties"].items()}
    numbers = range(1, len(right) + 1)
    ids = properties.get("id", {}).get("enum") or asked.ids or numbers
    rows = []
    for number in ids if "id" in properties else numbers:
        row = {}
        for key, part in properties.items():
            if key == "id":
                row[key] = number
            elif key == "verdict":
                row[key] = _verdict(part, right[number - 1])
            elif key in ("statement", "claim", "text"):
                row[key] = asked.lists[place][number - 1]
            else:
                row[key] = ANALYSIS
        rows.append(row)
    return rows


def _verdict(schema: Mapping[str, Any], is_right: bool) -> Any:
    if schema.get("type") in ("integer", "number"):
        return int(is_right)
    if schema.get("type") == "boolean":
        return is_right
    words = schema.get("enum", ("yes", "no"))
    return words[0 if is_right else 1]

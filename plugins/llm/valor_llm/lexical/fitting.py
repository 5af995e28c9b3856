"""Fitting: a value that fits any JSON Schema, decided by the words that the data share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from valor_llm.lexical.comparison import Comparison, compared
from valor_llm.lexical.sentences import sentences, statements

Data = Mapping[str, Any]
"""What a step is asked about: texts, and lists of texts."""

HALF = 0.5


def fitting(schema: Mapping[str, Any], data: Data) -> Any:
    """A value that fits a schema, by what the last of some texts shares with the others.

    Lists of objects with an ``id`` are about the last lists of the data, other lists are the
    sentences of its last text, and a choice is by how much of that the other texts back.
    """
    if "properties" in schema:
        lists = [name for name, value in data.items() if not isinstance(value, str)]
        numbered = [key for key, part in schema["properties"].items() if _ids(part) is not None]
        about = dict(zip(reversed(numbered), reversed(lists), strict=False))
        return {
            key: _listed(part, data, about[key]) if key in about else fitting(part, data)
            for key, part in schema["properties"].items()
        }
    told = schema.get("enum")
    if told is not None:
        return graded(backed_share(data), told)
    kind = schema.get("type")
    if kind == "array":
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        kept = statements(texts_of(data)[-1]) if data else []
        if schema.get("items", {}).get("type", "string") != "string":
            kept = [fitting(schema["items"], data)] * max(least, 1)
        return [*kept, *[""] * (least - len(kept))][:most]
    if kind in ("integer", "number"):
        low, high = schema.get("minimum", 0), schema.get("maximum", 1)
        value = low + backed_share(data) * (high - low)
        return round(value) if kind == "integer" else value
    if kind == "boolean":
        return backed_share(data) >= HALF
    return None if kind == "null" else "By the words that the texts share"


def graded(share: float, grades: Sequence[Any]) -> Any:
    """The grade for a share: the lowest for none, the highest for all, the others in equal parts.

    Of two grades, the higher one begins at a half.

    Examples
    --------
    >>> [graded(share, (1, 2, 3, 4, 5)) for share in (0, 0.1, 0.5, 0.9, 1)]
    [1, 2, 3, 4, 5]
    >>> graded(0.5, ("no", "yes"))
    'yes'
    """
    last = len(grades) - 1
    if last < 2:
        return grades[last if share >= HALF else 0]
    if share in (0, 1):
        return grades[last * int(share)]
    return grades[1 + min(int(share * (last - 1)), last - 2)]


def texts_of(data: Data) -> list[str]:
    """Each value of the data as one text."""
    return [one if isinstance(one, str) else "\n".join(one) for one in data.values()]


def backed_share(data: Data) -> float:
    """Which share of the sentences of the last text the others back."""
    *others, last = texts_of(data) or [""]
    own = sentences(last)
    return sum(compared(one, others).is_backed for one in own) / len(own) if own else 0.0


def _ids(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema of the ids, where a schema is of a list of objects that have some."""
    found: Mapping[str, Any] | None = schema.get("items", {}).get("properties", {}).get("id")
    return found


def _listed(schema: Mapping[str, Any], data: Data, name: str) -> list[dict[str, Any]]:
    """An entry for each item of a list of the data that is asked for."""
    others = [one for key, one in zip(data, texts_of(data), strict=True) if key != name]
    wanted = (_ids(schema) or {}).get("enum", range(1, len(data[name]) + 1))
    found = []
    for number in wanted:
        outcome = compared(data[name][number - 1], others)
        entry = {key: _worded(part, outcome) for key, part in schema["items"]["properties"].items()}
        found.append(entry | {"id": number})
    return found


def _worded(schema: Mapping[str, Any], outcome: Comparison) -> Any:
    """What an entry says: the word for yes where its item is backed, and that for no if not."""
    words = schema.get("enum")
    if words is None:
        return outcome.analysis
    if "yes" in words and "no" in words:
        return "yes" if outcome.is_backed else "no"
    return words[0] if outcome.is_backed else words[-1]

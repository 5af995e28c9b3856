"""Requested keys of a reply, found verbatim, by alias or in a wrapper."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from attrs import evolve, field, frozen

from valor_core.errors import short_repr
from valor_llm.replies.contradictions import contradicts
from valor_llm.replies.json_text import JSONValue, NoJSON, quotable_in, values_in

ALIASES: Mapping[str, frozenset[str]] = {
    "id": frozenset({"number", "nr"}),
    "analysis": frozenset(
        {"reason", "reasoning", "reasons", "explanation", "rationale", "justification"}
    ),
    "verdict": frozenset({"answer", "decision", "judgment", "judgement"}),
    "rating": frozenset({"score", "grade"}),
}
"""Keys that models write instead of the requested ones."""

_DEEPEST = 3  # nested wrappers
_LATER = re.compile("final|corrected|revised|updated|amended|adjusted")
_REFUSALS = frozenset({"refusal", "refused"})
_NOTHING = frozenset({"false", "no", "none", "null", "n/a", ""})
_SCHEMA_KEYS = frozenset({"type", "enum", "$ref", "anyOf", "items"})


class NotAsked(ValueError):
    """Fault of a reply without the requested form.

    Parameters
    ----------
    problem : str
        The fault, worded for the model.
    unfit : bool
        Whether it is another form, and not merely cut off.
    """

    def __init__(self, problem: str, unfit: bool = True) -> None:
        super().__init__(problem)
        self.unfit = unfit


@frozen
class FieldMatch:
    """Values of the requested keys.

    Parameters
    ----------
    values : dict
        The values; missing keys have none.
    lenient : tuple of str
        Tolerated mistakes.
    is_cut : bool
        Whether the text ends within it.
    """

    values: dict[str, Any]
    lenient: tuple[str, ...] = ()
    is_cut: bool = False


@frozen
class Asked:
    """Question of a reply, which distinguishes its answer from quotations.

    Parameters
    ----------
    data : mapping
        Texts, and lists of texts, that the question was about.
    outline : str
        The form of the reply as the prompt shows it.
    cut : bool
        Whether the endpoint ended the reply early.
    """

    data: Mapping[str, Any] = field(factory=dict)
    outline: str = ""
    cut: bool = False

    def is_quoted(self, value: Any) -> bool:
        """Return whether an object or a list is quoted from the data or the prompt."""
        if not value:
            return False
        texts = [self.outline, *texts_within(dict(self.data))]
        written = [text for text in texts if "{" in text or "[" in text]
        return bool(written) and any(_canonical(value) in _quotable(text) for text in written)


@lru_cache(maxsize=64)
def _quotable(text: str) -> frozenset[str]:
    """Canonical JSON of the objects and lists in a text; the outline of a prompt comes often."""
    return frozenset(map(_canonical, quotable_in(text)))


def lists_in(text: str, keys: Sequence[str], asked: Asked = Asked()) -> FieldMatch:
    """Return the lists under some of the requested keys.

    Parameters
    ----------
    text : str
        The text.
    keys : sequence of str
        The keys. If there is only one, a bare list is its value.
    asked : Asked
        Question of the reply.

    Raises
    ------
    NotAsked
        If there are no lists, or several different ones.

    Examples
    --------
    >>> lists_in('{"Result": {"claim": ["It rains."]}}', ["claims"])
    FieldMatch(values={'claims': ['It rains.']}, lenient=('wrapped', 'other key'), is_cut=False)
    """
    return _fitting(text, keys, lambda value, depth: _lists(value, keys, depth), asked)


def object_in(
    text: str, key: str, optional: Sequence[str] = (), asked: Asked = Asked()
) -> FieldMatch:
    """Return the value of a required key, and of optional keys if present.

    Raises
    ------
    NotAsked
        If the key is missing, or several objects differ.

    Examples
    --------
    >>> object_in('{"score": 4}', "rating", ["analysis"])
    FieldMatch(values={'rating': 4}, lenient=('other key',), is_cut=False)
    """

    def read(value: Any, depth: int) -> FieldMatch | None:
        if not isinstance(value, dict):
            return None
        values, notes = picked(value, (key, *optional))
        _check_alone(value, (key,))
        return FieldMatch(values, tuple(notes)) if key in values else None

    return _fitting(text, [key], read, asked)


Read = Callable[[Any, int], FieldMatch | None]
"""Reads the requested values from an object or a list, at a depth."""


def _fitting(text: str, keys: Sequence[str], read: Read, asked: Asked) -> FieldMatch:
    quoted = False

    def own(value: Any, depth: int) -> FieldMatch | None:
        nonlocal quoted
        keyed = read(value, depth)
        if keyed is not None and asked.is_quoted(value):
            quoted = True
            return None
        return keyed

    try:
        candidates = values_in(text, cut=asked.cut)
    except NoJSON as error:
        raise NotAsked(str(error), unfit=not error.is_cut) from error
    fitting = [
        (evolve(keyed, lenient=(*found.lenient, *keyed.lenient), is_cut=found.is_cut), found)
        for found in candidates
        if (keyed := _within(found.value, own)) is not None
    ]
    if not fitting and quoted:
        raise NotAsked("its JSON only quotes what was asked about", unfit=False)
    if not fitting:
        raise _misfit(candidates, keys)
    first, found = fitting[0]
    if any(other.values != first.values for other, _ in fitting):
        raise NotAsked(f"it has {len(fitting)} answers that differ", unfit=False)
    says = {*_words_of(first.values)}
    if contradicts(found.before, " ".join(one.after for one in candidates), says):
        raise NotAsked("its words contradict its JSON", unfit=False)
    return first


def _words_of(values: Mapping[str, Any]) -> Iterator[str]:
    """Ratings and verdicts of an answer, folded."""
    for key, value in values.items():
        if key == "rating" or _means(key, "verdict"):
            yield str(value).strip().casefold()
        elif isinstance(value, list):
            for entry in value:
                yield from _words_of(entry) if isinstance(entry, dict) else ()


def _canonical(value: Any) -> str:
    return json.dumps(_folded(value), sort_keys=True)


def _folded(value: Any) -> Any:
    """A value with keys and texts in one case, and numbers as the texts that a model may write."""
    if isinstance(value, dict):
        return {str(key).casefold(): _folded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_folded(part) for part in value]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return " ".join(str(value).split()).casefold()


def texts_within(value: Any) -> Iterator[str]:
    """Yield the texts of a nested value, without the keys of objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts_within(one)


def picked(
    entry: Mapping[str, Any], keys: Iterable[str], kind: type = object
) -> tuple[dict[str, Any], list[str]]:
    """Return the values of requested keys in an object, and the tolerated mistakes.

    Parameters
    ----------
    entry : mapping
        The object.
    keys : iterable of str
        The keys.
    kind : type
        Required type of a value under another spelling of a key.

    Examples
    --------
    >>> picked({"ID": 1, "reason": "so", "verdict": "yes"}, ("id", "analysis", "verdict"))
    ({'id': 1, 'analysis': 'so', 'verdict': 'yes'}, ['other key', 'other key'])
    """
    values, used, notes = {}, set(), []
    for key in keys:
        if key in entry:
            values[key] = entry[key]
            used.add(key)
            continue
        spellings = [name for name in entry if _means(name, key) and isinstance(entry[name], kind)]
        if len(spellings) == 1:
            values[key] = entry[spellings[0]]
            used.add(spellings[0])
            notes.append("other key")
    if len(entry) > len(used):
        notes.append("further key")
    return values, notes


def revised(entry: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    """Name of a further key that retracts the value of one: another, later value, or a refusal.

    Examples
    --------
    >>> revised({"rating": 5, "final_rating": 2}, ["rating"])
    'final_rating'
    >>> revised({"rating": 5, "final_rating": "5", "refusal": None}, ["rating"])
    """
    for name, value in entry.items():
        folded = re.sub(r"[\W_]+", "", name.casefold())
        if folded in _REFUSALS and value and _folded(value) not in _NOTHING:
            return name
        for key in keys:
            if (
                _later(folded, key)
                and key in entry
                and value is not None
                and _folded(value) != _folded(entry[key])
            ):
                return name
    return None


def _later(folded: str, key: str) -> bool:
    found = _LATER.match(folded)
    return found is not None and folded[found.end() :].removesuffix("s") == key.removesuffix("s")


def _check_alone(entry: Mapping[str, Any], keys: Iterable[str]) -> None:
    if (name := revised(entry, keys)) is not None:
        raise NotAsked(f'its "{name}" contradicts its answer', unfit=False)


def analysis_of(value: Any) -> str:
    """Return an analysis as text, from any JSON value."""
    if value is None:
        return ""
    return value if isinstance(value, str) else short_repr(value, 1000)


def _lists(value: Any, keys: Sequence[str], depth: int) -> FieldMatch | None:
    if isinstance(value, dict):
        values, notes = picked(value, keys, list)
        _check_alone(value, keys)
        return FieldMatch(values, tuple(notes)) if values else None
    if depth == 0 and len(keys) == 1:
        return FieldMatch({keys[0]: value}, ("list alone",))
    return None


def _within(value: Any, read: Read, depth: int = 0) -> FieldMatch | None:
    """Return the requested values from the only part of a value that has them."""
    if _is_schema(value):
        return None
    parts = value.values() if isinstance(value, dict) else value if len(value) == 1 else ()
    found = read(value, depth) if isinstance(value, dict) else None
    if found is None and depth < _DEEPEST:
        inner = [_within(part, read, depth + 1) for part in parts if isinstance(part, dict)]
        fitting = [one for one in inner if one is not None]
        if len(fitting) == 1:
            return evolve(fitting[0], lenient=("wrapped", *fitting[0].lenient))
    return found if isinstance(value, dict) else read(value, depth)


def _means(written: str, key: str) -> bool:
    """Return whether a key is another spelling of one, its singular or plural, or an alias."""
    folded = re.sub(r"[\W_]+", "", written.casefold())
    plain = key.replace("_", "")
    return folded in {plain, f"{plain}s", plain.removesuffix("s")} | ALIASES.get(key, frozenset())


def _misfit(candidates: Collection[JSONValue], keys: Collection[str]) -> NotAsked:
    if any(map(_is_schema, (found.value for found in candidates))):
        return NotAsked("it repeats the schema instead of following it")
    if any(found.is_cut for found in candidates):
        return NotAsked("it is cut off before its JSON is complete", unfit=False)
    names = " and ".join(f'"{key}"' for key in keys)
    return NotAsked(f"its JSON has no {names}")


def _is_schema(value: Any) -> bool:
    """Return whether an object is a JSON Schema, perhaps within a wrapper."""
    if not isinstance(value, dict):
        return False
    parts = [value, *(part for part in value.values() if isinstance(part, dict))]
    tables = [part["properties"] for part in parts if isinstance(part.get("properties"), dict)]
    return any(
        isinstance(one, dict) and not _SCHEMA_KEYS.isdisjoint(one)
        for properties in tables
        for one in properties.values()
    )

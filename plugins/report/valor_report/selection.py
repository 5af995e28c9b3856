"""Selection of a number in a report by key.

A key is a metric followed by parts of the number's flat key, in any order and separated by slashes.
It needs all parts of the slice, and as many other parts as make it unambiguous. Parts may be
escaped as in the flat key, or not: ``F1/n_x002F_a`` or ``F1/n/a``. Labels, averages and label keys
need no name, and parts may also be parameters with a default that the result does not list.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from valor_core.errors import ReportError, and_more, did_you_mean
from valor_core.results import Failed, Result, Undefined
from valor_core.results.entries import NO_VALUE, Entry, key_text, numbers_of, safe, short_keys
from valor_core.results.result import is_number
from valor_core.results.results import NAMING, defaults, is_called

_MOST_NAMED = 12
_LIKE = 0.8
"""Minimum similarity of suggestions; high, because parts of one parameter share its name."""

_ANOTHER = "Use the key of a single number in the report."

_Forms = Sequence[str]
"""Spellings of one part of a key."""


def select(key: str, found: Iterable[Result]) -> float | Undefined | Failed:
    """Select a number by key; `Undefined` or `Failed` if it has no value.

    Parameters
    ----------
    key : str
        Key such as ``"Recall/cat"``, ``"COCOSummary/AP"``, ``"Accuracy weather:rain"`` or
        ``"Accuracy/weather:rain"``.
    found : iterable of Result
        Results to search.

    Raises
    ------
    ReportError
        If the key fits no number or several numbers; suggests keys.

    Examples
    --------
    >>> counts = Result(type="Counts", parameters={"label": "cat"}, value={"tp": 3, "fp": 1})
    >>> select("Counts/cat/tp", [counts])
    3.0
    """
    value = selected(key, tuple(found)).value
    if value is None:
        return Undefined("null in its table")
    return float(value) if is_number(value) else value


def selected(key: str, found: Sequence[Result]) -> Entry:
    """Select the entry of a number by key.

    Raises
    ------
    ReportError
        If the key fits no number or several numbers; suggests keys.
    """
    metric = re.split("[ /]", key, maxsplit=1)[0]
    rest = f"{key[len(metric) + 1 :]}/" if len(metric) < len(key) else ""
    results = [one for one in found if is_called(one, metric)]
    if not results:
        raise ReportError(f"no result of {metric!r}", _ANOTHER)
    numbers = [number for one in results for number in numbers_of(one)]
    if not numbers:
        raise ReportError(f"{metric!r} has no single number", _metrics_with_numbers(found))
    matches = [number for number in numbers if number.key(metric) == key]
    matches = matches or [number for short, number in short_keys(numbers, metric) if short == key]
    matches = matches or _matches(rest, numbers)
    if len(matches) == 1:
        return matches[0]
    if matches:
        remedy = _write_one_of(metric, matches, numbers)
        raise ReportError(f"expected one number, found {len(matches):,}", remedy)
    words = [form for number in numbers for forms in _parts(number) for form in forms]
    unknown = next((part for part in rest[:-1].split("/") if part not in words), None)
    suggestion = unknown and did_you_mean(unknown, words, _LIKE)
    missing = f"no result of {metric!r} for {unknown or rest[:-1]!r}"
    raise ReportError(missing, suggestion or _write_one_of(metric, numbers, numbers))


def _matches(rest: str, numbers: Sequence[Entry]) -> list[Entry]:
    """Numbers that match the parts of a key, each followed by a slash.

    Listed parameters take precedence over defaults. A metric without numbers has no labels to
    match, so any key matches its reason.
    """
    numbers = _of_slice(rest, numbers)
    names = {name for number in numbers for name in number.result.parameters}
    return (
        [number for number in numbers if _is_made_of(rest, _parts(number))]
        or [number for number in numbers if _is_made_of(rest, _parts(number, names))]
        or ([] if any(is_number(number.value) for number in numbers) else [*numbers[:1]])
    )


def _of_slice(rest: str, numbers: Iterable[Entry]) -> list[Entry]:
    """Numbers of the slice in a key, or of all items if the key has no slice."""
    named = [
        number
        for number in numbers
        if all(
            any(f"/{form}/" in f"/{rest}" for form in forms)
            for forms in _spelled(number.result.slice)
        )
    ]
    most = max((len(number.result.slice) for number in named), default=0)
    return [number for number in named if len(number.result.slice) == most]


def _is_made_of(rest: str, parts: Sequence[_Forms]) -> bool:
    """Return True if a key consists of some of the parts, which may contain slashes."""
    return not rest or any(
        _is_made_of(rest[len(form) + 1 :], [*parts[:place], *parts[place + 1 :]])
        for place, forms in enumerate(parts)
        for form in forms
        if rest.startswith(f"{form}/")
    )


def _parts(number: Entry, defaulted: Iterable[str] = ()) -> list[_Forms]:
    """Parts of a number's key, including defaults of parameters."""
    result = number.result
    values = defaults(result.metric) if defaulted else {}
    unlisted = {name: values[name] for name in values if name in defaulted}
    return [
        *_spelled({**unlisted, **result.parameters}, NAMING),
        *_spelled(result.slice),
        *([(number.part, safe(number.part))] if number.is_named else []),
    ]


def _spelled(values: Mapping[str, Any], bare: Collection[str] = ()) -> list[_Forms]:
    """Spellings of parameters or values of a slice; those in `bare` need no name."""
    parts: list[_Forms] = []
    for name, value in values.items():
        forms = [value] if name in bare and isinstance(value, str) else []
        forms.append(f"{name}:{key_text(value)}")
        forms += [f"{name}:{NO_VALUE}"] if value is None else []
        parts.append([*forms, *map(safe, forms)])
    return parts


def _write_one_of(metric: str, matches: Iterable[Entry], numbers: Sequence[Entry]) -> str:
    """Remedy with the shortest unambiguous keys of the matches among all numbers of the metric."""
    wanted = set(map(id, matches))
    keyed = [(key, number) for key, number in short_keys(numbers, metric) if id(number) in wanted]
    counts = Counter(key for key, _ in keyed)
    keys = [key for key, count in counts.items() if count == 1]
    if not keys:
        return _ANOTHER
    return f"Write one of: {_first(keys)}."


def _metrics_with_numbers(found: Iterable[Result]) -> str:
    """Remedy for a metric that has only curves or matrices."""
    types = list(dict.fromkeys(one.type for one in found if any(True for _ in numbers_of(one))))
    return f"Choose a metric with numbers{f': {_first(types)}' if types else ''}."


def _first(words: Sequence[str]) -> str:
    return f"{', '.join(words[:_MOST_NAMED])}{and_more(len(words) - _MOST_NAMED)}"

"""Selection: the one number of a report that a key names.

A key is a metric and, behind slashes, parts of the flat key of one number in any order: all that
say its slice, and as many others as tell it from the rest. Parts are written as they are,
``F1/n/a``, or as in a flat key, ``F1/n_x002F_a``. A label, an average and a label key may stand
without their names, and a default that a result does not name may be named.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from valor_core.errors import ReportError, and_more, did_you_mean
from valor_core.results import (
    NAMING,
    NO_VALUE,
    Entry,
    Failed,
    Result,
    Undefined,
    defaults,
    is_called,
    is_number,
    key_text,
    numbers_of,
    safe,
    short_keys,
)

_MOST_NAMED = 12
_LIKE = 0.8
"""How like a part is to what may be meant: two values of one name are alike for their name."""

_ANOTHER = "Name a single number of the report."

_Forms = Sequence[str]
"""The ways to write one part of a key."""


def select(key: str, found: Iterable[Result]) -> float | Undefined | Failed:
    """The number that a key names, or the reason why there is none.

    Parameters
    ----------
    key : str
        ``"Recall/cat"``, ``"COCOSummary/AP"``, ``"Accuracy weather:rain"``; also
        ``"Accuracy/weather:rain"``.
    found : iterable of Result
        Where it is looked for.

    Raises
    ------
    ReportError
        If the key names no number, or several; with the keys there are.

    Examples
    --------
    >>> counts = Result(type="Counts", parameters={"label": "cat"}, value={"tp": 3, "fp": 1})
    >>> select("Counts/cat/tp", [counts])
    3.0
    """
    found = tuple(found)
    metric = re.split("[ /]", key, maxsplit=1)[0]
    rest = f"{key[len(metric) + 1 :]}/" if len(metric) < len(key) else ""
    results = [one for one in found if is_called(one, metric)]
    if not results:
        raise ReportError(f"no result of {metric!r}", _ANOTHER)
    numbers = [number for one in results for number in numbers_of(one)]
    if not numbers:
        raise ReportError(f"{metric!r} has no single number", _those_with_one(found))
    fitting = [number for number in numbers if number.key(metric) == key]
    fitting = fitting or [number for short, number in short_keys(numbers, metric) if short == key]
    fitting = fitting or _fitting(rest, numbers)
    if len(fitting) == 1:
        value = fitting[0].value
        if value is None:
            return Undefined("null in its table")
        return float(value) if is_number(value) else value
    if fitting:
        remedy = _write_one_of(metric, fitting, numbers)
        raise ReportError(f"expected one number, found {len(fitting):,}", remedy)
    words = [form for number in numbers for forms in _parts(number) for form in forms]
    strange = next((part for part in rest[:-1].split("/") if part not in words), None)
    near = strange and did_you_mean(strange, words, _LIKE)
    missing = f"no result of {metric!r} for {strange or rest[:-1]!r}"
    raise ReportError(missing, near or _write_one_of(metric, numbers, numbers))


def _fitting(rest: str, numbers: Sequence[Entry]) -> list[Entry]:
    """The numbers that the parts of a key, each with a slash behind it, may mean.

    What results say goes before what they leave to be the default. Where a metric has no number
    at all, its labels are not known, and any key of it means the reason.
    """
    numbers = _of_slice(rest, numbers)
    names = {name for number in numbers for name in number.result.parameters}
    return (
        [number for number in numbers if _is_made_of(rest, _parts(number))]
        or [number for number in numbers if _is_made_of(rest, _parts(number, names))]
        or ([] if any(is_number(number.value) for number in numbers) else [*numbers[:1]])
    )


def _of_slice(rest: str, numbers: Iterable[Entry]) -> list[Entry]:
    """The numbers of the slice that a key names, or of the whole."""
    named = [
        number
        for number in numbers
        if all(
            any(f"/{form}/" in f"/{rest}" for form in forms) for forms in _said(number.result.slice)
        )
    ]
    most = max((len(number.result.slice) for number in named), default=0)
    return [number for number in named if len(number.result.slice) == most]


def _is_made_of(rest: str, parts: Sequence[_Forms]) -> bool:
    """Whether a key is made of some of the parts; slashes that these have do not part it."""
    return not rest or any(
        _is_made_of(rest[len(form) + 1 :], [*parts[:place], *parts[place + 1 :]])
        for place, forms in enumerate(parts)
        for form in forms
        if rest.startswith(f"{form}/")
    )


def _parts(number: Entry, defaulted: Iterable[str] = ()) -> list[_Forms]:
    """The parts of a number's key, and of the defaults of some parameters."""
    result = number.result
    known = defaults(result.metric) if defaulted else {}
    unsaid = {name: known[name] for name in known if name in defaulted}
    return [
        *_said({**unsaid, **result.parameters}, NAMING),
        *_said(result.slice),
        *([(number.part, safe(number.part))] if number.is_named else []),
    ]


def _said(values: Mapping[str, Any], bare: Collection[str] = ()) -> list[_Forms]:
    """The ways to write each of some parameters, or of the values of a slice."""
    said: list[_Forms] = []
    for name, value in values.items():
        forms = [value] if name in bare and isinstance(value, str) else []
        forms.append(f"{name}:{key_text(value)}")
        forms += [f"{name}:{NO_VALUE}"] if value is None else []
        said.append([*forms, *map(safe, forms)])
    return said


def _write_one_of(metric: str, fitting: Iterable[Entry], numbers: Sequence[Entry]) -> str:
    """The shortest keys of those that fit, of all numbers of the metric."""
    wanted = set(map(id, fitting))
    keyed = [(key, number) for key, number in short_keys(numbers, metric) if id(number) in wanted]
    alike = Counter(key for key, _ in keyed)
    keys = [key for key, count in alike.items() if count == 1]
    if not keys:
        return _ANOTHER
    return f"Write one of: {_first(keys)}."


def _those_with_one(found: Iterable[Result]) -> str:
    """What can be required in place of a metric that has curves or matrices only."""
    types = list(dict.fromkeys(one.type for one in found if any(True for _ in numbers_of(one))))
    named = f"one that has: {_first(types)}" if types else "one whose results are numbers"
    return f"Choose another metric, {named}."


def _first(words: Sequence[str]) -> str:
    return f"{', '.join(words[:_MOST_NAMED])}{and_more(len(words) - _MOST_NAMED)}"

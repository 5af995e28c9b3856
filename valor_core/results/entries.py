"""Entries: the single numbers of results and their flat keys."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, count
from typing import Any, TypeVar

from attrs import frozen

from valor_core.results.result import Failed, Result, Undefined, is_interval, is_number

NO_VALUE = "(missing)"
"""Value of slices without the field in tables; keys contain ``null``."""

CONFIDENCE = "confidence"
"""Name of the table of details with the intervals of a result."""

_CODED = re.compile(r"[^\w\-.: ]|_(?=x[0-9A-F]{4,6}(?:_|[^\w\-.: ]))")
"""Characters that a key replaces, and underscores that look like the start of a code."""


def pairs(values: Mapping[str, Any]) -> list[str]:
    """Return parameters or slice values in the form used in keys.

    Examples
    --------
    >>> pairs({"label": "cat", "hardmax": True})
    ['label:cat', 'hardmax:true']
    """
    return [f"{name}:{key_text(value)}" for name, value in values.items()]


def key_text(value: Any) -> str:
    """Return a value in the form used in keys.

    Examples
    --------
    >>> key_text(True), key_text(None), key_text([0.5, 1])
    ('true', 'null', '0.5 1')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return " ".join(map(key_text, value))
    return str(value)


def safe(part: str) -> str:
    """Replace characters that experiment trackers reject; different parts stay different.

    Letters and digits of all scripts, ``_-.:`` and space are kept. Another character becomes its
    code, as in XML names.

    Examples
    --------
    >>> safe("Köln"), safe("n/a")
    ('Köln', 'n_x002F_a')
    """
    return _CODED.sub(lambda found: f"_x{ord(found[0]):04X}_", part)


MOST_NAMED_NUMBERS = 13
ROW_NAMES = ("label", "average")
"""Parameters that name a row in tables of results."""

_COMPARED = json.JSONEncoder(ensure_ascii=False, default=str)

_One = TypeVar("_One")
_Key = TypeVar("_Key", bound=Hashable)


@frozen(repr=False)
class Entry:
    """A single number, or the reason why it is missing.

    Parameters
    ----------
    result : Result
        Result with the number.
    part : str
        Name of the number if the value is a table, otherwise empty.
    value : float, None, Undefined or Failed
        Number, or the reason.
    """

    result: Result
    part: str
    value: Any

    @cached_property
    def metric(self) -> str:
        """Name of the metric without version."""
        return (self.result.metric or self.result.type).partition("@")[0]

    @cached_property
    def name(self) -> str | None:
        """Label or average of the number."""
        label = self.result.parameters.get("label")
        if _is_name(label):
            return str(label)
        average = self.result.parameters.get("average")
        return f"{average} average" if _is_name(average) else None

    @property
    def confidence(self) -> Mapping[str, Any] | None:
        """Row of the number in the details ``confidence``, or None."""
        table = self.result.details.get(CONFIDENCE, [])
        if not self.part:
            return table if isinstance(table, Mapping) else None
        return next((row for row in table if row["number"] == self.part), None)

    @property
    def ends(self) -> dict[str, float]:
        """Ends of the interval of the number, ``low`` and ``high``; empty without an interval."""
        ends: Any = (self.confidence or {}).get("interval")
        return dict(zip(("low", "high"), ends, strict=True)) if is_interval(ends) else {}

    @cached_property
    def sums_up(self) -> bool:
        """True if the number is an average over labels."""
        return self.name is not None and not _is_name(self.result.parameters.get("label"))

    @cached_property
    def others(self) -> dict[str, Any]:
        """Parameters other than the label and the average."""
        named = self.result.parameters.items()
        return {k: v for k, v in named if k not in ROW_NAMES or not (v is None or _is_name(v))}

    def key(self, metric: str, names: Iterable[str] | None = None) -> str:
        """Return the flat key of the number, beginning with a name for the metric.

        Parameters
        ----------
        metric : str
            Name of the metric in the key.
        names : iterable of str, optional
            Parameters to include, with label and average unnamed. Defaults to all, named.

        Examples
        --------
        >>> counts = Result(type="Counts", parameters={"label": "n/a"}, value={"tp": 3})
        >>> [entry.key("lab.Counts") for entry in numbers_of(counts)]
        ['lab.Counts/label:n_x002F_a/tp']
        >>> [entry.key("lab.Counts", ()) for entry in numbers_of(counts)]
        ['lab.Counts/n_x002F_a/tp']
        """
        if names is None:
            described = pairs(self.result.parameters)
        else:
            described = [self.name.removesuffix(" average" * self.sums_up)] if self.name else []
            described += pairs({name: self.others[name] for name in names if name in self.others})
        # Joined without a slash: stores that write Accuracy to a file cannot create a folder
        # Accuracy.
        name = " ".join([metric, *map(safe, pairs(self.result.slice))])
        parts = [*described, *([self.part] if self.is_named else [])]
        return "/".join([name, *map(safe, parts)])

    @property
    def is_named(self) -> bool:
        """True if the number is part of a table."""
        return isinstance(self.result.content, Mapping)


def _is_name(value: Any) -> bool:
    """Return whether a value names one row; a failed metric has lists of all requested labels."""
    return value is not None and not isinstance(value, (list, tuple, Mapping))


def numbers_of(result: Result) -> Iterator[Entry]:
    """Yield the number of a result, or the numbers of its table.

    Examples
    --------
    >>> [entry.value for entry in numbers_of(Result(value={"AP": 0.5, "curve": [0, 1]}))]
    [0.5]
    """
    content = result.content
    if is_single(content):
        yield Entry(result, "", content)
    for name, number in named_numbers(content).items():
        yield Entry(result, name, number)


def entries_of(results: Iterable[Result]) -> Iterator[Entry]:
    """Yield the numbers of results, except for tables with too many numbers for columns."""
    for result in results:
        group = list(numbers_of(result))
        yield from group if len(group) <= MOST_NAMED_NUMBERS else ()


def grouped(values: Iterable[_One], key: Callable[[_One], _Key]) -> dict[_Key, list[_One]]:
    """Group values by key, in their order."""
    found: dict[_Key, list[_One]] = {}
    for value in values:
        found.setdefault(key(value), []).append(value)
    return found


def by_metric(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Group entries by metric."""
    return grouped(entries, lambda entry: entry.metric)


def one_of_each_result(entries: Iterable[Entry]) -> list[Entry]:
    """Return the first entry of each result; entries of a result have the same parameters."""
    found: dict[int, Entry] = {}
    for entry in entries:
        found.setdefault(id(entry.result), entry)
    return list(found.values())


def rows_of(entries: Iterable[Entry], column: Callable[[Entry], _Key]) -> list[dict[_Key, Entry]]:
    """Arrange entries in rows by column; entries that share a cell get further rows."""
    columns = grouped(entries, column)
    most = max(map(len, columns.values()), default=0)
    return [{at: group[i] for at, group in columns.items() if i < len(group)} for i in range(most)]


def is_single(value: Any) -> bool:
    """Return whether a value is one number, or the reason why it is missing."""
    return value is None or is_number(value) or isinstance(value, (Undefined, Failed))


def named_numbers(value: Any) -> dict[str, float | None]:
    """Return the entries of a mapping that are numbers or null.

    Examples
    --------
    >>> named_numbers({"ece": 0.1, "bins": []})
    {'ece': 0.1}
    """
    if not isinstance(value, Mapping):
        return {}
    return {
        str(name): one
        for name, one in value.items()
        if one is None or type(one) is float or is_number(one)
    }


def comparable(value: Any) -> str:
    """Return the value of a parameter as comparable text."""
    return _COMPARED.encode(value)


def varying_names(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Return the names of the parameters that distinguish entries.

    A parameter of only one metric does not distinguish entries, unless only part of this metric's
    results have it.
    """
    single = one_of_each_result(entries)
    values: dict[str, set[str]] = {}
    for entry in single:
        for name, value in entry.others.items():
            values.setdefault(name, set()).add(comparable(value))
    uneven: set[str] = set()
    for group in grouped(single, lambda entry: (entry.metric, entry.sums_up)).values():
        names = [set(entry.others) for entry in group]
        uneven |= names[0].union(*names) - names[0].intersection(*names)
    return tuple(name for name, different in values.items() if len(different) > 1 or name in uneven)


def flat_keys(
    found: Iterable[Result], prefix: str = "", *, short: bool = False
) -> dict[str, float]:
    """Return all defined numbers of results by flat key.

    Keys contain letters and digits of all scripts and ``_ - . : / space``; `safe` replaces other
    characters. A full key depends on its own result only, a short one also on the other results. If
    two results have equal parameters, the second key ends with a number. The ends of an interval
    have the key of the number followed by ``.low`` and ``.high``.

    Examples
    --------
    >>> recall = Result(type="Recall", parameters={"label": "cat"}, value=0.5)
    >>> flat_keys([recall, recall.in_slice({"ink": "light"})], "val/")
    {'val/Recall/label:cat': 0.5, 'val/Recall ink:light/label:cat': 0.5}
    >>> flat_keys([recall], short=True)
    {'Recall/cat': 0.5}
    """
    entries = list(chain.from_iterable(map(numbers_of, found)))
    flat: dict[str, float] = {}
    for name, group in grouped(entries, lambda one: one.result.asked or one.result.type).items():
        metric = prefix + safe(name)
        keyed = short_keys(group, metric) if short else [(e.key(metric), e) for e in group]
        for key, entry in keyed:
            if is_number(entry.value):
                flat[_free(key, flat)] = float(entry.value)
                flat |= {_free(f"{key}.{end}", flat): at for end, at in entry.ends.items()}
    return flat


def short_keys(entries: Sequence[Entry], metric: str) -> list[tuple[str, Entry]]:
    """Return short keys of one metric's numbers: slice, label and varying parameters.

    A number has its full key if the short one is ambiguous or lacks a varying parameter.

    Examples
    --------
    >>> of_cat = {"label": "cat", "hardmax": True}
    >>> recall = [Result(parameters=of_cat | {"at": at}, value=0.5) for at in (1, 2)]
    >>> [key for key, _ in short_keys([*entries_of(recall)], "Recall")]
    ['Recall/cat/at:1', 'Recall/cat/at:2']
    """
    names = varying_names(entries)
    keys = [
        entry.key(metric, names if entry.others.keys() >= set(names) else None) for entry in entries
    ]
    counts = Counter(keys)
    return [
        (key if counts[key] == 1 else entry.key(metric), entry)
        for key, entry in zip(keys, entries, strict=True)
    ]


def _free(key: str, used: Collection[str]) -> str:
    numbered = (f"{key} {number}" for number in count(2))
    return key if key not in used else next(other for other in numbered if other not in used)

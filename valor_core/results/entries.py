"""Entries: the single numbers of results, or the reasons that stand in their place."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, count
from typing import Any, TypeVar

from attrs import frozen

from valor_core.results.result import Failed, Result, Undefined, is_number

NO_VALUE = "(missing)"
"""How tables show the value of a slice of items without the field; ``null`` in keys."""

_CODED = re.compile(r"[^\w\-.: ]|_(?=x[0-9A-F]{4,6}(?:_|[^\w\-.: ]))")
"""Characters that a key does not keep, and the underscore of what reads like a code."""


def pairs(values: Mapping[str, Any]) -> list[str]:
    """Parameters, or the values of a slice, as they stand in keys.

    Examples
    --------
    >>> pairs({"label": "cat", "hardmax": True})
    ['label:cat', 'hardmax:true']
    """
    return [f"{name}:{key_text(value)}" for name, value in values.items()]


def key_text(value: Any) -> str:
    """A value as it stands in a key.

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
    """A part of a key in the characters that experiment trackers take; no two parts become one.

    Letters and digits of all scripts and ``_-.:`` and space stay. Another character becomes its
    code, as in names of XML.

    Examples
    --------
    >>> safe("Köln"), safe("n/a")
    ('Köln', 'n_x002F_a')
    """
    return _CODED.sub(lambda found: f"_x{ord(found[0]):04X}_", part)


MOST_NAMED_NUMBERS = 12
ROW_NAMES = ("label", "average")
"""Parameters that name the row of a table of results."""

_COMPARED = json.JSONEncoder(ensure_ascii=False, default=str)

_One = TypeVar("_One")
_Key = TypeVar("_Key", bound=Hashable)


@frozen(repr=False)
class Entry:
    """One single number, or the reason why there is none.

    Parameters
    ----------
    result : Result
        Whose number it is.
    part : str
        The name of the number, where the value is a table; empty where it is the number.
    value : float, None, Undefined or Failed
        The number; what stands in its place.
    """

    result: Result
    part: str
    value: Any

    @property
    def metric(self) -> str:
        """The metric's name without its version."""
        return (self.result.metric or self.result.type).partition("@")[0]

    @cached_property
    def name(self) -> str | None:
        """The label or average that it belongs to."""
        named = self.result.parameters
        if _is_name(named.get("label")):
            return str(named["label"])
        return f"{named['average']} average" if self.sums_up else None

    @cached_property
    def sums_up(self) -> bool:
        """Whether it is an average over labels."""
        named = self.result.parameters
        return not _is_name(named.get("label")) and _is_name(named.get("average"))

    @cached_property
    def others(self) -> dict[str, Any]:
        """Its parameters but the label and the average that it belongs to."""
        named = self.result.parameters.items()
        return {k: v for k, v in named if k not in ROW_NAMES or not (v is None or _is_name(v))}

    def key(self, metric: str, names: Iterable[str] | None = None) -> str:
        """The flat key behind a name of the metric.

        Parameters
        ----------
        metric : str
            What to call the metric.
        names : iterable of str, optional
            The parameters to name; label and average stand bare then. All are named without it.

        Examples
        --------
        >>> counts = Result(type="Counts", parameters={"label": "n/a"}, value={"tp": 3})
        >>> [entry.key("lab.Counts") for entry in numbers_of(counts)]
        ['lab.Counts/label:n_x002F_a/tp']
        >>> [entry.key("lab.Counts", ()) for entry in numbers_of(counts)]
        ['lab.Counts/n_x002F_a/tp']
        """
        if names is None:
            said = pairs(self.result.parameters)
        else:
            said = [self.name.removesuffix(" average" * self.sums_up)] if self.name else []
            said += pairs({name: self.others[name] for name in names if name in self.others})
        # Not behind a slash: stores that make a file of Accuracy can make no folder of it.
        name = " ".join([metric, *map(safe, pairs(self.result.slice))])
        parts = [*said, *([self.part] if self.is_named else [])]
        return "/".join([name, *map(safe, parts)])

    @property
    def is_named(self) -> bool:
        """Whether it is one of the numbers of a table."""
        return isinstance(self.result.content, Mapping)


def _is_name(value: Any) -> bool:
    """Whether it names one row; a metric that fails reports all that it was asked for."""
    return value is not None and not isinstance(value, (list, tuple, Mapping))


def numbers_of(result: Result) -> Iterator[Entry]:
    """The number that a result is, or those that its table holds.

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
    """The numbers of some results, without those of tables that have too many for columns."""
    for result in results:
        own = list(numbers_of(result))
        yield from own if len(own) <= MOST_NAMED_NUMBERS else ()


def grouped(values: Iterable[_One], key: Callable[[_One], _Key]) -> dict[_Key, list[_One]]:
    """The values that share a key, in their order."""
    found: dict[_Key, list[_One]] = {}
    for value in values:
        found.setdefault(key(value), []).append(value)
    return found


def by_metric(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """The entries of each metric."""
    return grouped(entries, lambda entry: entry.metric)


def rows_of(entries: Iterable[Entry], column: Callable[[Entry], _Key]) -> list[dict[_Key, Entry]]:
    """Rows with a cell for each entry: more than one where entries would share a cell."""
    columns = grouped(entries, column)
    most = max(map(len, columns.values()), default=0)
    return [{at: own[i] for at, own in columns.items() if i < len(own)} for i in range(most)]


def is_single(value: Any) -> bool:
    """Whether a value is one number, or stands in the place of one."""
    return value is None or is_number(value) or isinstance(value, (Undefined, Failed))


def named_numbers(value: Any) -> dict[str, float | None]:
    """The members of a mapping that are numbers or null.

    Examples
    --------
    >>> named_numbers({"ece": 0.1, "bins": []})
    {'ece': 0.1}
    """
    if not isinstance(value, Mapping):
        return {}
    return {str(name): one for name, one in value.items() if one is None or is_number(one)}


def comparable(value: Any) -> str:
    """A parameter's value as something to compare by."""
    return _COMPARED.encode(value)


def varying_names(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Names of the parameters that tell entries apart.

    A parameter that only some metrics have tells nothing; one that only some results of one
    metric have does.
    """
    entries = list(entries)
    values: dict[str, set[str]] = {}
    for entry in entries:
        for name, value in entry.others.items():
            values.setdefault(name, set()).add(comparable(value))
    uneven: set[str] = set()
    for own in grouped(entries, lambda entry: (entry.metric, entry.sums_up)).values():
        names = [set(entry.others) for entry in own]
        uneven |= names[0].union(*names) - names[0].intersection(*names)
    return tuple(name for name, different in values.items() if len(different) > 1 or name in uneven)


def flat_keys(
    found: Iterable[Result], prefix: str = "", *, short: bool = False
) -> dict[str, float]:
    """Every single number of some results; undefined values are left out.

    Keys use letters and digits of all scripts and ``_ - . : / space`` only; another character
    becomes its code, as `safe` has it. A key depends on nothing but its own result, unless short
    ones are asked for. Only where two results say the same of themselves does the second get a
    number behind it.

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
    for type, own in grouped(entries, lambda entry: entry.result.type).items():
        metric = prefix + safe(type)
        keyed = short_keys(own, metric) if short else [(e.key(metric), e) for e in own]
        for key, entry in keyed:
            if is_number(entry.value):
                flat[_free(key, flat)] = float(entry.value)
    return flat


def short_keys(entries: Sequence[Entry], metric: str) -> list[tuple[str, Entry]]:
    """Numbers of one metric, each by its slice, its label and what varies.

    One that another is called like, or that leaves out what others say, has its full key.

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


def _free(key: str, taken: Collection[str]) -> str:
    numbered = (f"{key} {number}" for number in count(2))
    return key if key not in taken else next(other for other in numbered if other not in taken)

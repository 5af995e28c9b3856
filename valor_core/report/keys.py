"""Flat keys: every single number of some results by a name that experiment trackers take."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from attrs import frozen

from valor_core.metrics.result import Failed, Result, Undefined, is_number

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


@frozen
class KeyedNumber:
    """A single number of a result, or the reason why there is none.

    Parameters
    ----------
    result : Result
        The result.
    entry : tuple of str
        The name of the number, where the value is a table; empty where it is the number.
    value : float, Undefined or Failed
        The number or the reason.
    """

    result: Result
    entry: tuple[str, ...]
    value: float | Undefined | Failed

    def key(self, metric: str) -> str:
        """The flat key behind a name of the metric.

        Examples
        --------
        >>> counts = Result(type="Counts", parameters={"label": "n/a"}, value={"tp": 3})
        >>> [number.key("lab.Counts") for number in numbers_of(counts)]
        ['lab.Counts/label:n_x002F_a/tp']
        """
        parts = [*pairs(self.result.slice), *pairs(self.result.parameters), *self.entry]
        return "/".join([metric, *map(safe, parts)])


def numbers_of(result: Result) -> Iterator[KeyedNumber]:
    """The number that a result is, or those that its table holds, with reasons for missing ones.

    Examples
    --------
    >>> [number.value for number in numbers_of(Result(value={"AP": 0.5, "curve": [0, 1]}))]
    [0.5]
    """
    is_table = isinstance(result.value, Mapping)
    named = result.value.items() if is_table else [(None, result.value)]
    for name, value in named:
        entry = (str(name),) if is_table else ()
        if isinstance(value, (Undefined, Failed)):
            yield KeyedNumber(result, entry, value)
        elif value is None:
            yield KeyedNumber(result, entry, Undefined("null in its table"))
        elif is_number(value):
            yield KeyedNumber(result, entry, float(value))


def flat_keys(found: Iterable[Result], prefix: str = "") -> dict[str, float]:
    """Every single number of some results; undefined values are left out.

    Keys use letters and digits of all scripts and ``_ - . : / space`` only; another character
    becomes its code, as `safe` has it. A key depends on nothing but its own result. Only where
    two results say the same of themselves does the second get a number behind it.

    Examples
    --------
    >>> recall = Result(type="Recall", parameters={"label": "cat"}, value=0.5)
    >>> flat_keys([recall, recall.in_slice({"ink": "light"})], "val/")
    {'val/Recall/label:cat': 0.5, 'val/Recall/ink:light/label:cat': 0.5}
    """
    flat: dict[str, float] = {}
    for result in found:
        for number in numbers_of(result):
            if isinstance(number.value, float):
                key = number.key(prefix + safe(result.type))
                flat[_free(key, flat)] = number.value
    return flat


def _free(key: str, taken: Collection[str]) -> str:
    numbered = (f"{key} {number}" for number in count(2))
    return key if key not in taken else next(other for other in numbered if other not in taken)

"""Flat keys: every single number of some results by a name that experiment trackers take."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from valor_core.result import Result


def flat_keys(results: Iterable[Result], prefix: str = "") -> dict[str, float]:
    """Every single number of some results; undefined values are left out.

    Keys use letters, digits and ``_ - . : / space`` only. Where that makes two keys one, the
    second gets a number behind it.

    Examples
    --------
    >>> flat_keys([Result(type="Recall", parameters={"label": "cat"}, value=0.5)], "val/")
    {'val/Recall/label:cat': 0.5}
    """
    flat: dict[str, float] = {}
    for result in results:
        parts = [result.type, *(f"{k}:{written(v)}" for k, v in result.parameters.items())]
        for suffix, number in _numbers(result):
            key = prefix + "/".join(map(_safe, parts)) + suffix
            flat[_free(key, flat)] = number
    return flat


def written(value: Any) -> str:
    """A parameter's value as it stands in a key.

    Examples
    --------
    >>> written(True), written(None), written([0.5, 1])
    ('true', 'null', '0.5 1')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return " ".join(map(written, value))
    return str(value)


def _numbers(result: Result) -> Iterator[tuple[str, float]]:
    if result.number is not None:
        yield "", result.number
    elif isinstance(result.value, Mapping):
        for name, number in result.value.items():
            if isinstance(number, (int, float)) and not isinstance(number, bool):
                yield f"/{_safe(str(name))}", float(number)


def _free(key: str, taken: Collection[str]) -> str:
    numbered = (f"{key} {number}" for number in count(2))
    return key if key not in taken else next(other for other in numbered if other not in taken)


def _safe(part: str) -> str:
    return "".join(c if (c.isalnum() and c.isascii()) or c in "_-.: " else "_" for c in part)

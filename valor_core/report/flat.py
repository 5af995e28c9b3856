"""Flat keys: every single number of some results by a name that experiment trackers take."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import count

from valor_core.metrics.result import Result, is_number
from valor_core.report.sliced import SlicedResult, pairs, safe


def flat_keys(found: Iterable[SlicedResult], prefix: str = "") -> dict[str, float]:
    """Every single number of some results; undefined values are left out.

    Keys use letters and digits of all scripts and ``_ - . : / space`` only; another character
    becomes its code, as `safe` has it. A key depends on nothing but its own result. Only where
    two results say the same of themselves does the second get a number behind it.

    Examples
    --------
    >>> recall = Result(type="Recall", parameters={"label": "cat"}, value=0.5)
    >>> flat_keys([SlicedResult({}, recall), SlicedResult({"ink": "light"}, recall)], "val/")
    {'val/Recall/label:cat': 0.5, 'val/Recall/ink:light/label:cat': 0.5}
    """
    flat: dict[str, float] = {}
    for one in found:
        result = one.result
        parts = [result.type, *pairs(one.where), *pairs(result.parameters)]
        for suffix, number in _numbers(result):
            key = prefix + "/".join(map(safe, parts)) + suffix
            flat[_free(key, flat)] = number
    return flat


def _numbers(result: Result) -> Iterator[tuple[str, float]]:
    if result.number is not None:
        yield "", result.number
    elif isinstance(result.value, Mapping):
        for name, number in result.value.items():
            if is_number(number):
                yield f"/{safe(str(name))}", float(number)


def _free(key: str, taken: Collection[str]) -> str:
    numbered = (f"{key} {number}" for number in count(2))
    return key if key not in taken else next(other for other in numbered if other not in taken)

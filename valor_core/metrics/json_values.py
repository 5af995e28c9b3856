"""JSON values: numbers, texts, lists and tables as a report holds them, NumPy's made Python's."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Set
from typing import Any

import numpy as np

from valor_core.errors import ReportError, shown
from valor_core.parameters.environment import FromEnvironment


def as_json(value: Any, place: str) -> Any:
    """The value as JSON types, NumPy's among them turned into Python's.

    Parameters
    ----------
    value : object
        Numbers, strings, None, lists and mappings, however deep.
    place : str
        What the value is called in errors.

    Raises
    ------
    ReportError
        If there is a number that is not finite, or anything that JSON cannot hold.

    Examples
    --------
    >>> as_json({"counts": np.array([1, 2])}, "value")
    {'counts': [1, 2]}
    """
    if isinstance(value, FromEnvironment):
        return value.reference
    if type(value) in (dict, list) and _are_plain(value.values() if type(value) is dict else value):
        return value.copy()
    if isinstance(value, (np.generic, np.ndarray)):
        is_finite = _is_finite(value)
        value = value.tolist()
        if is_finite:
            return value
    if isinstance(value, float) and not math.isfinite(value):
        raise ReportError(
            f"{place} must be finite, got {value!r}",
            "A metric answers 0/0 with Undefined and a reason.",
        )
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {key: as_json(item, f"{place}[{key!r}]") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item, f"{place}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, Set):
        return sorted((as_json(item, place) for item in value), key=repr)
    raise ReportError(f"{place} must be numbers, text, lists and tables, got {shown(value)}")


_OWN = frozenset({str, int, bool, type(None)})
_NUMBERS = frozenset({float, type(None)})


def _are_plain(values: Collection[Any]) -> bool:
    """Whether all values are finite numbers, text or None, told many at a time."""
    kinds = set(map(type, values))
    if kinds <= _OWN:
        return True
    if kinds <= _NUMBERS:
        return all(map(math.isfinite, filter(None, values)))
    is_own = kinds - {float} <= _OWN
    return is_own and all(math.isfinite(v) for v in values if type(v) is float)


def _is_finite(array: Any) -> bool:
    """Whether all numbers are; an array of anything else is looked at one by one."""
    kind = array.dtype.kind
    return kind in "iub" or (kind == "f" and bool(np.isfinite(array).all()))

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
    return _as_json(value, place, ())


def _as_json(value: Any, place: str, path: tuple[Any, ...]) -> Any:
    """The value as JSON types; the path leads to it from the place, in keys and positions."""
    kind = type(value)
    if kind in _OWN or (kind is float and math.isfinite(value)):
        return value
    if kind in (dict, list) and _are_plain(value.values() if kind is dict else value):
        return value.copy()
    if isinstance(value, (dict, Mapping)):
        return {key: _as_json(item, place, (*path, key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(item, place, (*path, i)) for i, item in enumerate(value)]
    if isinstance(value, FromEnvironment):
        return value.reference
    if isinstance(value, (np.generic, np.ndarray)):
        is_finite = _is_finite(value)
        value = value.tolist()
        return value if is_finite else _as_json(value, place, path)
    if isinstance(value, Set):
        return sorted((_as_json(item, place, path) for item in value), key=repr)
    place += "".join(f"[{part!r}]" for part in path)
    if isinstance(value, float) and not math.isfinite(value):
        raise ReportError(
            f"{place} must be finite, got {value!r}",
            "A metric answers 0/0 with Undefined and a reason.",
        )
    if isinstance(value, (int, float, str)):
        return value
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

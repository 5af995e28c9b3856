"""Conversion of numbers, strings, lists and mappings, including NumPy's, to JSON values."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Set
from typing import Any

import numpy as np

from valor_core.errors import ReportError, short_repr
from valor_core.parameters.environment import FromEnvironment


def as_json(value: Any, place: str) -> Any:
    """Return the value in JSON types, with NumPy's converted.

    Parameters
    ----------
    value : object
        Numbers, strings, None, lists and mappings, nested to any depth.
    place : str
        Name of the value in errors.

    Raises
    ------
    ReportError
        If a number is not finite, or a type has no JSON equivalent.

    Examples
    --------
    >>> as_json({"counts": np.array([1, 2])}, "value")
    {'counts': [1, 2]}
    """
    return _as_json(value, place, ())


def _as_json(value: Any, place: str, path: tuple[Any, ...]) -> Any:
    """Convert a nested value, which is at the path of keys and positions."""
    kind = type(value)
    if kind in _SCALARS or (kind is float and math.isfinite(value)):
        return value
    if kind in (dict, list) and _are_plain(value.values() if kind is dict else value):
        return value.copy()
    if isinstance(value, (dict, Mapping)):
        return {
            key: item if type(item) in _SCALARS else _as_json(item, place, (*path, key))
            for key, item in value.items()
        }
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
            "Return Undefined with a reason for 0/0.",
        )
    if isinstance(value, (int, float, str)):
        return value
    raise ReportError(
        f"{place} must be numbers, strings, lists and mappings, got {short_repr(value)}"
    )


_SCALARS = frozenset({str, int, bool, type(None)})
_NUMBERS = frozenset({float, type(None)})


def _are_plain(values: Collection[Any]) -> bool:
    """Return whether all values are finite numbers, strings or None, by a check of their types."""
    kinds = set(map(type, values))
    if kinds <= _SCALARS:
        return True
    if kinds <= _NUMBERS:
        return all(map(math.isfinite, filter(None, values)))
    are_scalars = kinds - {float} <= _SCALARS
    return are_scalars and all(math.isfinite(v) for v in values if type(v) is float)


def _is_finite(array: Any) -> bool:
    """Return whether an array has only finite numbers; other types need a check per value."""
    kind = array.dtype.kind
    return kind in "iub" or (kind == "f" and bool(np.isfinite(array).all()))

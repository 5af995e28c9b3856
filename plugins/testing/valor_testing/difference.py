"""Difference: the path of the first bitwise difference between two nested values."""

from __future__ import annotations

import math
import pickle
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.errors import short_repr

_MANY = 4096
_LEAVES = (str, bytes, int, float, type(None))


@frozen
class Difference:
    """Path in two nested values, and the value at that path in each."""

    place: str
    one: Any
    other: Any

    def described(self, one: str, other: str) -> str:
        """Describe the difference, given names for the two values.

        Examples
        --------
        >>> Difference("[0].value", 0.5, 0.25).described("alone", "together")
        '[0].value is 0.5 alone and 0.25 together'
        """
        place, first, second = self.place or "it", short_repr(self.one), short_repr(self.other)
        return f"{place} is {first} {one} and {second} {other}"


class _Nothing:
    def __repr__(self) -> str:
        return "missing"


def difference(one: Any, other: Any) -> Difference | None:
    """Find the first difference between two values made of mappings, sequences and scalars.

    Stricter than ``==``: 1 differs from 1.0 and 0.0 from -0.0, since files would show the
    difference. NaN equals NaN.

    Examples
    --------
    >>> difference([{"value": 0.5}], [{"value": 0.25}])
    Difference(place='[0].value', one=0.5, other=0.25)
    >>> difference([{"value": 0.5}], [{"value": 0.5}]) is None
    True
    """
    # Most values are equal, and comparing pickles is faster than walking through them.
    return None if _pickled(one) == _pickled(other) else _first(one, other, "")


def _first(one: Any, other: Any, place: str) -> Difference | None:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        parts = [
            (f"{place}.{key}", one.get(key, _Nothing()), other.get(key, _Nothing()))
            for key in {**one, **other}
        ]
    elif isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        if len(one) != len(other):
            return Difference(f"{place}.length".removeprefix("."), len(one), len(other))
        parts = [(f"{place}[{i}]", *pair) for i, pair in enumerate(zip(one, other, strict=True))]
    else:
        return None if _same(one, other) else Difference(place.removeprefix("."), one, other)
    found = (_first(left, right, name.removeprefix(".")) for name, left, right in parts)
    return next((part for part in found if part is not None), None)


def content(value: Any) -> Any:
    """Copy a value deeply into mappings, lists and scalars.

    Examples
    --------
    >>> tags = np.array([["a"]], dtype=object)[0]
    >>> content({"tags": tags, "count": 1})["tags"]["values"]
    ['a']
    """
    if isinstance(value, _LEAVES):
        return value
    if isinstance(value, np.ndarray):
        return {"dtype": value.dtype.str, "shape": value.shape, "values": _entries(value)}
    if isinstance(value, Mapping):
        return {key: content(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))
    if isinstance(value, (list, tuple)):
        return [content(item) for item in value]
    if attrs.has(type(value)):
        fields = attrs.fields(type(value))
        return {field.name: content(getattr(value, field.name, None)) for field in fields}
    return _pickled(value)


def _entries(array: NDArray[Any]) -> Any:
    if array.dtype == object:
        return [content(item) for item in array.ravel()]
    # Large arrays, such as images, are compared as bytes and never shown.
    return array.ravel().tolist() if array.size < _MANY else array.tobytes()


def _pickled(value: Any) -> Any:
    try:
        return pickle.dumps(value)
    except Exception:  # objects that cannot be pickled are compared by identity
        return f"{type(value).__name__} {id(value)}"


def _same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return bool(one == other and math.copysign(1, one) == math.copysign(1, other))
    return bool(one == other)

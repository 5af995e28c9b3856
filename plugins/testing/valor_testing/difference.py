"""Difference: the first place where two nested values are not the same, bit for bit."""

from __future__ import annotations

import math
import pickle
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.errors import shown

_MANY = 4096
_LEAVES = (str, bytes, int, float, type(None))


@frozen
class Difference:
    """A place in a nested value and what stands there in two copies of it."""

    place: str
    one: Any
    other: Any

    def described(self, one: str, other: str) -> str:
        """The difference in words, given what the two copies are called.

        Examples
        --------
        >>> Difference("[0].value", 0.5, 0.25).described("alone", "together")
        '[0].value is 0.5 alone and 0.25 together'
        """
        return f"{self.place or 'it'} is {shown(self.one)} {one} and {shown(self.other)} {other}"


class _Nothing:
    def __repr__(self) -> str:
        return "missing"


def difference(one: Any, other: Any) -> Difference | None:
    """The first difference of two values made of mappings, sequences and plain values.

    Stricter than ``==``: 1 is not 1.0 and 0.0 is not -0.0, since files would show the difference;
    NaN is the same as NaN.

    Examples
    --------
    >>> difference([{"value": 0.5}], [{"value": 0.25}])
    Difference(place='[0].value', one=0.5, other=0.25)
    >>> difference([{"value": 0.5}], [{"value": 0.5}]) is None
    True
    """
    # What is written alike is the same. Most values are, and only a few have to be walked through.
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
    found = (_first(mine, theirs, name.removeprefix(".")) for name, mine, theirs in parts)
    return next((part for part in found if part is not None), None)


def content(value: Any) -> Any:
    """What a value is made of, as a copy that no later change to the value reaches.

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
    # Many numbers, such as the pixels of an image, are told apart, but not shown.
    return array.ravel().tolist() if array.size < _MANY else array.tobytes()


def _pickled(value: Any) -> Any:
    try:
        return pickle.dumps(value)
    except Exception:  # what cannot be copied can only be told by its name
        return f"{type(value).__name__} {id(value)}"


def _same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return bool(one == other and math.copysign(1, one) == math.copysign(1, other))
    return bool(one == other)

"""Conditions: the parts of a filter expression, each true or false of every datum."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.errors import shown
from valor_core.filters.columns import TRUTHS, Fields, Mask, Value, kind_of

_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Condition(Protocol):
    """A part of an expression that is true or false of each datum."""

    def mask(self, fields: Fields) -> Mask:
        """Whether it is true of each datum."""


@frozen
class Comparison:
    """``weather == "rain"``: false where the value is missing."""

    field: str
    symbol: str
    value: Value

    def mask(self, fields: Fields) -> Mask:
        """Whether it is true of each datum."""
        column = fields.comparable(
            self.field, kind_of(type(self.value)), f"compared with {_described(self.value)}"
        )
        compare = _COMPARISONS[self.symbol]
        return column.where_present(lambda values: compare(values, self.value))


@frozen
class Membership:
    """``city in ["Oslo", "Rome"]``: false where the value is missing."""

    field: str
    values: tuple[Value, ...]

    def mask(self, fields: Fields) -> Mask:
        """Whether it is true of each datum."""
        column = fields.comparable(
            self.field,
            kind_of(type(self.values[0])),
            f"searched in a list with {_described(self.values[0])}",
        )
        return column.where_present(self._contains)

    def _contains(self, values: NDArray[Any]) -> Mask:
        # A literal is rounded to the column's floats, as == does it.
        members = (
            set(np.array(self.values).astype(values.dtype).tolist())
            if values.dtype.kind == "f"
            else set(self.values)
        )
        return np.fromiter(map(members.__contains__, values.tolist()), np.bool_, len(values))


@frozen
class IsMissing:
    """``weather is missing``."""

    field: str

    def mask(self, fields: Fields) -> Mask:
        """Whether it is true of each datum."""
        return ~fields.column(self.field).present


@frozen
class IsPresent:
    """``weather is not missing``, and a condition that must be false besides."""

    field: str
    condition: Condition | None = None

    def mask(self, fields: Fields) -> Mask:
        """Whether it is true of each datum."""
        present = fields.column(self.field).present
        return present if self.condition is None else present & ~self.condition.mask(fields)


@frozen
class IsTrue:
    """``night``: a field of true and false by itself."""

    field: str

    def mask(self, fields: Fields) -> Mask:
        """Whether it is true of each datum."""
        column = fields.comparable(self.field, TRUTHS, "used as a condition by itself")
        return column.where_present(lambda values: values.astype(np.bool_))


@frozen
class Not:
    """``not night``: the other way round, also where a value is missing."""

    condition: Condition

    def mask(self, fields: Fields) -> Mask:
        """Whether it is true of each datum."""
        return ~self.condition.mask(fields)


@frozen
class Joined:
    """Conditions joined by ``and`` or by ``or``."""

    join: Callable[[Mask, Mask], Mask]
    conditions: tuple[Condition, ...]

    def mask(self, fields: Fields) -> Mask:
        """Whether it is true of each datum."""
        return functools.reduce(
            self.join, [condition.mask(fields) for condition in self.conditions]
        )


def _described(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"the text {shown(value)}" if isinstance(value, str) else f"the number {value}"

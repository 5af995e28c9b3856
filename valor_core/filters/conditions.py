"""Conditions: the parts of a filter expression, each true or false of every datum."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.errors import shown
from valor_core.filters.columns import (
    DATES,
    TRUTHS,
    FieldColumn,
    Fields,
    FieldValue,
    RowMask,
    compared_as,
)
from valor_core.filters.dates import dated

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

    def mask(self, fields: Fields) -> RowMask:
        """Whether it is true of each datum."""


@frozen
class Comparison:
    """``weather == "rain"``: false where the value is missing."""

    field: str
    symbol: str
    value: FieldValue

    def mask(self, fields: Fields) -> RowMask:
        """Whether it is true of each datum."""
        column, (value,) = _alike(
            fields, self.field, [self.value], f"compared with {_described(self.value)}"
        )
        compare = _COMPARISONS[self.symbol]
        return column.where_present(lambda values: compare(values, value))


@frozen
class Membership:
    """``city in ["Oslo", "Rome"]``: false where the value is missing."""

    field: str
    values: tuple[FieldValue, ...]

    def mask(self, fields: Fields) -> RowMask:
        """Whether it is true of each datum."""
        column, wanted = _alike(
            fields,
            self.field,
            self.values,
            f"searched in a list with {_described(self.values[0])}",
        )
        return column.where_present(lambda values: _are_among(values, wanted))


@frozen
class IsMissing:
    """``weather is missing``."""

    field: str

    def mask(self, fields: Fields) -> RowMask:
        """Whether it is true of each datum."""
        return ~fields.column(self.field).present


@frozen
class IsPresent:
    """``weather is not missing``, and a condition that must be false besides."""

    field: str
    condition: Condition | None = None

    def mask(self, fields: Fields) -> RowMask:
        """Whether it is true of each datum."""
        present = fields.column(self.field).present
        return present if self.condition is None else present & ~self.condition.mask(fields)


@frozen
class IsTrue:
    """``night``: a field of true and false by itself."""

    field: str

    def mask(self, fields: Fields) -> RowMask:
        """Whether it is true of each datum."""
        column = fields.comparable(self.field, TRUTHS, "used as a condition by itself")
        return column.where_present(lambda values: values.astype(np.bool_))


@frozen
class Not:
    """``not night``: the other way round, also where a value is missing."""

    condition: Condition

    def mask(self, fields: Fields) -> RowMask:
        """Whether it is true of each datum."""
        return ~self.condition.mask(fields)


@frozen
class Joined:
    """Conditions joined by ``and`` or by ``or``."""

    join: Callable[[RowMask, RowMask], RowMask]
    conditions: tuple[Condition, ...]

    def mask(self, fields: Fields) -> RowMask:
        """Whether it is true of each datum."""
        return functools.reduce(
            self.join, [condition.mask(fields) for condition in self.conditions]
        )


def _alike(
    fields: Fields, name: str, wanted: Sequence[FieldValue], comparison: str
) -> tuple[FieldColumn, Sequence[Any]]:
    """The values of a field and those they are compared with, of a kind that allows it."""
    if fields.column(name).kinds == {DATES} and isinstance(wanted[0], str):
        return dated(fields, name, list(map(str, wanted)), comparison)
    return fields.comparable(name, compared_as(type(wanted[0])), comparison), wanted


def _are_among(values: NDArray[Any], wanted: Sequence[Any]) -> RowMask:
    # A literal is rounded to the column's floats, as == does it.
    is_rounded = values.dtype.kind == "f"
    members = set(np.array(wanted).astype(values.dtype).tolist() if is_rounded else wanted)
    return np.fromiter(map(members.__contains__, values.tolist()), np.bool_, len(values))


def _described(value: FieldValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"the text {shown(value)}" if isinstance(value, str) else f"the number {value}"

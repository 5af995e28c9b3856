"""Columns: what a filter expression reads, and the words for values that do not fit it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import ExpressionError, SchemaError, and_more, did_you_mean, shown

Value = str | bool | int | float
Mask = NDArray[np.bool_]

UID: Final = "uid"
WORDS, NUMBERS, TRUTHS = "text", "numbers", "true or false"


@frozen(eq=False)
class Fields:
    """The fields of some datums, as an expression reads them."""

    text: str
    columns: Mapping[str, NDArray[Any]]
    uids: NDArray[Any]
    count: int
    _columns: dict[str, Column] = field(init=False, factory=dict)

    def column(self, name: str) -> Column:
        """Values of a field.

        Raises
        ------
        ExpressionError
            If there is no such field.
        SchemaError
            If it has another number of values than there are datums.
        """
        if name not in self._columns:
            self._columns[name] = Column.of(self._values(name))
        return self._columns[name]

    def _values(self, name: str) -> NDArray[Any]:
        if name != UID and name not in self.columns:
            known = [*sorted(self.columns), UID]
            raise ExpressionError(
                f"filter {shown(self.text)}: expected a metadata field, found {name!r}; "
                f"the fields are {', '.join(map(repr, known))}",
                remedy=did_you_mean(name, known),
            )
        values = np.asarray(self.uids if name == UID else self.columns[name])
        if values.shape != (self.count,):
            raise SchemaError(
                f"filter {shown(self.text)}: expected {self.count} values of field {name!r}, "
                f"got {shown(values)}"
            )
        return values

    def comparable(self, name: str, kind: str, comparison: str) -> Column:
        """Values of a field, all of one kind.

        Raises
        ------
        ExpressionError
            If there is one of another kind, which names the first datum that has it.
        """
        column = self.column(name)
        odd = column.kinds - {kind}
        if not odd:
            return column
        bad = column.positions_of(odd)
        uid = np.asarray(self.uids).tolist()[bad[0]]
        raise ExpressionError(
            f"filter {shown(self.text)}: field {name!r} holds {' and '.join(sorted(odd))} and "
            f"cannot be {comparison}, found {shown(column.values.tolist()[bad[0]])} in datum "
            f"{shown(uid)}{and_more(len(bad) - 1)}",
            remedy=_kind_remedy(odd, kind),
        )


def _kind_remedy(odd: set[str], kind: str) -> str | None:
    if odd == {WORDS} and kind == NUMBERS:
        return "Write the value in quotes, or give the field as numbers."
    if odd == {NUMBERS} and kind == WORDS:
        return "Write the number without quotes."
    if kind == TRUTHS and odd <= {WORDS, NUMBERS}:
        return f"Compare the field with {' or '.join(sorted(odd))} instead."
    return None


@frozen(eq=False)
class Column:
    """Values of one field, where they are present, and the kinds of value among them."""

    values: NDArray[Any]
    present: Mask
    kinds: set[str]

    @classmethod
    def of(cls, values: NDArray[Any]) -> Column:
        """What is to know of some values."""
        if values.dtype.kind == "f":
            return cls(values, ~np.isnan(values), {NUMBERS})
        if values.dtype.kind == "O":
            return cls._of_objects(values)
        return cls(values, np.ones(len(values), dtype=np.bool_), {_dtype_kind(values.dtype)})

    @classmethod
    def _of_objects(cls, values: NDArray[Any]) -> Column:
        cells = values.tolist()
        present = np.fromiter((not _is_missing(cell) for cell in cells), np.bool_, len(cells))
        types = set(map(type, values[present].tolist()))
        return cls(values, present, set(map(kind_of, types)))

    def positions_of(self, kinds: set[str]) -> list[int]:
        """Where values of these kinds stand; there is one of each at least."""
        if self.values.dtype.kind != "O":
            return np.flatnonzero(self.present).tolist()
        cells = self.values.tolist()
        present = np.flatnonzero(self.present).tolist()
        return [i for i in present if kind_of(type(cells[i])) in kinds]

    def where_present(self, passes: Callable[[NDArray[Any]], Any]) -> Mask:
        """Result of a test for the values that are present, false for the rest."""
        mask = np.zeros(len(self.values), dtype=np.bool_)
        mask[self.present] = passes(self.values[self.present])
        return mask


def _is_missing(cell: object) -> bool:
    return cell is None or (isinstance(cell, float | np.floating) and math.isnan(cell))


def _dtype_kind(dtype: np.dtype[Any]) -> str:
    kinds = {"U": WORDS, "T": WORDS, "b": TRUTHS, "i": NUMBERS, "u": NUMBERS}
    return kinds.get(dtype.kind, f"values of type {dtype}")


def kind_of(kind: type) -> str:
    """What values of a type are compared as.

    Examples
    --------
    >>> kind_of(int), kind_of(bool)
    ('numbers', 'true or false')
    """
    if issubclass(kind, str):
        return WORDS
    if issubclass(kind, bool | np.bool_):
        return TRUTHS
    if issubclass(kind, int | float | np.integer | np.floating):
        return NUMBERS
    return f"values of type {kind.__name__}"

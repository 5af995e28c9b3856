"""Columns: what a filter expression reads, and the words for values that do not fit it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, NoReturn

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import ExpressionError, SchemaError, and_more, did_you_mean, shown
from valor_core.filters import UID

FieldValue = str | bool | int | float
RowMask = NDArray[np.bool_]

WORDS, NUMBERS, TRUTHS, DATES = "text", "numbers", "true or false", "dates"


@frozen(eq=False)
class Fields:
    """The fields of some datums, as an expression reads them."""

    text: str
    columns: Mapping[str, NDArray[Any]]
    uids: NDArray[Any]
    count: int
    _columns: dict[str, FieldColumn] = field(init=False, factory=dict)

    def column(self, name: str) -> FieldColumn:
        """Values of a field.

        Raises
        ------
        ExpressionError
            If there is no such field.
        SchemaError
            If it has another number of values than there are datums.
        """
        if name not in self._columns:
            self._columns[name] = FieldColumn.of(self._values(name))
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

    def comparable(self, name: str, kind: str, comparison: str) -> FieldColumn:
        """Values of a field, all of one kind.

        Raises
        ------
        ExpressionError
            If there is one of another kind, which names the first datum that has it.
        """
        column = self.column(name)
        odd = column.kinds - {kind}
        if odd:
            held, remedy = " and ".join(sorted(odd)), _kind_remedy(odd, kind)
            self.refuse(name, held, comparison, column.positions_of(odd), remedy)
        return column

    def refuse(
        self, name: str, held: str, comparison: str, positions: Sequence[int], remedy: str | None
    ) -> NoReturn:
        """Raise the `ExpressionError` of values at some positions that cannot be compared.

        Parameters
        ----------
        name : str
            The field.
        held : str
            What it holds there: ``text``.
        comparison : str
            What cannot be done with them: ``compared with the number 3``.
        positions : sequence of int
            Where they stand, ascending; the first one is named.
        remedy : str, optional
            What to do about it.
        """
        place = positions[0]
        cell = self.column(name).values.tolist()[place]
        found = cell.isoformat() if isinstance(cell, date) else shown(cell)
        uid = np.asarray(self.uids).tolist()[place]
        raise ExpressionError(
            f"filter {shown(self.text)}: field {name!r} holds {held} and cannot be {comparison}, "
            f"found {found} in datum {shown(uid)}{and_more(len(positions) - 1)}",
            remedy,
        )


def _kind_remedy(odd: set[str], kind: str) -> str | None:
    if odd == {WORDS} and kind == NUMBERS:
        return "Write the value in quotes, or give the field as numbers."
    if odd == {NUMBERS} and kind == WORDS:
        return "Write the number without quotes."
    if kind == NUMBERS and odd == {DATES}:
        return 'Compare dates with text: "2024-01-31"'
    if kind == WORDS and odd == {DATES}:
        return "Give the field as dates or as text, not both."
    if kind == TRUTHS and odd <= {WORDS, NUMBERS, DATES}:
        return f"Compare the field with {' or '.join(sorted(odd))} instead."
    return None


@frozen(eq=False)
class FieldColumn:
    """Values of one field, where they are present, and the kinds of value among them."""

    values: NDArray[Any]
    present: RowMask
    kinds: set[str]

    @classmethod
    def of(cls, values: NDArray[Any]) -> FieldColumn:
        """What is to know of some values."""
        if values.dtype.kind == "f":
            return cls(values, ~np.isnan(values), {NUMBERS})
        if values.dtype.kind == "M":  # years and nanoseconds alike become dates of Python
            return cls._of_objects(values.astype("datetime64[us]").astype(object))
        if values.dtype.kind == "O":
            return cls._of_objects(values)
        return cls(values, np.ones(len(values), dtype=np.bool_), {_dtype_kind(values.dtype)})

    @classmethod
    def _of_objects(cls, values: NDArray[Any]) -> FieldColumn:
        cells = values.tolist()
        present = np.fromiter((not _is_missing(cell) for cell in cells), np.bool_, len(cells))
        types = set(map(type, values[present].tolist()))
        return cls(values, present, set(map(compared_as, types)))

    def positions_of(self, kinds: set[str]) -> list[int]:
        """Where values of these kinds stand; there is one of each at least."""
        if self.values.dtype.kind != "O":
            return np.flatnonzero(self.present).tolist()
        cells = self.values.tolist()
        present = np.flatnonzero(self.present).tolist()
        return [i for i in present if compared_as(type(cells[i])) in kinds]

    def where_present(self, passes: Callable[[NDArray[Any]], Any]) -> RowMask:
        """Result of a test for the values that are present, false for the rest."""
        mask = np.zeros(len(self.values), dtype=np.bool_)
        mask[self.present] = passes(self.values[self.present])
        return mask


def _is_missing(cell: object) -> bool:
    if isinstance(cell, date):  # pandas has one that is none, and equals nothing
        return cell != cell
    return cell is None or (isinstance(cell, float | np.floating) and math.isnan(cell))


def _dtype_kind(dtype: np.dtype[Any]) -> str:
    kinds = {"U": WORDS, "T": WORDS, "b": TRUTHS, "i": NUMBERS, "u": NUMBERS}
    return kinds.get(dtype.kind, f"values of type {dtype}")


def compared_as(kind: type) -> str:
    """What values of a type are compared as.

    Examples
    --------
    >>> compared_as(int), compared_as(bool), compared_as(date)
    ('numbers', 'true or false', 'dates')
    """
    if issubclass(kind, str):
        return WORDS
    if issubclass(kind, bool | np.bool_):
        return TRUTHS
    if issubclass(kind, int | float | np.integer | np.floating):
        return NUMBERS
    if issubclass(kind, date):
        return DATES
    return f"values of type {kind.__name__}"

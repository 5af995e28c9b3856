"""Metadata columns that a filter expression reads, by the kind of their values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final, NoReturn

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import ExpressionError, SchemaError, and_more, did_you_mean, short_repr


def dated(
    fields: Fields, name: str, texts: Sequence[str], comparison: str
) -> tuple[FieldColumn, list[datetime]]:
    """Return the dates of a field and those of texts, all in local time or all in UTC.

    Parameters
    ----------
    fields : Fields
        Fields of the batch.
    name : str
        A field that holds dates only.
    texts : sequence of str
        Texts to compare it with.
    comparison : str
        The comparison, for errors: ``compared with the text '2024-01-31'``.

    Raises
    ------
    ExpressionError
        If a text is not a date, some texts have an offset and others none, or texts have one and
        a date of the field does not.
    """
    parsed = [_parsed(fields, name, text) for text in texts]
    in_utc = any(map(_has_offset, parsed))
    if in_utc and not all(map(_has_offset, parsed)):
        raise ExpressionError(
            "filter "
            f"{short_repr(fields.text)}: expected dates that all have an offset from UTC, or "
            f"none, to compare with field {name!r}, found both",
            "Write an offset to each: 2024-01-31T12:00+00:00",
        )
    column = fields.column(name)
    cells = column.values.tolist()
    rows = np.flatnonzero(column.present).tolist()
    without = [row for row in rows if in_utc and not _has_offset(cells[row])]
    if without:
        fields.reject(
            name,
            "dates without a time zone",
            comparison,
            without,
            "Write the text without an offset: 2024-01-31T12:00",
        )
    times = np.full(len(cells), np.datetime64("NaT", "us"))
    times[column.present] = _times([cells[row] for row in rows], in_utc)
    return FieldColumn(times, column.present, column.kinds), _times(parsed, in_utc).tolist()


def _parsed(fields: Fields, name: str, text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ExpressionError(
            "filter "
            f"{short_repr(fields.text)}: field {name!r} holds dates, expected one to compare it "
            f"with, found the text {short_repr(text)}",
            "Write the date in ISO 8601: 2024-01-31 or 2024-01-31T12:00",
        ) from None


def _has_offset(date: Any) -> bool:
    return isinstance(date, datetime) and date.utcoffset() is not None


def _times(dates: Sequence[Any], in_utc: bool) -> NDArray[np.datetime64]:
    """Convert dates to microseconds, of UTC or of each date's local time."""
    moved = [date.astimezone(UTC) for date in dates] if in_utc else dates
    naive = [date.replace(tzinfo=None) if isinstance(date, datetime) else date for date in moved]
    return np.array(naive, dtype="datetime64[us]")


UID: Final = "uid"
"""Name of the datum in an expression."""

FieldValue = str | bool | int | float
RowMask = NDArray[np.bool_]

WORDS, NUMBERS, TRUTHS, DATES = "text", "numbers", "true or false", "dates"
_DTYPE_KINDS: Final = dict(zip("UTbiuf", [WORDS, WORDS, TRUTHS, *[NUMBERS] * 3], strict=True))
_REMEDIES: Final = {
    (WORDS, NUMBERS): "Write the value in quotes, or give the field as numbers.",
    (NUMBERS, WORDS): "Write the number without quotes.",
    (DATES, NUMBERS): 'Compare dates with text: "2024-01-31"',
    (DATES, WORDS): "Give the field as dates or as text, not both.",
}
"""Remedies by the kind of a field's values and the kind of the compared value."""


@frozen(eq=False)
class Fields:
    """Metadata fields of a batch for an expression."""

    text: str
    columns: Mapping[str, NDArray[Any]]
    uids: NDArray[Any]
    count: int
    _columns: dict[str, FieldColumn] = field(init=False, factory=dict)

    def column(self, name: str) -> FieldColumn:
        """Return the values of a field.

        Raises
        ------
        ExpressionError
            If there is no such field.
        SchemaError
            If the number of values is not the number of datums.
        """
        if name not in self._columns:
            self._columns[name] = FieldColumn.of(self._values(name))
        return self._columns[name]

    def _values(self, name: str) -> NDArray[Any]:
        if name != UID and name not in self.columns:
            names = [*sorted(self.columns), UID]
            raise ExpressionError(
                f"filter {short_repr(self.text)}: expected a metadata field, found {name!r}; "
                f"the fields are {', '.join(map(repr, names))}",
                remedy=did_you_mean(name, names),
            )
        values = np.asarray(self.uids if name == UID else self.columns[name])
        if values.shape != (self.count,):
            raise SchemaError(
                f"filter {short_repr(self.text)}: expected {self.count} values of field {name!r}, "
                f"got {short_repr(values)}"
            )
        return values

    def comparable(self, name: str, kind: str, comparison: str) -> FieldColumn:
        """Return the values of a field, all of one kind.

        Raises
        ------
        ExpressionError
            If a value has another kind. The message names the first datum with such a value.
        """
        column = self.column(name)
        others = column.kinds - {kind}
        if others:
            held = " and ".join(sorted(others))
            remedy = _REMEDIES.get((held, kind))
            if kind == TRUTHS and others <= {WORDS, NUMBERS, DATES}:
                remedy = f"Compare the field with {' or '.join(sorted(others))} instead."
            self.reject(name, held, comparison, column.rows_of(others), remedy)
        return column

    def reject(
        self, name: str, held: str, comparison: str, rows: Sequence[int], remedy: str | None
    ) -> NoReturn:
        """Raise the `ExpressionError` of values that cannot be compared.

        Parameters
        ----------
        name : str
            Field.
        held : str
            Kind of its values in these rows: ``text``.
        comparison : str
            Comparison that is impossible: ``compared with the number 3``.
        rows : sequence of int
            Indices of the rows, ascending. The message names the first one.
        remedy : str, optional
            Suggestion to the user.
        """
        cell = self.column(name).values.tolist()[rows[0]]
        found = cell.isoformat() if isinstance(cell, date) else short_repr(cell)
        uid = np.asarray(self.uids).tolist()[rows[0]]
        raise ExpressionError(
            "filter "
            f"{short_repr(self.text)}: field {name!r} holds {held} and cannot be {comparison}, "
            f"found {found} in datum {short_repr(uid)}{and_more(len(rows) - 1)}",
            remedy,
        )


@frozen(eq=False)
class FieldColumn:
    """Values of one field, a mask of those that are not missing, and their kinds."""

    values: NDArray[Any]
    present: RowMask
    kinds: set[str]

    @classmethod
    def of(cls, values: NDArray[Any]) -> FieldColumn:
        """Find the missing values and the kinds of the others."""
        dtype = values.dtype
        if dtype.kind == "M":  # Python's dates have one unit, microseconds
            values = values.astype("datetime64[us]").astype(object)
        if dtype.kind in "MO":
            cells = values.tolist()
            present = np.fromiter((not _is_missing(cell) for cell in cells), np.bool_, len(cells))
            types = set(map(type, values[present].tolist()))
            return cls(values, present, set(map(compared_as, types)))
        present = ~np.isnan(values) if dtype.kind == "f" else np.ones(len(values), dtype=np.bool_)
        return cls(values, present, {_DTYPE_KINDS.get(dtype.kind, f"values of type {dtype}")})

    def rows_of(self, kinds: set[str]) -> list[int]:
        """Return the rows with values of some kinds, which must be among `kinds` of the column."""
        rows: list[int] = np.flatnonzero(self.present).tolist()
        if self.values.dtype.kind != "O":
            return rows
        cells = self.values.tolist()
        return [row for row in rows if compared_as(type(cells[row])) in kinds]

    def where_present(self, passes: Callable[[NDArray[Any]], Any]) -> RowMask:
        """Apply a test to the values that are not missing. Missing values fail it."""
        mask = np.zeros(len(self.values), dtype=np.bool_)
        mask[self.present] = passes(self.values[self.present])
        return mask


def _is_missing(cell: object) -> bool:
    if isinstance(cell, date):  # pandas' NaT is an instance of date and not equal to itself
        return cell != cell
    return cell is None or (isinstance(cell, float | np.floating) and math.isnan(cell))


def compared_as(kind: type) -> str:
    """Return the kind of values that a type is compared as.

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
    return DATES if issubclass(kind, date) else f"values of type {kind.__name__}"

"""Dates: dates and timestamps of a field, and the text in ISO 8601 that they are compared with.

A date stands for its first moment. Text without an offset from UTC is compared with what a clock
shows in the time zone of each value; text with an offset, with the moment itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import ExpressionError, shown
from valor_core.filters.columns import FieldColumn, Fields

Times = NDArray[np.datetime64]
"""What one clock shows, in microseconds."""


def dated(
    fields: Fields, name: str, texts: Sequence[str], comparison: str
) -> tuple[FieldColumn, list[datetime]]:
    """The dates of a field and those that texts name, all by one clock.

    Parameters
    ----------
    fields : Fields
        Where the field is; it holds nothing but dates.
    name : str
        The field.
    texts : sequence of str
        What it is compared with.
    comparison : str
        How, as errors say it: ``compared with the text '2024-01-31'``.

    Raises
    ------
    ExpressionError
        If a text is no date, some have an offset and others none, or texts have one and a date of
        the field does not.
    """
    wanted = [_named(fields, name, text) for text in texts]
    with_offset = [_has_offset(date) for date in wanted]
    if any(with_offset) and not all(with_offset):
        raise ExpressionError(
            f"filter {shown(fields.text)}: expected dates that all have an offset from UTC, or "
            f"none, to look for field {name!r} among, found both",
            "Write an offset to each: 2024-01-31T12:00+00:00",
        )
    clock: Callable[[Sequence[Any]], Times] = _on_the_wall
    if any(with_offset):
        _check_offsets(fields, name, comparison)
        clock = _in_utc
    column = fields.column(name)
    times = np.full(len(column.values), np.datetime64("NaT", "us"))
    times[column.present] = clock(column.values[column.present].tolist())
    return FieldColumn(times, column.present, column.kinds), clock(wanted).tolist()


def _named(fields: Fields, name: str, text: str) -> datetime:
    """The date that a text names."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ExpressionError(
            f"filter {shown(fields.text)}: field {name!r} holds dates, expected one to compare it "
            f"with, found the text {shown(text)}",
            "Write the date in ISO 8601: 2024-01-31 or 2024-01-31T12:00",
        ) from None


def _check_offsets(fields: Fields, name: str, comparison: str) -> None:
    """Raise an `ExpressionError` if a date of a field does not say how far its clock is from UTC.

    Nobody knows which moment it is.
    """
    column = fields.column(name)
    cells = column.values.tolist()
    present = np.flatnonzero(column.present).tolist()
    without = [place for place in present if not _has_offset(cells[place])]
    if without:
        fields.refuse(
            name,
            "dates without a time zone",
            comparison,
            without,
            "Write the text without an offset: 2024-01-31T12:00",
        )


def _has_offset(date: Any) -> bool:
    return isinstance(date, datetime) and date.utcoffset() is not None


def _on_the_wall(dates: Sequence[Any]) -> Times:
    """What the clocks on the wall show."""
    return np.array(
        [date.replace(tzinfo=None) if isinstance(date, datetime) else date for date in dates],
        dtype="datetime64[us]",
    )


def _in_utc(dates: Sequence[datetime]) -> Times:
    """What a clock in UTC shows."""
    return _on_the_wall([date.astimezone(UTC) for date in dates])

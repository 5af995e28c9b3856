"""Comparison of dates and timestamps with text in ISO 8601.

A date is its first moment. Text without an offset from UTC is compared with the local time of each
value; text with an offset, with the moment in UTC.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import ExpressionError, shown
from valor_core.filters.columns import FieldColumn, Fields


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
    wanted = [_parsed(fields, name, text) for text in texts]
    in_utc = any(map(_has_offset, wanted))
    if in_utc and not all(map(_has_offset, wanted)):
        raise ExpressionError(
            f"filter {shown(fields.text)}: expected dates that all have an offset from UTC, or "
            f"none, to look for field {name!r} among, found both",
            "Write an offset to each: 2024-01-31T12:00+00:00",
        )
    column = fields.column(name)
    cells = column.values.tolist()
    rows = np.flatnonzero(column.present).tolist()
    without = [row for row in rows if in_utc and not _has_offset(cells[row])]
    if without:
        fields.refuse(
            name,
            "dates without a time zone",
            comparison,
            without,
            "Write the text without an offset: 2024-01-31T12:00",
        )
    times = np.full(len(cells), np.datetime64("NaT", "us"))
    times[column.present] = _times([cells[row] for row in rows], in_utc)
    return FieldColumn(times, column.present, column.kinds), _times(wanted, in_utc).tolist()


def _parsed(fields: Fields, name: str, text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ExpressionError(
            f"filter {shown(fields.text)}: field {name!r} holds dates, expected one to compare it "
            f"with, found the text {shown(text)}",
            "Write the date in ISO 8601: 2024-01-31 or 2024-01-31T12:00",
        ) from None


def _has_offset(date: Any) -> bool:
    return isinstance(date, datetime) and date.utcoffset() is not None


def _times(dates: Sequence[Any], in_utc: bool) -> NDArray[np.datetime64]:
    """Convert dates to microseconds, of UTC or of each date's local time."""
    moved = [date.astimezone(UTC) for date in dates] if in_utc else dates
    naive = [date.replace(tzinfo=None) if isinstance(date, datetime) else date for date in moved]
    return np.array(naive, dtype="datetime64[us]")

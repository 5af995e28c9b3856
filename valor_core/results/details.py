"""Result details: what a metric says besides its value, in tables that any report can show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from valor_core.errors import ReportError, shown


@frozen(repr=False)
class Told:
    """What a per-item metric says of its rows besides their mean.

    Parameters
    ----------
    details : mapping of str to mapping, or to list of mappings
        Tables by name, as `Result` has them.
    warnings : tuple of str
        What is worth knowing; it stands among the report's warnings.

    Examples
    --------
    >>> Told({"grades": {"lowest": 1, "middle_half": [2, 4]}}).details["grades"]["lowest"]
    1
    """

    details: Mapping[str, Any] = field(factory=dict)
    warnings: tuple[str, ...] = ()


def check_details(details: Any, place: str) -> None:
    """Raise a `ReportError` unless details are tables of plain entries.

    Each name has one row, a mapping, or several, a list of mappings. An entry is a number, a text,
    true or false, null, or two numbers, which are the ends of an interval.

    Examples
    --------
    >>> check_details({"judges": [{"judge": "a", "mean": 0.5}, {"judge": "b"}]}, "details")
    >>> check_details({"judges": {"means": [0.5, 0.25, 0.5]}}, "details")
    Traceback (most recent call last):
        ...
    valor_core.errors.ReportError: details.judges.means: expected a number, a text, true, false,
    null or two numbers, found [0.5, 0.25, 0.5]
    """
    if not isinstance(details, Mapping):
        raise ReportError(f"{place}: expected tables by name, found {shown(details)}")
    for name, table in details.items():
        for row in detail_rows(table):
            if not isinstance(row, Mapping):
                raise ReportError(f"{place}.{name}: expected a table, found {shown(row)}")
            for key, entry in row.items():
                if not _is_plain(entry):
                    raise ReportError(
                        f"{place}.{name}.{key}: expected a number, a text, true, false, null or "
                        f"two numbers, found {shown(entry)}"
                    )


def detail_rows(table: Any) -> list[Any]:
    """The rows of one of the tables, which is itself its only row if it is no list."""
    return list(table) if isinstance(table, list) else [table]


def is_interval(entry: Any) -> bool:
    """Whether an entry is two numbers."""
    return isinstance(entry, list) and len(entry) == 2 and all(map(_is_number, entry))


def _is_plain(entry: Any) -> bool:
    return entry is None or isinstance(entry, (bool, int, float, str)) or is_interval(entry)


def _is_number(entry: Any) -> bool:
    return isinstance(entry, (int, float)) and not isinstance(entry, bool)

"""Tables of the details that results have in addition to their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from valor_core.results import Failed, Result, Undefined
from valor_core.results.entries import CONFIDENCE, Entry
from valor_core.results.result import detail_rows, is_interval, is_number
from valor_report.tables.pivot import distinguishing, text_of, titles_of
from valor_report.tables.text_table import (
    MISSING,
    Cell,
    Row,
    TextColumn,
    TextTable,
    number_text,
)

_Rows = list[tuple[Entry, Mapping[str, Any]]]


def detail_tables(results: Iterable[Result]) -> list[TextTable]:
    """Tables of result details, one per name; values that all metrics share are in the caption.

    Examples
    --------
    >>> one, two = {"lowest": 0, "method": "exact"}, {"lowest": 2, "method": "exact"}
    >>> (table,) = detail_tables([
    ...     Result(type="F1", value=0.5, details={"all_runs": one}),
    ...     Result(type="F2", value=0.75, details={"all_runs": two}),
    ... ])
    >>> print(table.plain())
    All runs
    method exact
    <BLANKLINE>
    metric   value  lowest
    ------  ------  ------
    F1      0.5000       0
    F2      0.7500       2
    """
    found: dict[str, _Rows] = {}
    are_several: set[str] = set()
    for result in results:
        for name, table in result.details.items():
            if name == CONFIDENCE:  # part of the values in the tables of results
                continue
            entry = Entry(result, "", result.value)
            found.setdefault(name, []).extend((entry, row) for row in detail_rows(table))
            if isinstance(table, list):
                are_several.add(name)
    return [_table(name, rows, name in are_several) for name, rows in found.items() if rows]


def _table(name: str, rows: _Rows, several: bool) -> TextTable:
    entries = [entry for entry, _ in rows]
    called, differing = titles_of(entries), distinguishing(entries)
    keys = list(dict.fromkeys(key for _, row in rows for key in row))
    same = {} if several else {key: rows[0][1][key] for key in keys if _is_shared(key, rows)}
    shown = [key for key in keys if key not in same]
    lines: list[Row] = []
    for entry, row in rows:
        metric = ", ".join([called(entry), *differing(entry)])
        value = [] if several else [_value(entry.value)]
        lines.append([metric, *value, *(_cell(row[key]) if key in row else "" for key in shown)])
    value_column = [] if several else [TextColumn("value", numeric=True)]
    return TextTable(
        f"{name[:1].upper()}{_words(name[1:])}",
        [TextColumn("metric"), *value_column, *(_column(key, rows) for key in shown)],
        lines,
        caption="; ".join(f"{_words(key)} {text_of(text)}" for key, text in same.items()),
    )


def _value(value: Any) -> Cell:
    """Cell of a result's value; the reason of a missing one is in the table of results."""
    if isinstance(value, (Undefined, Failed)):
        return Cell("failed" if isinstance(value, Failed) else MISSING)
    return _cell(value if is_number(value) else None)


def _is_shared(key: str, rows: _Rows) -> bool:
    """Return True if all rows have the same text or a count of 0, which need no column."""
    first, *others = (row.get(key) for _, row in rows)
    is_none = isinstance(first, int) and first == 0 and first is not False
    return (isinstance(first, str) or is_none) and all(one == first for one in others)


def _column(key: str, rows: _Rows) -> TextColumn:
    entries = [row[key] for _, row in rows if row.get(key) is not None]
    return TextColumn(_words(key), all(is_number(one) or is_interval(one) for one in entries))


def _cell(entry: Any) -> Cell:
    if is_number(entry):
        return Cell(number_text(entry), float(entry))
    if is_interval(entry):
        return Cell(" to ".join(map(number_text, entry)))
    return Cell(MISSING if entry is None else text_of(entry))


def _words(name: str) -> str:
    return name.replace("_", " ")

"""Table of the items of a report, the worst first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.results import Failed, ItemRow, Report
from valor_core.results.report import ItemTable
from valor_core.results.result import NoScore, first_line, is_number
from valor_core.results.results import installed_spec
from valor_core.schemas import Codes
from valor_report.tables.pivot import Notes, text_of
from valor_report.tables.text_table import MISSING, Cell, Row, TextColumn, TextTable, number_text

MOST_ITEMS = 500
"""Maximum number of items in a table; all are in the JSON report."""

_MOST_COLUMNS = 10
_LOOKED_AT = 20
_SHORT = 60


@frozen
class _Column:
    """Number or detail of items, with the name of its column."""

    title: str
    metric: str
    table: ItemTable
    name: str
    is_detail: bool

    def of(self, row: ItemRow) -> Any:
        """Return the value of an item."""
        if self.is_detail:
            return row.details.get(self.name)
        return row.value.get(self.name) if isinstance(row.value, Mapping) else row.value


def item_tables(report: Report, most: int = MOST_ITEMS) -> list[TextTable]:
    """Table of the worst items by the first number with a direction; empty without item rows.

    Parameters
    ----------
    report : Report
        Report with item rows, as of ``items: true``.
    most : int
        Maximum number of items.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> table = {"y_true": ["a", "b"], "y_pred": ["a", "a"], "uid": ["x", "y"]}
    >>> (found,) = item_tables(evaluate(table, ["Accuracy"], items=True))
    >>> [[cell.text for cell in row[:2]] for row in found.rows]
    [['y', '0.0000'], ['x', '1.0000']]
    """
    tables = [table for table in report.items if len(table.rows)]
    if not tables:
        return []
    first = next((one for one in tables if _is_better(one) is not None), tables[0])
    chosen = _worst(first, most)
    columns = list(islice(_columns([first, *(one for one in tables if one is not first)]), 10))
    rows_of = {id(table): _by_uid(table, first, chosen) for table in tables}
    notes, rows = Notes(), list[Row]()
    for row in first.rows.select(chosen):
        held = [(one, rows_of[id(one.table)].get(row.uid)) for one in columns]
        cells = [Cell("") if at is None else _cell(one.of(at), notes) for one, at in held]
        rows.append([str(row.uid), *cells])
    hidden = len(first.rows) - len(chosen)
    about = f"the {len(chosen):,} worst by {columns[0].title}; {hidden:,} more in the JSON report"
    heads = [
        TextColumn(one.title, _is_numeric(rows, place), one.metric)
        for place, one in enumerate(columns, 1)
    ]
    return [
        TextTable("Items", ["item", *heads], rows, caption=about if hidden else "", notes=notes.all)
    ]


def _is_better(table: ItemTable) -> bool | None:
    """Return whether higher is better, or None if the metric has no direction."""
    spec = installed_spec(table.metric.partition("@")[0])
    return None if spec is None else spec.higher_is_better


def _worst(table: ItemTable, most: int) -> Codes:
    """Positions of the worst items by the first number, then of those without one."""
    numbers = next(iter(table.rows.columns().values()))
    sign = -1.0 if _is_better(table) is False else 1.0
    ranks = np.where(numbers.codes == 0, sign * numbers.values, np.inf)
    return np.argsort(ranks, kind="stable")[:most]


def _by_uid(table: ItemTable, first: ItemTable, chosen: Codes) -> dict[str | int, ItemRow]:
    """Rows of the chosen items of the first table, by uid."""
    wanted = first.rows.uids[chosen]
    uids = table.rows.uids
    if uids.dtype.kind != wanted.dtype.kind:
        uids, wanted = uids.astype(str), wanted.astype(str)
    at = np.flatnonzero(np.isin(uids, wanted))
    return {row.uid: row for row in table.rows.select(at)}


def _columns(tables: Sequence[ItemTable]) -> Iterator[_Column]:
    """Columns of the numbers and the short details of each table, each title once."""
    titles: set[str] = set()
    for table in tables:
        metric = table.metric.partition("@")[0]
        alike = [one for one in tables if one.metric == table.metric]
        differing = _differing(table, alike)
        short = metric.rpartition(".")[2] + (f" ({differing})" if differing else "")
        columns = [
            _Column(f"{short} {name}".rstrip(), metric, table, name, is_detail=False)
            for name in table.rows.columns()
        ]
        columns += [
            _Column(name.replace("_", " "), "", table, name, is_detail=True)
            for name in _short_details(table)
        ]
        for one in columns:
            if one.title not in titles:
                titles.add(one.title)
                yield one


def _differing(table: ItemTable, alike: Sequence[ItemTable]) -> str:
    """Parameters that distinguish a table from others of its metric, in words."""
    words = (
        f"{name} {text_of(value)}"
        for name, value in table.parameters.items()
        if any(other.parameters.get(name) != value for other in alike)
    )
    return ", ".join(words)


def _short_details(table: ItemTable) -> list[str]:
    """Names of the details that are numbers or short texts in the first items."""
    seen: dict[str, bool] = {}
    for row in islice(table.rows, _LOOKED_AT):
        for name, value in row.details.items():
            is_short = is_number(value) or (isinstance(value, str) and len(value) <= _SHORT)
            seen[name] = seen.get(name, True) and (is_short or value is None)
    return [name for name, is_short in seen.items() if is_short]


def _is_numeric(rows: Sequence[Row], place: int) -> bool:
    cells = [row[place] for row in rows]
    return all(isinstance(one, Cell) and (one.number is not None or one.tone) for one in cells)


def _cell(value: Any, notes: Notes) -> Cell:
    if isinstance(value, NoScore):
        failed = isinstance(value, Failed)
        text = f"{'failed' if failed else MISSING}{notes.mark(first_line(value.reason))}"
        return Cell(text, tone="bad" if failed else "faint")
    if value is None:
        return Cell(MISSING, tone="faint")
    return Cell(number_text(value), float(value)) if is_number(value) else Cell(str(value))

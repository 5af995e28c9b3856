"""Items on which several reports differ, with the answer of each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.results import Report
from valor_core.results.report import ItemTable
from valor_core.schemas import Codes, Floats
from valor_core.specs import Registry
from valor_report.comparison.changes import name_direction, text_of_values
from valor_report.comparison.item_changes import (
    Prediction,
    prediction_of,
    prediction_table,
    rows_of,
    truth_of,
)
from valor_report.tables.text_table import TextTable

MOST_ROWS = 200
"""Maximum number of items in a table."""


@frozen
class BoardItem:
    """Item on which the reports differ.

    Parameters
    ----------
    uid : str or int
        Uid of the item.
    outcome : str
        Number of reports that have it wrong, or the difference of the best and the worst value.
    truth : str
        Ground truth; empty if the reports have none.
    predictions : tuple of Prediction
        Prediction of each report.
    """

    uid: str | int
    outcome: str
    truth: str
    predictions: tuple[Prediction, ...]


@frozen
class ItemBoard:
    """Items on which the reports differ, by one number.

    Parameters
    ----------
    title : str
        Metric, and the name of the number if it has several.
    rows : tuple of BoardItem
        At most `MOST_ROWS` items: those that most reports have wrong first, or those with the
        largest difference.
    differing, items : int
        Number of items on which the reports differ, and of all items with a number.
    is_right_or_wrong : bool
        Whether items are right or wrong.
    best : float
        Value of an item that is right.
    """

    title: str
    rows: tuple[BoardItem, ...]
    differing: int
    items: int
    is_right_or_wrong: bool
    best: float

    def table(self, names: Sequence[str]) -> TextTable:
        """Return a table of the items with the prediction of each model.

        Parameters
        ----------
        names : sequence of str
            Names of the reports.
        """
        cells = ((row.uid, row.outcome, row.truth, row.predictions) for row in self.rows)
        hidden = self.differing - len(self.rows)
        return prediction_table(f"Items by {self.title}", cells, names, hidden)


def item_board(reports: Mapping[str, Report], registry: Registry) -> ItemBoard | None:
    """Return the items on which reports differ by their first number with a direction.

    Parameters
    ----------
    reports : mapping of str to Report
        Reports with rows of items.
    registry : Registry
        Registry with the directions of metrics.

    Returns
    -------
    ItemBoard or None
        None if the reports have no rows of the same items.
    """
    each = list(reports.values())
    for table in each[0].items:
        direction = name_direction(table.metric, table.parameters, registry)
        if direction is None:
            continue
        tables = [_like(table, report) for report in each]
        found = _columns([one for one in tables if one is not None])
        if found is not None and len(found[2]) == len(each):
            return _board(each, table, direction, *found)
    return None


def _like(table: ItemTable, report: Report) -> ItemTable | None:
    """Rows of the same metric and parameters in another report."""
    wanted = table.metric, text_of_values(table.parameters)
    return next(
        (one for one in report.items if (one.metric, text_of_values(one.parameters)) == wanted),
        None,
    )


def _columns(tables: Sequence[ItemTable]) -> tuple[str, Any, list[Floats]] | None:
    """Name of the first number, uids and numbers of the items with a number in all tables."""
    sorted_rows = [table.rows.sorted() for table in tables]
    uids = sorted_rows[0].uids
    if not all(len(rows) == len(uids) and (rows.uids == uids).all() for rows in sorted_rows):
        return None
    columns = [rows.columns() for rows in sorted_rows]
    part = next(iter(columns[0]))
    if not all(part in one for one in columns):
        return None
    have = np.all([one[part].codes == 0 for one in columns], axis=0)
    return part, uids[have], [one[part].values[have] for one in columns]


def _board(
    reports: Sequence[Report],
    table: ItemTable,
    higher_is_better: bool,
    part: str,
    uids: Any,
    columns: Sequence[Floats],
) -> ItemBoard:
    values = np.array(columns)
    is_binary = bool(((values == 0) | (values == 1)).all())
    best = float(higher_is_better)
    differs = (values != values[0]).any(axis=0)
    size = (values != best).sum(axis=0) if is_binary else np.ptp(values, axis=0)
    order: Codes = np.argsort(-np.where(differs, size, -1.0), kind="stable")
    shown = order[: min(int(differs.sum()), MOST_ROWS)]
    kept = [one.decode("ascii") if isinstance(one, bytes) else one for one in uids[shown].tolist()]
    name = table.metric.partition("@")[0]
    held = [rows_of(report, name, table.parameters, kept) for report in reports]
    rows = []
    for uid, at in zip(kept, shown.tolist(), strict=True):
        predictions = tuple(prediction_of(one.get(uid, []), part) for one in held)
        outcome = f"wrong in {size[at]:.0f} of {len(reports)}"
        truth = truth_of([one.get(uid, []) for one in held])
        rows.append(BoardItem(uid, outcome if is_binary else f"{size[at]:.4f}", truth, predictions))
    title = f"{name.rpartition('.')[2]} {part}".rstrip()
    return ItemBoard(title, tuple(rows), int(differs.sum()), len(uids), is_binary, best)

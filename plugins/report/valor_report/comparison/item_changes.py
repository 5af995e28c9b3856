"""Items that changed between two reports, with the answers of both models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from attrs import asdict, frozen

from valor_core.results import ItemRow, Report
from valor_core.results.item_tables import ItemTable
from valor_core.results.result import NoScore, is_number
from valor_report.comparison.changes import text_of_values
from valor_report.comparison.difference_tables import distinct_flips
from valor_report.tables.pivot import text_of
from valor_report.tables.text_table import MISSING, Cell, Row, TextTable, number_text

Uid = str | int
Outcome = Literal["broken", "fixed", "wrong in both", "worse", "better"]

_MOST_TEXT = 40

MOST_LISTED = 200
"""Maximum number of items of each outcome in tables; JSON has the uids of all."""


@frozen
class Prediction:
    """Prediction of one model for an item.

    Parameters
    ----------
    value : float or None
        Number of the item.
    text : str
        The prediction; empty if the report has none.
    score : float or None
        Confidence of the prediction.
    wrong : str
        Description of the error; empty if the prediction is right.
    """

    value: float | None
    text: str = ""
    score: float | None = None
    wrong: str = ""


@frozen
class ItemChange:
    """Item that changed, or that both models have wrong.

    Parameters
    ----------
    uid : str or int
        Uid of the item.
    outcome : str
        ``"broken"`` or ``"fixed"`` if only the first or only the second model has the item right,
        ``"wrong in both"``; ``"worse"`` or ``"better"`` for other numbers than 0 and 1.
    truth : str
        Ground truth; empty if the reports have none.
    first, second : Prediction
        Predictions of the models.
    slices : str
        Slices of the item in words.
    """

    uid: Uid
    outcome: Outcome
    truth: str
    first: Prediction
    second: Prediction
    slices: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the item as JSON values."""
        return asdict(self)


@frozen
class ItemChanges:
    """Items that changed by one number.

    Parameters
    ----------
    title : str
        Metric, and the name of the number if it has several.
    counts : mapping of str to int
        Number of items of each outcome, the losses first.
    rows : tuple of ItemChange
        At most `MOST_LISTED` items of each outcome, the largest change first.
    items : int
        Number of items with a number in both reports.
    """

    title: str
    counts: Mapping[Outcome, int]
    rows: tuple[ItemChange, ...]
    items: int

    @property
    def is_right_or_wrong(self) -> bool:
        """True if items are right or wrong, not better or worse."""
        return "broken" in self.counts

    def to_dict(self) -> dict[str, Any]:
        """Return the items as JSON values."""
        return {
            "number": self.title,
            "items": self.items,
            "counts": dict(self.counts),
            "rows": [row.to_dict() for row in self.rows],
        }

    def table(self, names: Sequence[str]) -> TextTable:
        """Return a table of the items with the predictions of both models.

        Parameters
        ----------
        names : sequence of str
            Names of the two reports.
        """
        cells = ((row.uid, row.outcome, row.truth, (row.first, row.second)) for row in self.rows)
        hidden = sum(self.counts.values()) - len(self.rows)
        return prediction_table(f"Items by {self.title}", cells, names, hidden)

    def most_changed(self, most: int) -> list[ItemChange]:
        """Return the items to look at: two losses for each gain, then those wrong in both."""
        losses, gains, both = (
            [row for row in self.rows if row.outcome in outcomes]
            for outcomes in (("broken", "worse"), ("fixed", "better"), ("wrong in both",))
        )
        kept = max(most - len(gains), 2 * most // 3)
        chosen = [*losses[:kept], *gains[: most - min(kept, len(losses))]]
        return [*chosen, *both][:most]


def item_changes(a: Report, b: Report, flips: Sequence[Any]) -> ItemChanges | None:
    """Return the items that changed by the first number with changes; None without rows.

    Parameters
    ----------
    a, b : Report
        First and second report, with rows of items.
    flips : sequence of Flips
        Uids of the items that changed by number, as `valor_intervals.compare` returns them.
    """
    chosen = next(iter(distinct_flips(flips)), None) or next(iter(flips), None)
    if chosen is None:
        return None
    outcomes: dict[Outcome, Sequence[Uid]]
    if chosen.wrong is None:
        outcomes = {"worse": chosen.worse, "better": chosen.better}
    else:
        outcomes = {"broken": chosen.worse, "fixed": chosen.better, "wrong in both": chosen.wrong}
    shown = {uid: way for way, uids in outcomes.items() for uid in uids[:MOST_LISTED]}
    first, second = (
        rows_of(report, chosen.metric, chosen.parameters, list(shown)) for report in (a, b)
    )
    rows = (
        _change(uid, way, first.get(uid, []), second.get(uid, []), chosen.part)
        for uid, way in shown.items()
    )
    title = f"{chosen.metric.rpartition('.')[2]} {chosen.part}".rstrip()
    counts = {way: len(uids) for way, uids in outcomes.items()}
    return ItemChanges(title, counts, tuple(rows), chosen.items)


def prediction_table(
    title: str,
    items: Iterable[tuple[Uid, str, str, Sequence[Prediction]]],
    names: Sequence[str],
    hidden: int,
) -> TextTable:
    """Return a table of items with the prediction of each model.

    Parameters
    ----------
    title : str
        Title of the table.
    items : iterable of (uid, outcome, truth, predictions)
        Items in their order.
    names : sequence of str
        Names of the reports.
    hidden : int
        Number of items that are not listed.
    """
    rows: list[Row] = [
        [Cell(str(uid)), outcome, _shortened(truth), *map(_in_a_cell, predictions)]
        for uid, outcome, truth, predictions in items
    ]
    caption = f"{hidden:,} more in the JSON of the comparison" if hidden else ""
    return TextTable(title, ["item", "outcome", "true", *names], rows, caption=caption, keys=1)


def _in_a_cell(prediction: Prediction) -> str:
    """Prediction with its score; its value if the report has no prediction."""
    if not prediction.text:
        return MISSING if prediction.value is None else number_text(prediction.value)
    score = "" if prediction.score is None else f" {number_text(prediction.score)}"
    return f"{_shortened(prediction.text)}{score}"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_TEXT else f"{line[: _MOST_TEXT - 1]}…"


def rows_of(
    report: Report, metric: str, parameters: Mapping[str, Any], uids: Sequence[Uid]
) -> dict[Uid, list[ItemRow]]:
    """Return the rows of some items: that of a metric first, then those of other metrics."""
    wanted = metric, text_of_values(parameters)

    def is_other(table: ItemTable) -> bool:
        return (table.metric.partition("@")[0], text_of_values(table.parameters)) != wanted

    found: dict[Uid, list[ItemRow]] = {}
    for table in sorted(report.items, key=is_other):
        for row in _selected(table, uids):
            found.setdefault(row.uid, []).append(row)
    return found


def _selected(table: ItemTable, uids: Sequence[Uid]) -> Iterator[ItemRow]:
    column = table.rows.uids
    wanted = np.array(uids)
    if column.dtype.kind != wanted.dtype.kind:
        column, wanted = column.astype(str), wanted.astype(str)
    yield from table.rows.select(np.flatnonzero(np.isin(column, wanted)))


def _change(
    uid: Uid, outcome: Outcome, first: Sequence[ItemRow], second: Sequence[ItemRow], part: str
) -> ItemChange:
    slices = _detail([*first, *second], "slices")
    words = [f"{name} {text_of(value)}" for name, value in slices.items()] if slices else []
    return ItemChange(
        uid,
        outcome,
        truth_of((first, second)),
        prediction_of(first, part),
        prediction_of(second, part),
        ", ".join(words),
    )


def truth_of(rows: Iterable[Sequence[ItemRow]]) -> str:
    """Return the ground truth of an item in several reports; those that differ are all named."""
    truths = dict.fromkeys(_words(_detail(one, "truth")) for one in rows)
    return ", then ".join(filter(None, truths))


def prediction_of(rows: Sequence[ItemRow], part: str) -> Prediction:
    """Return the prediction of a model from the rows of an item."""
    value: Any = rows[0].value if rows else None
    value = value.get(part) if isinstance(value, Mapping) else value
    score = _detail(rows, "score")
    return Prediction(
        None if isinstance(value, NoScore) or value is None else float(value),
        _words(_detail(rows, "prediction")),
        float(score) if is_number(score) else None,
        _words(_detail(rows, "wrong")),
    )


def _detail(rows: Sequence[ItemRow], name: str) -> Any:
    """Detail of an item, from the first row that has it."""
    return next((row.details[name] for row in rows if row.details.get(name) is not None), None)


def _words(value: Any) -> str:
    """Format a truth or a prediction: a label, a text, or counts or shares by label."""
    if isinstance(value, Mapping):
        return ", ".join(f"{_amount(amount)} {name}" for name, amount in value.items())
    if isinstance(value, (list, tuple)):
        return "\n".join(map(_words, value))
    return "" if value is None else text_of(value)


def _amount(value: Any) -> str:
    """Format a count, or a share of an image in percent."""
    return f"{100 * value:.3g} %" if isinstance(value, float) else _words(value)

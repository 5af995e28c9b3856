"""Table of the items of a report, the worst first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.results import DetailColumns, Failed, ItemRows, NoScore, Report
from valor_core.results.entries import NO_VALUE
from valor_core.results.item_tables import ItemTable
from valor_core.results.result import first_line, is_number
from valor_core.results.results import installed_spec
from valor_core.schemas import Codes, Uid
from valor_report.tables.pivot import Notes, text_of
from valor_report.tables.text_table import MISSING, Cell, TextColumn, TextTable, number_text

NAMED = ("truth", "prediction", "score", "wrong")
"""Details with their columns in front of the numbers."""

SLICES = "slices"
"""Detail with the metadata values by which the report is sliced."""

RECORDS = ("item", "steps")
"""Details of how an answer was made, which only the JSON report has."""

_MOST_COLUMNS = 14
_MOST_OF_METRIC = 4
_LOOKED_AT = 20
_SHORT = 60


@frozen(eq=False, slots=False)
class _Aligned:
    """Rows of a table for the listed items.

    Parameters
    ----------
    table : ItemTable
        The table.
    rows : ItemRows
        Rows of those listed items that the table has.
    at : ndarray of int64
        Position in `rows` of each listed item; -1 without a row.
    """

    table: ItemTable
    rows: ItemRows
    at: Codes

    @classmethod
    def of(
        cls, table: ItemTable, wanted: NDArray[Any], first: ItemTable, chosen: Codes
    ) -> _Aligned:
        """Return the rows of a table for items of the first table."""
        uids = table.rows.uids
        if np.array_equal(uids, first.rows.uids):
            return cls(table, table.rows.select(chosen), np.arange(len(chosen)))
        if uids.dtype.kind != wanted.dtype.kind:
            uids, wanted = (_strings(column) for column in (uids, wanted))
        order = np.argsort(uids, kind="stable")
        places = np.minimum(np.searchsorted(uids[order], wanted), len(uids) - 1)
        has = uids[order[places]] == wanted
        at = np.where(has, np.cumsum(has) - 1, -1)
        return cls(table, table.rows.select(order[places[has]]), at)

    def numbers(self, name: str) -> list[Any]:
        """Number of each item, a reason for a missing one, or None without a row."""
        column = self.rows.columns()[name]
        return [None if at < 0 else column.at(at) for at in self.at.tolist()]

    def details(self, name: str) -> list[Any]:
        """Detail of each item, or None."""
        held = self.rows.details
        if isinstance(held, DetailColumns):
            values = held.columns[name].tolist() if name in held.columns else []
            found = dict(zip(held.positions.tolist(), values, strict=False))
        else:
            found = {at: details[name] for at, details in held.items() if name in details}
        return [found.get(at) for at in self.at.tolist()]

    @cached_property
    def names(self) -> list[str]:
        """Names of the details of the first items."""
        held = self.rows.details
        if isinstance(held, DetailColumns):
            return list(held.columns)
        first = [held[at] for _, at in zip(range(_LOOKED_AT), held, strict=False)]
        return list(dict.fromkeys(name for details in first for name in details))


def _strings(uids: NDArray[Any]) -> NDArray[Any]:
    return np.array([one.decode() if isinstance(one, bytes) else str(one) for one in uids.tolist()])


@frozen
class _Column:
    """Column of the table with the values of all listed items."""

    title: str
    values: list[Any]
    metric: str = ""


@frozen(eq=False)
class ListedItems:
    """Items of a report, the worst first.

    Parameters
    ----------
    table : TextTable
        Uid, ground truth, prediction, score, error, numbers, short details and slices by item.
    uids : tuple of str or int
        Uids of the rows.
    details : tuple of mapping
        Details of the rows that are not columns.
    count : int
        Number of items in the report.
    slices : tuple of str
        Titles of the columns with metadata values.
    """

    table: TextTable
    uids: tuple[Uid, ...]
    details: tuple[Mapping[str, Any], ...]
    count: int
    slices: tuple[str, ...]


def listed_items(report: Report, most: int, shown: Collection[Uid] = ()) -> ListedItems | None:
    """List the worst items by the first number with a direction; None without item rows.

    Parameters
    ----------
    report : Report
        Report with item rows, as of ``items: true``.
    most : int
        Maximum number of items.
    shown : collection of str or int
        Uids of items that are listed in any case.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> table = {"y_true": ["a", "b"], "y_pred": ["a", "a"], "uid": ["x", "y"]}
    >>> found = listed_items(evaluate(table, ["Accuracy"], items=True), 10)
    >>> [(row[0].text, row[-2].text, row[-1].text) for row in found.table.rows]
    [('y', 'predicted a, true b', '0.0000'), ('x', '', '1.0000')]
    """
    tables = [table for table in report.items if len(table.rows)]
    if not tables:
        return None
    first = next((one for one in tables if _is_better(one) is not None), tables[0])
    tables = [first, *(one for one in tables if one is not first)]
    chosen = _chosen(first, most, shown)
    wanted = first.rows.uids[chosen]
    aligned = [_Aligned.of(table, wanted, first, chosen) for table in tables]
    named = list(_named(aligned))
    slices = list(_slices(aligned))
    used = {one.title for one in (*named, *slices)}
    numbers = list(_numbers(aligned, used))
    short = [] if "wrong" in used else list(_short_details(aligned, used))
    room = _MOST_COLUMNS - len(named) - len(slices)
    columns = [*named, *[*numbers, *short][: max(room, 1)], *slices]
    notes = Notes()
    cells = [[_cell(value, notes) for value in one.values] for one in columns]
    uids = [one.decode() if isinstance(one, bytes) else one for one in wanted.tolist()]
    heads = [
        TextColumn(one.title, _is_numeric(held), one.metric)
        for one, held in zip(columns, cells, strict=True)
    ]
    return ListedItems(
        TextTable(
            "Items",
            ["item", *heads],
            [[str(uid), *row] for uid, *row in zip(uids, *cells, strict=True)],
            notes=notes.all,
        ),
        tuple(uids),
        tuple(_others(aligned, {one.title for one in columns}, len(chosen))),
        len(first.rows),
        tuple(one.title for one in slices),
    )


def _is_better(table: ItemTable) -> bool | None:
    """Return whether higher is better, or None if the metric has no direction."""
    spec = installed_spec(table.metric.partition("@")[0])
    return None if spec is None else spec.higher_is_better


def _chosen(table: ItemTable, most: int, shown: Collection[Uid]) -> Codes:
    """Positions of the worst items by the first number, then of those without one.

    Of equal items, those with a wrong prediction of a high score are first, then right ones of a
    low score.
    """
    rows = table.rows
    numbers = next(iter(rows.columns().values()))
    sign = -1.0 if _is_better(table) is False else 1.0
    ranks = np.where(numbers.codes == 0, sign * numbers.values, np.inf)
    surest = np.zeros(len(rows))
    held = rows.details
    if isinstance(held, DetailColumns) and {"score", "wrong"} <= held.columns.keys():
        scores, wrong = held.columns["score"], held.columns["wrong"]
        if scores.dtype.kind == "f":
            scores = np.nan_to_num(scores)
            surest[held.positions] = np.where(wrong == "", scores, -scores)
    order = np.lexsort((surest, ranks))
    kept = order[:most]
    if not shown:
        return kept
    names = np.array([str(uid) for uid in shown])
    rest = order[most:]
    return np.concatenate([kept, rest[np.isin(_strings(rows.uids[rest]), names)]])


def _named(aligned: Iterable[_Aligned]) -> Iterator[_Column]:
    """Columns of the ground truth, the prediction, its score and what is wrong."""
    for name in NAMED:
        for one in aligned:
            if name in one.names:
                values = one.details(name)
                yield _Column(name, [_short(value) for value in values])
                break


def _slices(aligned: Iterable[_Aligned]) -> Iterator[_Column]:
    """Columns of the metadata values of slices, from the first table that has them."""
    for one in aligned:
        if SLICES in one.names:
            held = [value if isinstance(value, Mapping) else {} for value in one.details(SLICES)]
            for name in dict.fromkeys(name for value in held for name in value):
                title = f"{name} (slice)" if name in NAMED or name == "item" else name
                texts = [_slice_text(value[name]) if name in value else None for value in held]
                yield _Column(title, texts)
            return


def _slice_text(value: Any) -> str:
    """Format a metadata value as the tables of slices do."""
    return NO_VALUE if value is None else text_of(value)


def _numbers(aligned: Sequence[_Aligned], used: set[str]) -> Iterator[_Column]:
    """Columns of the numbers of each metric, taking turns between metrics."""
    tables = [one.table for one in aligned]
    ranked = []
    for place, one in enumerate(aligned):
        metric = one.table.metric.partition("@")[0]
        alike = [table for table in tables if table.metric == one.table.metric]
        differing = _differing(one.table, alike)
        short = metric.rpartition(".")[2] + (f" ({differing})" if differing else "")
        for turn, name in enumerate([*one.table.rows.columns()][:_MOST_OF_METRIC]):
            ranked.append((turn, place, f"{short} {name}".rstrip(), metric, one, name))
    within = sorted(ranked, key=lambda each: each[:2])[:_MOST_COLUMNS]
    for _, _, title, metric, one, name in sorted(within, key=lambda each: (each[1], each[0])):
        if title not in used:
            used.add(title)
            yield _Column(title, one.numbers(name), metric)


def _differing(table: ItemTable, alike: Sequence[ItemTable]) -> str:
    """Parameters that distinguish a table from others of its metric, in words."""
    words = (
        f"{name} {text_of(value)}"
        for name, value in table.parameters.items()
        if any(other.parameters.get(name) != value for other in alike)
    )
    return ", ".join(words)


def _short_details(aligned: Iterable[_Aligned], used: set[str]) -> Iterator[_Column]:
    """Columns of the details that are numbers or short texts."""
    for one in aligned:
        for name in one.names:
            title = name.replace("_", " ")
            if title in used or name in (*NAMED, SLICES, *RECORDS):
                continue
            values = one.details(name)
            if all(map(_is_short, values)):
                used.add(title)
                yield _Column(title, values)


def _is_short(value: Any) -> bool:
    is_short = is_number(value) or (isinstance(value, str) and len(value) <= _SHORT)
    return is_short or value is None


def _short(value: Any) -> Any:
    """Convert a detail to a number or to a text of at most two lines."""
    if value is None or is_number(value):
        return value
    text = value if isinstance(value, str) else labels_text(value)
    return text if len(text) <= 2 * _SHORT else f"{text[: 2 * _SHORT - 1]}…"


def labels_text(value: Any) -> str:
    """Format labels of an item: a list of them, or a mapping of label to count or share.

    Examples
    --------
    >>> labels_text(["cat", "dog"]), labels_text({"cat": 2, "dog": 1}), labels_text({"road": 0.5})
    ('cat, dog', 'cat: 2, dog: 1', 'road: 50 %')
    """
    if isinstance(value, Mapping) and all(map(is_number, value.values())):
        return ", ".join(
            f"{label}: {100 * one:.3g} %" if isinstance(one, float) else f"{label}: {one:,}"
            for label, one in value.items()
        )
    return ", ".join(map(str, value)) if isinstance(value, list) else text_of(value)


def _others(aligned: Iterable[_Aligned], titles: set[str], count: int) -> list[dict[str, Any]]:
    """Details of each item that are not in the table or are cut there."""
    found: list[dict[str, Any]] = [{} for _ in range(count)]
    for one in aligned:
        metric = one.table.metric.partition("@")[0].rpartition(".")[2]
        for name in one.names:
            is_column = name.replace("_", " ") in titles
            if name in (SLICES, *RECORDS):
                continue
            for held, value in zip(found, one.details(name), strict=True):
                is_shown = is_column and _short(value) == value
                if value in (None, "", []) or is_shown or is_number(value):
                    continue
                title = name if name in NAMED else f"{metric} {name.replace('_', ' ')}"
                held.setdefault(title, value)
    return found


def _is_numeric(cells: Sequence[Cell]) -> bool:
    numbers = [one for one in cells if one.text]
    return bool(numbers) and all(one.number is not None or one.tone for one in numbers)


def _cell(value: Any, notes: Notes) -> Cell:
    if isinstance(value, NoScore):
        failed = isinstance(value, Failed)
        text = f"{'failed' if failed else MISSING}{notes.mark(first_line(value.reason))}"
        return Cell(text, tone="bad" if failed else "faint")
    if value is None:
        return Cell("")
    return Cell(number_text(value), float(value)) if is_number(value) else Cell(str(value))

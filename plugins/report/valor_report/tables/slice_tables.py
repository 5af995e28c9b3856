"""Tables of slices: results, differences between slices, and the worst slices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from valor_core.errors import ReportError
from valor_core.results import Failed, Report, Slice, Undefined
from valor_core.results.entries import (
    NO_VALUE,
    Entry,
    by_metric,
    comparable,
    entries_of,
    grouped,
    rows_of,
    varying_names,
)
from valor_core.results.result import detail_rows, is_interval, is_number
from valor_core.results.results import installed_spec
from valor_report.selection import selected
from valor_report.tables.pivot import (
    ALIKE,
    MOST_COLUMNS,
    Notes,
    caption_of,
    cell_of,
    distinguishing,
    first_of_each,
    half_width,
    headlines,
    interval_of,
    text_of,
    titled,
    titles_of,
)
from valor_report.tables.text_table import (
    MISSING,
    Cell,
    Row,
    TextColumn,
    TextTable,
    number_text,
    probability_text,
)

DIFFERENCE = "difference"
"""Table of details of the differences between two slices."""

REST = "rest"
"""Table of details that compares a slice with all other items."""


def slice_tables(report: Report) -> list[TextTable]:
    """Tables of slices, one per set of fields, with results over all items at the bottom.

    Differences between slices have separate tables. The worst slices are last.
    """
    if not report.slices:
        return []
    together = grouped(report.slices, lambda part: (tuple(part[0].slice), _is_difference(part)))
    entries = [entry for entry in entries_of(report.results) if not entry.result.error]
    chosen = headlines(entries) or entries
    tables = [
        _slice_table(fields, parts, [] if are_differences else [_whole(report)], chosen)
        for (fields, are_differences), parts in together.items()
        if entries
    ]
    return [*tables, *worst_table(report)]


def _whole(report: Report) -> Slice:
    return Slice(report.results, report.counts.get("read"))


def _is_difference(part: Slice) -> bool:
    return any(DIFFERENCE in result.details for result in part)


def _slice_table(
    fields: tuple[str, ...],
    parts: Sequence[Slice],
    whole: Sequence[Slice],
    chosen: Sequence[Entry],
) -> TextTable:
    called, differing, notes = titles_of(chosen), distinguishing(chosen), Notes()
    shown = {
        _column_key(one): TextColumn(
            titled(one, called(one), differing(one)), numeric=True, metric=one.metric
        )
        for one in first_of_each(chosen, MOST_COLUMNS)
    }
    rows: list[Row] = []
    # Reports of earlier versions do not count the items of slices.
    has_items = any(part.items is not None for part in parts)
    for results in [*parts, *whole]:
        entries, where = list(entries_of(results)), results[0].slice
        values = [NO_VALUE if value is None else text_of(value) for value in where.values()]
        values = values or ["all", *[""] * (len(fields) - 1)]
        number = MISSING if results.items is None else number_text(results.items)
        items = [Cell(number, results.items)] if has_items else []
        missing = _without_data(entries)
        for cells in rows_of(entries, _column_key) or [{}]:
            held = [cells.get(column) or missing.get(column[0]) for column in shown]
            numbers = (cell_of(one, notes) if one else Cell("") for one in held)
            rows.append([*values, *items, *numbers])
    foot = len(rows_of(entries, _column_key)) if whole else 0
    hidden = len(set(map(_column_key, chosen))) - len(shown)
    more = f"{hidden:,} more column{'' if hidden == 1 else 's'} in the JSON report"
    caption = [more if hidden else ""]
    caption += [ALIKE] if len(rows) > len(parts) + len(whole) else []
    return TextTable(
        f"{'Results' if whole else 'Differences'} by {', '.join(fields)}",
        [*fields, *([TextColumn("items", numeric=True)] if has_items else []), *shown.values()],
        rows,
        settings=caption_of(chosen, varying_names(chosen)),
        caption="; ".join(filter(None, caption)),
        notes=notes.all,
        foot=foot,
        keys=len(fields),
    )


def _column_key(entry: Entry) -> tuple[str, str, str]:
    """Metric, part and parameters, which define an entry's column in a table of slices."""
    parameters = comparable(sorted(entry.result.parameters.items(), key=str))
    return entry.metric, entry.part, parameters


def _without_data(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Entry by metric with the reason why a slice has no result of the metric.

    Its parameters are those of the config and match no column.
    """
    return {
        metric: reasons[0]
        for metric, reasons in by_metric(entries).items()
        if all(e.name is None and isinstance(e.value, (Undefined, Failed)) for e in reasons)
    }


@frozen
class WorstSlice:
    """Number of a slice, compared with that of all other items.

    Parameters
    ----------
    slice : mapping of str to value
        Metadata values of the slice.
    items : int or None
        Number of items.
    value : float
        Number of the slice.
    interval : (float, float) or None
        Interval of the number, if there are intervals.
    rest : float or None
        Number of all other items; None if they are not compared, or have no number.
    difference : float or None
        Number of the slice minus that of all other items.
    difference_interval : (float, float) or None
        Interval of the difference.
    p : float or None
        Probability of such a difference by chance, corrected for the number of slices.
    """

    slice: Mapping[str, Any]
    items: int | None
    value: float
    interval: tuple[float, float] | None
    rest: float | None
    difference: float | None
    difference_interval: tuple[float, float] | None
    p: float | None


def worst_slices(
    report: Report, key: str, most: int = 5, *, higher_is_better: bool | None = None
) -> tuple[WorstSlice, ...]:
    """Return the slices with the worst number of a metric, the worst first.

    Parameters
    ----------
    report : Report
        Report with slices. They are compared with all other items if the table ``slices`` of its
        config has ``worst``.
    key : str
        Key of the number, as in ``require``: ``"F1/macro"``.
    most : int
        Maximum number of slices.
    higher_is_better : bool, optional
        Direction of the metric. By default, that of the installed metric.

    Raises
    ------
    ReportError
        If the key fits no number or several, or the metric has no direction.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> right, wrong, kind = ["a", "b", "b", "b"], ["a", "b", "a", "b"], [1, 1, 2, 2]
    >>> table = {"y_true": right, "y_pred": wrong, "kind": kind}
    >>> report = evaluate(table, ["Accuracy"], slices={"by": "kind", "worst": 1})
    >>> (worst,) = worst_slices(report, "Accuracy", 1)
    >>> worst.slice, worst.items, worst.value, worst.rest
    ({'kind': 2}, 2, 0.5, 1.0)
    """
    entry = selected(key, report.results)
    if higher_is_better is None:
        higher_is_better = direction(entry)
    if higher_is_better is None:
        raise ReportError(
            f"worst_slices: expected a metric with a direction, {entry.result.type} has none",
            "Pass it: worst_slices(…, higher_is_better=True)",
        )
    return _worst(report, entry, most, higher_is_better)


def direction(entry: Entry) -> bool | None:
    """Return whether higher is better, or None if the metric has no direction."""
    spec = installed_spec(entry.metric)
    found = None if spec is None else spec.higher_is_better
    return entry.result.parameters.get("higher_is_better") if found is None else found


def worst_slice(report: Report, entry: Entry) -> WorstSlice | None:
    """Return the slice with the worst number of an entry; None without slices or a direction."""
    higher_is_better = direction(entry)
    found = () if higher_is_better is None else _worst(report, entry, 1, higher_is_better)
    return found[0] if found else None


def _worst(
    report: Report, entry: Entry, most: int, higher_is_better: bool
) -> tuple[WorstSlice, ...]:
    column = _column_key(entry)
    found = [
        _compared(part, one)
        for part in report.slices
        if not _is_difference(part) and part.items != report.counts.get("read")
        for one in entries_of(part)
        if _column_key(one) == column and is_number(one.value)
    ]
    sign = 1 if higher_is_better else -1
    return tuple(sorted(found, key=lambda one: sign * one.value)[:most])


def _compared(part: Slice, entry: Entry) -> WorstSlice:
    rows: list[dict[str, Any]] = detail_rows(entry.result.details.get(REST, []))
    row = next((row for row in rows if row.get("number", "") == entry.part), {})
    ends: Any = row.get("interval")
    rest, difference, p = (
        float(row[name]) if is_number(row.get(name)) else None
        for name in ("value", "difference", "p")
    )
    return WorstSlice(
        entry.result.slice,
        part.items,
        float(entry.value),
        interval_of(entry),
        rest,
        difference,
        (ends[0], ends[1]) if is_interval(ends) else None,
        p,
    )


def worst_table(report: Report) -> list[TextTable]:
    """Table of the worst slices by each main measure, if the config asks for it."""
    section = report.config.get("slices")
    most = section.get("worst") if isinstance(section, Mapping) else None
    if not (isinstance(most, int) and most > 0):
        return []
    entries = headlines(list(entries_of(report.results)))
    directed = [entry for entry in entries if direction(entry) is not None]
    called, differing = titles_of(entries), distinguishing(entries)
    rows: list[Row] = []
    for entry in first_of_each(directed, MOST_COLUMNS):
        title = titled(entry, called(entry), differing(entry))
        found = _worst(report, entry, most, direction(entry) is True)
        rows += [[title, *_cells(one)] for one in found]
    has_p = any(row[-1].text for row in rows if isinstance(row[-1], Cell))
    titles = ["items", "value", "others", "difference", *(["p"] if has_p else [])]
    numeric = (TextColumn(title, numeric=True) for title in titles)
    columns: list[str | TextColumn] = ["metric", "slice", *numeric]
    shown = rows if has_p else [row[:-1] for row in rows]
    caption = "others: all items that are not in the slice"
    return [TextTable("Worst slices", columns, shown, caption=caption, keys=2)] if rows else []


def _cells(one: WorstSlice) -> Row:
    words = [
        f"{name} {NO_VALUE if value is None else text_of(value)}"
        for name, value in one.slice.items()
    ]
    p = Cell("") if one.p is None else Cell(probability_text(one.p), one.p)
    return [
        ", ".join(words),
        _number(None if one.items is None else one.items, None),
        _number(one.value, one.interval),
        _number(one.rest, None),
        _number(one.difference, one.difference_interval, "+"),
        p,
    ]


def _number(value: float | None, interval: tuple[float, float] | None, sign: str = "") -> Cell:
    if value is None:
        return Cell(MISSING, tone="faint")
    text = f"{sign if value > 0 else ''}{number_text(value)}"
    return Cell(f"{text}{half_width(interval)}", float(value), interval=interval)

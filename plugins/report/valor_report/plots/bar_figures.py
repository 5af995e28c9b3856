"""Figures of numbers by label or kind: bars, with intervals as whiskers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from attrs import evolve, frozen

from valor_core.results import Result
from valor_core.results.entries import Entry
from valor_report.plots.charts import (
    Axis,
    Bar,
    Bars,
    Chart,
    Dot,
    Drawing,
    Figure,
    IntervalLine,
    Line,
    Range,
)
from valor_report.plots.matrix_figure import MOST_LABELS_DRAWN
from valor_report.tables.pivot import half_width, headings, interval_of
from valor_report.tables.slice_tables import direction
from valor_report.tables.structures import Breakdown
from valor_report.tables.text_table import MISSING, number_text

_ROW: Final = 26.0
_BOUNDS: Final = ("low", "high")
"""Columns of a breakdown that bound the interval of the column before them."""
_COUNTS: Final = ("numerator", "denominator")
"""Columns of a breakdown that are the counts of a share."""


@frozen
class Row:
    """Row of a bar chart.

    Parameters
    ----------
    name : str
        Name of the row.
    number : float or None
        Length of the bar.
    text : str
        Text at the end of the bar.
    ends : pair of float, optional
        Interval of the number.
    filter : str
        Filter of the items of the row, as in `charts.link_of`.
    """

    name: str
    number: float | None
    text: str
    ends: Range | None = None
    filter: str = ""


def row_chart(rows: Sequence[Row], title: str, *, are_estimates: bool = False) -> Chart:
    """Chart with one horizontal bar per row.

    Parameters
    ----------
    rows : sequence of Row
        The rows, the first at the top.
    title : str
        Title above the bars.
    are_estimates : bool
        Whether to draw dots instead of bars, because every number is an estimate with an interval.

    Examples
    --------
    >>> chart = row_chart([Row("cat", 0.5, "0.5000", (0.25, 0.75)), Row("dog", None, "-")], "F1")
    >>> [bar.x for bar in chart.bars[0].bars], chart.whiskers[0].high, chart.x.high
    ([(0, 0.5), (0, 0)], (0.75, 0.5), 0.75)
    """
    limits = [0.0, *(row.number for row in rows if row.number is not None)]
    limits += [end for row in rows if row.ends for end in row.ends]
    low, high = min(limits), max(limits)
    bars, dots, whiskers = [], [], []
    for i, row in enumerate(rows):
        middle, end = i + 0.5, 0 if row.number is None else row.number
        hint = f"{row.name}: {row.text}"
        if are_estimates and row.number is not None:
            dots.append(Dot((end, middle), "c0", row.text, hint, row.filter))
        else:
            edges = (0, end), (i + 5 / _ROW, i + 1 - 5 / _ROW)
            bars.append(Bar(*edges, row.text, hint, row.filter))
        if row.ends:
            whiskers.append(IntervalLine((row.ends[0], middle), (row.ends[1], middle)))
    return Chart(
        x=Axis(title, low, high if high > low else low + 1, has_ticks=False),
        y=Axis.of("", [row.name for row in rows]),
        bars=(Bars("", tuple(bars)),) if bars else (),
        dots=tuple(dots),
        whiskers=tuple(whiskers),
        width=150.0,
        height=_ROW * len(rows),
    )


def number_figure(name: str, results: Sequence[Result]) -> Figure:
    """Figure of the numbers of one type; of many, the worst by the metric's direction are drawn."""
    count, about = len(results), ""
    if count > MOST_LABELS_DRAWN:
        results, about = _worst(results)
    heading = headings(results)
    titles = [heading(result)[0].removeprefix(name).removeprefix(", ") for result in results]
    rows = [_row(title or name, one) for title, one in zip(titles, results, strict=True)]
    caption = "; ".join(filter(None, [about, heading(results[0])[1]]))
    drawing = Drawing(f"{name}: {count} numbers", (row_chart(rows, name),), has_full_width=False)
    return Figure(name, caption, (drawing,))


def _worst(results: Sequence[Result]) -> tuple[list[Result], str]:
    """Select the results to draw, and say which they are."""
    better = direction(Entry(results[0], "", None))
    kept, which = list(results), "first"
    if better is not None:
        sign = 1 if better else -1
        kept = sorted(results, key=lambda one: (one.number is None, sign * (one.number or 0.0)))
        which = "lowest" if better else "highest"
    return kept[:MOST_LABELS_DRAWN], f"the {MOST_LABELS_DRAWN} {which} of {len(results):,}"


def _row(name: str, result: Result) -> Row:
    if result.number is None:
        return Row(name, None, MISSING)
    ends = interval_of(Entry(result, "", None))
    label = result.parameters.get("label")
    filter = "" if label is None else f"label={quote(str(label), '')}"
    return Row(name, result.number, f"{number_text(result.number)}{half_width(ends)}", ends, filter)


def breakdown_figure(held: Breakdown, title: str, caption: str) -> Figure:
    """Figure of a breakdown: curves if its kinds are numbers, else bars."""
    if shares := shares_of(held):
        return _measured(held, shares, title, caption)
    intervals = _intervals(held)
    counts = _counts(held)
    charts = []
    for place, column in enumerate(held.columns):
        if intervals and (column in _BOUNDS or counts) and place:
            continue
        ends = intervals if not place else ()
        rows = [
            _kind(kind, numbers[place], ends[i] if ends else None, counts[i] if counts else "")
            for i, (kind, numbers) in enumerate(zip(held.kinds, held.numbers, strict=True))
        ]
        charts.append(row_chart(rows, column.replace("_", " "), are_estimates=bool(ends)))
    name = f"{title}: {', '.join(held.columns)} of {len(held.kinds)} kinds"
    return Figure(title, caption, (Drawing(name, tuple(charts), has_full_width=False),), wide=True)


def _kind(kind: str, number: float | None, ends: Range | None, counts: str) -> Row:
    text = MISSING if number is None else number_text(number) + half_width(ends)
    return Row(kind.replace("_", " "), number, f"{text}{counts}", ends)


def _intervals(held: Breakdown) -> list[Range | None]:
    """Interval of each kind; empty if the breakdown has none."""
    if held.columns[1:3] != _BOUNDS:
        return []
    return [_range(numbers[1], numbers[2]) for numbers in held.numbers]


def _range(low: float | None, high: float | None) -> Range | None:
    return None if low is None or high is None else (low, high)


def _counts(held: Breakdown) -> list[str]:
    """Counts of each share as text; empty if the breakdown has none."""
    if held.columns[3:] != _COUNTS:
        return []
    return [f", {number_text(row[3] or 0)} of {number_text(row[4] or 0)}" for row in held.numbers]


def _measured(held: Breakdown, shares: Sequence[Line], title: str, caption: str) -> Figure:
    """Figure of a breakdown by a number, such as accuracy by noise, with intervals as whiskers."""
    bounds = {line.name: dict(line.points) for line in shares if not line.marked}
    drawn = [line for line in shares if line.marked]
    low, high = (bounds.get(name, {}) for name in _BOUNDS)
    whiskers = [IntervalLine((x, low[x]), (x, high[x])) for x in low if x in high]
    by, measure = held.by.replace("_", " "), drawn[0].name if len(drawn) == 1 else "share"
    places = held.places or (0.0,)
    lines = [evolve(line, name="") for line in drawn] if len(drawn) == 1 else drawn
    chart = Chart(
        x=Axis(by, min(places), max(places)),
        y=Axis(measure),
        lines=tuple(evolve(line, tone=f"c{i}") for i, line in enumerate(lines)),
        whiskers=tuple(whiskers),
    )
    name = f"{title}: {measure} by {by}, {len(places)} points"
    about = "whiskers: intervals" if whiskers else ""
    return Figure(title, "; ".join(filter(None, [about, caption])), (Drawing(name, (chart,)),))


def shares_of(held: Breakdown) -> list[Line]:
    """Columns of shares as lines, bounds without marks; empty if the kinds are not numbers."""
    if held.places is None or len(held.places) < 2:
        return []
    lines = []
    for column, numbers in zip(held.columns, zip(*held.numbers, strict=True), strict=True):
        pairs = zip(held.places, numbers, strict=True)
        points = sorted((place, number) for place, number in pairs if number is not None)
        if all(isinstance(number, float) and 0 <= number <= 1 for _, number in points):
            name, is_bound = column.replace("_", " "), column in _BOUNDS
            lines.append(Line(name, points, marked=not is_bound))
    return lines if any(line.marked and line.points for line in lines) else []

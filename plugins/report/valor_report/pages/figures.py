"""Figures of results: drawings with a title and a caption."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import evolve, frozen

from valor_core.results import Result
from valor_core.results.entries import Entry
from valor_report.pages import plots
from valor_report.pages.curve_lines import CurveLines
from valor_report.pages.diagrams import Bin, ThresholdCounts, bins, tallies
from valor_report.tables.pivot import half_width, headings, interval_of
from valor_report.tables.sections import Structured, structured
from valor_report.tables.structures import Breakdown, Curve, Matrix
from valor_report.tables.text_table import number_text

MOST_LABELS_DRAWN = 60


@frozen
class Figure:
    """Drawings of one result.

    Parameters
    ----------
    title, caption : str
        Text above the drawings.
    drawings : tuple of str
        SVG or HTML elements.
    wide : bool
        Whether the figure fills the width of its section.
    """

    title: str
    caption: str
    drawings: tuple[str, ...]
    wide: bool = False


def drawn(results: Iterable[Result]) -> list[tuple[Result, Figure]]:
    """Figures of the results that can be drawn."""
    held = structured(results)
    heading = headings(result for result, _ in held)
    made = ((result, figure_of((result, found), *heading(result))) for result, found in held)
    return [(result, figure) for result, figure in made if figure is not None]


def numbers_drawn(results: Iterable[Result]) -> tuple[Figure, ...]:
    """Bar charts of numbers, one figure per type; types with too many labels are excluded."""
    by_type: dict[str, list[Result]] = {}
    for result in results:
        by_type.setdefault(result.type, []).append(result)
    return tuple(
        _bars(name, of_type)
        for name, of_type in by_type.items()
        if len(of_type) <= MOST_LABELS_DRAWN and any(one.number is not None for one in of_type)
    )


def _bars(name: str, results: Sequence[Result]) -> Figure:
    heading = headings(results)
    titles = [heading(result)[0].removeprefix(name).removeprefix(", ") for result in results]
    drawing = plots.row_plot(
        [title or name for title in titles],
        [name],
        [[_bar(one)] for one in results],
        name=f"{name}: {len(results)} numbers",
        intervals=[[interval_of(Entry(one, "", None))] for one in results],
    )
    return Figure(name, heading(results[0])[1], (drawing,))


def _bar(result: Result) -> tuple[float, str] | None:
    if result.number is None:
        return None
    half = half_width(interval_of(Entry(result, "", None)))
    return result.number, f"{number_text(result.number)}{half}"


def figure_of(held: Structured, title: str, caption: str) -> Figure | None:
    """Figure of a result; None if it cannot be drawn or has too many labels."""
    result, found = held
    if isinstance(found, Matrix):
        few = found.size <= MOST_LABELS_DRAWN
        return heat_figure(found, title, caption) if few else None
    if isinstance(found, Breakdown):
        return breakdown_figure(found, title, caption)
    if isinstance(found, tuple):
        return curve_figure(found, title, caption)
    if binned := bins(result.content):
        return reliability_figure(binned, title, caption)
    counted = tallies(result.content)
    return tallied_figure(counted, title, caption) if counted else None


def heat_figure(held: Matrix, title: str, caption: str) -> Figure:
    """Figure of a matrix as a heat map."""
    name = f"{title}: {len(held.rows)} rows by {len(held.columns)} columns"
    return Figure(title, shaded(held, caption), (plots.heat_map(held, name),), wide=True)


def shaded(held: Matrix, caption: str) -> str:
    """Caption of a matrix, with the meaning of its shades."""
    about = "shade: share of the row" + (", red where the two differ" if held.confusion else "")
    return "; ".join(filter(None, [about, caption]))


def breakdown_figure(held: Breakdown, title: str, caption: str) -> Figure:
    """Figure of a breakdown: curves if its kinds are numbers, else bars."""
    shares = shares_of(held)
    if shares:
        return _measured(held, shares, title, caption)
    drawing = plots.row_plot(
        [kind.replace("_", " ") for kind in held.kinds],
        [column.replace("_", " ") for column in held.columns],
        [[None if n is None else (n, number_text(n)) for n in row] for row in held.numbers],
        name=f"{title}: {', '.join(held.columns)} of {len(held.kinds)} kinds",
    )
    return Figure(title, caption, (drawing,), wide=True)


_BOUNDS = ("low", "high")
"""Columns of a breakdown that bound an interval."""


def _measured(held: Breakdown, shares: Sequence[plots.Line], title: str, caption: str) -> Figure:
    """Figure of a breakdown by a number, with bounds of intervals in gray."""
    drawn = [line for line in shares if line.marked]
    bounds = [line for line in shares if not line.marked]
    by, measure = held.by.replace("_", " "), drawn[0].name if len(drawn) == 1 else "share"
    places = held.places or (0.0,)
    drawing = plots.line_plot(
        [evolve(line, name="") for line in drawn] if len(drawn) == 1 else drawn,
        plots.Axis(by, min(places), max(places)),
        plots.Axis(measure),
        name=f"{title}: {measure} by {by}, {len(places)} points",
        others=bounds,
    )
    about = "gray: bounds of the interval" if bounds else ""
    return Figure(title, "; ".join(filter(None, [about, caption])), (drawing,))


def shares_of(held: Breakdown) -> list[plots.Line]:
    """Columns of shares as lines, bounds without marks; empty if the kinds are not numbers."""
    if held.places is None or len(held.places) < 2:
        return []
    lines = []
    for column, numbers in zip(held.columns, zip(*held.numbers, strict=True), strict=True):
        pairs = zip(held.places, numbers, strict=True)
        points = sorted((place, number) for place, number in pairs if number is not None)
        if all(isinstance(number, float) and 0 <= number <= 1 for _, number in points):
            name, is_bound = column.replace("_", " "), column in _BOUNDS
            lines.append(plots.Line(name, points, marked=not is_bound))
    return lines if any(line.marked and line.points for line in lines) else []


AXES = {
    "roc": ("false positive rate", "true positive rate"),
    "precision_recall": ("recall", "precision"),
}


def curve_figure(found: Sequence[Curve], title: str, caption: str) -> Figure:
    """Figure of the curves of all labels."""
    lines = CurveLines.of(found)
    kind = found[0].kind
    x, y = AXES[kind]
    count = sum(bool(curve.points) for curve in found)
    drawing = plots.line_plot(
        lines.bright,
        plots.Axis(x),
        plots.Axis(y),
        name=f"{title}: {y} by {x}, {count} curve{'' if count == 1 else 's'}",
        others=lines.gray,
        mean=lines.mean,
        diagonal=kind == "roc",
    )
    return Figure(title, "; ".join(filter(None, [caption, lines.about])), (drawing,))


def reliability_figure(held: Sequence[Bin], title: str, caption: str) -> Figure:
    """Reliability diagram, with the number of items per bin if the bins have edges."""
    score = plots.Axis("confidence")
    points = [(each.confidence, each.accuracy) for each in held]
    measure = held[0].measure
    drawing = plots.line_plot(
        [plots.Line("", points, marked=True)],
        score,
        plots.Axis(measure),
        name=f"{title}: {measure} by confidence, {len(held)} bins",
        diagonal=True,
    )
    edges = [
        (each.low, each.high) for each in held if each.low is not None and each.high is not None
    ]
    below = ""
    if len(edges) == len(held):
        sizes = [each.count for each in held]
        below = plots.bar_plot(edges, sizes, score, "items", name=f"{title}: items by confidence")
    return Figure(title, caption, (drawing, below))


def tallied_figure(held: Sequence[ThresholdCounts], title: str, caption: str) -> Figure:
    """Figure of hits and errors by score threshold."""
    thresholds = [at for each in held for at, _ in each.points]
    most = max(count for each in held for _, count in each.points)
    drawing = plots.line_plot(
        [plots.Line(each.kind, each.points) for each in held[: plots.COLORS]],
        plots.Axis("score threshold", min(thresholds), max(thresholds)),
        plots.Axis("objects", 0.0, max(most, 1.0)),
        name=f"{title}: objects of {len(held)} kinds by score threshold",
    )
    return Figure(title, "; ".join(filter(None, ["all labels together", caption])), (drawing,))

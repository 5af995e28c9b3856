"""Figures of results, in the order of their kinds: curves, matrices, breakdowns, diagrams."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from valor_core.results import Result
from valor_report.plots.bar_figures import breakdown_figure, number_figure
from valor_report.plots.calibration_figure import calibration_figure
from valor_report.plots.charts import Figure
from valor_report.plots.curve_figures import curve_figure, tallied_figure, threshold_figure
from valor_report.plots.diagrams import bins, tallies
from valor_report.plots.matrix_figure import Normalize, matrix_figure
from valor_report.plots.operating_points import ChosenPoint, chosen_points, threshold_curves
from valor_report.tables.pivot import headings
from valor_report.tables.sections import Structured, structured
from valor_report.tables.structures import Breakdown, Matrix


def drawn(
    results: Iterable[Result],
    *,
    normalize: Normalize | None = None,
    chosen: Sequence[ChosenPoint] | None = None,
) -> list[tuple[Result, Figure]]:
    """Figures of the results that can be drawn, without canvases.

    Parameters
    ----------
    results : iterable of Result
        The results.
    normalize : str, optional
        As in `matrix_figure`.
    chosen : sequence of ChosenPoint, optional
        Chosen thresholds to mark. Defaults to those of the results.
    """
    results = list(results)
    held = structured(results)
    heading = headings(result for result, _ in held)
    marked = chosen_points(results) if chosen is None else chosen
    return [
        (one[0], figure)
        for one in held
        for figure in figures_of(one, *heading(one[0]), normalize=normalize, chosen=marked)
        if figure.canvas is None
    ]


def figures_of(
    held: Structured,
    title: str,
    caption: str,
    *,
    normalize: Normalize | None = None,
    chosen: Iterable[ChosenPoint] = (),
) -> list[Figure]:
    """Figures of one result; empty if it cannot be drawn.

    Parameters
    ----------
    held : Structured
        Result with its structure.
    title, caption : str
        Text above the drawings.
    normalize : str, optional
        As in `matrix_figure`.
    chosen : iterable of ChosenPoint
        Chosen thresholds of any results; those of this result's data and settings are marked.
    """
    result, found = held
    if isinstance(found, Matrix):
        return [matrix_figure(found, title, caption, normalize)]
    if isinstance(found, Breakdown):
        return [breakdown_figure(found, title, caption)]
    if isinstance(found, tuple):
        marked = [one for one in chosen if one.belongs_to(result)]
        curves = curve_figure(found, title, caption, marked)
        found_at = threshold_curves(result.content) if found[0].kind == "precision_recall" else []
        by_threshold = threshold_figure(found_at, title, caption, marked)
        return [curves] if by_threshold is None else [curves, by_threshold]
    if binned := bins(result.content):
        return [calibration_figure(binned, title, caption)]
    counted = tallies(result.content)
    return [tallied_figure(counted, title, caption)] if counted else []


def chosen_drawn(found: Iterable[Result], results: Iterable[Result]) -> tuple[Figure, ...]:
    """Curves by score threshold in which the chosen thresholds of a metric are marked.

    Parameters
    ----------
    found : iterable of Result
        Results with chosen thresholds, such as those of ``BestThreshold``.
    results : iterable of Result
        Results that may have curves of the same data and settings.
    """
    chosen = chosen_points(found)
    labels = {one.label for one in chosen}
    figures = []
    for result in results if chosen else ():
        marked = [one for one in chosen if one.belongs_to(result)]
        drawn = labels if len(labels) == 1 else None
        curves = threshold_curves(result.content, drawn) if marked else []
        figure = threshold_figure(curves, marked[0].result.type, "", marked) if curves else None
        figures += [] if figure is None else [figure]
    return tuple(figures)


def numbers_drawn(results: Iterable[Result]) -> tuple[Figure, ...]:
    """Bar charts of numbers, one figure per type."""
    by_type: dict[str, list[Result]] = {}
    for result in results:
        by_type.setdefault(result.type, []).append(result)
    return tuple(
        number_figure(name, of_type)
        for name, of_type in by_type.items()
        if any(one.number is not None for one in of_type)
    )

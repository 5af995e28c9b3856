"""Figure of calibration: a reliability diagram and a histogram of the scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from valor_report.plots.charts import Axis, Bar, Bars, Chart, Dot, Drawing, Figure, Line
from valor_report.plots.diagrams import Bin
from valor_report.plots.matrix_figure import count_text
from valor_report.tables.text_table import number_text

_SIDES: Final = {
    "accuracy": ("right", "wrong", "items"),
    "frequency": ("positive", "negative", "items"),
    "precision": ("true positives", "false positives", "predictions"),
}
"""Names of what is counted, by the measure of the bins."""


def calibration_figure(held: Sequence[Bin], title: str, caption: str) -> Figure:
    """Figure of the bins of a calibration error.

    The histogram has the number of right and of wrong items by score. Its bars have the filter
    ``score=low..high`` of their items. It is drawn if the bins have edges.

    Examples
    --------
    >>> figure = calibration_figure([Bin(0.5, 0.25, 4, 0.0, 1.0)], "CalibrationError", "")
    >>> right, wrong = figure.drawings[1].charts[0].bars
    >>> right.bars[0].y, wrong.bars[0].y, wrong.bars[0].filter
    ((0, 1), (1, 4), 'score=0..1')
    """
    measure = held[0].measure
    right, wrong, counted = _SIDES[measure]
    points = [(each.confidence, each.accuracy) for each in held]
    chart = Chart(
        x=Axis("confidence"),
        y=Axis(measure),
        lines=(Line("", points),),
        dots=tuple(_dot(each, counted) for each in held),
        diagonal=True,
    )
    drawings = [Drawing(f"{title}: {measure} by confidence, {len(held)} bins", (chart,))]
    edged = [each for each in held if each.low is not None and each.high is not None]
    if len(edged) == len(held):
        hits = tuple(_bar(each, 0, each.hits, right) for each in held)
        misses = tuple(_bar(each, each.hits, each.count, wrong) for each in held)
        most = max(each.count for each in held)
        histogram = Chart(
            x=Axis("confidence"),
            y=Axis(counted, 0, max(most, 1)),
            bars=(Bars(right, hits), Bars(wrong, misses, "off")),
            height=90.0,
        )
        drawings.append(Drawing(f"{title}: {counted} by confidence", (histogram,)))
    return Figure(title, caption, tuple(drawings))


def _dot(held: Bin, counted: str) -> Dot:
    span = f"{_span(held)}: " if held.low is not None else ""
    hint = (
        f"{span}{count_text(held.count)} {counted}, confidence {number_text(held.confidence)}, "
        f"{held.measure} {number_text(held.accuracy)}"
    )
    return Dot((held.confidence, held.accuracy), hint=hint, filter=_filter(held))


def _bar(held: Bin, low: float, high: float, name: str) -> Bar:
    hint = f"{_span(held)}: {count_text(high - low)} of {count_text(held.count)} {name}"
    return Bar((held.low or 0.0, held.high or 0.0), (low, high), "", hint, _filter(held))


def _filter(held: Bin) -> str:
    """Filter of the items, with enough digits for scores of four decimals."""
    return "" if held.low is None else f"score={held.low:.6g}..{held.high:.6g}"


def _span(held: Bin) -> str:
    return f"{held.low:.4g} to {held.high:.4g}"

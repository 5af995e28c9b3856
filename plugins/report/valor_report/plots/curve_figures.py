"""Figures of curves: precision by recall, ROC, and measures by score threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from valor_report.plots.charts import COLORS, Axis, Chart, Dot, Drawing, Figure, Line, Point
from valor_report.plots.curve_lines import CurveLines
from valor_report.plots.diagrams import ThresholdCounts
from valor_report.plots.operating_points import ALL_LABELS, ChosenPoint, ThresholdCurve
from valor_report.tables.structures import Curve
from valor_report.tables.text_table import number_text

_AXES: Final = {
    "roc": ("false positive rate", "true positive rate"),
    "precision_recall": ("recall", "precision"),
}


def curve_figure(
    found: Sequence[Curve], title: str, caption: str, chosen: Sequence[ChosenPoint] = ()
) -> Figure:
    """Figure of the curves of all labels, with the chosen points of the labels in color.

    Parameters
    ----------
    found : sequence of Curve
        The curves.
    title, caption : str
        Text above the drawing.
    chosen : sequence of ChosenPoint
        Chosen thresholds, which are dots.

    Examples
    --------
    >>> roc = Curve("roc", "cat", ((0.0, 0.0), (0.0, 1.0), (1.0, 1.0)))
    >>> curve_figure([roc], "ROCCurve", "").drawings[0].charts[0].x.title
    'false positive rate'
    """
    lines = CurveLines.of(found)
    kind = found[0].kind
    count = sum(bool(curve.points) for curve in found)
    dots = _dots(lines.bright, chosen, kind)
    drawn = (*lines.gray, *lines.bright, *([lines.mean] if lines.mean else []))
    name = f"{title}: {curve_name(kind)}, {count} curve{'' if count == 1 else 's'}"
    drawing = Drawing(name, (curve_chart(kind, drawn, dots),))
    about = "dots: chosen thresholds" if dots else ""
    caption = "; ".join(filter(None, [caption, lines.about, about]))
    return Figure(title, caption, (drawing,))


def curve_name(kind: str) -> str:
    """Accessible name of curves of a kind.

    Examples
    --------
    >>> curve_name("precision_recall")
    'precision by recall'
    """
    x, y = _AXES[kind]
    return f"{y} by {x}"


def curve_chart(kind: str, lines: Sequence[Line], dots: Sequence[Dot] = ()) -> Chart:
    """Chart of curves.

    Parameters
    ----------
    kind : str
        ``"roc"`` or ``"precision_recall"``.
    lines : sequence of Line
        The curves.
    dots : sequence of Dot
        Points of the curves.

    Examples
    --------
    >>> curve_chart("roc", []).diagonal
    True
    """
    x, y = _AXES[kind]
    return Chart(x=Axis(x), y=Axis(y), lines=tuple(lines), dots=tuple(dots), diagonal=kind == "roc")


def _dots(lines: Sequence[Line], chosen: Sequence[ChosenPoint], kind: str) -> list[Dot]:
    tones = {line.name: line.tone for line in lines}
    dots = []
    for one in chosen:
        tone, at = tones.get(one.label), _place(one, kind)
        if tone is not None and at is not None:
            hint = f"{one.label}: threshold {number_text(one.threshold)}"
            dots.append(Dot(at, tone, hint=hint))
    return dots


def _place(one: ChosenPoint, kind: str) -> Point | None:
    """Coordinates of a chosen point; None if it lacks a measure."""
    get = one.measures.get
    recall, precision, specificity = get("recall"), get("precision"), get("specificity")
    if kind == "roc":
        return None if specificity is None or recall is None else (1 - specificity, recall)
    return None if recall is None or precision is None else (recall, precision)


def threshold_figure(
    curves: Sequence[ThresholdCurve], title: str, caption: str, chosen: Sequence[ChosenPoint] = ()
) -> Figure | None:
    """Figure of precision, recall and F1 by score threshold, with the chosen thresholds marked.

    Parameters
    ----------
    curves : sequence of ThresholdCurve
        Curves of labels, or of all labels together.
    title, caption : str
        Text above the drawings.
    chosen : sequence of ChosenPoint
        Chosen thresholds of labels.

    Examples
    --------
    >>> curve = ThresholdCurve("cat", {"recall": ((0.1, 1.0), (0.9, 0.5))})
    >>> figure = threshold_figure([curve], "PrecisionRecallCurve", "")
    >>> figure.title
    'PrecisionRecallCurve by score threshold'
    """
    curves = [one for one in curves if any(len(points) > 1 for points in one.measures.values())]
    if not curves:
        return None
    drawings = tuple(_by_threshold(one, title, chosen) for one in curves)
    marked = any(line.tone == "guide" for one in drawings for line in one.charts[0].lines)
    about = "dashed: chosen threshold" if marked else ""
    named = ALL_LABELS if curves[0].label == ALL_LABELS else ""
    caption = "; ".join(filter(None, [named, caption, about]))
    return Figure(f"{title} by score threshold", caption, drawings)


def _by_threshold(curve: ThresholdCurve, title: str, chosen: Sequence[ChosenPoint]) -> Drawing:
    lines = [
        Line(name, points, tone=f"c{i}") for i, (name, points) in enumerate(curve.measures.items())
    ]
    tones = {line.name: line.tone for line in lines}
    dots = []
    for one in chosen:
        if one.label != curve.label:
            continue
        at, text = one.threshold, number_text(one.threshold)
        lines.append(Line(f"threshold {text}", ((at, 0.0), (at, 1.0)), tone="guide"))
        dots += [
            Dot((at, value), tones[name], hint=f"{name} {number_text(value)} at {text}")
            for name, value in one.measures.items()
            if name in tones
        ]
    ats = [at for line in lines for at, _ in line.points]
    name = f"label {curve.label}" if curve.label not in ("", ALL_LABELS) else ""
    of = f" of {curve.label}" if curve.label else ""
    chart = Chart(
        x=Axis("score threshold", min(0.0, *ats), max(1.0, *ats)),
        y=Axis(name),
        lines=tuple(lines),
        dots=tuple(dots),
    )
    return Drawing(f"{title}: {', '.join(curve.measures)}{of} by score threshold", (chart,))


def tallied_figure(held: Sequence[ThresholdCounts], title: str, caption: str) -> Figure:
    """Figure of hits and errors by score threshold."""
    thresholds = [at for each in held for at, _ in each.points]
    most = max(count for each in held for _, count in each.points)
    lines = tuple(
        Line(each.kind, each.points, tone=f"c{i}") for i, each in enumerate(held[:COLORS])
    )
    chart = Chart(
        x=Axis("score threshold", min(thresholds), max(thresholds)),
        y=Axis("objects", 0.0, max(most, 1.0)),
        lines=lines,
    )
    name = f"{title}: objects of {len(held)} kinds by score threshold"
    caption = "; ".join(filter(None, ["all labels together", caption]))
    return Figure(title, caption, (Drawing(name, (chart,)),))

"""Selection of curves to draw in color, and their mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_report.plots.charts import COLORS, Line
from valor_report.tables.structures import Curve

_STEPS = np.linspace(0, 1, 101)
"""Recalls or false positive rates at which curves are averaged."""

_MOST_GRAY = 100


@frozen
class CurveLines:
    """Lines of a plot of curves.

    Parameters
    ----------
    bright, gray : tuple of Line
        Curves in color, and curves in the background.
    mean : Line or None
        Mean of the curves, if there are several.
    about : str
        How curves in color were selected, if there are others.
    """

    bright: tuple[Line, ...]
    gray: tuple[Line, ...] = ()
    mean: Line | None = None
    about: str = ""

    @classmethod
    def of(cls, curves: Sequence[Curve]) -> CurveLines:
        """Select and average curves.

        Curves of labels with the most ground truths are in color. If the value has no such counts,
        curves with the smallest area are.

        Examples
        --------
        >>> cat = Curve("precision_recall", "cat", ((0.0, 1.0), (1.0, 1.0)))
        >>> dog = Curve("precision_recall", "dog", ((0.0, 0.5), (1.0, 0.5)))
        >>> lines = CurveLines.of([cat, dog])
        >>> lines.mean.name, lines.mean.points[0]
        ('mean of 2 labels', (0.0, 0.75))
        """
        held = [curve for curve in curves if curve.points]
        counted = all(curve.size is not None for curve in held)
        if counted:
            first = sorted(held, key=lambda curve: -(curve.size or 0))
        else:
            first = sorted(held, key=lambda curve: curve.area)
        chosen = set(map(id, first[:COLORS]))
        bright = [curve for curve in held if id(curve) in chosen]
        gray = [curve for curve in held if id(curve) not in chosen]
        which = "with the most ground truths" if counted else "with the smallest area"
        about = f"in color the {len(bright)} of {len(held):,} labels {which}" if gray else ""
        drawn = (_line(curve, f"c{i}") for i, curve in enumerate(bright))
        background = (_line(curve, "other") for curve in gray[:_MOST_GRAY])
        return cls(tuple(drawn), tuple(background), _mean(curves), about)


def _line(curve: Curve, tone: str) -> Line:
    return Line(curve.label, curve.points, len(curve.points) == 1, tone)


def _mean(curves: Sequence[Curve]) -> Line | None:
    """Mean over labels with ground truths; labels without predictions count as 0."""
    averaged = [curve for curve in curves if curve.points or curve.size]
    averaged = [curve for curve in averaged if curve.size is None or curve.size > 0]
    if len(averaged) < 2:
        return None
    heights = np.mean([_heights(curve) for curve in averaged], axis=0)
    points = tuple(zip(_STEPS.tolist(), heights.tolist(), strict=True))
    return Line(f"mean of {len(averaged):,} labels", points, tone="mean")


def _heights(curve: Curve) -> NDArray[np.float64]:
    """Height of a curve at each step."""
    if not curve.points:
        return np.zeros(len(_STEPS))
    x, y = np.array(sorted(curve.points), dtype=float).T
    if curve.kind == "roc":
        return np.interp(_STEPS, x, np.maximum.accumulate(y))
    # As in AP, the precision at a recall is the maximum at that recall or a higher one.
    best = np.append(np.maximum.accumulate(y[::-1])[::-1], 0.0)
    return best[np.searchsorted(x, _STEPS)]

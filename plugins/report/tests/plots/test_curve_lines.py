"""Selection of curves in color, and the mean over all labels."""

from __future__ import annotations

import pytest
from valor_report.plots.charts import COLORS
from valor_report.plots.curve_figures import curve_figure
from valor_report.plots.curve_lines import CurveLines
from valor_report.plots.layout import Layout, legend_of
from valor_report.tables.structures import Curve, curves

FLAT = ((0.0, 0.5), (1.0, 0.5))


def curve(label: str, points=FLAT, size: int | None = None, kind="precision_recall") -> Curve:
    return Curve(kind, label, points, size)


def test_labels_with_most_ground_truths_are_in_color() -> None:
    found = [curve(f"label {size}", size=size) for size in range(1, COLORS + 4)]

    lines = CurveLines.of(found)

    assert [line.name for line in lines.bright] == [f"label {n}" for n in range(4, COLORS + 4)]
    assert [line.name for line in lines.gray] == ["label 1", "label 2", "label 3"]
    assert lines.about == "in color the 8 of 11 labels with the most ground truths"


def test_smallest_areas_are_in_color_without_counts() -> None:
    found = [curve(str(n), ((0.0, n / 20), (1.0, n / 20))) for n in range(COLORS + 1)]

    lines = CurveLines.of(found)

    assert [line.name for line in lines.gray] == [str(COLORS)]
    assert lines.about.endswith("with the smallest area")


def test_mean_uses_maximum_precision_at_higher_recalls() -> None:
    # cat: 1 up to recall 0.5, then nothing. dog: 0.5 everywhere, since it is reached at recall 1.
    cat = curve("cat", ((0.25, 0.75), (0.5, 1.0)))
    dog = curve("dog", ((0.5, 0.25), (1.0, 0.5)))

    mean = dict(CurveLines.of([cat, dog]).mean.points)

    assert mean[0.0] == mean[0.5] == (1 + 0.5) / 2
    assert mean[0.51] == mean[1.0] == (0 + 0.5) / 2


def test_mean_of_roc_curves_averages_true_positive_rates() -> None:
    cat = curve("cat", ((0.0, 0.0), (0.0, 1.0), (1.0, 1.0)), kind="roc")
    dog = curve("dog", ((0.0, 0.0), (1.0, 1.0)), kind="roc")

    mean = dict(CurveLines.of([cat, dog]).mean.points)

    assert mean[0.5] == pytest.approx((1 + 0.5) / 2)
    assert mean[1.0] == 1


def test_mean_counts_unpredicted_labels_as_zero() -> None:
    found = [curve("cat", size=3), curve("dog", (), size=2), curve("emu", FLAT, size=0)]

    mean = CurveLines.of(found).mean

    assert mean.name == "mean of 2 labels"
    assert mean.points[0] == (0.0, 0.25)


def test_single_curve_has_no_mean() -> None:
    assert CurveLines.of([curve("cat")]).mean is None


def test_label_without_curve_does_not_hide_other_curves() -> None:
    cat = {"fpr": [0.0, 1.0], "tpr": [0.0, 1.0]}

    found = curves({"cat": cat, "dog": {"undefined": "no ground truths of 'dog'"}})

    assert [one.label for one in found] == ["cat"]


def test_curve_of_single_point_is_dot() -> None:
    figure = curve_figure([curve("dot", ((0.5, 0.5),))], "Curve", "")

    shapes = Layout.of(figure.drawings[0]).shapes
    assert [shape.kind for shape in shapes].count("disc") == 1


def test_mean_is_drawn_last_and_first_in_legend() -> None:
    (drawing,) = curve_figure([curve("cat"), curve("dog")], "Curve", "").drawings

    (chart,) = drawing.charts
    assert [line.name for line in chart.lines] == ["cat", "dog", "mean of 2 labels"]
    assert [name for name, _ in legend_of(chart)] == ["mean of 2 labels", "cat", "dog"]

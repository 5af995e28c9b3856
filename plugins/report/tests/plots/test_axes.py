"""Drawings with matplotlib, whose artists have the numbers of the description."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import Any

import pytest
from matplotlib.figure import Figure as Canvas
from PIL import Image
from valor_report.plots import axes
from valor_report.plots.bar_figures import Row, row_chart
from valor_report.plots.calibration_figure import calibration_figure
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
)
from valor_report.plots.diagrams import Bin
from valor_report.plots.matrix_figure import matrix_figure
from valor_report.tables.structures import matrix

HOSTILE = "$_{cat^"
CONFUSION = {"confusion_matrix": {"a": {"a": 3, "b": 1}, "b": {"a": 0, "b": 4}}}
CHART = Chart(
    x=Axis("recall"),
    y=Axis("precision"),
    bars=(Bars("right", (Bar((0.0, 0.5), (0.0, 0.25)), Bar((0.5, 1.0), (0.25, 1.0)))),),
    lines=(
        Line("cat", ((0.0, 1.0), (1.0, 0.5)), marked=True),
        Line("gray", ((0.0, 0.5), (1.0, 0.25)), tone="other"),
        Line("_mean", ((0.0, 0.75),), tone="mean"),
    ),
    dots=(Dot((0.5, 0.75), "c1"),),
    whiskers=(IntervalLine((0.5, 0.25), (0.5, 0.875)),),
    diagonal=True,
)


def empty_axes() -> Any:
    return Canvas().add_subplot()


def points(ax: Any) -> list[tuple[tuple[float, float], ...]]:
    return [tuple(zip(*map(list, line.get_data()), strict=True)) for line in ax.lines]


def rectangles(ax: Any) -> list[tuple[float, ...]]:
    return [
        (one.get_x(), one.get_x() + one.get_width(), one.get_y(), one.get_y() + one.get_height())
        for container in ax.containers
        for one in container
    ]


def words(ax: Any) -> list[str]:
    return [one.get_text() for one in ax.texts]


def test_artists_have_numbers_of_description() -> None:
    ax = empty_axes()

    axes.draw_chart(CHART, ax)

    diagonal, *lines, whisker, dot = points(ax)
    assert diagonal == ((0.0, 0.0), (1.0, 1.0))
    assert lines == [tuple(line.points) for line in CHART.lines]
    assert whisker == ((0.5, 0.25), (0.5, 0.875))
    assert dot == ((0.5, 0.75),)
    assert rectangles(ax) == [(*bar.x, *bar.y) for bar in CHART.bars[0].bars]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("recall", "precision")
    assert [one.get_text() for one in ax.get_legend().get_texts()] == ["_mean", "cat", "right"]


def test_names_are_no_mathematics() -> None:
    chart = Chart(
        x=Axis(HOSTILE),
        y=Axis(HOSTILE),
        lines=(Line(HOSTILE, ((0.0, 1.0),)),),
    )
    figure = Figure(
        HOSTILE, HOSTILE, (Drawing("", (chart, row_chart([Row(HOSTILE, 1, "$")], "$"))),)
    )

    assert axes.image([figure], ".png", "x.png")[1:4] == b"PNG"


def test_rows_begin_at_the_top() -> None:
    ax = empty_axes()

    axes.draw_chart(
        row_chart([Row("cat", 0.5, "0.5000", (0.25, 0.75)), Row("dog", 1, "1")], ""), ax
    )

    assert [one.get_text() for one in ax.get_yticklabels()] == ["cat", "dog"]
    assert ax.get_ylim() == (2, 0)
    assert [(x0, x1) for x0, x1, _, _ in rectangles(ax)] == [(0, 0.5), (0, 1)]
    assert points(ax) == [((0.25, 0.5), (0.75, 0.5))]
    assert words(ax) == ["0.5000", "1"]


def test_cells_have_shades_and_texts_of_description() -> None:
    ax = empty_axes()
    (drawing,) = matrix_figure(matrix(CONFUSION), "M", "").drawings
    chart = drawing.charts[0]

    axes.draw_chart(chart, ax)

    (image,) = ax.images
    shades = [[float(shade) for *_, shade in row] for row in image.get_array()]
    drawn = {(cell.row, cell.column): cell.shade for cell in chart.cells}
    assert shades == [[drawn.get((row, column), 0.0) for column in range(2)] for row in range(2)]
    assert words(ax) == [cell.text for cell in chart.cells] == ["3", "1", "4"]
    assert [one.get_text() for one in ax.get_xticklabels()] == ["a", "b"]
    assert ax.get_ylim() == (2, 0)


def test_calibration_has_histogram_below() -> None:
    figure = calibration_figure([Bin(0.5, 0.25, 4, 0.0, 1.0)], "CalibrationError", "")
    ax = empty_axes()

    axes.draw(figure, ax)

    above, below = ax.figure.axes
    assert above is ax
    assert rectangles(below) == [(0, 1, 0, 1), (0, 1, 1, 4)]


def test_axes_with_other_artists_keep_them() -> None:
    ax = empty_axes()
    ax.plot([0, 1], [1, 0], label="mine")
    ax.bar([0], [1])

    axes.draw_chart(CHART, ax)

    assert points(ax)[0] == ((0, 1), (1, 0))
    assert ax.get_legend() is not None


def test_picture_has_axes_for_each_chart() -> None:
    charts = tuple(row_chart([Row("cat", 3, "3")], title) for title in ("count", "gain"))
    figures = [
        Figure("Errors", "", (Drawing("", charts),)),
        Figure("Curve", "", (Drawing("", (CHART,)),)),
    ]

    picture = axes.picture(figures)

    assert [ax.get_xlabel() for ax in picture.axes] == ["count", "gain", "recall"]


@pytest.mark.parametrize("suffix", [".png", ".pdf"])
def test_equal_figures_give_equal_files(suffix: str) -> None:
    figure = Figure("Curve", "a caption", (Drawing("", (CHART,)),))

    first, second = (axes.image([figure], suffix, "x") for _ in range(2))

    assert first == second


def test_png_opens_as_picture() -> None:
    content = axes.image([Figure("Curve", "", (Drawing("", (CHART,)),))], ".png", "x.png")

    with Image.open(io.BytesIO(content)) as image:
        image.load()
        assert image.width > 900
        assert len(image.convert("RGB").getcolors(1 << 20) or ()) > 20


def test_png_needs_no_pyplot_and_no_display() -> None:
    program = """
import sys
from valor_core import Report, Result
roc = {"cat": {"fpr": [0, 1], "tpr": [0, 1]}}
plot = Report(results=[Result(type="ROCCurve", value=roc)]).plot()
assert "matplotlib" not in sys.modules
plot.to_matplotlib()
assert "matplotlib.pyplot" not in sys.modules
"""

    subprocess.run([sys.executable, "-c", program], check=True, env={"MPLBACKEND": "tkagg"})

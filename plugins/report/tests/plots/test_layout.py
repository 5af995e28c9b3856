"""Layout of drawings, and the SVG of pages."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from valor_report.pages.plot import Plot
from valor_report.plots.bar_figures import Row, row_chart
from valor_report.plots.charts import Axis, Bar, Bars, Chart, Drawing, Figure, IntervalLine, Line
from valor_report.plots.layout import Layout, thinned, ticks
from valor_report.plots.matrix_figure import matrix_figure
from valor_report.tables.structures import matrix
from valor_report.tables.text_table import MISSING

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>\"&'"


def plotted(*lines: Line, x: Axis = Axis("x"), y: Axis = Axis("y"), **others) -> Drawing:  # noqa: B008
    return Drawing("A plot", (Chart(x=x, y=y, lines=lines, **others),))


def rows(found: list[Row], title: str = "F1") -> Drawing:
    return Drawing("Rows", (row_chart(found, title),), has_full_width=False)


def svg_of(drawing: Drawing) -> ET.Element:
    """The drawing inside of the SVG of a plot."""
    root = ET.fromstring(Plot((Figure("Title", "", (drawing,)),)).to_svg())
    (found,) = root.findall(f"{SVG}svg")
    return found


def classes(svg: ET.Element, tag: str) -> list[str | None]:
    return [one.get("class") for one in svg.iter(f"{SVG}{tag}")]


def texts(svg: ET.Element) -> list[str | None]:
    return [one.text for one in svg.iter(f"{SVG}text")]


def test_line_plot_has_axes_ticks_and_legend() -> None:
    svg = svg_of(
        plotted(
            Line("cat", [(0, 0), (1, 1)]),
            Line("dog", [(0.5, 0.5)], marked=True, tone="c1"),
            x=Axis("recall"),
            y=Axis("precision"),
            diagonal=True,
        )
    )

    assert (svg.get("role"), svg.get("aria-label")) == ("img", "A plot")
    assert {"recall", "precision", "cat", "dog", "0.2", "1"} <= set(texts(svg))
    assert classes(svg, "circle") == ["c1"]
    assert "guide" in classes(svg, "path")


def test_legend_wraps() -> None:
    few = Layout.of(plotted(Line("a", [(0, 0)])))
    many = Layout.of(plotted(*[Line("a long name of a label", [(0, 0)])] * 8))

    assert many.height - few.height == 7 * 18


@pytest.mark.parametrize(
    "drawing",
    [
        plotted(Line(HOSTILE, [(0, 0), (1, 1)]), x=Axis(HOSTILE), y=Axis(HOSTILE)),
        Drawing(HOSTILE, (Chart(x=Axis(HOSTILE), y=Axis(HOSTILE)),)),
        plotted(bars=(Bars(HOSTILE, (Bar((0, 1), (0, 1), HOSTILE, HOSTILE, HOSTILE),)),)),
        rows([Row(HOSTILE, 0.5, HOSTILE)], HOSTILE),
        *matrix_figure(matrix({HOSTILE: {HOSTILE: 1}}), HOSTILE, HOSTILE).drawings,
    ],
    ids=["line", "axes", "bar", "row", "matrix"],
)
def test_all_text_is_escaped(drawing: Drawing) -> None:
    plot = Plot((Figure(HOSTILE, HOSTILE, (drawing,)),))

    for text in (plot.to_svg(), plot._repr_html_()):
        assert "<script>" not in text
    assert HOSTILE in "".join(ET.fromstring(plot.to_svg()).itertext())


def test_bars_have_tooltips_and_begin_at_their_bounds() -> None:
    bars = (
        Bars("right", (Bar((0, 0.25), (0, 10), hint="10 right"),)),
        Bars("wrong", (Bar((0, 0.25), (10, 15), hint="5 wrong"),), "off"),
    )

    svg = svg_of(plotted(bars=bars, y=Axis("items", 0, 15)))

    right, wrong, *legend = svg.iter(f"{SVG}rect")
    assert [one[0].text for one in (right, wrong)] == ["10 right", "5 wrong"]
    assert float(wrong.get("y", "")) + float(wrong.get("height", "")) == float(right.get("y", ""))
    assert len(legend) == 2
    assert {"right", "wrong"} <= set(texts(svg))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 1, (0, 0.2, 0.4, 0.6, 0.8, 1)), (3, 3, (3,)), (0, 12345, (0, 5000, 10000))],
)
def test_ticks_are_round(low: float, high: float, expected: tuple[float, ...]) -> None:
    assert ticks(low, high) == expected


def test_curve_of_many_points_is_thinned() -> None:
    points = [(i / 1000, 0.0) for i in range(1001)]

    kept = thinned(points)

    assert len(kept) == 4
    assert kept[-1] == (1.0, 0.0)
    assert thinned([]) == []


def test_large_numbers_on_an_axis_are_short() -> None:
    assert "2k" in texts(svg_of(plotted(Line("a", [(0, 1 / 3)]), y=Axis("y", -1, 2000))))


def test_negative_bars_extend_left_of_zero() -> None:
    found = [Row("missed", -0.25, "-0.2500"), Row(HOSTILE, 0.5, "0.5"), Row("none", None, MISSING)]

    svg = svg_of(rows(found))

    loss, gain, none = (
        {name: float(one.get(name, "")) for name in ("x", "width")}
        for one in svg.iter(f"{SVG}rect")
    )
    assert none["width"] == 0
    assert gain["width"] == pytest.approx(2 * loss["width"])
    assert loss["x"] + loss["width"] == pytest.approx(gain["x"], abs=0.1)
    assert {"missed", HOSTILE, "-0.2500", "0.5", MISSING} <= set(texts(svg))


def test_text_of_bar_is_right_of_whisker_and_inside_of_drawing() -> None:
    text = "0.5000 ± 0.2500, 5 of 10 of a long text"

    layout = Layout.of(rows([Row("cat", 0.5, text, (0.25, 1.0))]))

    (word,) = (shape for shape in layout.shapes if getattr(shape, "text", "") == text)
    (left, _), *_ = Layout.corners(rows([Row("cat", 0.5, text, (0.25, 1.0))]))
    assert float(word.x) > left + 150
    assert layout.width > float(word.x) + 6 * len(text)


def test_rows_of_zero_or_no_rows_are_valid() -> None:
    svg_of(rows([Row("missed", 0, "0")]))
    svg_of(rows([]))


def test_whiskers_are_upright_or_level() -> None:
    whiskers = (IntervalLine((0.5, 0.25), (0.5, 0.75)), IntervalLine((0.25, 0.5), (0.75, 0.5)))

    shapes = Layout.of(plotted(whiskers=whiskers)).shapes

    upright, level = (shape.path for shape in shapes if getattr(shape, "style", "") == "whisker")
    assert upright.endswith("h8")
    assert level.endswith("v8")


def test_rows_of_second_chart_have_no_names() -> None:
    charts = tuple(row_chart([Row("cat", 3, "3")], title) for title in ("count", "gain"))

    svg = svg_of(Drawing("Two", charts))

    assert texts(svg).count("cat") == 1
    assert {"count", "gain"} <= set(texts(svg))

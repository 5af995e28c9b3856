from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from valor_report import MISSING
from valor_report.pages.plots import (
    Axis,
    Line,
    bar_plot,
    heat_map,
    line_plot,
    row_plot,
    thinned,
    ticks,
)
from valor_report.tables.structures import matrix

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>\"&'"


def parsed(svg):
    return ET.fromstring(svg)


def test_line_plot_has_axes_ticks_and_legend():
    svg = line_plot(
        [Line("cat", [(0, 0), (1, 1)]), Line("dog", [(0.5, 0.5)], marked=True)],
        Axis("recall"),
        Axis("precision"),
        name="Two lines",
        diagonal=True,
    )

    root = parsed(svg)
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == "Two lines"
    assert {"recall", "precision", "cat", "dog", "0.2", "1"} <= set(texts)
    assert svg.count("<circle") == 1
    assert 'class="guide"' in svg


def test_legend_wraps():
    few = line_plot([Line("a", [(0, 0)])], Axis("x"), Axis("y"), name="few")
    many = line_plot(
        [Line("a long name of a label", [(0, 0)])] * 8, Axis("x"), Axis("y"), name="many"
    )

    def height(svg):
        return float(parsed(svg).attrib["viewBox"].split()[3])

    assert height(many) - height(few) == 7 * 18


@pytest.mark.parametrize(
    "svg",
    [
        line_plot([Line(HOSTILE, [(0, 0), (1, 1)])], Axis(HOSTILE), Axis(HOSTILE), name=HOSTILE),
        bar_plot([(0, 1)], [1], Axis(HOSTILE), HOSTILE, name=HOSTILE),
        heat_map(matrix({HOSTILE: {HOSTILE: 1}}), HOSTILE),
    ],
)
def test_all_text_is_escaped(svg):
    assert "<script>" not in svg
    assert HOSTILE in "".join(parsed(svg).itertext())


def test_heat_map_shades_by_row_share_and_colors_errors():
    svg = heat_map(matrix({"confusion_matrix": {"a": {"a": 3, "b": 1}}}), "Confusion")

    root = parsed(svg)
    cells = [r for r in root.iter(f"{SVG}rect") if r.attrib["class"] in ("cell", "off")]
    assert [(c.attrib["class"], c.attrib["fill-opacity"]) for c in cells] == [
        ("cell", "0.77"),
        ("off", "0.31"),
    ]
    assert cells[0][0].text == "a → a: 3 (75.0%)"


def test_large_heat_map_has_tooltips_instead_of_numbers():
    names = [f"a rather long label number {i}" for i in range(50)]

    svg = heat_map(matrix({name: dict.fromkeys(names, 1) for name in names}), "n")

    assert 'class="count' not in svg
    assert svg.count("→") == 2500
    assert "a rather long label n…" in svg


def test_bars_have_tooltips_with_range():
    svg = bar_plot([(0, 0.25), (0.25, 0.5)], [1000, 0], Axis("score"), "items", name="n")

    assert "0 to 0.25: 1,000" in "".join(parsed(svg).itertext())


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 1, (0, 0.2, 0.4, 0.6, 0.8, 1)), (3, 3, (3,)), (0, 12345, (0, 5000, 10000))],
)
def test_ticks_are_round(low, high, expected):
    assert ticks(low, high) == expected


def test_curve_of_many_points_is_thinned():
    points = [(i / 1000, 0.0) for i in range(1001)]

    kept = thinned(points)

    assert len(kept) == 4
    assert kept[-1] == (1.0, 0.0)
    assert thinned([]) == []


def test_plot_is_deterministic():
    def draw():
        return line_plot([Line("a", [(0, 1 / 3)])], Axis("x"), Axis("y", -1, 2000), name="n")

    assert draw() == draw()
    assert "2k" in draw()


def test_negative_bars_extend_left_of_zero():
    svg = row_plot(
        ["missed", HOSTILE],
        ["count", "gain"],
        [[(4, "4"), (0.5, "0.5000")], [None, (-0.25, "-0.2500")]],
        name="Errors",
    )

    root = parsed(svg)
    bars = [{k: float(r.attrib[k]) for k in ("x", "width")} for r in root.iter(f"{SVG}rect")]
    count, gain, none, loss = bars[0], bars[2], bars[1], bars[3]
    assert none["width"] == 0
    assert count["width"] == 150
    assert gain["width"] == pytest.approx(2 * loss["width"])
    assert loss["x"] + loss["width"] == pytest.approx(gain["x"], abs=0.1)
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert {"missed", HOSTILE, "count", "gain", "4", "0.5000", "-0.2500", MISSING} <= set(texts)


def test_row_plot_of_zero_or_no_rows_is_valid():
    parsed(row_plot(["missed"], ["count"], [[(0, "0")]], name="Errors"))
    parsed(row_plot([], ["count"], [], name="Errors"))

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from messages import refused
from valor_report.pages.plot import plot

from valor_core import Report, Result, Undefined
from valor_core.errors import MissingExtraError, ReportError

MATRIX = {"cat": {"cat": 3, "dog": 1}, "dog": {"cat": 0, "dog": 2}}
ROC = {"cat": {"fpr": [0.0, 0.5, 1.0], "tpr": [0.0, 0.75, 1.0]}}
REPORT = Report(
    results=[
        Result(type="Accuracy", metric="c.Accuracy@1", value=0.5),
        Result(type="ConfusionMatrix", metric="c.ConfusionMatrix@1", value=MATRIX),
        Result(type="ROCCurve", metric="c.ROCCurve@1", parameters={"smooth": 3}, value=ROC),
    ]
)
SVG = "{http://www.w3.org/2000/svg}"


def test_plot_is_self_contained_svg(tmp_path: Path) -> None:
    REPORT.plot("ROCCurve").save(tmp_path / "curve.svg")

    text = (tmp_path / "curve.svg").read_text()
    root = ElementTree.fromstring(text)
    assert "var(" not in text
    assert "true positive rate by false positive rate" in text
    assert "smooth 3" in text
    assert len(root.findall(f"{SVG}svg")) == 1
    assert float(root.attrib["height"]) > 300


def test_svg_has_figures_one_below_the_other() -> None:
    root = ElementTree.fromstring(REPORT.plot()._repr_svg_())

    tops = [float(one.attrib["y"]) for one in root.findall(f"{SVG}svg")]
    assert len(tops) == 2
    assert tops[0] < tops[1] < float(root.attrib["height"])


def test_result_and_results_have_same_plot() -> None:
    whole = REPORT.plot("ConfusionMatrix").to_svg()

    assert REPORT["ConfusionMatrix"].plot().to_svg() == whole
    assert REPORT["ConfusionMatrix"].only.plot().to_svg() == whole


def test_notebook_shows_figures_side_by_side() -> None:
    drawn = REPORT.plot()

    assert drawn._repr_html_().count('<svg class="valor"') == 2
    assert repr(drawn) == (
        "<Plot: ConfusionMatrix, ROCCurve; a notebook shows it, plot.save('plot.svg') writes it>"
    )


def test_html_file_has_figures(tmp_path: Path) -> None:
    REPORT.plot().save(tmp_path / "plot.html")

    text = (tmp_path / "plot.html").read_text()
    assert text.startswith("<!doctype html>")
    assert text.count('<svg class="valor"') == 2


def test_png_is_rendered_by_cairosvg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}

    def svg2png(**arguments: Any) -> bytes:
        given.update(arguments)
        return b"png"

    monkeypatch.setitem(sys.modules, "cairosvg", SimpleNamespace(svg2png=svg2png))
    drawn = REPORT.plot("ROCCurve")
    drawn.save(tmp_path / "curve.png")

    assert (tmp_path / "curve.png").read_bytes() == b"png"
    assert given["bytestring"].decode() == drawn.to_svg()


def test_png_without_cairosvg_suggests_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cairosvg", None)

    with refused(MissingExtraError):
        REPORT.plot("ROCCurve").save(tmp_path / "curve.png")


def test_unsupported_suffix_is_rejected() -> None:
    with pytest.raises(ReportError, match=r"expected a name in \.svg, \.html, \.png"):
        REPORT.plot().save("x.pdf")


def test_unwritable_plot_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        sys.modules, "cairosvg", SimpleNamespace(svg2png=lambda **arguments: b"png")
    )

    for name in ("curve.svg", "curve.png"):
        with pytest.raises(ReportError, match="cannot be written"):
            REPORT.plot().save(tmp_path / "missing" / name)


def test_numbers_by_label_are_drawn_as_bars() -> None:
    values = {"cat": 0.5, "dog": 0.25}
    results = [
        Result(type="F1", metric="c.F1@1", parameters={"label": label}, value=value)
        for label, value in values.items()
    ]

    svg = plot(results).to_svg()

    assert svg.count('class="bar"') == 2
    assert all(text in svg for text in (">cat<", ">dog<", ">0.5000<", ">0.2500<"))


def test_results_that_cannot_be_drawn_are_rejected() -> None:
    with pytest.raises(ReportError, match="matrices or other values to draw, got F1"):
        plot([Result(type="F1", metric="c.F1@1", value=Undefined("no items"))])


def test_long_caption_is_wrapped_and_wide_drawing_scaled() -> None:
    labels = [f"label {i:02}" for i in range(50)]
    value = {row: dict.fromkeys(labels, 1) for row in labels}
    parameters = {f"parameter_{i}": i for i in range(20)}

    root = ElementTree.fromstring(
        plot([Result(type="M", parameters=parameters, value=value)]).to_svg()
    )

    (drawing,) = root.findall(f"{SVG}svg")
    assert float(drawing.attrib["width"]) <= float(root.attrib["width"]) <= 1000
    assert len(root.findall(f"{SVG}text")) > 2

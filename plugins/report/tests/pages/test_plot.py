from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure as Canvas
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


@pytest.mark.parametrize(("suffix", "begin"), [(".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_picture_is_drawn_by_matplotlib(tmp_path: Path, suffix: str, begin: bytes) -> None:
    path = tmp_path / f"curve{suffix}"

    REPORT.plot("ROCCurve").save(path)

    assert path.read_bytes().startswith(begin)


@pytest.mark.parametrize("name", ["curve.png", "curve.pdf"])
def test_picture_without_matplotlib_suggests_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    with refused(MissingExtraError):
        REPORT.plot("ROCCurve").save(tmp_path / name)


def test_unsupported_suffix_is_rejected() -> None:
    with refused(ReportError):
        REPORT.plot().save("x.gif")


def test_unwritable_plot_is_reported(tmp_path: Path) -> None:
    for name in ("curve.svg", "curve.png"):
        with pytest.raises(ReportError, match="cannot be written"):
            REPORT.plot().save(tmp_path / "missing" / name)


def test_plot_draws_on_axes_and_returns_them() -> None:
    ax = Canvas().add_subplot()

    assert REPORT.plot("ROCCurve", ax=ax) is ax
    assert ax.get_xlabel() == "false positive rate"
    assert REPORT["ROCCurve"].only.plot(ax=ax) is ax


def test_plot_of_two_figures_draws_on_two_axes() -> None:
    pair = Canvas().subplots(1, 2)

    assert REPORT.plot(ax=pair) == list(pair)
    assert [ax.get_title(loc="left") for ax in pair] == ["ConfusionMatrix", "ROCCurve"]


@pytest.mark.parametrize("ax", [3, [3], "axes"])
def test_other_objects_are_no_axes(ax: Any) -> None:
    with pytest.raises(ReportError, match="plot: ax must be axes of matplotlib, got"):
        REPORT.plot("ROCCurve", ax=ax)


def test_wrong_number_of_axes_is_rejected() -> None:
    with refused(ReportError):
        REPORT.plot(ax=Canvas().add_subplot())


def test_curve_and_its_thresholds_have_one_axes_for_the_curve() -> None:
    rows = {str(at): {"precision": at, "recall": 1 - at} for at in (0.25, 0.5)}
    report = Report(results=[Result(type="Curve", value={"cat": rows, "dog": rows})])
    ax = Canvas().add_subplot()

    report.plot("Curve", ax=ax)

    assert ax.get_xlabel() == "recall"
    assert [figure.title for figure in report.plot("Curve").figures] == [
        "Curve",
        "Curve by score threshold",
    ]


def test_plot_of_a_label_has_its_curve_alone() -> None:
    both = {name: {"fpr": [0, 1], "tpr": [0, 1]} for name in ("cat", "dog")}
    report = Report(results=[Result(type="ROCCurve", value=both)])

    (figure,) = report.plot("ROCCurve", label="dog").figures

    assert [line.name for line in figure.drawings[0].charts[0].lines] == ["dog"]
    with refused(ReportError):
        report.plot("ROCCurve", label="cow")


@pytest.mark.parametrize("normalize", ["true", "truth"])
def test_matrix_is_normalized_by_row(normalize: str) -> None:
    svg = REPORT.plot("ConfusionMatrix", normalize=normalize).to_svg()

    assert ">75%<" in svg
    assert "shade and number: share of the row" in svg


@pytest.mark.parametrize(
    ("suffix", "begin"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF")]
)
def test_report_is_saved_as_picture_of_all_plots(tmp_path: Path, suffix: str, begin: bytes) -> None:
    path = tmp_path / f"plots{suffix}"

    REPORT.save(path)

    assert path.read_bytes().startswith(begin)


def test_chosen_threshold_without_curve_names_metric_to_add() -> None:
    value = {"threshold": 0.5, "precision": 0.5, "recall": 1.0}
    best = Result(type="BestThreshold", parameters={"label": "cat"}, value=value)

    with refused(ReportError):
        Report(results=[best]).plot("BestThreshold")


def test_unknown_normalize_is_rejected() -> None:
    with refused(ReportError):
        REPORT.plot("ConfusionMatrix", normalize="row")


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

from __future__ import annotations

import re
import runpy
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from attrs import evolve
from valor_report.pages.notebook import notebook
from valor_report.pages.page import html
from valor_report.text import aligned_text, markdown
from valor_testing.examples import datasets

from valor_core import evaluate
from valor_core.errors import ValorError
from valor_core.results import Failed, ItemRow, Report, Result, Undefined
from valor_core.results.report import ItemTable, Requirement
from valor_core.results.results import Results
from valor_core.specs import MetricSpec, Registry, TaskSpec
from valor_core.specs.spec import import_object

PLUGINS = Path(__file__).parents[4] / "plugins"
HOSTILE = "<script>alert('x')</script>"
VOID = {"meta"}


class Balance(HTMLParser):
    """Parser that checks that tags are balanced."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.names = set()

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.names.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def of(type, value, **parameters):
    return Result(type=type, metric=f"lab.{type}@1", parameters=parameters, value=value)


def roc(labels):
    return {label: {"fpr": [0, 0.5, 1], "tpr": [0, i / 20, 1]} for i, label in enumerate(labels)}


@pytest.fixture
def report():
    precision_recall = {
        "cat": {f"0.{i}": {"tp": 1, "precision": 0.5, "recall": i / 10} for i in range(1, 9)}
    }
    results = [
        of("Accuracy", 0.875),
        of("F1", 0.5, label=HOSTILE),
        of("F1", Undefined("no ground truths"), label="dog"),
        of("F1", 0.625, average="macro"),
        of("Judge", Failed("no reply")),
        of("ConfusionMatrix", {"confusion_matrix": {HOSTILE: {HOSTILE: 2, "dog": 1}}}),
        of("ROCCurve", roc(["cat", HOSTILE])),
        of("PrecisionRecallCurve", precision_recall),
        of(
            "CalibrationError",
            {
                "ece": 0.1,
                "bins": [
                    {"low": 0, "high": 0.5, "count": 3, "confidence": 0.25, "accuracy": 0.5},
                    {"low": 0.5, "high": 1, "count": 0, "confidence": None, "accuracy": None},
                ],
            },
        ),
        of("Errors", {"ap": 0.5, "a_b": {"count": 3, "loss": 0.5}, "c": {"count": 1, "loss": 0}}),
        of("Odd", {"a": ["b"]}),
    ]
    return Report(
        results=results,
        slices=(Results(results[:1]).in_slice({"weather": HOSTILE}),),
        requirements=(
            Requirement("Accuracy", ">= 0.9", 0.875, False),
            Requirement("F1/macro", ">= 0.5", 0.625, True),
        ),
        counts={"read": 1000, "skipped": 0, "failed": 1},
        warnings=("3 items are odd",),
        versions={"valor-core": "0.1.0"},
        config={"task": "classification", "data": {"reader": "csv", "path": HOSTILE}},
    )


def test_page_has_all_sections(report):
    page = html(report)

    for text in (
        "Evaluation report: classification",
        "1 of 2 requirements met",
        "1,000 items, 1 of them failed",
        "Judge failed: no reply",
        "3 items are odd",
        "<dt>Accuracy</dt><dd>0.8750</dd>",
        '<dt>F1</dt><dd>0.6250</dd><dd class="about">macro average</dd>',
        "<h2>Results by label</h2>",
        "<h2>ConfusionMatrix</h2>",
        "<h2>Results by weather</h2>",
        "<h2>ROCCurve</h2>",
        "<h2>PrecisionRecallCurve</h2>",
        "<h2>CalibrationError</h2>",
        "<h2>Errors</h2>",
        "Errors: count, loss of 2 kinds",
        ">a b</text>",
        "<h2>Other values</h2>",
        "Settings and definitions",
        "valor-core",
        "no ground truths",
    ):
        assert text in page, text


def test_page_is_well_formed_and_self_contained(report):
    page = html(report)
    checker = Balance()

    checker.feed(page)

    assert checker.open == []
    assert not checker.names & {"link", "img", "iframe", "object"}
    assert page.count("<script") == page.count("<script>") == 1
    assert set(re.findall(r"https?://[^\s\"<]+", page)) == {"http://www.w3.org/2000/svg"}
    assert "url(" not in page
    assert "@import" not in page


def test_content_security_policy_allows_no_network_and_only_own_script(report):
    page = html(report)

    policy = re.search(r'http-equiv="Content-Security-Policy" content="(.*?)"', page)
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = b64encode(sha256(script[1].encode()).digest()).decode()
    assert unescape(policy[1]) == (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:"
    )


def test_links_of_findings_lead_to_sections(report):
    page = html(report)

    links = re.findall(r'href="#(.*?)"', page)
    assert links
    assert set(links) <= set(re.findall(r' id="(.*?)"', page))


def test_sections_with_same_title_have_different_anchors():
    value = {"confusion_matrix": {"a": {"a": 1}}}

    page = html(Report(results=[of("ConfusionMatrix", value), of("ConfusionMatrix", value)]))

    anchors = re.findall(r' id="(.*?)"', page)
    assert {"confusionmatrix", "confusionmatrix-2"} <= set(anchors)
    assert len(anchors) == len(set(anchors))


def test_settings_of_metrics_are_in_one_section():
    config = {"metrics": [{"name": "classification.F1@2", "hardmax": True}]}

    page = html(Report(results=[of("F1", 0.5, hardmax=True)], config=config))

    settings = page[page.index('<details id="settings">') :]
    assert "hardmax true" in settings
    assert "Harmonic mean of precision and recall" in settings
    assert "hardmax true" not in page[: page.index('<details id="settings">')]


def test_text_of_data_is_escaped(report):
    page = html(report)

    assert HOSTILE not in page
    assert "&lt;script&gt;" in page


def test_drawings_and_tables_have_accessible_names(report):
    page = html(report)

    assert page.count('role="img" aria-label="') == page.count("<svg ")
    assert '<html lang="en">' in page
    assert '<th scope="col"' in page
    assert '<th scope="row"' in page


def test_page_is_deterministic(report, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    report.save(tmp_path / "report.html")

    again = html(Report.from_dict(report.to_dict()))

    assert "2026-01-01 00:00 UTC" in again
    assert again == html(report) == (tmp_path / "report.html").read_text(encoding="utf-8")


def test_large_matrix_is_drawn_on_canvas_with_largest_errors():
    names = [f"l{i}" for i in range(70)]
    value = {"confusion_matrix": {name: {"l0": i} for i, name in enumerate(names, 1)}}

    page = html(Report(results=[of("ConfusionMatrix", value)]))

    assert "70 labels, the largest numbers where the two differ" in page
    assert "<svg" not in page
    assert page.count("<canvas") == page.count('type="application/json"') == 1
    assert page.count("<script>") == 1


def test_medium_matrix_has_heat_map_and_largest_errors():
    names = [f"l{i}" for i in range(30)]
    value = {"confusion_matrix": {name: {"l0": i} for i, name in enumerate(names, 1)}}

    page = html(Report(results=[of("ConfusionMatrix", value)]))

    assert "<svg" in page
    assert "<h3>Largest errors</h3>" in page
    assert "<canvas" not in page


def test_lowest_of_many_curves_are_in_color():
    page = html(Report(results=[of("ROCCurve", roc([f"l{i}" for i in range(20)]))]))

    assert "in color the 8 of 20 labels with the smallest area" in page
    assert page.count('class="curve other"') == 12
    assert '<text class="legend"' in page
    assert ">l0</text>" in page
    assert ">l19</text>" not in page


def test_long_table_is_focusable():
    results = [of("F1", i / 100, label=f"l{i}") for i in range(60)]

    page = html(Report(results=results))

    assert '<div class="scroll long" tabindex="0" role="region"' in page
    assert "l59" in page


def test_title_of_a_named_run_is_its_name(report):
    page = html(evolve(report, config={**report.config, "run": "mlp <small>"}))

    assert "<h1>mlp &lt;small&gt;: classification" in page


def test_empty_report_is_valid_page():
    page = html(Report(results=()))

    assert "<h1>Evaluation report</h1>" in page
    assert "0 items" in page


def test_bins_without_edges_have_no_histogram():
    value = {"bins": [{"confidence": 0.5, "accuracy": 0.5, "count": 2}]}

    page = html(Report(results=[of("CalibrationError", value)]))

    assert page.count("<svg ") == 1


def test_cards_are_shared_between_metrics():
    many = {f"part_{i}": i / 16 for i in range(12)}

    page = html(Report(results=[of("Many", many), of("One", 0.9), of("Other", 0.8)]))

    cards = re.findall(r"<dt>(.*?)</dt>", page)
    assert cards == [*(f"Many part_{i}" for i in range(6)), "One", "Other"]


def test_cards_omit_counts_and_repeated_numbers() -> None:
    results = [
        of("Summary", {"AP": 0.5, "AP50": 0.7, "images": 60}),
        of("mAP", 0.7, iou_threshold=0.5),
        of("ConfusionMatrix", {"confusion_matrix": {"a": {"a": 1}}, "background": 200405}),
        of("F1", 0.25, average="macro"),
    ]

    page = html(Report(results=results))

    cards = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page)
    assert cards == [("Summary AP", "0.5000"), ("Summary AP50", "0.7000"), ("F1", "0.2500")]


def test_error_kinds_are_drawn_by_threshold():
    def at(tp, fp):
        kinds = {"tp": {"all": {"count": tp}}, "fp": {"hallucinations": {"count": fp}}}
        return {side: {"total": 0, "observations": held} for side, held in kinds.items()}

    value = {"cat": {"0.25": at(4, 3), "0.75": at(2, 0)}, "dog": {"0.25": at(1, 0)}}
    page = html(Report(results=[of("Detailed", value)]))

    assert "Detailed: objects of 2 kinds by score threshold" in page
    assert "fp, hallucinations" in page
    assert "all labels together" in page
    assert "Other values" not in page


def test_matrix_with_named_number_is_drawn_once():
    value = {"confusion_matrix": {"sky": {"sky": 3, "sea": 1}}, "background": 12345}

    page = html(Report(results=[of("ConfusionMatrix", value)]))

    assert page.count("<h2>ConfusionMatrix</h2>") == 1
    assert page.count("<summary>Numbers</summary>") == 1
    assert page.count('<th scope="row">ConfusionMatrix background</th>') == 1


@cache
def conformance_parameters():
    """Parameters by metric from the conformance tests of the plugins."""
    tried = {}
    for file in sorted(PLUGINS.glob("*/tests/**/test_conformance*.py")):
        tried |= runpy.run_path(str(file)).get("PARAMETERS", {})
    return tried


@cache
def examples_of(task):
    """Example data sets of a task."""
    declared = Registry().find(TaskSpec, task).examples
    examples = {} if declared is None else import_object(declared)()
    return datasets(task) or examples


def reports_of(name, parameters, task):
    """Evaluate a metric on the examples of its task, except those that it rejects."""
    for data in examples_of(task).values():
        try:
            yield evaluate([*data], [{"name": name} | parameters], slices=["weather"])
        except ValorError:
            try:
                yield evaluate([*data], [{"name": name} | parameters])
            except ValorError:
                continue


@pytest.mark.filterwarnings("ignore::valor_core.ValorWarning")
@pytest.mark.parametrize(
    # Metrics with resources need data that may not be installed.
    "spec",
    [spec for spec in Registry().all(MetricSpec) if not spec.resources],
    ids=lambda spec: spec.name,
)
def test_every_installed_metric_renders_page(spec):
    written = 0
    for parameters in conformance_parameters().get(spec.name, [{}]):
        for report in reports_of(spec.name, parameters, spec.task):
            page, checker = html(report), Balance()
            checker.feed(page)
            assert checker.open == []
            assert spec.short_name in page
            assert markdown(report)
            assert aligned_text(report)
            written += 1

    assert written


def test_cells_are_links_to_items_only_if_the_page_has_items() -> None:
    matrix = of("ConfusionMatrix", {"confusion_matrix": {"a b": {"a b": 2, "<c>": 1}}})
    details = {"truth": "a b", "prediction": "<c>"}
    table = ItemTable("mylab.Score@1", {}, (ItemRow("1", 1.0, details),))

    plain, linked = (html(Report(results=[matrix], items=items)) for items in ((), (table,)))

    assert 'href="#items?' not in plain
    link = '<a href="#items?truth=a%20b&amp;prediction=%3Cc%3E" aria-label="a b → &lt;c&gt;: 1'
    assert link in linked
    assert 'role="group"' in linked


@pytest.mark.parametrize(("labels", "skips"), [(7, False), (8, True)])
def test_keyboard_skips_links_of_more_than_50_cells(labels: int, skips: bool) -> None:
    names = [f"label {i}" for i in range(labels)]
    matrix = of("M", {"confusion_matrix": {name: dict.fromkeys(names, 1) for name in names}})
    details = {"truth": "a", "prediction": "b"}
    items = (ItemTable("mylab.Score@1", {}, (ItemRow("1", 1.0, details),)),)

    page = html(Report(results=[matrix], items=items))

    assert page.count(' tabindex="-1"') == labels**2 * skips


def test_page_has_shares_of_rows_and_counts_on_hover() -> None:
    page = html(Report(results=[of("M", {"confusion_matrix": {"a": {"a": 3, "b": 1}}})]))

    assert ">75%</text>" in page
    assert "a → a: 3 (75.0%)" in page


def test_breakdown_by_numbers_is_curve_with_interval() -> None:
    levels = {
        "0.4": {"accuracy": 0.5, "low": 0.25, "high": 0.75, "total": 4},
        "0.0": {"accuracy": 1.0, "low": 0.5, "high": 1.0, "total": 4},
        "0.8": {"accuracy": None, "low": None, "high": None, "total": 0},
    }

    page = html(Report(results=[of("NoiseRobustness", {"noise_ratio": levels})]))

    assert 'aria-label="NoiseRobustness: accuracy by noise ratio, 3 points"' in page
    assert page.count('class="whisker"') == 2
    assert "whiskers: intervals" in page
    # From left to right, though 0.4 came first; what is not there is no point.
    line = re.search(r'class="curve c0" d="M([^"]*)"', page)
    assert line is not None
    (x0, y0), (x1, y1) = (map(float, point.split()) for point in line[1].split("L"))
    assert x0 < x1
    assert y0 < y1  # downwards


def test_breakdown_by_numbers_without_shares_is_bars() -> None:
    levels = {"1": {"seconds": 2.5, "total": 4}, "2": {"seconds": 1.5, "total": 4}}

    page = html(Report(results=[of("Time", {"workers": levels})]))

    assert page.count('class="bar"') == 4


def test_control_characters_are_escaped_on_page_and_in_notebook() -> None:
    label = "a\0\x1b[2J\u202eb"
    f1 = Result(type="F1", metric="mylab.F1@1", parameters={"label": label}, value=0.5)
    report = Report(
        results=[f1],
        slices=(Results([f1]).in_slice({label: label}),),
        warnings=(label,),
        config={"task": label},
        counts={"read": 1},
    )

    for text in (html(report), notebook(report)):
        assert not set("\0\x1b\u202e") & set(text)
        assert "a\\x00\\x1b[2J\\u202eb" in text


def test_page_draws_intervals_on_bars_and_cards() -> None:
    details = {"confidence": {"interval": [0.25, 0.625], "method": "Wilson"}}
    results = [
        Result(type="F1", parameters={"label": "cat"}, value=0.5, details=details),
        Result(type="F1", parameters={"label": "dog"}, value=0.75),
        Result(type="Accuracy", value=0.5, details=details),
    ]

    page = html(Report(results=results))

    assert '<td class="n bar range" style="--share:50.0%;--low:25.0%;--high:62.5%">' in page
    assert '<td class="n bar" style="--share:75.0%">0.7500</td>' in page
    assert '<dd>0.5000<span class="half"> ± 0.1875</span></dd>' in page

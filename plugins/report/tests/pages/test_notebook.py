from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from valor_report.pages.notebook import notebook

from valor_core import Failed, Report, Result, Undefined
from valor_core.errors import ReportError
from valor_core.results.results import Results

REPORT = Report(results=[Result(type="F1", metric="c.F1@1", value=0.5)])


def test_save_selects_format_by_suffix(tmp_path: Path) -> None:
    saved = {}
    for suffix in ("json", "csv", "md", "html"):
        REPORT.save(tmp_path / f"r.{suffix}")
        saved[suffix] = (tmp_path / f"r.{suffix}").read_text()

    assert json.loads(saved["json"]) == REPORT.to_dict()
    assert saved["csv"].splitlines()[0] == "type,metric,value,undefined,error"
    assert "| F1 | 0.5000 |" in saved["md"]
    assert saved["html"].startswith("<!doctype html>")


def test_all_formats_show_stop_reason_and_facts() -> None:
    report = Report(
        results=REPORT.results,
        counts={"read": 60, "failed": 0, "not_run": 35, "missing_partitions": 1},
        stopped="budget of 25 calls is spent",
        facts={"judge": {"calls": 1200, "cost": 0.25, "model": "large"}},
    )

    shown = [
        str(report),
        notebook(report),
        report.to_markdown(),
        report.to_html(),
    ]

    for text in shown:
        assert "60 items, 35 of them not run, 1 partition missing" in text
        assert "Stopped: budget of 25 calls is spent" in text
        for fact in ("judge", "calls", "1,200", "cost", "0.2500", "model", "large"):
            assert fact in text
    early = Report(results=(), stopped="stopped after 2 of 5 partitions")
    assert "\n\nStopped after 2 of 5 partitions\n" in str(early)


def test_unsupported_suffix_is_rejected() -> None:
    with pytest.raises(ReportError, match=r"expected a name in \.json, \.csv, \.html"):
        REPORT.save("r.docx")


class Elements(HTMLParser):
    """Parser that collects tags and text, and checks that tags are balanced."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.open += [] if tag == "br" else [tag]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts += [data] if data.strip() else []


ODD = "<script>alert(1)</script> & <b>"


def odd_report() -> Report:
    results = [
        Result(type="F1", metric="c.F1@1", parameters={"label": ODD}, value=0.5),
        Result(type="F1", metric="c.F1@1", parameters={"label": "b"}, value=Undefined(ODD)),
        Result(type="Judge", metric="c.Judge@1", parameters={"rule": ODD}, value=Failed(ODD)),
        Result(type="Matrix", metric="c.Matrix@1", value={ODD: {ODD: 1}}),
    ]
    slices = (Results(results).in_slice({ODD: ODD}),)
    return Report(results=results, slices=slices, warnings=(ODD,), counts={"read": 2})


def test_notebook_has_all_tables_and_no_script() -> None:
    report = odd_report()

    elements = Elements(notebook(report))

    assert elements.open == []
    assert set(elements.tags) == {
        "div", "p", "b", "br", "table", "thead", "tbody", "tr", "th", "td",
        "svg", "style", "rect", "path", "text", "title",
    }  # fmt: skip
    assert elements.texts[:3] == ["2 items", f"Judge failed: {ODD}", f"Warning: {ODD}"]
    assert elements.texts.count(ODD) >= 4
    assert {"0.5000", "1.0000"} & set(elements.texts) == {"0.5000"}
    assert any(text.endswith(ODD) and text.startswith("¹") for text in elements.texts)


def test_numbers_are_aligned_right_and_text_left() -> None:
    page = notebook(Results([Result(type="F1", parameters={"label": "cat"}, value=0.5)]))

    assert page == (
        "<div>\n<p><b>Results by label</b></p>\n<table>\n<thead>\n"
        '<tr><th style="text-align: left">label</th><th style="text-align: right">F1</th></tr>\n'
        "</thead>\n<tbody>\n"
        '<tr><td style="text-align: left">cat</td><td style="text-align: right">0.5000</td></tr>\n'
        "</tbody>\n</table>\n</div>"
    )


def test_long_table_is_truncated_in_notebook() -> None:
    results = [
        Result(type="F1", parameters={"label": f"l{number}"}, value=0.5) for number in range(60)
    ]

    page = notebook(Report(results=results))

    assert page.count("<tr>") == 21
    assert "40 more rows in the JSON report" in page


def test_results_are_printed_like_report() -> None:
    assert str(REPORT.results) == "Results\n\nmetric   value\n------  ------\nF1      0.5000"


def test_curves_and_matrices_are_below_tables() -> None:
    matrix = {"cat": {"cat": 3, "dog": 1}, "dog": {"cat": 0, "dog": 2}}
    report = Report(results=[Result(type="ConfusionMatrix", metric="c.M@1", value=matrix)])

    shown = notebook(report)

    assert shown.index("</table>") < shown.index(
        'aria-label="ConfusionMatrix: 2 rows by 2 columns"'
    )
    assert "<svg" not in notebook(REPORT)

from __future__ import annotations

from valor_report.comparison import compare
from valor_report.pages.comparison_page import html

from valor_core.results import Report, Result


def test_comparison_page_shows_changes_and_remarks():
    before = Report(results=[Result(type="F1", value=0.5)], config={"data": {"path": "<old>.csv"}})
    after = Report(results=[Result(type="F1", value=0.25)], config={"data": {"path": "new.csv"}})

    page = html(compare(before, after), "a & b")

    assert page.startswith("<!doctype html>")
    assert "<h1>a &amp; b</h1>" in page
    assert "<li>data.path: &#39;&lt;old&gt;.csv&#39;, then &#39;new.csv&#39;</li>" in page
    assert "-0.2500" in page


def test_comparison_page_of_equal_reports_has_no_table():
    report = Report(results=[Result(type="F1", value=0.5)])

    page = html(compare(report, report), "same")

    assert "1 number compared, 1 same" in page
    assert "<table>" not in page

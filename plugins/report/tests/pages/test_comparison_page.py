from __future__ import annotations

import re

from valor_report.comparison import compare
from valor_report.pages.comparison_page import html

from valor_core.results import Report, Result
from valor_core.specs import Registry


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


def test_worse_numbers_are_first_and_named_with_their_difference():
    def accuracy(value, **parameters):
        name = "classification.Accuracy@2"
        return Result(type="Accuracy", metric=name, parameters=parameters, value=value)

    def loss(value):
        return Result(type="LogLoss", metric="classification.LogLoss@2", value=value)

    first = Report(results=[loss(0.5), accuracy(0.75)])
    second = Report(results=[loss(0.25), accuracy(0.5)])

    page = html(compare(first, second, registry=Registry()), "a, then b")

    sentences = re.findall(r"<li>(.*?)</li>", page)
    assert sentences == [
        "Accuracy: 0.7500, then 0.5000, worse by 0.2500",
        "LogLoss: 0.5000, then 0.2500, better by 0.2500",
    ]
    assert re.findall(r'<th scope="row">(.*?)</th>', page) == ["Accuracy", "LogLoss"]
    assert "<dt>worse</dt><dd>1</dd>" in page

from __future__ import annotations

import re

from valor_report.comparison import compare
from valor_report.comparison.comparison_page import html

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


def test_page_of_equal_reports_says_so():
    report = Report(results=[accuracy(0.5)])

    page = html(compare(report, report, registry=Registry(), names=("a.json", "b.json")))

    assert "b has the same 1 main number as a." in page
    assert "1 number compared, 1 same" in page
    assert "Items that changed" not in page


def accuracy(value, **parameters):
    name = "classification.Accuracy@2"
    return Result(type="Accuracy", metric=name, parameters=parameters, value=value)


def loss(value):
    return Result(type="LogLoss", metric="classification.LogLoss@2", value=value)


def test_page_begins_with_answer_and_main_numbers_with_directions():
    first = Report(results=[loss(0.5), accuracy(0.75)])
    second = Report(results=[loss(0.25), accuracy(0.5)])

    page = html(compare(first, second, registry=Registry(), names=("x/a.json", "x/b.json")))

    assert re.findall(r'<p class="answer ">(.*?)</p>', page) == [
        "b is better than a in 1 of 2 main numbers, worse in 1; no test says whether "
        "that is chance."
    ]
    assert "<h1>a, then b</h1>" in page
    rows = re.findall(r'<th scope="row">(\w+) <span class="faint" title="(\w+) is better">', page)
    assert rows == [("LogLoss", "lower"), ("Accuracy", "higher")]
    assert re.findall(r'data-name="verdict">(\w+)</td>', page) == ["better", "worse"]


def test_page_of_other_items_says_that_reports_are_not_comparable():
    reports = [Report(results=[accuracy(0.5)], counts={"read": count}) for count in (10, 12)]

    page = html(compare(*reports, registry=Registry(), names=("a.json", "b.json")))

    assert "a and b are not comparable: data: 10 items, then 12." in page
    assert '<p class="alert bad">Not comparable: data: 10 items, then 12</p>' in page

"""JUnit XML of reports and comparisons, which CI services show as tests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal
from xml.etree import ElementTree as Xml

from attrs import evolve, frozen

from valor_core.results import Report
from valor_report.tables.text_table import number_text
from valor_report.text import troubles

if TYPE_CHECKING:
    from valor_report.comparison.changes import Change
    from valor_report.comparison.two_reports import Comparison

Outcome = Literal["passed", "failure", "error", "skipped"]

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 excludes, even as references."""


@frozen
class _Case:
    """One test: its class, name, outcome and message."""

    group: str
    name: str
    outcome: Outcome = "passed"
    message: str = ""


def junit(report: Report) -> str:
    """Format the requirements of a report as tests, and its numbers as properties.

    A report with other failures has one more test, which ends with an error.

    Parameters
    ----------
    report : Report
        Report of a run.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> report = evaluate([1, 0], [1, 1], ["Accuracy"], require={"Accuracy": ">= 0.9"})
    >>> print(junit(report))
    <?xml version='1.0' encoding='utf-8'?>
    <testsuites>
      <testsuite name="requirements" tests="1" failures="1" errors="0" skipped="0">
        <properties>
          <property name="Accuracy" value="0.5" />
        </properties>
        <testcase classname="requirements" name="Accuracy &gt;= 0.9">
          <failure message="found 0.5" />
        </testcase>
      </testsuite>
    </testsuites>
    <BLANKLINE>
    """
    cases = [
        _Case(
            "requirements",
            f"{one.name} {one.condition}",
            "passed" if one.met else "error" if one.is_wrong else "failure",
            ", ".join(dict.fromkeys(filter(None, (f"found {one.found}", one.reason, one.remedy)))),
        )
        for one in report.requirements
    ]
    others = list(troubles(evolve(report, requirements=())))
    if others or not cases:
        cases.append(
            _Case("report", "complete", "error" if others else "passed", "\n".join(others))
        )
    return _xml("requirements", cases, report.flat(short=True).items())


def comparison_junit(comparison: Comparison) -> str:
    """Format the numbers of a comparison as tests: a worse one fails, an unclear one is skipped.

    Parameters
    ----------
    comparison : Comparison
        Comparison of two reports.
    """
    cases = [_case(change) for change in comparison.changes]
    cases += [
        _Case(name, "numbers", "failure", "no number to compare")
        for name in comparison.without_numbers()
    ]
    return _xml("comparison", cases)


_OUTCOMES: dict[str, Outcome] = {"worse": "failure", "vanished": "failure", "unclear": "skipped"}


def _case(change: Change) -> _Case:
    values = (
        (change.a_reason if change.a is None else number_text(change.a)),
        (change.b_reason if change.b is None else number_text(change.b)),
    )
    message = f"{change.verdict}: {values[0]}, then {values[1]}"
    if change.interval is not None and change.p is not None:
        low, high = map(number_text, change.interval)
        message += f", interval of the difference {low} to {high}, p {change.p:.4f}"
    name = change.entry.key(change.entry.result.type, ())
    return _Case(change.entry.metric, name, _OUTCOMES.get(change.verdict, "passed"), message)


def _xml(title: str, cases: Iterable[_Case], properties: Iterable[tuple[str, float]] = ()) -> str:
    cases, root = list(cases), Xml.Element("testsuites")
    counts = [sum(case.outcome == outcome for case in cases) for outcome in _COUNTED]
    suite = Xml.SubElement(root, "testsuite", name=title, tests=str(len(cases)))
    for name, count in zip(("failures", "errors", "skipped"), counts, strict=True):
        suite.set(name, str(count))
    listed = [(_clean(name), repr(number)) for name, number in properties]
    if listed:
        table = Xml.SubElement(suite, "properties")
        for name, number in listed:
            Xml.SubElement(table, "property", name=name, value=number)
    for case in cases:
        element = Xml.SubElement(
            suite, "testcase", classname=_clean(case.group), name=_clean(case.name)
        )
        if case.outcome != "passed":
            Xml.SubElement(element, case.outcome, message=_clean(case.message))
    Xml.indent(root)
    text: str = Xml.tostring(root, encoding="unicode")
    return f"<?xml version='1.0' encoding='utf-8'?>\n{text}\n"


_COUNTED: tuple[Outcome, ...] = ("failure", "error", "skipped")


def _clean(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
from valor_report.selection import select

from valor_core import Report, Result
from valor_core.errors import ReportError


def of(type: str, value: Any, /, **parameters: Any) -> Result:
    return Result(type=type, metric=f"c.{type}@1", parameters=parameters, value=value)


def selected(key: str, report: Report) -> Any:
    return select(key, chain(report, *report.slices))


def test_key_with_default_parameter_selects_number() -> None:
    settings = ({}, {"zero_division": None}, {"zero_division": 1.0})
    results = [
        Result(type="F1", metric="classification.F1@1", parameters={"label": "cat"} | own, value=at)
        for at, own in enumerate(settings)
    ]
    report = Report(results=results)

    keys = [f"F1/cat/zero_division:{value}" for value in ("0.0", "null", "1.0")]
    assert [selected(key, report) for key in keys] == [0, 1, 2]
    assert {key: selected(key, report) for key in report.flat()} == report.flat()
    with pytest.raises(ReportError, match="expected one number, found 3"):
        selected("F1/cat", report)


def test_listed_parameter_takes_precedence_over_default() -> None:
    parameters = ({"hardmax": True}, {"top_k": 2})
    results = [
        Result(type="Accuracy", metric="classification.Accuracy@1", parameters=own, value=at)
        for at, own in enumerate(parameters)
    ]
    report = Report(results=results)

    assert selected("Accuracy/hardmax:true", report) == 0
    assert selected("Accuracy/top_k:1", report) == 0
    assert report.find("Accuracy", hardmax=True).value == 0

from __future__ import annotations

from typing import Any

import pytest

from valor_core import Report, Result
from valor_core.errors import ReportError
from valor_core.report.selection import select


def of(type: str, value: Any, /, **parameters: Any) -> Result:
    return Result(type=type, metric=f"c.{type}@1", parameters=parameters, value=value)


def offered(key: str, report: Report) -> list[str]:
    with pytest.raises(ReportError) as caught:
        select(key, report.everything())
    return (caught.value.remedy or "").removeprefix("Write one of: ").removesuffix(".").split(", ")


def test_a_default_tells_a_number_from_that_of_another_setting() -> None:
    settings = ({}, {"zero_division": None}, {"zero_division": 1.0})
    results = [
        Result(type="F1", metric="classification.F1@1", parameters={"label": "cat"} | own, value=at)
        for at, own in enumerate(settings)
    ]
    report = Report(results=results)

    keys = offered("F1", report)
    assert keys == [f"F1/zero_division:{value}" for value in ("0.0", "null", "1.0")]
    assert [select(key, report.everything()) for key in keys] == [0, 1, 2]
    assert {key: select(key, report.everything()) for key in report.flat()} == report.flat()
    with pytest.raises(ReportError, match="expected one number, found 3"):
        select("F1/cat", report.everything())


def test_what_a_result_says_goes_before_the_default_of_another() -> None:
    parameters = ({"hardmax": True}, {"top_k": 2})
    results = [
        Result(type="Accuracy", metric="classification.Accuracy@1", parameters=own, value=at)
        for at, own in enumerate(parameters)
    ]
    report = Report(results=results)

    assert select("Accuracy/hardmax:true", report.everything()) == 0
    assert select("Accuracy/top_k:1", report.everything()) == 0
    assert report.find("Accuracy", hardmax=True).value == 0

from __future__ import annotations

from typing import Any

from valor_report.pages.findings import Finding, findings_of
from valor_report.tables.sections import structured

from valor_core.results import Report, Result, Slice, Undefined
from valor_core.results.report import Requirement
from valor_core.results.results import Results


def found(results: list[Result], **fields: Any) -> list[Finding]:
    report = Report(results=results, **fields)
    held = [(result, one, result.type) for result, one in structured(report)]
    return findings_of(report, held)


def accuracy(value: float) -> Result:
    return Result(type="Accuracy", metric="classification.Accuracy@2", value=value)


def f1(label: str, value: float) -> Result:
    parameters = {"label": label}
    return Result(type="F1", metric="classification.F1@2", parameters=parameters, value=value)


def test_worst_label_is_named_with_its_number() -> None:
    (finding,) = found([f1("ant", 0.75), f1("bee", 0.25), f1("cat", 0.5)])

    assert finding.text == "Lowest F1 of 3 labels: bee, 0.2500"
    assert finding.titles == ("F1 by label", "Results by label")


def test_highest_error_is_worst() -> None:
    results = [
        Result(type="Rate", parameters={"label": label, "higher_is_better": False}, value=index / 4)
        for index, label in enumerate("abc")
    ]

    assert [one.text for one in found(results)] == ["Highest Rate of 3 labels: c, 0.5000"]


def test_requirement_that_is_not_met_is_first() -> None:
    outcomes = (
        Requirement("Accuracy", ">= 0.9", 0.875, False),
        Requirement("F1/macro", ">= 0.5", 0.625, True),
    )

    first, *_ = found([accuracy(0.875)], requirements=outcomes, warnings=("few items",))

    assert first == Finding("Accuracy is 0.875, required: >= 0.9", ("Requirements",), "bad")


def test_worst_slice_has_its_number_of_items() -> None:
    parts = tuple(
        Slice(Results([accuracy(value)]).in_slice({"light": light}), items)
        for light, value, items in (("day", 0.75, 30), ("dusk", 0.5, 10))
    )

    texts = [one.text for one in found([accuracy(0.7)], slices=parts, counts={"read": 40})]

    assert texts == ["Lowest Accuracy of the slices: light dusk, 0.5000 of 10 items"]


def test_most_frequent_confusion_has_its_share_of_the_row() -> None:
    # 2 of the 2 + 6 = 8 ground truths of dog are predicted as cat: 25 %.
    counts = {"cat": {"cat": 3, "dog": 1}, "dog": {"cat": 2, "dog": 6}}

    (finding,) = found([Result(type="ConfusionMatrix", value={"confusion_matrix": counts})])

    assert finding.text == "Most frequent confusion: dog predicted as cat, 2 times (25.0% of dog)"


def test_mean_gap_of_calibration_is_weighted_by_items() -> None:
    # (3 x (0.25 - 0.5) + 1 x (0.75 - 0.5)) / 4 = -0.125
    bins = [
        {"low": 0, "high": 0.5, "count": 3, "confidence": 0.25, "accuracy": 0.5},
        {"low": 0.5, "high": 1, "count": 1, "confidence": 0.75, "accuracy": 0.5},
    ]

    (finding,) = found([Result(type="CalibrationError", value={"bins": bins})])

    assert finding.text == "Confidence is 0.1250 lower than accuracy on average"


def test_results_without_a_value_are_counted() -> None:
    missing = Result(type="ROCAUC", value=Undefined("one label only"))

    assert [one.text for one in found([missing, missing])] == [
        "2 results have no value: ROCAUC, one label only"
    ]


def test_report_without_weak_points_has_no_findings() -> None:
    assert found([accuracy(1.0)]) == []

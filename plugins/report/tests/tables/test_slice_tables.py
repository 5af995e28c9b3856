from __future__ import annotations

from typing import Any

import pytest
from valor_report import worst_slices
from valor_report.comparison import compare
from valor_report.tables.sections import tables_of

from valor_core import Registry, Report, Result, Undefined
from valor_core.errors import ReportError
from valor_core.results import Slice


def accuracy(value: Any, **details: Any) -> Result:
    return Result(type="Accuracy", metric="classification.Accuracy@1", value=value, details=details)


def part(value: Any, items: int | None, where: dict[str, Any], **details: Any) -> Slice:
    return Slice([accuracy(value, **details).in_slice(where)], items)


def interval(low: float, high: float) -> dict[str, Any]:
    return {"interval": [low, high], "method": "Wilson"}


def report(*parts: Slice, worst: int = 0) -> Report:
    config = {"slices": {"by": [["ink"]], "worst": worst}} if worst else {}
    return Report(results=[accuracy(0.5)], slices=parts, counts={"read": 1200}, config=config)


def rows(found: Report, title: str) -> list[tuple[str, ...]]:
    (table,) = (one for one in tables_of(found) if one.title == title)
    titles = tuple(column.title for column in table.columns)
    return [titles, *(tuple(cell.text for cell in row) for row in table.rows)]


LIGHT = part(
    0.25,
    1000,
    {"ink": "light"},
    confidence=interval(0.125, 0.375),
    rest={"value": 0.75, "difference": -0.5, "interval": [-0.625, -0.375], "p": 1e-9},
)
HEAVY = part(0.75, 200, {"ink": None}, rest={"value": 0.25, "difference": 0.5})


def test_tables_of_slices_count_items() -> None:
    assert rows(report(LIGHT, HEAVY), "Results by ink") == [
        ("ink", "items", "Accuracy"),
        ("light", "1,000", "0.2500 ± 0.1250"),
        ("(missing)", "200", "0.7500"),
        ("all", "1,200", "0.5000"),
    ]


def test_report_of_an_earlier_version_has_no_column_of_items() -> None:
    earlier = report(part(0.25, None, {"ink": "light"}))

    assert rows(earlier, "Results by ink") == [
        ("ink", "Accuracy"),
        ("light", "0.2500"),
        ("all", "0.5000"),
    ]


def test_worst_slices_are_compared_with_other_items() -> None:
    assert rows(report(HEAVY, LIGHT, worst=2), "Worst slices") == [
        ("metric", "slice", "items", "value", "others", "difference", "p"),
        (
            "Accuracy",
            "ink light",
            "1,000",
            "0.2500 ± 0.1250",
            "0.7500",
            "-0.5000 ± 0.1250",
            "< 0.0001",
        ),
        ("Accuracy", "ink (missing)", "200", "0.7500", "0.2500", "+0.5000", ""),
    ]
    assert len(rows(report(HEAVY, LIGHT, worst=1), "Worst slices")) == 2


def test_worst_slices_are_not_listed_unless_requested() -> None:
    assert not [one for one in tables_of(report(LIGHT)) if one.title == "Worst slices"]


def test_slice_of_all_items_and_undefined_number_are_not_among_the_worst() -> None:
    every = part(0.125, 1200, {"ink": "any"})
    nothing = part(Undefined("no items"), 3, {"ink": "none"})

    found = worst_slices(report(every, nothing, HEAVY, LIGHT), "Accuracy")

    assert [one.slice["ink"] for one in found] == ["light", None]


def test_direction_of_metric_decides_which_slice_is_worst() -> None:
    found = report(LIGHT, HEAVY)

    (worst,) = worst_slices(found, "Accuracy", 1)
    assert (worst.value, worst.items, worst.interval) == (0.25, 1000, (0.125, 0.375))
    assert (worst.rest, worst.difference, worst.p) == (0.75, -0.5, 1e-9)
    assert worst.difference_interval == (-0.625, -0.375)
    (worst,) = worst_slices(found, "Accuracy", 1, higher_is_better=False)
    assert (worst.value, worst.interval, worst.difference_interval) == (0.75, None, None)


def test_metric_without_direction_needs_one() -> None:
    found = Report(results=[Result(type="Length", metric="mylab.Length@1", value=3)])

    with pytest.raises(ReportError, match="expected a metric with a direction, Length has none"):
        worst_slices(found, "Length")


DIFFERENCE = part(
    -0.5,
    1200,
    {"ink": "light minus heavy"},
    difference={"first": 0.25, "second": 0.75},
    confidence=interval(-0.625, -0.375),
)


def test_differences_of_slices_are_in_a_separate_table() -> None:
    found = report(LIGHT, DIFFERENCE, worst=3)

    assert rows(found, "Differences by ink") == [
        ("ink", "items", "Accuracy"),
        ("light minus heavy", "1,200", "-0.5000 ± 0.1250"),
    ]
    assert len(rows(found, "Results by ink")) == 3
    assert [row[1] for row in rows(found, "Worst slices")[1:]] == ["ink light"]


def test_difference_of_slices_has_no_better_direction_in_comparisons() -> None:
    smaller = part(
        -0.25, 1200, {"ink": "light minus heavy"}, difference={"first": 0, "second": 0.25}
    )

    found = compare(report(DIFFERENCE), report(smaller), registry=Registry())

    verdicts = {change.entry.result.slice.get("ink"): change.verdict for change in found.changes}
    assert verdicts == {None: "same", "light minus heavy": "different"}

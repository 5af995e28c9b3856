from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

import valor_core
from valor_core import Evaluator, ItemScore, Report, Result
from valor_core.errors import BrokenPluginError, ReportError
from valor_core.results import ItemRows, MetricDetails
from valor_core.schemas.text.batch import Text
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import MetricSpec, Range

Parameters = Mapping[str, Any]


def score(item: Text, parameters: Any, resources: Mapping[str, Any]) -> ItemScore | float:
    assert item.response is not None
    return ItemScore(len(item.response), {"first": item.response[:1]})


def tell(
    rows: ItemRows, spec: MetricSpec, parameters: Any, resources: Mapping[str, Any]
) -> MetricDetails:
    """Details that contain the order of the rows, which must not depend on their arrival."""
    present = rows.numbers[""].present if "" in rows.numbers else []
    lengths = {"ordered": ",".join(str(int(one)) for one in present), "range": str(spec.range)}
    lengths |= {"extremes": [min(present), max(present)]} if len(present) else {}
    return MetricDetails({"lengths": lengths}, ("lengths are in characters",))


def nothing(rows: ItemRows, spec: MetricSpec, parameters: Any, resources: Parameters) -> Any:
    return {"lengths": 3}


def unfit(
    rows: ItemRows, spec: MetricSpec, parameters: Any, resources: Parameters
) -> MetricDetails:
    return MetricDetails({"lengths": {"all": [1, 2, 3]}})


def broken(
    rows: ItemRows, spec: MetricSpec, parameters: Any, resources: Parameters
) -> MetricDetails:
    raise ZeroDivisionError("no rows")


LENGTH = ItemMetricSpec(
    name="mylab.Length",
    task="text",
    summary="Characters of a response",
    implementation=f"{__name__}:score",
    higher_is_better=None,
    range=Range(0),
    requires=("response",),
    summarize=f"{__name__}:tell",
)
ITEMS = [
    Text("q3", response="abc", metadata={"kind": "odd"}),
    Text("q1", response="a", metadata={"kind": "odd"}),
    Text("q2", response="ab", metadata={"kind": "even"}),
]
TOLD = {"lengths": {"ordered": "1,2,3", "range": "0 or more", "extremes": [1.0, 3.0]}}


def evaluated(*items: Text, **options: Any) -> Report:
    return valor_core.evaluate(items or ITEMS, [LENGTH], **options)


def test_mean_has_details_of_metric() -> None:
    (result,) = evaluated()

    assert result.value == 2.0
    assert result.details == TOLD
    assert result.to_dict()["details"] == TOLD


def test_warnings_of_metric_are_in_report() -> None:
    report = evaluated()

    assert report.warnings == ("lengths are in characters",)
    assert "warnings" not in report.results[0].to_dict()


def test_each_slice_has_its_own_details() -> None:
    report = evaluated(slices=["kind"])

    (odd,) = report.slice(kind="odd")
    assert odd.details["lengths"]["ordered"] == "1,3"
    assert report.warnings == ("lengths are in characters",)


def test_saved_and_merged_states_give_equal_details(tmp_path: Path) -> None:
    left, right = Evaluator([LENGTH]), Evaluator([LENGTH])
    left.update(ITEMS[2:])
    right.update(ITEMS[:2])
    left.save(tmp_path / "left.npz")
    right.resume(tmp_path / "left.npz")
    left.merge(Evaluator([LENGTH]))

    assert right.compute().results[0].details == TOLD
    assert right.compute().to_dict()["results"] == evaluated().to_dict()["results"]


def test_report_file_keeps_details(tmp_path: Path) -> None:
    report = evaluated(slices=["kind"])
    report.save(tmp_path / "report.json")

    again = Report.load(tmp_path / "report.json")

    assert again.results == report.results
    assert again.to_json() == report.to_json()


def test_report_without_details_loads() -> None:
    record = evaluated().to_dict()
    del record["results"][0]["details"]

    assert Report.from_dict(record).results[0].details == {}


@pytest.mark.parametrize(
    ("details", "message"),
    [
        ([], "report: expected a report, its content is damaged, results[0].details:"),
        ({"a": 3}, "report: expected a report, its content is damaged,"),
        ({"a": {"b": {}}}, "report: expected a report, its content is damaged,"),
        ({"a": [{"b": [1, "2"]}]}, "report: expected a report, its content is damaged,"),
    ],
)
def test_report_with_damaged_details_is_rejected(details: Any, message: str) -> None:
    record = evaluated().to_dict()
    record["results"][0]["details"] = details

    with pytest.raises(ReportError, match=re.escape(message)):
        Report.from_dict(record)


@pytest.mark.parametrize(
    ("function", "told"),
    [
        ("nothing", "expected MetricDetails from {}:nothing, got {{'lengths': 3}}"),
        ("unfit", "details.lengths.all: expected a number, a text, true, false, null or two "),
        ("broken", "ZeroDivisionError: no rows"),
    ],
)
def test_mean_is_reported_if_details_fail(function: str, told: str) -> None:
    spec = evolve(LENGTH, summarize=f"{__name__}:{function}")

    report = valor_core.evaluate(ITEMS, [spec])

    assert report["Length"].value == 2.0
    assert report["Length"].only.details == {}
    (warning,) = report.warnings
    assert warning.startswith("mylab.Length: ")
    assert told.format(__name__) in warning


def test_missing_function_is_found_before_scoring() -> None:
    spec = evolve(LENGTH, summarize=f"{__name__}:nobody")

    with pytest.raises(BrokenPluginError, match=r"mylab\.Length: its code"):
        Evaluator([spec])


def test_details_are_json_and_finite() -> None:
    with pytest.raises(ReportError, match=r"details\['a'\]\['b'\] must be finite, got nan"):
        Result(value=0.5, details={"a": {"b": float("nan")}})


def test_metric_of_state_may_have_details() -> None:
    result = Result(value=0.5, details={"folds": [{"fold": 1, "value": 0.25}]})

    assert Result.from_dict(json.loads(json.dumps(result.to_dict()))) == result
    assert result.named("F1", "lab.F1@1").details == result.details

"""Names of metrics as the user wrote them, in reports of detection metrics."""

from __future__ import annotations

import json

import pytest

from valor_core import Report, evaluate
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box


@pytest.fixture
def data() -> list[Detection]:
    truth = TrueObject("cat", Box(0, 0, 10, 10))
    return [Detection("a", [truth], [PredictedObject({"cat": 0.9}, Box(0, 0, 10, 8))])]


def test_map50_95_is_shown_with_its_technical_name(data) -> None:
    report = evaluate(data, ["mAP50-95", "mAP50", "mAP75"], task="detection")

    text = str(report)
    assert "mAP50-95 (mAPAveragedOverIOUs)" in text
    assert "mAP50 (mAP)" in text
    assert "mAP75 (mAP)" in text
    assert [one.type for one in report] == ["mAPAveragedOverIOUs", "mAP", "mAP"]


def test_map50_95_selects_its_number(data) -> None:
    report = evaluate(data, ["mAP50-95", "mAP50", "mAP"], task="detection")

    assert report["mAP50-95"].value == pytest.approx(0.7)
    assert report["map_50_95"].value == report["mAP50-95"].value
    assert report["mAP50"].value == pytest.approx(1.0)
    assert report["detection.mAPAveragedOverIOUs"].value == report["mAP50-95"].value


def test_flat_keys_begin_with_the_requested_name(data) -> None:
    report = evaluate(data, ["mAP50-95", "mAP50", "mAP75"], task="detection")

    assert list(report.flat("val/", short=True)) == ["val/mAP50-95", "val/mAP50", "val/mAP75"]


def test_requested_names_survive_json_and_stay_out_of_other_keys(data) -> None:
    report = evaluate(data, ["mAP50-95", "mAPAveragedOverIOUs"], task="detection")
    record = json.loads(report.to_json())

    assert [one.get("asked") for one in record["results"]] == ["mAP50-95"]
    assert record["results"][0]["type"] == "mAPAveragedOverIOUs"
    again = Report.from_dict(record)
    assert again == report
    assert again["mAP50-95"].only.asked == "mAP50-95"
    short = evaluate(data, ["mAP"], task="detection")
    assert "asked" not in short.to_json()


def test_requirements_accept_the_requested_name(data) -> None:
    report = evaluate(
        data,
        ["mAP50-95", "mAP50"],
        task="detection",
        require={"mAP50-95": ">= 0.6", "mAP50": ">= 0.99"},
    )

    assert [one.met for one in report.requirements] == [True, True]


def test_equal_result_of_an_earlier_name_has_the_requested_name(data) -> None:
    plain = {"name": "mAP", "iou_thresholds": [0.5]}

    report = evaluate(data, [plain, "mAP50"], task="detection")

    assert [(one.type, one.asked) for one in report] == [("mAP", "mAP50")]

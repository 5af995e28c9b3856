from __future__ import annotations

from typing import Any

from valor_core import Failed, Report, Result, Undefined
from valor_core.results import ItemRow
from valor_core.results.report import ItemTable, Requirement


def result(type: str, value: Any, **parameters: Any) -> Result:
    return Result(type=type, metric=f"c.{type}@1", parameters=parameters, value=value)


RESULTS = [
    result("Accuracy", 0.5, label_key="class"),
    result("Recall", 0.25, label_key="class", label="cat", score_threshold=0.5),
    result("Recall", 1, label_key="class", label="dog", score_threshold=0.5),
    result("Recall", 0.625, label_key="class", average="macro", score_threshold=0.5),
    result("AUC", Undefined("no negatives"), label="cat"),
    result("Curve", {"x": [0, 1], "area": 0.5, "points": 2, "open": True}, bins=[1, 2]),
]
REPORT = Report(
    results=RESULTS,
    slices=tuple([RESULTS[0].in_slice({"weather": value})] for value in ("rain", None)),
    items=(
        ItemTable(
            "t.Score@1",
            {"weight": 1.0},
            (
                ItemRow("q1", 0.5, {"words": ["a"]}),
                ItemRow("q2", Undefined("why")),
                ItemRow("q3", Failed("no reply")),
            ),
        ),
    ),
    config={"metrics": ["Accuracy"], "data": {"reader": "csv"}},
    versions={"valor-core": "0.1.0"},
    counts={"read": 3, "skipped": 1, "failed": 1},
    requirements=(Requirement("Accuracy", ">= 0.5", 0.5, True),),
    warnings=("something",),
)


class TestFiles:
    def test_frame_has_one_row_per_result(self) -> None:
        frame = REPORT.to_frame()

        assert frame["type"].tolist() == [*(one.type for one in RESULTS), "Accuracy", "Accuracy"]
        assert frame[frame["slice"] == "weather:rain"]["value"].tolist() == [0.5]
        assert frame.loc[1, "value"] == 0.25


def test_wide_frame_has_row_per_label_and_column_per_metric() -> None:
    results = [
        result("Recall", 0.625, average="macro"),
        *(result("Recall", value, label=label) for label, value in (("dog", 1.0), ("cat", 0.25))),
        *(result("AP", 0.5 * at, label="cat", at=at) for at in (1, 2)),
        result("AUC", Undefined("no negatives"), label="cat"),
        result("Counts", {"tp": 3, "fp": 1}, label="dog"),
        result("Accuracy", 0.5),
    ]

    frame = Report(results=results, slices=REPORT.slices).to_frame(wide=True)

    assert frame.index.name == "label"
    assert list(frame.index) == ["dog", "cat", "macro average", "all"]
    assert set(frame.columns) == {
        "Recall",
        "AP (at 1)",
        "AP (at 2)",
        "AUC",
        "Counts tp",
        "Counts fp",
        "Accuracy",
    }
    recall = frame["Recall"].dropna().to_dict()
    assert recall == {"dog": 1.0, "cat": 0.25, "macro average": 0.625}
    assert frame["Accuracy"].dropna().to_dict() == {"all": 0.5}
    assert frame.loc["cat", "AP (at 2)"] == 1.0
    assert frame["AUC"].isna().all()
    assert frame.loc["dog", "Counts tp"] == 3


def test_wide_frame_has_numbers_without_label() -> None:
    frame = Report(results=[result("Accuracy", 0.5)]).to_frame(wide=True)

    assert frame.to_dict() == {"Accuracy": {"all": 0.5}}


def test_label_named_all_is_separate_from_all_items() -> None:
    results = [result("F1", 0.25, label="all"), result("Accuracy", 0.5)]

    frame = Report(results=results).to_frame(wide=True)

    assert (frame.loc["all", "F1"], frame.loc["(all)", "Accuracy"]) == (0.25, 0.5)


def test_wide_frame_has_ends_of_intervals() -> None:
    details = {"confidence": {"interval": [0.25, 0.75], "method": "Wilson"}}
    with_interval = Result(type="F1", parameters={"label": "cat"}, value=0.5, details=details)
    reason = {"confidence": {"interval": None, "method": "no interval: one group of items"}}
    without = Result(type="F1", parameters={"label": "dog"}, value=1.0, details=reason)

    frame = Report(results=[with_interval, without]).to_frame(wide=True)

    assert list(frame.columns) == ["F1", "F1 low", "F1 high"]
    assert frame.loc["cat"].tolist() == [0.5, 0.25, 0.75]
    assert frame.loc["dog"].isna().tolist() == [False, True, True]

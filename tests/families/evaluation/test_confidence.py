"""Intervals of results of all families."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from valor_intervals.resamples import decoded_resamples

from valor_core import Classification, Evaluator, Report, Text, evaluate
from valor_core.errors import ConfigError
from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box

RANDOM = np.random.default_rng(7)
SCORES = RANDOM.random(120).round(3)
ITEMS = [
    Classification(
        f"q{i}",
        groundtruths="cat" if i % 3 else "dog",
        predictions={"cat": float(score), "dog": 1 - float(score)},
        metadata={"video": i // 4, "ink": "light" if i % 2 else "heavy"},
    )
    for i, score in enumerate(SCORES)
]
METRICS = ["Accuracy", {"name": "F1", "average": "macro"}, "ROCAUC"]


def intervals(report: Report) -> list[Any]:
    return [(one.type, one.slice, one.details.get("confidence")) for one in report._all()]


def of(report: Report, name: str) -> Any:
    return report[name].only.details["confidence"]


@pytest.fixture(scope="module")
def report() -> Report:
    return evaluate(ITEMS, METRICS, confidence=0.95, slices=["ink"])


def test_every_scalar_has_an_interval(report: Report) -> None:
    assert all(found is not None for _, _, found in intervals(report))
    accuracy = report["Accuracy"]
    low, high = of(report, "Accuracy")["interval"]
    assert 0 < low < accuracy.value < high < 1


def test_numbers_are_those_without_intervals(report: Report) -> None:
    plain = evaluate(ITEMS, METRICS, slices=["ink"])

    ends = (".low", ".high")
    flat = {key: number for key, number in report.flat().items() if not key.endswith(ends)}
    assert flat == plain.flat()


@pytest.mark.parametrize("size", [1, 7, 120])
@pytest.mark.parametrize("resamples", [0, 50])
def test_intervals_have_the_same_bits_for_any_split_and_order(size: int, resamples: int) -> None:
    confidence = {"resamples": resamples}
    items = [ITEMS[i] for i in RANDOM.permutation(len(ITEMS))]
    evaluator = Evaluator(METRICS, confidence=confidence, slices=["ink"])
    for start in range(0, len(items), size):
        evaluator.update(items[start : start + size])

    whole = evaluate(ITEMS, METRICS, confidence=confidence, slices=["ink"])
    assert intervals(evaluator.compute()) == intervals(whole)


def test_resamples_give_a_bootstrap_interval() -> None:
    report = evaluate(ITEMS, METRICS, confidence={"resamples": 500})
    found = of(report, "Accuracy")

    assert found["method"] == "bootstrap, BCa"
    low, high = found["interval"]
    assert low < report["Accuracy"].value < high
    assert len(decoded_resamples(found["resampled"])) == 500
    assert report.config["confidence"] == {"level": 0.95, "resamples": 500}


def test_models_with_equal_mistakes_have_equal_resamples() -> None:
    confident = [
        evolve(item, predictions={"cat" if score > 0.5 else "dog": 0.99})
        for item, score in zip(ITEMS, SCORES, strict=True)
    ]
    first, second = (
        of(evaluate(items, ["Accuracy"], confidence={"resamples": 200}), "Accuracy")["resampled"]
        for items in (ITEMS, confident)
    )

    assert first == second


def test_intervals_have_the_same_bits_after_a_merge_of_saved_states(
    report: Report, tmp_path: Path
) -> None:
    for number, part in enumerate((ITEMS[:50], ITEMS[50:])):
        evaluator = Evaluator(METRICS, confidence=0.95, slices=["ink"])
        evaluator.update(part)
        evaluator.save(tmp_path / f"{number}.npz")
    merged = Evaluator.load(tmp_path / "0.npz")
    merged.merge(Evaluator.load(tmp_path / "1.npz"))

    assert intervals(merged.compute()) == intervals(report)


def test_lower_level_gives_a_narrower_interval(report: Report) -> None:
    low, high = of(report, "Accuracy")["interval"]
    narrow = of(evaluate(ITEMS, METRICS, confidence=0.8), "Accuracy")["interval"]

    assert low < narrow[0] < narrow[1] < high


def test_repeated_items_of_a_cluster_do_not_narrow_the_interval() -> None:
    def repeated(times: int) -> Any:
        items = [
            Text(
                f"{i} {k}", response="yes" if i % 3 else "no", references="yes", metadata={"of": i}
            )
            for i in range(60)
            for k in range(times)
        ]
        confidence = {"cluster_by": "of"}
        return of(evaluate(items, ["text.ExactMatch"], confidence=confidence), "ExactMatch")

    assert repeated(5) == repeated(1)


def test_detection_has_intervals() -> None:
    images = [
        Detection(
            f"im{i}",
            [TrueObject("car", Box(0, 0, 10, 10))],
            [PredictedObject({"car": 0.5 + i / 100}, Box(0, 0, 10, 4 + i % 7))],
        )
        for i in range(40)
    ]
    found = of(evaluate(images, [{"name": "AP", "iou_thresholds": [0.5]}], confidence=0.95), "AP")

    assert found["interval"][0] < found["interval"][1]


def test_metric_of_several_numbers_has_an_interval_of_each() -> None:
    items = [Text(f"q{i}", response="a b c"[: i % 6], references="a b c") for i in range(40)]
    found = of(evaluate(items, ["text.ROUGE"], confidence=0.95), "ROUGE")

    assert [row["number"] for row in found] == ["rouge1", "rouge2", "rougeL", "rougeLsum"]


def test_tables_show_half_of_the_width(report: Report) -> None:
    low, high = of(report, "Accuracy")["interval"]

    assert f"{report['Accuracy'].value:.4f} ± {(high - low) / 2:.4f}" in str(report)


def test_records_and_csv_have_the_ends(report: Report, tmp_path: Path) -> None:
    (first, *_) = report.to_records()
    report.save(tmp_path / "report.csv")

    assert [first["low"], first["high"]] == of(report, "Accuracy")["interval"]
    assert ",value,low,high," in (tmp_path / "report.csv").read_text(encoding="utf-8")


def test_saved_report_keeps_intervals_and_level(report: Report, tmp_path: Path) -> None:
    report.save(tmp_path / "report.json")
    loaded = Report.load(tmp_path / "report.json")

    assert intervals(loaded) == intervals(report)
    assert loaded.config["confidence"] == {"level": 0.95}


@pytest.mark.parametrize(
    ("confidence", "message"),
    [
        (1.5, "confidence: level must lie in (0, 1), got 1.5"),
        ({"level": 0.9, "grups": 3}, "confidence: grups: unknown key"),
        ({"groups": 1}, "confidence: groups must lie in [2, 1000], got 1"),
    ],
)
def test_wrong_confidence_is_rejected(confidence: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        evaluate(ITEMS, METRICS, confidence=confidence)


def test_unknown_cluster_field_is_named() -> None:
    with pytest.raises(ConfigError, match="no item has the metadata field 'vidoe' of cluster_by"):
        evaluate(ITEMS, METRICS, confidence={"cluster_by": "vidoe"})


RIGHT = [evolve(item, predictions={item.groundtruths[0]: 0.9}) for item in ITEMS]


def test_share_of_right_items_of_one_has_the_exact_interval() -> None:
    found = of(evaluate(RIGHT, ["Accuracy"], confidence=0.95), "Accuracy")

    assert found["method"] == "exact"
    # 120 items are in 100 groups, of which about 70 have items.
    groups = found["groups"]
    assert 50 < groups < 90
    assert found["interval"] == [pytest.approx(0.025 ** (1 / groups)), 1.0]


def test_average_of_labels_of_one_has_no_exact_interval() -> None:
    found = of(evaluate(RIGHT, [{"name": "F1", "average": "macro"}], confidence=0.95), "F1")

    assert found["method"] == "no interval: the same without any group of items"


@pytest.mark.parametrize("resamples", [0, 50])
def test_maximum_has_no_interval(resamples: int) -> None:
    report = evaluate(ITEMS, ["CalibrationError"], confidence={"resamples": resamples})
    rows = {row["number"]: row for row in of(report, "CalibrationError")}

    assert rows["ece"]["interval"]
    assert rows["mce"]["interval"] is None
    assert rows["mce"]["method"] == "no interval: a maximum over bins"


def test_few_items_give_one_warning_for_all_numbers() -> None:
    report = evaluate(ITEMS[:15], METRICS, confidence=0.95)

    assert [one for one in report.warnings if one.startswith("intervals")] == [
        "intervals: 12 groups of items are few; simulated 95 % intervals of 20 contain the true "
        "value in 84 to 100 % of cases. Add items"
    ]


def test_rare_label_gives_one_warning_for_all_numbers() -> None:
    items = [evolve(item, groundtruths="cat" if i % 30 else "dog") for i, item in enumerate(ITEMS)]
    report = evaluate(items, ["ROCAUC", "Recall"], confidence=0.95)

    (warning,) = (one for one in report.warnings if one.startswith("intervals"))
    assert "numbers depend mostly on few items, such as those of a rare label" in warning


def test_many_items_give_no_warning(report: Report) -> None:
    assert not [one for one in report.warnings if one.startswith("intervals")]


def test_cells_of_tables_have_intervals_on_request() -> None:
    items = [evolve(item, uid=f"{item.uid} {k}") for item in ITEMS for k in range(2)]
    confidence = {"tables": True, "cluster_by": "video"}
    rows = {
        row["number"]: row
        for row in of(
            evaluate(items, ["ConfusionMatrix"], confidence=confidence), "ConfusionMatrix"
        )
    }

    low, high = rows["confusion_matrix.cat.dog"]["interval"]
    assert low < high


def test_more_numbers_than_the_limit_have_intervals_of_averages_and_frequent_labels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("valor_intervals.confidence.MOST_NUMBERS", 20)
    monkeypatch.setattr("valor_intervals.confidence.MOST_LABELS", 2)
    names = [f"l{i}" for i in range(6)]
    items = [
        Classification(f"q{i}", names[min(int(RANDOM.exponential(1.5)), 5)], {names[i % 6]: 1.0})
        for i in range(100)
    ]
    metrics = ["Precision", "Recall", "F1", {"name": "F1", "average": "macro"}, "ROCAUC"]
    report = evaluate(items, metrics, confidence=0.95)

    with_rows = {one.parameters.get("label") for one in report.results if one.details}
    assert with_rows == {None, "l0", "l1"}
    (warning,) = (one for one in report.warnings if "more than 20 numbers" in one)
    assert "have intervals, of averages and of the 2 labels" in warning

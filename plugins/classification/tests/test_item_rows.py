"""Rows of items in reports: labels that are right and wrong, and losses, worked by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from valor_core import Evaluator, Report, evaluate
from valor_core.schemas.classification import Classification

ITEMS = [
    Classification("right", "dog", {"dog": 0.7, "cat": 0.2, "bee": 0.1}),
    Classification("second", "cat", {"dog": 0.6, "cat": 0.4, "bee": 0.0}),
    Classification("third", "bee", {"dog": 0.5, "cat": 0.3, "bee": 0.2}),
]
SETS = [
    # 1 of 2 ground truths is predicted, and 1 other label.
    Classification("mixed", ["a", "b"], {"a": 0.9, "c": 0.8, "b": 0.1}),
    # Nothing is to be found and nothing is predicted.
    Classification("empty", [], {"a": 0.1, "b": 0.1, "c": 0.2}),
]
EVERY = {"hardmax": False, "score_thresholds": [0.5]}


def rows(metric: Any, items: Any = ITEMS) -> list[Any]:
    (table,) = evaluate(items, [metric], "classification", items=True).items
    return list(table.rows)


def values(metric: Any, items: Any = ITEMS) -> dict[Any, Any]:
    return {row.uid: row.value for row in rows(metric, items)}


@pytest.mark.parametrize(
    "metric",
    [
        "Accuracy",
        {"name": "Accuracy", "balanced": True},
        "Precision",
        "Recall",
        "F1",
        "Specificity",
    ],
)
def test_items_are_right_or_wrong(metric: Any) -> None:
    # Specificity of a wrong item with three labels: 1 of 2 false labels is not predicted.
    wrong = 0.5 if metric == "Specificity" else 0

    assert values(metric) == {"right": 1, "second": wrong, "third": wrong}


def test_items_are_right_if_truth_is_among_best_labels() -> None:
    def right(k: int, **more: Any) -> dict[Any, Any]:
        return values({"name": "Accuracy", "top_k": k, **more})

    assert right(2) == {"right": 1, "second": 1, "third": 0}
    assert right(3) == {"right": 1, "second": 1, "third": 1}
    assert right(2, score_thresholds=[0.5]) == {"right": 1, "second": 0, "third": 0}


def test_items_have_their_losses() -> None:
    losses = {"right": -math.log(0.7), "second": -math.log(0.4), "third": -math.log(0.2)}
    squares = {
        "right": 0.3**2 + 0.2**2 + 0.1**2,
        "second": 0.6**2 + 0.6**2,
        "third": 0.5**2 + 0.3**2 + 0.8**2,
    }

    assert values("LogLoss") == pytest.approx(losses)
    assert values("BrierScore") == pytest.approx(squares)
    half = values({"name": "BrierScore", "scale_by_half": True})
    assert half == pytest.approx({uid: value / 2 for uid, value in squares.items()})


def test_items_with_several_labels_have_the_ratio_of_their_labels() -> None:
    expected = {"Precision": 1 / 2, "Recall": 1 / 2, "F1": 2 / 4, "Specificity": 0}
    for name, value in expected.items():
        assert values({"name": name, **EVERY}, SETS) == {"mixed": value, "empty": 1}
    (row, _) = rows({"name": "F1", **EVERY}, SETS)[::-1]
    counts = {name: row.details[name] for name in ("tp", "fp", "fn", "tn")}
    assert counts == {"tp": 1, "fp": 1, "fn": 1, "tn": 0}


LABELS = {
    "right": {"truth": "dog", "prediction": "dog", "score": 0.7, "wrong": ""},
    "second": {
        "truth": "cat",
        "prediction": "dog",
        "score": 0.6,
        "wrong": "predicted dog, true cat",
    },
    "third": {
        "truth": "bee",
        "prediction": "dog",
        "score": 0.5,
        "wrong": "predicted dog, true bee",
    },
}


@pytest.mark.parametrize(
    "metric",
    [
        "Accuracy",
        {"name": "Accuracy", "balanced": True},
        "F1",
        "Specificity",
        "LogLoss",
        "BrierScore",
    ],
)
def test_details_name_true_and_predicted_label_and_error(metric: Any) -> None:
    found = {row.uid: dict(row.details) for row in rows(metric)}

    assert {uid: {**found[uid], **LABELS[uid]} for uid in found} == found
    assert list(found) == ["right", "second", "third"]


def test_confusion_matrix_lists_which_items_are_right() -> None:
    found = {row.uid: row for row in rows("ConfusionMatrix")}

    assert {uid: row.value for uid, row in found.items()} == {
        "right": {"right": 1},
        "second": {"right": 0},
        "third": {"right": 0},
    }
    assert {uid: row.details for uid, row in found.items()} == LABELS
    assert evaluate(SETS, ["ConfusionMatrix"], "classification", items=True).items == ()


def test_counts_of_items_add_up_to_those_of_labels() -> None:
    report = evaluate(SETS, [{"name": "Counts", **EVERY}], "classification", items=True)

    for name, column in report.items[0].rows.columns().items():
        assert column.values.sum() == sum(one.value[name] for one in report)


def test_best_label_is_prediction_of_accuracy_among_top_labels() -> None:
    found = {row.uid: row for row in rows({"name": "Accuracy", "top_k": 2})}

    assert found["second"].value == 1
    assert found["second"].details["wrong"] == "predicted dog, true cat"


def test_label_below_threshold_is_no_prediction() -> None:
    found = {row.uid: row.details for row in rows({"name": "F1", "score_thresholds": [0.6]})}

    assert found["second"] == {**LABELS["second"], "tp": 0, "fp": 1, "fn": 1, "tn": 1}
    assert found["third"]["prediction"] is None
    assert (found["third"]["score"], found["third"]["wrong"]) == (
        0.5,
        "nothing predicted, true bee",
    )


def test_items_without_truth_or_scores_have_none() -> None:
    items = [
        Classification("blank", "dog", {}),
        Classification("new", [], {"dog": 0.75}),
        Classification("seen", "cat", {"cat": 1.0}),
    ]
    found = {row.uid: row.details for row in rows("F1", items)}

    names = ("truth", "prediction", "score", "wrong")
    assert {uid: tuple(details[name] for name in names) for uid, details in found.items()} == {
        "blank": ("dog", None, None, "nothing predicted, true dog"),
        "new": (None, "dog", 0.75, "predicted dog, nothing true"),
        "seen": ("cat", "cat", 1.0, ""),
    }


def test_items_with_several_labels_list_missed_and_false_ones() -> None:
    found = {row.uid: row.details for row in rows({"name": "F1", **EVERY}, SETS)}

    assert found["mixed"]["truth"] == ["a", "b"]
    assert found["mixed"]["prediction"] == ["a", "c"]  # the greatest score first
    assert found["mixed"]["wrong"] == "missed b; false c"
    assert (found["empty"]["truth"], found["empty"]["wrong"]) == ([], "")
    assert "score" not in found["mixed"]


def test_predictions_are_those_of_first_threshold() -> None:
    def predicted(*thresholds: float) -> Any:
        f1 = {"name": "F1", "hardmax": False, "score_thresholds": list(thresholds)}
        found = {row.uid: row.details["prediction"] for row in rows(f1, SETS)}
        return found["mixed"]

    assert predicted(0.05, 0.85) == ["a", "c", "b"]
    assert predicted(0.85, 0.05) == ["a"]


def test_many_differing_labels_are_shortened() -> None:
    items = [Classification("x", list("abcdefgh"), {"z": 0.9})]
    ((row,), *_) = [rows({"name": "F1", **EVERY}, items)]

    assert row.details["wrong"] == "missed a, b, c, d, e (and 3 more); false z"


@pytest.mark.parametrize(("rule", "mixed"), [("exact", 0), ("jaccard", 1 / 3), ("hamming", 1 / 3)])
def test_items_have_agreement_of_their_sets_of_labels(rule: str, mixed: float) -> None:
    metric = {"name": "Accuracy", "multilabel": rule, **EVERY}
    found = values(metric, SETS)

    assert found == {"mixed": mixed, "empty": 1}
    report = evaluate(SETS, [metric], "classification")
    assert report["Accuracy"].value == pytest.approx(sum(found.values()) / 2)


@pytest.mark.parametrize(
    "metric",
    [
        "Accuracy",
        "LogLoss",
        {"name": "F1", **EVERY},
        {"name": "Accuracy", "multilabel": "jaccard", **EVERY},
    ],
)
@pytest.mark.parametrize("matrix", [True, False])
def test_rows_do_not_depend_on_order_and_split(metric: Any, matrix: bool) -> None:
    random = np.random.default_rng(2)
    several = isinstance(metric, dict)
    items = [
        Classification(
            f"i{i}",
            [f"l{code}" for code in random.permutation(5)[: random.integers(3 if several else 2)]],
            {
                f"l{code}": random.integers(1, 5) / 10
                for code in range(5)
                if matrix or i % (code + 1)
            },
        )
        for i in range(60)
    ]

    def found(*parts: Any) -> Any:
        total = Evaluator([metric], "classification", items=True)
        for part in parts:
            one = Evaluator([metric], "classification", items=True)
            one.update(part)
            total.merge(one)
        return total.compute().items[0].rows

    expected = found(items)
    assert found(items[::-1]) == expected
    assert found(items[40:], items[:7], items[7:40]) == expected


def test_items_have_ratio_at_first_threshold_in_reports_with_curves() -> None:
    f1 = {"name": "F1", "hardmax": False, "score_thresholds": [0.15, 0.05]}
    report = evaluate(SETS, [f1, "PrecisionRecallCurve"], "classification", items=True)

    # At 0.15, a and c of "mixed" are predicted, and c of "empty".
    found = {row.uid: row.value for row in report.items[0].rows}
    assert found == {"mixed": 2 / 4, "empty": 0}


@pytest.mark.parametrize("name", ["Accuracy", "BrierScore", "LogLoss"])
def test_means_of_rows_are_the_numbers(name: str) -> None:
    random = np.random.default_rng(0)
    items = [
        Classification(i, str(truth), dict(zip("0123", scores.tolist(), strict=True)))
        for i, (truth, scores) in enumerate(
            zip(random.integers(0, 4, 50), random.dirichlet(np.ones(4), 50), strict=True)
        )
    ]
    report = evaluate(items, [name], "classification", items=True)

    mean = report.items[0].rows.columns()[""].values.mean()
    assert report[name].value == pytest.approx(mean, rel=1e-12)


def test_brier_scores_of_items_do_not_depend_on_labels_of_other_items() -> None:
    random = np.random.default_rng(1)
    scores = random.dirichlet(np.ones(9))
    labels = [f"l{i}" for i in range(9)]
    item = Classification("x", "l3", dict(zip(labels, scores.tolist(), strict=True)))
    reverse = Classification("x", "l3", dict(zip(labels[::-1], scores[::-1].tolist(), strict=True)))
    others = [Classification(f"{i}", "z", {f"a{i}": 1.0}) for i in range(20)]

    assert values("BrierScore", [item])["x"] == values("BrierScore", [*others, reverse])["x"]


def test_no_rows_for_scores_that_are_no_probabilities() -> None:
    items = [Classification("a", "dog", {"dog": 7.0, "cat": 0.5})]

    assert evaluate(items, ["LogLoss", "BrierScore"], "classification", items=True).items == ()


@pytest.mark.parametrize(
    "name",
    [
        *("Accuracy", "F1", "BrierScore", "LogLoss", "ConfusionMatrix", "Counts"),
        {"name": "Accuracy", "top_k": 2},
    ],
)
def test_rows_survive_a_saved_state(name: Any, tmp_path: Path) -> None:
    def counted(**options: Any) -> Evaluator:
        evaluator = Evaluator([name], "classification", **options)
        evaluator.update(ITEMS)
        return evaluator

    def loaded(evaluator: Evaluator) -> Report:
        evaluator.save(tmp_path / "counts.valor")
        return Evaluator.load(tmp_path / "counts.valor", items=True).compute()

    expected = counted(items=True).compute()
    assert loaded(counted(items=True)).items[0].rows == expected.items[0].rows
    assert loaded(counted()).items == ()
    assert loaded(counted()).results == expected.results

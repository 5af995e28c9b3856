"""The defects of earlier Valor implementations, each shown absent.

The first eight are those of the light evaluator in the order of the reference, the others those
of the library of 2024.
"""

from __future__ import annotations

import math
import pickle
import tracemalloc
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from valor_classification.readers.arrays import from_arrays, from_predicted

from valor_core import Evaluator
from valor_core.errors import SchemaError
from valor_core.schemas import Label
from valor_core.schemas.classification import Classification, ClassificationBatch

from .support import by_label, failure_of, results_of, value_of

LONE = Classification("a", "dog", {"cat": 0.3})


def test_a_ground_truth_that_is_not_listed_is_missed_where_nothing_passes() -> None:
    results = results_of([LONE], {"name": "Counts", "score_thresholds": [0.5]}, "Recall")

    assert results["Counts", "dog"].value == {"tp": 0, "fp": 0, "fn": 1, "tn": 0}
    assert results["Recall", "dog"].value == 0.0


def test_a_hit_is_not_a_miss_as_well_where_another_label_passes() -> None:
    item = Classification("a", "dog", {"dog": 0.6, "cat": 0.4})
    at = {"hardmax": False, "score_thresholds": [0.3]}

    results = results_of([item], {"name": "Counts"} | at, {"name": "Recall"} | at)

    assert results["Counts", "dog"].value == {"tp": 1, "fp": 0, "fn": 0, "tn": 0}
    assert results["Recall", "dog"].value == 1.0


@pytest.mark.parametrize("name", ["ConfusionMatrix", "Examples", "Counts"])
def test_the_order_of_thresholds_does_not_matter(name: str) -> None:
    items = [
        Classification("a", "dog", {"dog": 0.6}),
        Classification("b", "cat", {"dog": 0.3, "cat": 0.2}),
    ]

    for order in permutations([0.1, 0.25, 0.5]):
        results = results_of(items, {"name": name, "score_thresholds": order})
        for threshold in order:
            alone = results_of(items, {"name": name, "score_thresholds": [threshold]})
            assert results.find(score_threshold=threshold) == alone


def test_accuracy_divides_by_the_items_that_a_filter_leaves() -> None:
    items = [Classification("a", "dog", {"dog": 1.0}), Classification("b", "dog", {"cat": 1.0})]

    assert results_of(items, "Accuracy", filter="uid == 'a'").value == 1.0


def test_roc_auc_of_sparse_predictions_does_not_lose_count_of_the_negatives() -> None:
    items = [
        Classification("a", "dog", {"dog": 0.9}),
        Classification("b", "cat", {"cat": 0.8}),
        Classification("c", "dog", {"cat": 0.7}),
        Classification("d", "dog", {"dog": 0.6}),
    ]

    # dog: 0.9, unlisted and 0.6 against unlisted win 1 + 1/2 + 1 of 3
    assert by_label(results_of(items, "ROCAUC"))["dog"] == 2.5 / 3


def test_roc_auc_of_equal_scores_is_one_half() -> None:
    for score in (0.0, 0.5, 1.0):
        batch = from_arrays([0, 1, 0], np.full((3, 2), score))
        assert by_label(results_of(batch, "ROCAUC")) == {"0": 0.5, "1": 0.5}


def test_roc_auc_counts_what_ties_at_the_top() -> None:
    # dog: 0.8, 0.4 against 0.8, 0.1 win 1/2 + 1 + 0 + 1 of 4
    batch = from_arrays([1, 1, 0, 0], [0.8, 0.4, 0.8, 0.1])

    assert results_of(batch, "ROCAUC")["ROCAUC", "1"].value == 0.625


def test_a_label_twice_on_one_item_is_an_error_that_names_the_item() -> None:
    item = Classification("a", "dog", [("dog", 0.9), ("dog", 0.8)])

    with pytest.raises(
        SchemaError, match="item 'a', predictions: expected each label once, found 'dog' twice"
    ):
        results_of([item], "Counts")
    with pytest.raises(
        SchemaError, match="item 'a', groundtruths: expected each label once, found 'dog' twice"
    ):
        results_of([Classification("a", ["dog", "dog"])], "Counts")


def test_a_uid_given_twice_is_an_error_that_names_it() -> None:
    with pytest.raises(SchemaError, match="item 'a': expected each uid once, found it 2 times"):
        results_of([LONE, LONE], "Counts")
    with pytest.raises(SchemaError, match="item 'a': expected each uid once, found it 2 times"):
        results_of([ClassificationBatch.of([LONE]), ClassificationBatch.of([LONE])], "Counts")


def test_true_negatives_are_all_items_of_the_key_listed_or_not() -> None:
    items = [LONE, Classification("b", "cat", {"cat": 0.9}), Classification("c", "cat")]

    assert by_label(results_of(items, "Counts"))["dog"] == {"tp": 0, "fp": 0, "fn": 1, "tn": 2}


@pytest.mark.parametrize("hardmax", [True, False])
def test_memory_of_the_confusion_matrix_does_not_grow_with_the_square_of_the_items(
    hardmax: bool,
) -> None:
    rng = np.random.default_rng(0)
    batch = from_arrays(rng.integers(0, 2, 8_000), rng.random(8_000))
    choice = {"name": "ConfusionMatrix", "hardmax": hardmax, "score_thresholds": [0.0]}
    results_of(batch, choice)

    tracemalloc.start()
    results_of(batch, choice)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    # the earlier code took 6 * 8,000 ** 2 bytes, 384 MB
    assert peak < 20e6


def test_a_ratio_of_nothing_is_never_minus_one() -> None:
    items = [
        Classification("a", "dog", {"dog": 0.9, "eel": 0.1}),
        Classification("z", predictions={"dog": 0.8}),
    ]
    ratios = [
        {"name": name, "zero_division": zero_division}
        for name in ("Precision", "Recall", "F1")
        for zero_division in (0.0, None)
    ]
    results = results_of(items, *ratios)

    assert all(result.number is None or 0 <= result.number <= 1 for result in results)
    curve = value_of(items, "PrecisionRecallCurve")
    assert curve["eel"]["0.5"]["f1_score"] == 0.0
    # the prediction on z costs dog precision, and takes nothing else away
    assert results["Precision"].find(label="dog")[0].value == 1 / 2
    assert results["Recall"].find(label="dog")[0].value == 1.0


def test_items_of_another_key_are_no_true_negatives() -> None:
    dog, white = ("animal", "dog"), ("colour", "white")
    items = [Classification("a", [dog], [(dog, 0.9)]), Classification("b", [white], [(white, 0.8)])]

    curve = results_of(items, "PrecisionRecallCurve").find(label_key="animal").value

    assert curve["dog"]["0.5"]["tn"] == 0


def test_misses_are_counted_where_there_is_no_hit_in_the_whole_data() -> None:
    curve = value_of([LONE], "PrecisionRecallCurve", score_thresholds=[0.2])
    detailed = value_of([LONE], "DetailedPrecisionRecallCurve", score_thresholds=[0.2])

    assert curve["dog"]["0.2"]["fn"] == 1
    assert curve["dog"]["0.2"]["recall"] == 0.0
    assert detailed["dog"]["0.2"]["fn"]["observations"]["misclassifications"]["examples"] == ["a"]


def test_no_predictions_at_all_have_no_area_of_zero_and_none_of_one() -> None:
    items = [Classification("a", "dog"), Classification("b", "cat")]

    # all tied: one half of every pair
    assert by_label(results_of(items, "ROCAUC")) == {"cat": 0.5, "dog": 0.5}
    assert not math.isnan(value_of(items, "mROCAUC"))


def test_label_keys_may_differ_between_the_sides() -> None:
    item = Classification("a", [("animal", "dog")], [(("colour", "white"), 0.9)])

    results = results_of([item], "Counts", "Accuracy")

    assert results["Accuracy"].find(label_key="animal").value == 0.0
    assert results["Accuracy"].find(label_key="colour").only.undefined is not None


@pytest.mark.parametrize(
    "metric",
    [
        *("LogLoss", "BrierScore", "CalibrationError", "ROCAUC", "mROCAUC", "ROCCurve"),
        *(
            "AveragePrecision",
            {"name": "ROCAUC", "bins": 5},
            {"name": "AveragePrecision", "bins": 5},
        ),
    ],
    ids=str,
)
def test_predictions_without_scores_have_no_log_loss_of_12_and_no_area(metric: Any) -> None:
    truths, answers = ["dog", "cat", "dog"], ["dog", "dog", "dog"]
    batch = from_predicted(truths, answers)
    results = results_of(batch, metric)
    assert results
    for result in results:
        assert result.error == (
            "expected a score with each prediction, found 3 without; give the model's "
            "probabilities, not its answers"
        )


def test_predicted_labels_stay_without_scores_when_selected_or_mapped(tmp_path: Path) -> None:
    batch = from_predicted(["dog", "cat"], ["dog", "dog"], uids=["a", "b"])
    for changed in (
        batch.select(np.array([1])),
        batch.relabel({Label("class", "cat"): Label("class", "dog")}),
        batch.detached(),
        pickle.loads(pickle.dumps(batch)),
    ):
        assert failure_of(changed, "LogLoss")
    evaluator = Evaluator(["LogLoss"], "classification")
    evaluator.update(batch)
    evaluator.update(from_arrays([0, 1], [0.25, 0.75], uids=["c", "d"]))
    evaluator.save(tmp_path / "state.npz")
    other = Evaluator(["LogLoss"], "classification")
    other.resume(tmp_path / "state.npz")
    assert other.compute()["LogLoss"].only.error


def test_scores_of_1_that_a_model_gave_are_scores() -> None:
    items = [Classification("a", "dog", {"dog": 1.0}), Classification("b", "dog", {"cat": 1.0})]
    assert value_of(items, "LogLoss") > 10

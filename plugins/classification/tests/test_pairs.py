from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from cases import for_each
from valor_classification.readers.arrays import predicted, scored

from valor_core import Evaluator, evaluate
from valor_core.errors import SchemaError
from valor_core.results import Failed


@pytest.mark.parametrize(
    ("true", "predictions"),
    [
        (["cat", "dog"], ["cat", "cat"]),
        ([0, 1, 2], np.array([0.0, 1.0, 2.0])),
        ([0, 1], [0, 1]),
        (["0", "1"], np.array([0.0, 1.0])),
        ([-1, 1], np.array([0.0, 1.0])),
        (np.array([[0], [1]]), np.array([[1], [1]])),
        ([True, False], [True, True]),
        (np.array(["cat", "3"], object), ["cat", "3"]),
    ],
)
def test_labels_and_labels_are_predicted_labels(true: Any, predictions: Any) -> None:
    batch = predicted(true, predictions)

    assert batch is not None
    assert len(batch) == len(true)
    assert scored(true, predictions) is None


@pytest.mark.parametrize(
    ("true", "predictions"),
    [
        ([0, 1], [0.25, 0.75]),
        (["no", "yes"], [0.25, 0.75]),
        ([0, 1], np.array([0.0, 1.0], np.float32)),
        ([1.0, 1.0], [0.0, 1.0]),
        ([True, False], [0.0, 1.0]),
        (["no", "yes"], [1.0, 1.0]),
        ([0, 1], [[0.25, 0.75], [0.5, 0.5]]),
        ([[1, 0], [0, 1]], [[0.25, 0.75], [0.5, 0.5]]),
    ],
)
def test_labels_and_numbers_are_scores(true: Any, predictions: Any) -> None:
    batch = scored(true, predictions)

    assert batch is not None
    assert batch.scores.values.shape == (2, 2)
    assert predicted(true, predictions) is None


@for_each("make", [predicted, scored])
@for_each(
    ("true", "predictions"),
    [
        (np.zeros((1, 2, 2)), np.zeros((1, 2, 2))),
        ([{"labels": [1]}], [{"labels": [1]}]),
        ([["a"], ["b", "c"]], ["a", "b"]),
        (3, [1]),
        ([0.25, 0.75], [0, 1]),
        ([[0.25, 0.75]], [0]),
        (object(), object()),
    ],
)
def test_what_is_of_another_task_is_none(make: Any, true: Any, predictions: Any) -> None:
    assert make(true, predictions) is None


def test_matrices_of_predicted_labels_suggest_what_to_pass() -> None:
    with pytest.raises(
        SchemaError, match=r"y_true, y_pred: expected one shape \(n,\), got \(2, 2\) and \(2, 2\)"
    ):
        predicted([[1, 0], [0, 1]], [[1, 0], [1, 1]])


def test_labels_of_different_length_are_rejected() -> None:
    with pytest.raises(
        SchemaError, match=r"y_true, y_pred: expected one shape \(n,\), got \(2,\) and \(1,\)"
    ):
        predicted([0, 1], [0])


def test_tensors_are_read_from_their_device_without_a_gradient() -> None:
    class Tensor:
        def __init__(self, values: Any) -> None:
            self.values = values

        def detach(self) -> Tensor:
            return self

        def cpu(self) -> Any:
            return np.asarray(self.values)

        def __array__(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("on another device")

    batch = scored(Tensor([0, 1]), Tensor([[0.75, 0.25], [0.5, 0.5]]))

    assert batch is not None
    assert batch.truth_labels.tolist() == [0, 1]


LOOP = [([0, 1], [0.2, 0.9]), ([0, 1], [0.0, 1.0]), ([1, 1], [1.0, 1.0]), ([0, 0], [0.0, 1.0])]


@for_each("order", list(permutations(range(4))))
def test_saturated_batch_of_scores_stays_scores_in_any_order(order: tuple[int, ...]) -> None:
    evaluator = Evaluator(["ROCAUC", "AveragePrecision", "LogLoss", "F1"])
    for index in order:
        true, predictions = LOOP[index]
        evaluator.update(np.array(true), np.array(predictions, np.float32))

    report = evaluator.compute()

    # scores of the positives are 0.9, 1, 1, 1; of the negatives 0.2, 0, 0, 1: the pairs that win
    # are 3 * 4, the ties 3, the pair that loses is (0.9, 1)
    assert report["ROCAUC", "1"].value == pytest.approx((12 + 3 / 2) / 16)
    assert report["F1", "1"].value == 2 * 4 / (2 * 4 + 1)
    assert not any(isinstance(result.value, Failed) for result in report.results)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_saturated_multilabel_batch_stays_scores_in_any_order(order: tuple[int, ...]) -> None:
    true = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0]])
    predictions = [np.array([[0.9, 0.2, 0.7], [0.1, 0.8, 0.3], [0.6, 0.9, 0.4]]), true, 1 - true]
    evaluator = Evaluator(["ROCAUC"])
    for index in order:
        evaluator.update(true, predictions[index].astype(np.float32))

    report = evaluator.compute()

    # of "0", positives score 0.9, 0.6, 1, 1, 0, 0 and negatives 0.1, 0, 1
    assert report["ROCAUC", "0"].value == pytest.approx((2 + 2 + 2 * 2.5 + 2 * 0.5) / 18)
    assert report.warnings == ()
    assert evaluate(true, true * 1.0, ["ROCAUC"])["ROCAUC", "2"].value == 1


def test_integral_scores_of_a_saturated_sigmoid_have_an_area() -> None:
    predictions = np.array([0.0, 1.0, 1.0], np.float32)

    for true in (np.array([0, 1, 1]), ["no", "yes", "yes"], [False, True, True]):
        area = evaluate(true, predictions, ["ROCAUC"]).results[-1]
        assert (area.parameters["label"] in ("1", "yes"), area.value) == (True, 1.0)


def test_saturated_batch_of_one_text_asks_for_both_classes() -> None:
    with pytest.raises(
        SchemaError, match="y_true: expected all 2 classes of the columns of y_score, found 1"
    ):
        evaluate(["yes", "yes"], [1.0, 0.0], ["ROCAUC"])

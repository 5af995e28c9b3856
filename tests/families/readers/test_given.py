"""What a newcomer hands over, told by all families together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from messages import refused

from valor_core import Evaluator, evaluate
from valor_core.errors import AmbiguousNameError, ConfigError, SchemaError, UnknownNameError

LABELS = (["cat", "dog", "cat"], ["cat", "cat", "cat"])
BOXES = (
    [{"boxes": [[0, 0, 2, 1]], "labels": [1]}],
    [{"boxes": [[0, 0, 2, 1]], "labels": [1], "scores": [0.5]}],
)
IMAGES = (np.array([[[0, 1], [1, 1]]]), np.array([[[0, 1], [0, 1]]]))


@pytest.mark.parametrize(
    ("sides", "metric", "task"),
    [
        (LABELS, "F1", "classification"),
        (LABELS, "Accuracy", "classification"),
        (([0, 1, 1], [0.25, 0.75, 0.5]), "ROCAUC", "classification"),
        (([0, 1], [[0.75, 0.25], [0.5, 0.5]]), "Accuracy", "classification"),
        ((np.eye(2), np.eye(2) / 2), "ROCAUC", "classification"),
        (BOXES, "mAP50", "detection"),
        (BOXES, "F1", "detection"),
        (IMAGES, "IOU", "segmentation"),
        (IMAGES, "Accuracy", "segmentation"),
        ((["a cat"], ["the cat"]), "ROUGE", "text"),
        (([["a cat", "cat"]], ["the cat"]), "BLEU", "text"),
    ],
)
def test_two_sides_and_a_metric_tell_the_task(sides: Any, metric: str, task: str) -> None:
    report = evaluate(*sides, [metric])

    assert report.config["task"] == task
    assert evaluate(*sides, metric, task).results == report.results
    evaluator = Evaluator([metric])
    evaluator.update(*sides)
    assert evaluator.compute().results == report.results


@pytest.mark.parametrize(
    ("rows", "metric", "task"),
    [
        ([{"y_true": "cat", "y_pred": "dog"}], "F1", "classification"),
        ([{"label": "a", "score_a": 0.75, "score_b": 0.25}], "ROCAUC", "classification"),
        ([{"response": "a cat", "references": ["the cat"]}], "ROUGE", "text"),
    ],
)
def test_a_table_tells_its_task(rows: Any, metric: str, task: str) -> None:
    assert evaluate(rows, [metric]).config["task"] == task


def test_two_tables_of_boxes_are_detection() -> None:
    box = {"xmin": 0, "ymin": 0, "xmax": 2, "ymax": 1}
    true = [{"image_id": "a", "label": "cat", **box}]
    seen = [{"image_id": "a", "label": "cat", "score": 0.5, **box}]

    report = evaluate(true, seen, ["mAP50"])

    assert report["mAP"].value == pytest.approx(1)


def test_labels_that_may_be_text_ask_for_the_task() -> None:
    with refused(ConfigError):
        evaluate(["cat"], ["dog"], ["NoSuchMetric"])


@pytest.mark.parametrize(
    ("sides", "metric"),
    [
        (([0.25, 0.75], [0, 1]), "F1"),
        (([[0.25, 0.75]], ["cat"]), "F1"),
        ((["the cat"], [["a cat", "cat"]]), "ROUGE"),
    ],
)
def test_sides_that_are_swapped_are_told_from_those_that_are_not(sides: Any, metric: str) -> None:
    with refused(SchemaError):
        evaluate(*sides, [metric])


def test_a_misspelled_metric_is_answered_with_the_one_that_was_meant() -> None:
    with refused(UnknownNameError):
        evaluate([0, 1], [0, 1], ["Acuracy"])


def test_an_evaluator_whose_task_nothing_told_yet_says_so() -> None:
    evaluator = Evaluator(["F1", "Accuracy"])

    assert repr(evaluator) == "<Evaluator of 2 metrics: F1, Accuracy; 0 items counted>"
    with refused(AmbiguousNameError):
        evaluator.compute()
    evaluator.update(*LABELS)
    assert "of classification: F1, Accuracy; 3 items" in repr(evaluator)


def test_the_numbers_of_labels_are_those_of_scikit_learn() -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(7)
    true = rng.integers(0, 4, 500)
    seen = np.where(rng.random(500) < 0.7, true, rng.integers(0, 4, 500))

    report = evaluate(true, seen, ["F1", "Accuracy"])

    assert float(report["Accuracy"]) == sklearn.accuracy_score(true, seen)
    expected = sklearn.f1_score(true, seen, average="macro")
    assert report["F1", "macro"].value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("task", ["classification", "detection", "rgb"])
def test_a_table_that_tells_nothing_is_answered_with_the_readers_of_its_task(task: str) -> None:
    with refused(ConfigError):
        evaluate([{"foo": 1, "bar": 2}], ["F1"], task=task)

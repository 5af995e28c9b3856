"""The one-call function in the style of the metrics documentation."""

from __future__ import annotations

from typing import Any

import pytest
from valor_classification import evaluate_classification
from valor_labels import Annotation, GroundTruth, Prediction, ScoredLabel

from valor_core import Registry
from valor_core.errors import ParameterError, SchemaError, UnknownNameError
from valor_core.schemas import Datum, Label


def truth(uid: str, *labels: Label) -> GroundTruth:
    return GroundTruth(Datum(uid), [Annotation(labels)])


def guess(uid: str, *labels: ScoredLabel) -> Prediction:
    return Prediction(Datum(uid), [Annotation(labels)])


DOG, CAT = Label("animal", "dog"), Label("animal", "cat")
TRUTHS = [truth("a", DOG), truth("b", CAT)]
GUESSES = [
    guess("a", ScoredLabel("animal", "dog", 0.75), ScoredLabel("animal", "cat", 0.25)),
    guess("b", ScoredLabel("animal", "dog", 0.75), ScoredLabel("animal", "cat", 0.25)),
]


def test_the_documented_metrics_are_computed_where_none_is_named() -> None:
    report = evaluate_classification(TRUTHS, GUESSES)

    # a is right, b is not: accuracy 1/2, and dog's precision 1/2, recall 1
    assert report["Accuracy"].value == 0.5
    assert report["Precision", "dog"].value == 0.5
    assert report["Recall", "dog"].value == 1.0
    assert {result.type for result in report} == {
        "Accuracy",
        "Precision",
        "Recall",
        "F1",
        "ROCAUC",
        "mROCAUC",
        "ConfusionMatrix",
    }


def test_datums_are_matched_by_uid_and_may_be_on_one_side_only() -> None:
    report = evaluate_classification(
        [*TRUTHS, truth("c", DOG)], GUESSES[::-1], metrics_to_return=["Accuracy"]
    )

    assert report["Accuracy"].value == pytest.approx(1 / 3)


def test_examples_are_bounded_by_the_documented_argument() -> None:
    truths = [truth(uid, DOG) for uid in "abc"]
    guesses = [guess(uid, ScoredLabel("animal", "dog", 0.9)) for uid in "abc"]

    report = evaluate_classification(
        truths,
        guesses,
        metrics_to_return=["DetailedPrecisionRecallCurve"],
        pr_curve_max_examples=2,
        pr_curve_iou_threshold=0.5,
    )

    hits = report["DetailedPrecisionRecallCurve"].value["dog"]["0.5"]["tp"]["observations"]["all"]
    assert hits == {"count": 3, "examples": ["a", "b"]}


@pytest.mark.parametrize(
    ("choice", "shown"),
    [
        ("DetailedPrecisionRecallCurve", 2),
        ("classification.DetailedPrecisionRecallCurve", 2),
        ("detailed_precision_recall_curve", 2),
        ("detailed_pr_curve", 2),
        ("classification.DetailedPrecisionRecallCurve@2", 2),
        ({"name": "Detailed-PR-Curve", "score_thresholds": [0.5]}, 2),
        ({"name": "DetailedPrecisionRecallCurve", "max_examples": 3}, 3),
        ({"name": "DetailedPrecisionRecallCurve", "pr_curve_max_examples": 0}, 0),
        (Registry().metric("classification.DetailedPrecisionRecallCurve"), 2),
    ],
)
def test_the_number_of_examples_holds_under_every_name_of_the_curve(
    choice: Any, shown: int
) -> None:
    report = evaluate_classification(
        [truth(uid, DOG) for uid in "abc"],
        [guess(uid, ScoredLabel("animal", "dog", 0.9)) for uid in "abc"],
        metrics_to_return=[choice],
        pr_curve_max_examples=2,
    )

    hits = report["DetailedPrecisionRecallCurve"].value["dog"]["0.5"]["tp"]["observations"]["all"]
    assert len(hits["examples"]) == shown


@pytest.mark.parametrize("choice", ["Accuracy", {"name": "Accuracy"}])
def test_single_metric_is_accepted_instead_of_a_list(choice: Any) -> None:
    report = evaluate_classification(TRUTHS, GUESSES, metrics_to_return=choice)

    assert [result.type for result in report] == ["Accuracy"]


def test_a_label_map_renames_both_sides() -> None:
    report = evaluate_classification(
        TRUTHS, GUESSES, label_map={CAT: DOG}, metrics_to_return=["Accuracy"]
    )

    assert report["Accuracy"].value == 1.0


def test_dictionaries_of_the_same_shape_will_do() -> None:
    truths: list[dict[str, Any]] = [
        {"datum": {"uid": "a"}, "annotations": [{"labels": [{"key": "animal", "value": "dog"}]}]}
    ]
    guesses: list[dict[str, Any]] = [
        {
            "datum": {"uid": "a"},
            "annotations": [{"labels": [{"key": "animal", "value": "dog", "score": 1.0}]}],
        }
    ]

    report = evaluate_classification(truths, guesses, metrics_to_return=["Accuracy"])

    assert report["Accuracy"].value == 1.0


def test_a_datum_given_twice_on_a_side_is_an_error() -> None:
    with pytest.raises(
        SchemaError, match="item 'a', groundtruths: expected each datum once, found it 2 times"
    ):
        evaluate_classification([truth("a", DOG), truth("a", CAT)], GUESSES)


def test_a_ground_truth_with_a_score_is_an_error() -> None:
    scored = GroundTruth("a", [Annotation([ScoredLabel("animal", "dog", 1.0)])])

    with pytest.raises(
        SchemaError, match="item 'a', groundtruths: expected labels without score, got"
    ):
        evaluate_classification([scored], GUESSES)


def test_a_prediction_without_a_score_is_an_error() -> None:
    bare = Prediction("a", [Annotation([DOG])])

    with pytest.raises(
        SchemaError, match=r"expected labels with a score, got Label\(key='animal', value='dog'\)"
    ):
        evaluate_classification(TRUTHS, [bare])


def test_a_metric_of_another_task_is_an_error() -> None:
    with pytest.raises(
        UnknownNameError, match="metric 'mAP': unknown in the task 'classification'"
    ):
        evaluate_classification(TRUTHS, GUESSES, metrics_to_return=["mAP"])


def test_annotations_of_objects_are_passed_over() -> None:
    box = Annotation([CAT], bounding_box=[(0, 0), (1, 0), (1, 1), (0, 1)])
    truths = [GroundTruth("a", [Annotation([DOG]), box]), TRUTHS[1]]

    report = evaluate_classification(truths, GUESSES, metrics_to_return=["Accuracy"])

    assert report["Accuracy"].value == 0.5


def test_documented_argument_data_shows_the_two_arguments_to_pass() -> None:
    with pytest.raises(
        ParameterError, match=r"evaluate_classification\(groundtruths, predictions\)"
    ):
        evaluate_classification(data=[])  # type: ignore[call-arg]

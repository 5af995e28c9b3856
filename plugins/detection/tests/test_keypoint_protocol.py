"""Keypoints under the protocol `keypoints`: values by hand, sigmas of labels, and errors."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from valor_detection.matching.candidate_pairs import request
from valor_detection.matching.protocols import KEYPOINTS

from valor_core import Evaluator
from valor_core.errors import ParameterError, ReadError
from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box

from .support import REGISTRY, results_of, value_of

BOX = Box(0, 0, 40, 40)
TWO = {"sigmas": [0.05, 0.1], "matching": "keypoints"}


def pose(*points: tuple[float, ...], label: str = "dog", **more: Any) -> TrueObject:
    return TrueObject(label, BOX, keypoints=points, **more)


def found(*points: tuple[float, ...], label: str = "dog", score: float = 0.5) -> PredictedObject:
    return PredictedObject({label: score}, BOX, keypoints=points)


def counts(items: list[Detection], **chosen: Any) -> Any:
    return value_of(items, "Counts", **TWO | chosen)


def test_predictions_match_by_similarity_of_keypoints() -> None:
    """The first point has exp(-2² / (2 · 1600 · 0.1²)) = 0.8825, the second 1: (0.8825 + 1) / 2."""
    item = Detection("a", [pose((10, 10), (30, 30))], [found((10, 12), (30, 30))])
    assert counts([item], iou_thresholds=[0.94]) == {"tp": 1, "fp": 0, "fn": 0}
    assert counts([item], iou_thresholds=[0.942]) == {"tp": 0, "fp": 1, "fn": 1}


def test_ground_truths_without_labelled_points_are_ignored() -> None:
    """The prediction is inside the enlarged box of the unlabelled object and counts neither way."""
    true = [pose((0, 0, 0), (0, 0, 0))]
    assert counts([Detection("a", true, [found((9, 9), (50, 50))])]) == {"tp": 0, "fp": 0, "fn": 0}
    far = [found((900, 900), (900, 900))]
    assert counts([Detection("a", true, far)]) == {"tp": 0, "fp": 1, "fn": 0}


def test_given_number_of_keypoints_decides_what_is_ignored() -> None:
    true = [pose((10, 10), (30, 30), num_keypoints=0)]
    assert counts([Detection("a", true, [])]) == {"tp": 0, "fp": 0, "fn": 0}
    unlabelled = [pose((0, 0, 0), (0, 0, 0), num_keypoints=1)]
    assert counts([Detection("a", unlabelled, [])]) == {"tp": 0, "fp": 0, "fn": 1}


def test_labels_may_have_different_numbers_of_points() -> None:
    item = Detection(
        "a",
        [pose((1, 1), (2, 2)), pose((5, 5, 2), (6, 6, 2), (7, 7, 2), label="cat")],
        [found((1, 1), (2, 2)), found((5, 5), (6, 6), (7, 7), label="cat")],
    )
    sigmas = {"dog": [0.05, 0.1], "cat": [0.1, 0.1, 0.1], "cow": [0.2]}
    results = results_of([item], {"name": "AP", "matching": "keypoints", "sigmas": sigmas})
    assert [round(result.value, 6) for result in results] == [1.0] * 4  # two labels, two thresholds


def test_pairs_with_small_boxes_need_no_overlap_of_boxes() -> None:
    true = TrueObject("dog", Box(0, 0, 1, 1), area=1e4, keypoints=[(10, 10), (30, 30)])
    predicted = PredictedObject({"dog": 0.5}, Box(8, 8, 9, 9), keypoints=[(10, 10), (30, 30)])
    assert counts([Detection("a", [true], [predicted])]) == {"tp": 1, "fp": 0, "fn": 0}


def test_saved_state_of_keypoints_gives_same_numbers(tmp_path: Any) -> None:
    items = [
        Detection("a", [pose((1, 1), (2, 2)), pose((0, 0, 0), (0, 0, 0))], [found((1, 2), (2, 2))]),
        Detection("b", [pose((9, 9), (2, 2))], [found((9, 9), (2, 2), score=0.75)]),
    ]
    metric = {"name": "KeypointSummary", "sigmas": TWO["sigmas"]}
    expected = results_of(items, metric).value
    evaluator = Evaluator([metric], "detection", registry=REGISTRY)
    evaluator.update(DetectionBatch.of(items[1:]))
    evaluator.save(tmp_path / "state.npz")
    again = Evaluator.load(tmp_path / "state.npz", registry=REGISTRY)
    again.update(DetectionBatch.of(items[:1]))
    assert again.compute()["KeypointSummary"].value == expected


def test_unlabelled_objects_are_ignored_only_under_keypoints() -> None:
    item = Detection("a", [pose((0, 0, 0), (0, 0, 0))], [])
    assert value_of([item], "Counts") == {"tp": 0, "fp": 0, "fn": 1}


@pytest.mark.parametrize(
    ("true", "predicted", "chosen", "message"),
    [
        (
            TrueObject("dog", BOX),
            found((1, 1), (2, 2)),
            {},
            "item 'a', groundtruths[0]: expected keypoints, got none\n"
            "Give keypoints to each TrueObject and PredictedObject, or read them from COCO's files "
            "with data.iou_type: keypoints.",
        ),
        (
            pose((1, 1), (2, 2)),
            found((1, 1), (2, 2), (3, 3)),
            {},
            "item 'a', predictions[0]: expected 2 keypoints, one for each sigma of label 'dog', "
            "got 3\nGive the sigmas of the 3 points: sigmas: {dog: [0.05, …]}.",
        ),
        (
            pose((1, 1), (2, 2)),
            found((1, 1), (2, 2)),
            {"sigmas": None},
            "item 'a', groundtruths[0]: expected 17 keypoints, one for each sigma of label 'dog', "
            "got 2",
        ),
        (
            pose((1, 1), (2, 2)),
            found((1, 1), (2, 2)),
            {"sigmas": {"cat": [0.1, 0.1]}},
            "sigmas: expected those of label 'dog', found those of 'cat'",
        ),
        (
            pose((1, 1), (2, 2), area=-4.0),
            found((1, 1), (2, 2)),
            {},
            "item 'a', groundtruths[0]: expected an area of 0 or more, got -4",
        ),
    ],
)
def test_error_names_object_and_remedy(
    true: TrueObject, predicted: PredictedObject, chosen: Any, message: str
) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        counts([Detection("a", [true], [predicted])], **chosen)


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"sigmas": [0.1]}, "sigmas must be null, except with matching: keypoints, got (0.1,)"),
        (
            {"matching": "keypoints", "convert_to": "box"},
            "convert_to must not be set with matching: keypoints, got 'box'",
        ),
        (
            {"matching": "keypoints", "overlap": "probiou"},
            "overlap must not be set with matching: keypoints, got 'probiou'",
        ),
        ({"matching": "keypoints", "sigmas": [0.1, 0]}, "sigmas must be above 0"),
        ({"matching": "keypoints", "sigmas": {"dog": [0.1, -1]}}, "above 0"),
        ({"matching": "keypoints", "sigmas": []}, "sigmas"),
        ({"matching": "keypoints", "sigmas": {"dog": []}}, "sigmas"),
    ],
)
def test_invalid_parameters_are_rejected(chosen: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        value_of([], "Counts", **chosen)


def test_labels_with_different_sigmas_are_not_matched_with_each_other() -> None:
    item = Detection("a", [pose((1, 1), (2, 2))], [found((1, 1), (2, 2), label="cat")])
    chosen = {"matching": "keypoints", "sigmas": {"dog": [0.1, 0.1], "cat": [0.2, 0.1]}}
    with pytest.raises(ReadError, match="expected equal ones of labels 'dog' and 'cat'"):
        value_of([item], "ConfusionMatrix", **chosen)
    same = chosen | {"sigmas": [0.1, 0.1]}
    matrix = value_of([item], "ConfusionMatrix", **same)["confusion_matrix"]
    assert matrix["dog"] == {"cat": 1, "dog": 0}


def test_far_predictions_form_no_pairs() -> None:
    items = [Detection("a", [pose((1, 1), (2, 2))], [found((900, 1), (2, 900))])]
    state = request((0.5,), KEYPOINTS.of_parameters(_Chosen())).open()
    state.update(DetectionBatch.of(items))
    assert np.diff(state.table.objects.starts).tolist() == [0]


class _Chosen:
    """Parameters of a metric."""

    sigmas = (0.05, 0.1)

"""The one-call function in the style of the metrics documentation."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from valor_detection import evaluate_detection
from valor_labels import Annotation, GroundTruth, Prediction, ScoredLabel

from valor_core.errors import ConfigError, ParameterError, SchemaError, ValorError
from valor_core.schemas import Datum, Label
from valor_core.schemas.geometry import Box

DOG, CAT = Label("animal", "dog"), Label("animal", "cat")
SQUARE, LOW = Box(0, 0, 10, 10), Box(0, 0, 10, 6)


def truth(uid: str, label: Label = DOG, box: Box = SQUARE) -> GroundTruth:
    return GroundTruth(Datum(uid), [Annotation([label], bounding_box=box, is_instance=True)])


def guess(uid: str, score: float, box: Box = SQUARE, value: str = "dog") -> Prediction:
    labels = [ScoredLabel("animal", value, score)]
    return Prediction(Datum(uid), [Annotation(labels, bounding_box=box, is_instance=True)])


TRUTHS = [truth("a"), truth("b")]
GUESSES = [guess("a", 0.9), guess("b", 0.3, LOW)]


def test_documented_metrics_are_the_default() -> None:
    report = evaluate_detection(TRUTHS, GUESSES)

    assert {result.type for result in report} == {
        "AP",
        "AR",
        "mAP",
        "mAR",
        "APAveragedOverIOUs",
        "mAPAveragedOverIOUs",
        "PrecisionRecallCurve",
    }
    aps = {one.parameters["iou_threshold"]: one.value for one in report.results["AP"]}
    # b has an IoU of 0.6: recalls 0 to 0.5 remain at 0.75
    assert aps == {0.5: 1.0, 0.75: 51 / 101}
    # b matches at 0.5, 0.55 and 0.6
    assert report["AR"].value == pytest.approx((3 * 1.0 + 7 * 0.5) / 10)


def test_thresholds_apply_to_the_documented_metrics() -> None:
    report = evaluate_detection(
        TRUTHS,
        GUESSES,
        iou_thresholds_to_compute=[0.5, 0.75],
        iou_thresholds_to_return=[0.6],
        recall_score_threshold=0.5,
        pr_curve_iou_threshold=0.65,
    )

    assert report["AP"].only.parameters["iou_threshold"] == 0.6
    assert report["mAP"].only.parameters["iou_threshold"] == 0.6
    assert report["APAveragedOverIOUs"].value == (1 + 51 / 101) / 2
    # only a has the score
    assert report["AR"].value == 0.5
    assert report["mAR"].only.parameters["score_threshold"] == 0.5
    curve = report["PrecisionRecallCurve"].value["dog"]
    assert (curve["0.05"]["tp"], curve["0.05"]["fp"]) == (1, 1)


def test_parameters_of_a_metric_take_precedence() -> None:
    report = evaluate_detection(
        TRUTHS,
        GUESSES,
        metrics_to_return=[
            {"name": "AP", "iou_thresholds": [0.55], "matching": "ranked"},
            {"name": "detection.mAP@2", "iou_thresholds_to_return": [0.75]},
            {"name": "pr_curve", "score_thresholds": [0.5]},
        ],
        pr_curve_iou_threshold=0.65,
    )

    assert report["AP"].only.parameters["iou_threshold"] == 0.55
    assert report["AP"].only.parameters["matching"] == "ranked"
    assert report["mAP"].value == 51 / 101
    assert report["PrecisionRecallCurve"].only.parameters["iou_threshold"] == 0.65


def test_default_rule_is_that_of_the_documented_library() -> None:
    square, shifted = Box(0, 0, 10, 10), Box(3, 0, 13, 10)
    truths = [GroundTruth("a", [Annotation([DOG], bounding_box=box) for box in (square, shifted)])]
    labels = [ScoredLabel("animal", "dog", 0.9)]
    guesses = [
        Prediction(
            "a",
            [Annotation(labels, bounding_box=box) for box in (square, Box(1, 0, 11, 10))],
        )
    ]

    def found(**more: Any) -> Any:
        chosen: Any = {"metrics_to_return": ["AP"], "iou_thresholds_to_return": [0.5]}
        return evaluate_detection(truths, guesses, **chosen, **more)["AP"].value

    # The second prediction overlaps most with the match of the first, and enough with the other.
    assert found() == 51 / 101
    assert found(matching="ranked") == 1.0


def test_a_label_map_renames_both_sides() -> None:
    report = evaluate_detection(
        [truth("a", CAT)],
        [guess("a", 0.9)],
        label_map={CAT: DOG},
        metrics_to_return=["mAPAveragedOverIOUs"],
    )

    assert report["mAPAveragedOverIOUs"].value == 1.0


def test_shapes_are_converted_to_the_requested_kind() -> None:
    mask = np.zeros((10, 10), dtype=bool)
    mask[:6] = True
    mask[9, 9] = True
    truths = [GroundTruth("a", [Annotation([DOG], raster=mask)])]
    guesses = [
        Prediction("a", [Annotation([ScoredLabel("animal", "dog", 0.9)], raster=mask[:, ::-1])])
    ]

    def found(kind: str | None) -> Any:
        return evaluate_detection(
            truths,
            guesses,
            metrics_to_return=["AP"],
            iou_thresholds_to_return=[0.99],
            convert_annotations_to_type=kind,
        )["AP"].value

    # 60 of 62 pixels in common; the bounding boxes are equal
    assert found(None) == 0.0
    assert found("raster") == 0.0
    assert found("box") == 1.0


def test_dictionaries_of_the_same_shape_are_accepted() -> None:
    corners = [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]
    geojson = {"type": "Polygon", "coordinates": [corners]}
    truths: list[dict[str, Any]] = [
        {
            "datum": {"uid": "a", "metadata": {"height": 20, "width": 20}},
            "annotations": [
                {
                    "labels": [{"key": "animal", "value": "dog"}],
                    "polygon": geojson,
                    "is_instance": True,
                }
            ],
        }
    ]
    guesses: list[dict[str, Any]] = [
        {
            "datum": {"uid": "a"},
            "annotations": [
                {
                    "labels": [{"key": "animal", "value": "dog", "score": 0.5}],
                    "bounding_box": {"value": [corners]},
                    "is_instance": True,
                }
            ],
        }
    ]

    report = evaluate_detection(truths, guesses, metrics_to_return=["mAPAveragedOverIOUs"])
    assert report["mAPAveragedOverIOUs"].value == 1.0


def test_datums_of_only_one_side_are_counted() -> None:
    report = evaluate_detection([truth("a")], [guess("b", 0.9)], metrics_to_return=["Counts"])

    assert report["Counts"].find(iou_threshold=0.5).value == {"tp": 0, "fp": 1, "fn": 1}


def test_annotations_of_other_tasks_are_skipped() -> None:
    whole = Annotation([DOG])
    area = Annotation([DOG], raster=np.ones((2, 2)), is_instance=False)
    truths = [GroundTruth("a", [*truth("a").annotations, whole, area])]

    report = evaluate_detection(truths, [guess("a", 0.9)], metrics_to_return=["Counts"])
    assert report["Counts"].find(iou_threshold=0.5).value == {"tp": 1, "fp": 0, "fn": 0}


def test_annotations_without_any_object_are_rejected() -> None:
    bare = [Prediction("a", [Annotation([ScoredLabel("animal", "dog", 0.5)])])]

    with pytest.raises(
        SchemaError, match="predictions: expected annotations with a bounding_box, polygon or"
    ):
        evaluate_detection(TRUTHS, bare)


@pytest.mark.parametrize(
    ("truths", "guesses", "message"),
    [
        (
            [truth("a"), truth("a")],
            GUESSES,
            "item 'a', groundtruths: expected each datum once, found it 2 times",
        ),
        (guess("a", 0.5), GUESSES, "item 'a', groundtruths: expected labels without score, got"),
        (TRUTHS, truth("a"), "expected labels with a score, got Label(key='animal', value='dog')"),
    ],
)
def test_invalid_sides_are_rejected(truths: Any, guesses: Any, message: str) -> None:
    if isinstance(truths, Prediction):
        truths = [GroundTruth(truths.datum, truths.annotations)]
    if isinstance(guesses, GroundTruth):
        guesses = [Prediction(guesses.datum, guesses.annotations)]

    with pytest.raises(SchemaError, match=re.escape(message)):
        evaluate_detection(truths, guesses)


def test_metric_of_another_task_and_unknown_parameter_are_rejected() -> None:
    with pytest.raises(ValorError, match="metric 'ROCAUC': unknown in the task 'detection'"):
        evaluate_detection(TRUTHS, GUESSES, metrics_to_return=["ROCAUC"])
    with pytest.raises(
        (ParameterError, ConfigError), match=r"detection\.AP: iou_treshold: unknown key"
    ):
        evaluate_detection(TRUTHS, GUESSES, metrics_to_return=[{"name": "AP", "iou_treshold": 0.5}])


def polygon_of(corners: Any) -> list[dict[str, Any]]:
    polygon = {"type": "Polygon", "coordinates": [corners]}
    labels = [{"key": "animal", "value": "dog"}]
    return [{"datum": "a", "annotations": [{"labels": labels, "polygon": polygon}]}]


@pytest.mark.parametrize("corners", [[(0, 0), (2, 2), (2, 0), (0, 2)], [(1, 1)], [(0, 0), (1, 1)]])
def test_invalid_geometries_are_rejected_unless_skipped(corners: Any) -> None:
    truths = polygon_of(corners)
    with pytest.raises(SchemaError, match=r"item 'a', groundtruths\[0\]: expected a shape"):
        evaluate_detection(truths, GUESSES)
    report = evaluate_detection(truths, GUESSES, invalid_geometry="skip")
    assert [one.split(":")[0] for one in report.warnings] == ["1 groundtruth left out"]
    with pytest.raises(
        ParameterError, match="expected one of error, repair, skip, accept, got 'ignore'"
    ):
        evaluate_detection(truths, GUESSES, invalid_geometry="ignore")  # type: ignore[arg-type]


def test_unknown_keys_of_dictionaries_are_named() -> None:
    with pytest.raises(
        SchemaError,
        match=r"groundtruths\[0\]: GroundTruth: expected no keys but datum, annotations,",
    ):
        evaluate_detection([{"datum": "a", "annotation": []}], [])


def test_error_names_kinds_as_the_caller_does() -> None:
    with pytest.raises(
        SchemaError, match="expected a raster for convert_annotations_to_type: raster, got"
    ):
        evaluate_detection(TRUTHS, GUESSES, convert_annotations_to_type="raster")
    with pytest.raises(ParameterError, match="expected one of box, polygon, raster, got 'rastr'"):
        evaluate_detection(TRUTHS, GUESSES, convert_annotations_to_type="rastr")


def test_examples_name_positions_in_the_arguments() -> None:
    flat = Annotation(labels=[DOG], bounding_box=Box(0, 0, 0, 1), is_instance=True)
    whole = Annotation(labels=[DOG])  # of the image: another task's
    right = Annotation(labels=[DOG], bounding_box=SQUARE, is_instance=True)
    report = evaluate_detection(
        [GroundTruth(Datum("a"), [whole, flat, right])],
        [Prediction(Datum("a"), [])],
        metrics_to_return=[{"name": "Examples", "iou_thresholds": [0.5]}],
        invalid_geometry="skip",
    )
    (image,) = report["Examples"].value
    assert image["false_negatives"] == [2]


@pytest.mark.parametrize(
    ("nothing", "message"),
    [
        (None, "groundtruths: expected a list with one entry per datum, got None"),
        ("abc", "groundtruths: expected a list with one entry per datum, got 'abc'"),
        (3, "groundtruths: expected a list with one entry per datum, got 3"),
        ({"datum": "a"}, "expected a list with one entry per datum, got {'datum': 'a'}"),
    ],
)
def test_argument_that_is_no_list_is_named(nothing: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        evaluate_detection(nothing, GUESSES)


@pytest.mark.parametrize("choice", ["mAP", {"name": "mAP"}])
def test_one_metric_needs_no_list(choice: Any) -> None:
    one, listed = (
        evaluate_detection(TRUTHS, GUESSES, metrics_to_return=chosen)
        for chosen in (choice, [choice])
    )
    assert len(one["mAP"]) > 0
    assert one.results == listed.results


def sized(height: Any) -> Datum:
    return Datum("a", {"height": height, "width": 20})


def test_a_datum_has_one_size() -> None:
    box = Annotation([DOG], bounding_box=SQUARE, is_instance=True)
    with pytest.raises(
        SchemaError, match="item 'a', height: expected the same on both sides, got 50 of the ground"
    ):
        evaluate_detection([GroundTruth(sized(50), [box])], [Prediction(sized(5), [])])


def test_a_flag_is_no_height() -> None:
    box = Annotation([DOG], bounding_box=SQUARE, is_instance=True)
    choice = {"name": "ConfusionMatrix", "iou_thresholds": [0.5]}
    truths = [GroundTruth(sized(height=True), [box])]
    report = evaluate_detection(truths, [], metrics_to_return=choice)
    assert report["ConfusionMatrix"].value["unmatched_ground_truths"] == {"dog": 1}


def test_documented_argument_data_shows_the_two_arguments_to_pass() -> None:
    with pytest.raises(ParameterError, match=r"evaluate_detection\(groundtruths, predictions\)"):
        evaluate_detection(data=[])  # type: ignore[call-arg]

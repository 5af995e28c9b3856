"""The one-call function of the metrics documentation."""

from __future__ import annotations

import pytest
from valor_labels import Annotation, GroundTruth, Prediction, ScoredLabel
from valor_segmentation import evaluate_segmentation

from valor_core.errors import ParameterError, SchemaError

TRUTHS = [
    GroundTruth(
        "a",
        [
            Annotation(["dog"], raster=[[1, 0, 0, 0], [0, 0, 0, 0]]),
            Annotation(["dog"], raster=[[0, 1, 0, 0], [0, 0, 0, 0]]),
            Annotation(["cat"], raster=[[0, 0, 1, 1], [0, 0, 0, 0]]),
            Annotation(["cat"], raster=[[1, 1, 1, 1], [1, 1, 1, 1]], is_instance=True),
            Annotation(["rain"]),
        ],
    )
]
SEEN = [
    Prediction(
        "a",
        [
            Annotation([ScoredLabel("class", "dog", 0.5)], raster=[[1, 1, 0, 0], [1, 1, 0, 0]]),
            Annotation(["cat"], raster=[[0, 0, 1, 0], [0, 0, 0, 0]]),
        ],
    )
]


def test_rasters_of_a_label_are_one_and_objects_are_passed_over() -> None:
    report = evaluate_segmentation(TRUTHS, SEEN)

    assert report["IOU", "dog"].value == 2 / 4
    assert report["IOU", "cat"].value == 1 / 2
    assert report["mIOU"].value == 0.5
    assert {result.type for result in report.results} == {
        "IOU",
        "mIOU",
        "Precision",
        "Recall",
        "F1",
    }


def test_labels_are_renamed_and_metrics_chosen() -> None:
    report = evaluate_segmentation(
        TRUTHS, SEEN, label_map={"dog": "pet", "cat": "pet"}, metrics_to_return=["Counts"]
    )

    assert report["Counts", "pet"].value == {"tp": 3, "fp": 2, "fn": 1, "tn": 2}


def test_one_metric_is_chosen_by_its_name_alone() -> None:
    report = evaluate_segmentation(TRUTHS, SEEN, metrics_to_return="mIOU")

    assert {result.type for result in report.results} == {"mIOU"}


def test_labels_that_share_pixels_are_an_error_by_default() -> None:
    both = [
        GroundTruth(
            "a", [Annotation(["dog"], raster=[[1, 1]]), Annotation(["cat"], raster=[[0, 1]])]
        )
    ]

    with pytest.raises(
        SchemaError, match="expected one label per pixel, 1 have both 'dog' and 'cat'"
    ):
        evaluate_segmentation(both, [])
    report = evaluate_segmentation(both, [], overlap="last", metrics_to_return=["Counts"])
    assert report["Counts", "dog"].value["fn"] == 1


def test_rasters_of_several_sizes_are_an_error() -> None:
    odd = [
        Prediction(
            "a", [Annotation(["dog"], raster=[[1, 1]]), Annotation(["dog"], raster=[[1], [1]])]
        )
    ]

    with pytest.raises(
        SchemaError, match="expected rasters of one size for 'dog', got 1 by 2 and 2 by 1 pixels"
    ):
        evaluate_segmentation([], odd)


def test_documented_argument_data_shows_the_two_arguments_to_pass() -> None:
    with pytest.raises(ParameterError, match=r"evaluate_segmentation\(groundtruths, predictions\)"):
        evaluate_segmentation(data=[])  # type: ignore[call-arg]

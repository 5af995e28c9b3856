"""Pixel metrics compared with numbers calculated by hand."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from valor_segmentation.readers.in_memory import from_arrays

from valor_core.errors import ReadError, SchemaError
from valor_core.schemas import Datums
from valor_core.schemas.label import as_labels
from valor_core.schemas.segmentation import (
    LabelImage,
    Layer,
    Legend,
    Segmentation,
    SegmentationBatch,
)

from .support import results_of, value_of

LABELS = ["cat", "dog", "bee", "owl"]
ITEMS = (
    # cat: 3 true, 2 of them predicted, 1 more predicted on background. dog: 2 true, 1 predicted,
    # 1 taken for a bee, which is nowhere true. owl is nowhere. One background pixel is right.
    Segmentation("a", [[1, 1, 1, 0], [0, 2, 2, 9]], [[1, 1, 0, 1], [0, 2, 3, 1]], LABELS, ignore=9),
    # dog: 1 true, not predicted at all.
    Segmentation("b", [[2, 0]], None, LABELS),
)
"""cat: tp 2, fp 1, fn 1. dog: tp 1, fp 0, fn 2. bee: fp 1. Background: tp 2, fp 2, fn 1."""


def by_label(name: str, **parameters: Any) -> dict[str, Any]:
    results = results_of(ITEMS, {"name": name} | parameters)
    return {r.parameters["label"]: r.to_dict()["value"] for r in results if "label" in r.parameters}


def mean_of(name: str, average: str, **parameters: Any) -> Any:
    (result,) = results_of(ITEMS, {"name": name, "average": [average]} | parameters)
    return result


def test_counts() -> None:
    assert by_label("Counts") == {
        "bee": {"tp": 0, "fp": 1, "fn": 0, "tn": 8},
        "cat": {"tp": 2, "fp": 1, "fn": 1, "tn": 5},
        "dog": {"tp": 1, "fp": 0, "fn": 2, "tn": 6},
        "owl": {"tp": 0, "fp": 0, "fn": 0, "tn": 9},
    }


def test_iou_of_each_label() -> None:
    assert by_label("IOU") == {"bee": 0.0, "cat": 2 / 4, "dog": 1 / 3, "owl": None}
    (owl,) = [r for r in results_of(ITEMS, "IOU") if r.parameters["label"] == "owl"]
    assert owl.undefined == "label in no pixel"


def test_precision_recall_and_f1_of_each_label() -> None:
    assert by_label("Precision") == {"bee": 0.0, "cat": 2 / 3, "dog": 1.0, "owl": 0.0}
    assert by_label("Recall") == {"bee": 0.0, "cat": 2 / 3, "dog": 1 / 3, "owl": 0.0}
    assert by_label("F1") == {"bee": 0.0, "cat": 4 / 6, "dog": 2 / 4, "owl": 0.0}
    assert by_label("Dice") == by_label("F1")


def test_zero_division_is_what_0_over_0_is() -> None:
    assert by_label("Precision", zero_division=1.0)["owl"] == 1.0
    assert by_label("Recall", zero_division=None) == {
        "bee": None,
        "cat": 2 / 3,
        "dog": 1 / 3,
        "owl": None,
    }


def test_macro_means_leave_out_labels_without_true_pixels_and_count_them() -> None:
    result = mean_of("Recall", "macro")

    assert result.value == (2 / 3 + 1 / 3) / 2
    assert result.left_out == {"label only in predictions": 1, "label in no pixel": 1}


def test_labels_of_predictions_can_take_part() -> None:
    result = mean_of("Precision", "macro", include_prediction_only_labels=True)

    assert result.value == pytest.approx((0 + 2 / 3 + 1) / 3, abs=1e-16)
    assert result.left_out == {"label in no pixel": 1}


def test_micro_pools_pixels_and_weighted_weighs_by_true_pixels() -> None:
    # tp 3, fp 2, fn 3 of all labels; true pixels: cat 3, dog 3.
    assert mean_of("Precision", "micro").value == 3 / 5
    assert mean_of("IOU", "micro").value == 3 / 8
    assert mean_of("IOU", "weighted").value == pytest.approx((3 * 0.5 + 3 / 3) / 6, abs=1e-16)


def test_mean_iou_by_label_key() -> None:
    (result,) = results_of(ITEMS, "mIOU")

    assert result.parameters == {"label_key": "class", "average": "macro", "background": False}
    assert result.value == pytest.approx((1 / 2 + 1 / 3) / 2, abs=1e-16)
    assert result.left_out == {"label only in predictions": 1, "label in no pixel": 1}


def test_background_can_take_part_in_mean_iou() -> None:
    assert value_of(ITEMS, "mIOU", background=True) == pytest.approx(
        (2 / 5 + 1 / 2 + 1 / 3) / 3, abs=1e-16
    )


def test_accuracy_with_and_without_background() -> None:
    assert value_of(ITEMS, "Accuracy") == 5 / 9
    assert value_of(ITEMS, "Accuracy", background=False) == 3 / 6


def test_confusion_matrix_of_pixels() -> None:
    value = value_of(ITEMS, "ConfusionMatrix")

    assert value["confusion_matrix"]["dog"] == {"bee": 1, "cat": 0, "dog": 1, "owl": 0}
    assert value["unmatched_ground_truths"] == {"bee": 0, "cat": 1, "dog": 1, "owl": 0}
    assert value["unmatched_predictions"] == {"bee": 0, "cat": 1, "dog": 0, "owl": 0}
    assert value["background"] == 2


def test_confusion_matrix_of_shares() -> None:
    by_truth = value_of(ITEMS, "ConfusionMatrix", normalize="truth")
    by_prediction = value_of(ITEMS, "ConfusionMatrix", normalize="prediction")
    of_all = value_of(ITEMS, "ConfusionMatrix", normalize="all")
    ious = value_of(ITEMS, "ConfusionMatrix", normalize="iou")

    assert by_truth["confusion_matrix"]["dog"]["bee"] == 1 / 3
    assert by_truth["unmatched_predictions"]["cat"] == 1 / 3
    assert by_prediction["confusion_matrix"]["dog"]["bee"] == 1.0
    assert by_prediction["unmatched_ground_truths"]["dog"] == 1 / 4
    assert of_all["confusion_matrix"]["cat"]["cat"] == 2 / 9
    # dog has 3 true pixels, bee 1 predicted pixel, and they share 1.
    assert ious["confusion_matrix"]["dog"]["bee"] == 1 / 3
    assert ious["unmatched_ground_truths"]["dog"] == 1 / 3
    assert ious["unmatched_predictions"]["cat"] == 1 / 3
    assert ious["background"] == 2 / 5


def test_examples_are_ranked_by_wrong_pixels() -> None:
    first, second = value_of(ITEMS, "Examples")

    assert first == {
        "datum_id": "a",
        "wrong": 3,
        "iou": (2 / 4 + 1 / 2) / 2,
        "labels": {
            "bee": {"tp": 0, "fp": 1, "fn": 0},
            "cat": {"tp": 2, "fp": 1, "fn": 1},
            "dog": {"tp": 1, "fp": 0, "fn": 1},
        },
    }
    assert second == {
        "datum_id": "b",
        "wrong": 1,
        "iou": 0.0,
        "labels": {"dog": {"tp": 0, "fp": 0, "fn": 1}},
    }


def test_examples_of_a_label_are_ranked_by_its_iou() -> None:
    images = value_of(ITEMS, "Examples", label="dog", order="iou")

    assert [(image["datum_id"], image["iou"]) for image in images] == [("b", 0.0), ("a", 0.5)]
    assert [image["wrong"] for image in images] == [1, 1]
    assert list(images[1]["labels"]) == ["dog"]


def test_examples_can_be_cut() -> None:
    assert [i["datum_id"] for i in value_of(ITEMS, "Examples", order="uid", offset=1)] == ["b"]
    assert value_of(ITEMS, "Examples", limit=0) == []
    assert len(value_of(ITEMS, "Examples", label="cat", errors_only=True)) == 1
    right = Segmentation("r", [[1, 0]], [[1, 0]], LABELS)
    assert value_of([right], "Examples", errors_only=True) == []


def test_an_image_without_labels_has_no_iou_and_comes_last() -> None:
    empty = Segmentation("0", [[0, 0]], [[0, 0]], LABELS)
    images = value_of([*ITEMS, empty], "Examples", order="iou")

    assert [image["datum_id"] for image in images] == ["b", "a", "0"]
    assert images[2] == {"datum_id": "0", "wrong": 0, "iou": None, "labels": {}}


def test_items_without_annotations_count_nothing() -> None:
    assert results_of([*ITEMS, Segmentation("c")], "Counts", "mIOU") == results_of(
        ITEMS, "Counts", "mIOU"
    )
    for result in results_of([Segmentation("c")], "IOU", "mIOU", "Accuracy"):
        assert result.undefined == "no data to compute it from"


def test_only_background_is_all_right_and_has_no_mean_iou() -> None:
    items = [Segmentation("a", [[0, 0]], [[0, 0]], LABELS)]

    assert value_of(items, "Accuracy") == 1.0
    (result,) = results_of(items, "mIOU")
    assert result.undefined == "no labels with a value"
    assert result.left_out == {"label in no pixel": 4}
    (no_labels,) = results_of(items, {"name": "Accuracy", "background": False})
    assert no_labels.undefined == "no pixels with a true label"


def test_label_keys_are_counted_separately() -> None:
    item = Segmentation(
        "a",
        {"sky": [[True, False]], ("surface", "wet"): [[True, True]]},
        {"sky": [[True, True]], ("surface", "dry"): [[True, False]]},
    )
    results = results_of([item], "mIOU", {"name": "Accuracy"})

    assert [(r.type, r.parameters["label_key"], r.value) for r in results] == [
        ("mIOU", "class", 0.5),
        ("mIOU", "surface", 0.0),
        ("Accuracy", "class", 0.5),
        ("Accuracy", "surface", 0.0),
    ]


def test_a_label_map_that_parts_a_layer_leaves_each_key_its_own_labels() -> None:
    item = Segmentation("a", [[1, 2, 2]], [[1, 1, 2]], ["cat", "sky"])
    renames = [("sky", ["backdrop", "sky"])]
    results = results_of([item], "Counts", label_map=renames)

    assert results["Counts", "cat"].value == {"tp": 1, "fp": 1, "fn": 0, "tn": 1}
    assert results["Counts", "sky"].value == {"tp": 1, "fp": 0, "fn": 1, "tn": 1}


def test_labels_that_a_label_map_joins_are_one() -> None:
    item = Segmentation("a", [[1, 2, 0]], [[2, 1, 1]], ["tabby", "siamese"])
    results = results_of([item], "Counts", label_map={"tabby": "cat", "siamese": "cat"})

    assert results["Counts", "cat"].value == {"tp": 2, "fp": 1, "fn": 0, "tn": 0}


def test_more_labels_than_a_table_holds_are_rejected() -> None:
    labels = [str(i) for i in range(10_001)]
    batch = from_arrays([[[1]]], [[[1]]], labels=labels)

    for name in ("IOU", "BoundaryIOU"):
        with pytest.raises(
            ReadError,
            match="batch 0: labels: expected at most 10,000 of one key, got 10,001, whose",
        ):
            results_of(batch, name)


def test_rows_of_images_take_no_table_of_labels_each() -> None:
    labels = [str(i) for i in range(500)]
    images = np.zeros((40, 8, 8), np.uint16)
    batch = from_arrays(images, images, labels=labels)
    tracemalloc.start()
    try:
        value_of(batch, "Examples")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 20 * 8 * 500**2  # half of what a table for each image takes


def test_ignored_pixels_of_a_prediction_are_rejected() -> None:
    legend = Legend.of_labels(1, ignore=255)
    layer = Layer([LabelImage([[1, 255, 0]], legend)], [LabelImage([[1, 1, 255]], legend)])

    with pytest.raises(SchemaError, match="expected labels and background, got ignored pixels"):
        SegmentationBatch(Datums(["a"]), as_labels(["cat"]), [layer])


TRUE, SEEN = np.array([[[1, 1, 2, 2]]]), np.array([[[1, 1, 1, 2]]])


@pytest.mark.parametrize(
    "labels",
    [
        ["cat", "dog"],
        {1: "cat", 2: "dog"},
        {2: "dog", 1: "cat"},
        {0: "background", 1: "cat", 2: "dog"},
        {2: "dog", 0: None, 1: "cat"},
    ],
)
def test_labels_by_value_are_not_named_in_the_order_of_a_dict(labels: Any) -> None:
    results = results_of(from_arrays(TRUE, SEEN, labels=labels), "IOU")

    # cat: 2 of the 3 pixels that either side has; dog: 1 of 2.
    assert results["IOU", "cat"].value == 2 / 3
    assert results["IOU", "dog"].value == 1 / 2


def test_train_ids_from_0_count_and_255_does_not() -> None:
    true = np.array([[[0, 0, 0, 18, 255]]], np.uint8)
    predicted = np.array([[[0, 0, 18, 18, 0]]], np.int64)
    labels = {0: "road", 18: "bicycle"}

    batch = from_arrays(true, predicted, labels=labels, ignore=255)
    results = results_of(batch, "IOU")

    # road: 2 pixels of 3, since the fifth does not count; bicycle: 1 of 2.
    assert results["IOU", "road"].value == 2 / 3
    assert results["IOU", "bicycle"].value == 1 / 2
    assert value_of(batch, "Accuracy") == 3 / 4


def test_value_missing_from_a_mapping_is_rejected() -> None:
    batch = from_arrays(TRUE, SEEN, labels={0: "road", 1: "cat"})

    with pytest.raises(
        ReadError, match="batch 0: item 0, groundtruth: expected the value of a label, got 2 at"
    ):
        results_of(batch, "IOU")


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.int64])
def test_a_value_that_is_no_label_names_the_item_and_the_place(dtype: Any) -> None:
    image = np.zeros((3, 4), dtype)
    wrong = image.copy()
    wrong[2, 1] = 77

    for true, predicted in ((wrong, image), (image, wrong)):
        batch = from_arrays([image, true], [image, predicted], labels=["cat"])
        with pytest.raises(ReadError, match="expected the value of a label, got 77 at row 2"):
            results_of(batch, "IOU")


def test_rows_read_strip_by_strip_are_counted_like_the_whole() -> None:
    class Striped:
        strip_rows = 2

        def __init__(self, array: Any) -> None:
            self.array, self.shape, self.most = np.asarray(array), np.shape(array), 0

        def read(self, first: int, last: int) -> Any:
            self.most = max(self.most, last - first)
            return self.array[first:last]

    rng = np.random.default_rng(1)
    true, predicted = rng.integers(0, 3, (2, 5_000, 1_000)).astype(np.uint8)
    striped = Striped(true), Striped(predicted)
    found, expected = (
        value_of(from_arrays([a], [b], labels=["x", "y"]), "ConfusionMatrix")
        for a, b in (striped, (true, predicted))
    )

    assert found == expected
    assert striped[0].most <= (1 << 22) // 1000

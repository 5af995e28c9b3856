"""Examples lists the worst images by each metric that has a value of one image."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from valor_segmentation.metrics.examples import badness
from valor_segmentation.parameters.gallery import Order

from valor_core.errors import ParameterError
from valor_core.schemas.segmentation import Segmentation

from .support import results_of, value_of

LABELS = ["cat", "dog"]


def square(first: int, last: int) -> Any:
    image = np.zeros((12, 12), np.uint8)
    image[first:last, first:last] = 1
    return image


def item(uid: str, true: Any, predicted: Any) -> Segmentation:
    return Segmentation(uid, true, predicted, labels=LABELS)


# A square of 8 by 8, and what is seen of it: the same, one of 6 by 6, one of 4 by 4.
ITEMS = [
    item("same", square(2, 10), square(2, 10)),
    item("small", square(2, 10), square(4, 8)),
    item("near", square(2, 10), square(3, 9)),
]
METRICS = {
    "boundary_iou": "BoundaryIOU",
    "hausdorff": "Hausdorff",
    "panoptic_quality": "PanopticQuality",
    "segmentation_quality": "SegmentationQuality",
    "recognition_quality": "RecognitionQuality",
    "iou": "IOU",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
}


def listed(order: str, items: Any = ITEMS, **parameters: Any) -> Any:
    return value_of(items, "Examples", order=order, **parameters)


def test_images_are_listed_by_the_boundaries_they_share() -> None:
    # Boundaries of one pixel share nothing with those of a smaller square; of two, 28 pixels of the
    # first and 48 - 16 = 20 more of the second square: 20 / (48 + 32 - 20).
    worst = listed("boundary_iou", settings={"width_in_pixels": 2})

    assert [image["datum_id"] for image in worst] == ["small", "near", "same"]
    assert [image["boundary_iou"] for image in worst] == [0.0, 20 / 60, 1.0]
    assert worst[0]["labels"] == {"cat": {"tp": 16, "fp": 0, "fn": 48, "boundary_iou": 0.0}}


def test_images_are_listed_by_the_distance_of_edges() -> None:
    worst = listed("hausdorff")

    assert [image["datum_id"] for image in worst] == ["small", "near", "same"]
    distances = [image["hausdorff"] for image in worst]
    assert distances == pytest.approx([8**0.5, 2**0.5, 0])


def test_images_are_listed_by_panoptic_quality() -> None:
    # IoUs of 16 / 64, which is no match, and of 36 / 64.
    worst = listed("panoptic_quality", settings={"background_is_void": False})

    assert [image["panoptic_quality"] for image in worst] == [0.0, 36 / 64, 1.0]


def test_images_are_listed_by_accuracy() -> None:
    assert [image["accuracy"] for image in listed("accuracy")] == [96 / 144, 116 / 144, 1.0]
    assert [image["accuracy"] for image in listed("accuracy", label="cat")] == [0.25, 36 / 64, 1]


@pytest.mark.parametrize("order", METRICS)
def test_values_are_those_of_the_metric_on_the_image_alone(order: str) -> None:
    rng = np.random.default_rng(5)
    truths = [np.kron(rng.integers(0, 3, (3, 3)), np.ones((4, 4), int)) for _ in range(4)]
    predicted = [
        np.where(rng.random(t.shape) < 0.8, t, rng.integers(0, 3, t.shape)) for t in truths
    ]
    items = [item(str(i), *pair) for i, pair in enumerate(zip(truths, predicted, strict=True))]

    for image in listed(order, items, limit=None):
        alone = [items[int(image["datum_id"])]]
        zero = {"zero_division": None} if order in ("precision", "recall", "f1") else {}
        results = results_of(alone, {"name": METRICS[order]} | zero)
        for label, values in image["labels"].items():
            first = next(r for r in results if r.parameters.get("label") == label)
            assert values[order] == first.number


@pytest.mark.parametrize("order", sorted({*get_args(Order)} - {"uid"}))
def test_the_worst_image_comes_first(order: str) -> None:
    # Of a larger square all is found, and not all of it is right.
    large = item("large", square(2, 10), square(0, 12))
    settings = {"width_in_pixels": 2} if order == "boundary_iou" else {}
    images = listed(order, [large, *ITEMS] if order == "precision" else ITEMS, settings=settings)

    assert images[0]["datum_id"] == ("large" if order == "precision" else "small")
    rank = [badness(image, order) for image in images]
    assert rank == sorted(rank, reverse=True)
    assert rank[-1] == 0


def test_images_without_a_value_come_last_if_nothing_is_wrong_and_else_first() -> None:
    missed = item("0", square(2, 10), square(0, 0))
    empty = item("1", square(0, 0), square(0, 0))
    partly = item("2", square(2, 10) + 2 * square(0, 1), square(2, 10))
    images = listed("hausdorff", [missed, empty, partly, *ITEMS])

    assert [image["datum_id"] for image in images] == ["0", "2", "small", "near", "same", "1"]
    for image, far in ((images[0], np.inf), (images[1], np.inf), (images[-1], 0)):
        assert image["hausdorff"] is None
        assert badness(image, "hausdorff") == far
    assert images[0]["labels"]["cat"]["hausdorff"] is None
    assert images[-1]["labels"] == {}


def test_the_iou_of_an_image_is_its_mean_iou() -> None:
    false = item("false", [[1, 1]], [[1, 2]])
    only = item("only", [[0, 0]], [[1, 0]])

    first, second = listed("iou", [false, only])

    assert (first["datum_id"], first["iou"], badness(first, "iou")) == ("only", None, 1.0)
    assert second["iou"] == value_of([false], "mIOU") == 0.5
    assert second["labels"]["dog"]["iou"] == 0.0
    assert [image["iou"] for image in listed("iou", [only], label="cat")] == [0.0]


def test_a_label_that_no_item_has_is_named() -> None:
    (result,) = results_of(ITEMS, {"name": "Examples", "label": "kat"})

    assert result.undefined == "no item has the label 'kat'; did you mean 'cat'?"


def test_settings_are_parameters_of_the_result() -> None:
    settings = {"width_in_pixels": 2}
    (result,) = results_of(
        ITEMS, {"name": "Examples", "order": "boundary_iou", "settings": settings}
    )

    assert result.parameters == {
        "label_key": "class",
        "order": "boundary_iou",
        "settings": settings,
    }


@pytest.mark.parametrize(
    "order",
    ["boundary_iou", "iou"],
)
def test_settings_that_the_metric_lacks_are_named(order: str) -> None:
    with pytest.raises(
        ParameterError, match=r"segmentation\.Examples: settings\.widht: unknown key"
    ):
        listed(order, settings={"widht": 2})

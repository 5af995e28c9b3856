"""Dice, precision and recall of each image, then their mean: by hand and as MONAI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from valor_segmentation.readers.in_memory import from_arrays

from valor_core.errors import ParameterError
from valor_core.schemas.segmentation import Segmentation

from .support import REGISTRY, results_of
from .test_pixel_metrics import ITEMS, LABELS

PER_IMAGE: dict[str, Any] = {"per": "image"}
AS_MONAI: dict[str, Any] = {"per": "image", "ignore_empty": False, "zero_division": 1.0}
RECORD = json.loads((Path(__file__).parent / "golden" / "dice_per_image.json").read_text())

# a: cat tp 2, fp 1, fn 1; dog tp 1, fn 1; bee fp 1. b: dog fn 1. owl is nowhere.


def by_label(name: str, **parameters: Any) -> dict[str, Any]:
    results = results_of(ITEMS, {"name": name, "average": "none"} | parameters)
    return {one.parameters["label"]: one.to_dict()["value"] for one in results}


def test_mean_over_images_with_the_label() -> None:
    # cat: 4/6 in a; dog: 2/3 in a and 0 in b
    assert by_label("Dice", **PER_IMAGE) == {
        "cat": 4 / 6,
        "dog": pytest.approx((2 / 3 + 0) / 2, rel=1e-15),
        "bee": None,
        "owl": None,
    }
    assert by_label("Precision", **PER_IMAGE)["dog"] == (1 + 0) / 2
    assert by_label("Precision", **PER_IMAGE, zero_division=None)["dog"] == 1.0
    assert by_label("Recall", **PER_IMAGE)["dog"] == (1 / 2 + 0) / 2


def test_excluded_images_are_counted() -> None:
    results = results_of(ITEMS, {"name": "Dice", "average": "none"} | PER_IMAGE)

    assert results.find(label="cat").only.left_out == {"no true pixels in the image": 1}
    assert results.find(label="bee").only.undefined == "no images with a value"
    assert results.find(label="dog").only.parameters["per"] == "image"


def test_images_without_the_label_have_a_value_on_request() -> None:
    # cat: 4/6, and 1 in b, which has none on both sides; bee: 0 in a, and 1 in b
    assert by_label("Dice", **AS_MONAI) == {
        "cat": pytest.approx((4 / 6 + 1) / 2, rel=1e-15),
        "dog": pytest.approx(1 / 3),
        "bee": (0 + 1) / 2,
        "owl": 1.0,
    }


def test_averages_over_labels() -> None:
    results = results_of(ITEMS, {"name": "Dice"} | PER_IMAGE)

    # a: 6 / (6 + 2 + 2) over all labels, b: 0
    assert results.find(average="micro").value == pytest.approx((6 / 10 + 0) / 2, rel=1e-15)
    assert results.find(average="macro").value == pytest.approx((4 / 6 + 1 / 3) / 2, rel=1e-15)


@pytest.mark.parametrize("place", range(len(RECORD["sets"])))
def test_dice_per_image_is_that_recorded_of_monai(place: int) -> None:
    one = RECORD["sets"][place]
    names = ["1", "2", "3"]
    items = [
        Segmentation(str(i), true, predicted, names)
        for i, (true, predicted) in enumerate(zip(one["truths"], one["predictions"], strict=True))
    ]
    for settings, key in ((PER_IMAGE, "ignore_empty"), (AS_MONAI, "all_images")):
        results = results_of(items, {"name": "Dice", "average": "none"} | settings)
        values = [results.find(label=name).only.to_dict()["value"] for name in names]
        assert values == [
            None if wanted is None else pytest.approx(wanted, abs=1e-6) for wanted in one[key]
        ]


def test_any_order_of_images_gives_the_same_bits() -> None:
    rng = np.random.default_rng(3)
    truths, predicted = rng.integers(0, 5, (2, 40, 6, 6))
    choice = {"name": "Dice"} | PER_IMAGE
    uids = [f"image {i}" for i in range(40)]
    order = rng.permutation(40)

    first = results_of(from_arrays(truths, predicted, labels=LABELS, uids=uids), choice)
    shuffled = from_arrays(
        truths[order], predicted[order], labels=LABELS, uids=[uids[i] for i in order]
    )

    assert list(results_of(shuffled, choice)) == list(first)


def test_empty_images_matter_only_per_image() -> None:
    with pytest.raises(ParameterError, match="ignore_empty has no effect with per: data"):
        results_of(ITEMS, {"name": "Dice", "ignore_empty": False})


def test_name_of_dice_per_image() -> None:
    spec = REGISTRY.metric("Dice", "segmentation")

    assert spec.name == "segmentation.F1"
    found = results_of(ITEMS, "dice_per_image")
    assert found.find(label="dog").only.parameters["per"] == "image"

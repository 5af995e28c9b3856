"""A limit on the predictions of each label in an image, or of all labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import evolve
from cases import for_each
from valor_detection.parameters.fields import COCO_AREAS

from valor_core.errors import ParameterError
from valor_core.schemas.detection import Detection

from .support import predicted, results_of, true, value_of
from .test_parity_pycocotools import CocoData

DOG, CAT, FAR = (0, 0, 10, 10), (100, 0, 110, 10), (200, 0, 210, 10)
ITEMS = [
    Detection(
        "a",
        [true("dog", *DOG), true("cat", *CAT)],
        [
            predicted({"cat": 0.9}, *FAR),  # false
            predicted({"dog": 0.8}, *DOG),  # true
            predicted({"cat": 0.7}, *CAT),  # true
            predicted({"dog": 0.6}, *FAR),  # false
        ],
    ),
    Detection("b", [true("dog", *DOG)], [predicted({"dog": 0.55}, *DOG)]),  # true
]


@for_each(
    ("most", "per", "dogs", "cats"),
    [
        (1, "label", (2, 0, 0), (0, 1, 1)),  # in image a: dog 0.8, cat 0.9
        (2, "label", (2, 1, 0), (1, 1, 0)),  # all
        (1, "image", (1, 0, 1), (0, 1, 1)),  # in image a: cat 0.9; in b: dog
        (2, "image", (2, 0, 0), (0, 1, 1)),  # in image a: cat 0.9, dog 0.8
        (3, "image", (2, 0, 0), (1, 1, 0)),  # also cat 0.7
        (4, "image", (2, 1, 0), (1, 1, 0)),  # all
    ],
)
def test_counts_within_limit_equal_calculation_by_hand(
    most: int, per: str, dogs: tuple[int, ...], cats: tuple[int, ...]
) -> None:
    found = results_of(ITEMS, {"name": "Counts", "max_detections": most, "max_detections_per": per})

    assert tuple(found.find(label="dog").value.values()) == dogs
    assert tuple(found.find(label="cat").value.values()) == cats


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-14)


def test_metrics_of_best_three_of_each_image_equal_calculation_by_hand() -> None:
    at = {"max_detections": 3, "max_detections_per": "image"}
    # Dogs: two of two are true. Cats: false, then true, so the precision is 1/2 at all recalls.
    assert value_of(ITEMS, "mAP", iou_thresholds=0.5, **at) == close((1 + 1 / 2) / 2)
    assert value_of(ITEMS, "mAR", **at) == 1.0
    for name, expected in (("Precision", 3 / 4), ("Recall", 3 / 3), ("F1", 6 / 7)):
        assert value_of(ITEMS, name, average="micro", **at) == close(expected)
    # Without the cat of 0.7: no cat is found.
    at["max_detections"] = 2
    assert value_of(ITEMS, "mAP", iou_thresholds=0.5, **at) == close((1 + 0) / 2)
    assert value_of(ITEMS, "mAR", **at) == close((1 + 0) / 2)
    for name, expected in (("Precision", 2 / 3), ("Recall", 2 / 3), ("F1", 4 / 6)):
        assert value_of(ITEMS, name, average="micro", **at) == close(expected)


def random_items(seed: int) -> list[Detection]:
    """Random objects of three labels, and predictions of different scores near them."""
    rng = np.random.default_rng(seed)
    scores = iter((rng.permutation(300) / 300).tolist())

    def box() -> list[float]:
        corner, size = rng.integers(0, 40, 2), rng.integers(5, 40, 2)
        return [float(value) for value in (*corner, *(corner + size))]

    def items() -> Any:
        for name in "abcd":
            boxes = [(label, box()) for label in ("x", "y", "z", *rng.choice(["x", "y"], 3))]
            near = [
                (label, (np.array(box) + rng.integers(-2, 3, 4)).tolist()) for label, box in boxes
            ]
            found = [*near, *((rng.choice(["x", "y", "z"]), box()) for _ in range(8))]
            yield Detection(
                name,
                [true(label, *box) for label, box in boxes],
                [predicted({str(label): next(scores)}, *box) for label, box in found],
            )

    return list(items())


def best(item: Detection, most: int) -> Detection:
    order = sorted(item.predictions, key=lambda one: -one.labels[0][1])
    return evolve(item, predictions=order[:most])


LIMITED: list[dict[str, Any]] = [
    {"name": "AP"},
    {"name": "AP", "area_ranges": {"tiny": [0, 256], "rest": [257, None]}},
    {"name": "mAPAveragedOverIOUs"},
    {"name": "AR"},
    {"name": "mARAveragedOverScores"},
    {"name": "Precision"},
    {"name": "Recall"},
    {"name": "F1", "area_ranges": {"tiny": [0, 256], "rest": [257, None]}},
    {"name": "Counts"},
    {"name": "BestThreshold"},
    {"name": "PrecisionRecallCurve"},
    {"name": "PrecisionRecallCurve", "form": "interpolated"},
    {"name": "DetailedPrecisionRecallCurve", "max_examples": 0},
    {"name": "LRP"},
    {"name": "OptimalLRP"},
    {"name": "CalibrationError"},
    {"name": "ErrorAnalysis"},
]


@for_each("protocol", ["coco", "ranked", "valor", "voc2007", "voc2012", "lvis"])
@for_each("seed", range(4))
def test_limit_per_image_equals_data_without_other_predictions(seed: int, protocol: str) -> None:
    items, most = random_items(seed), 2 + seed
    limit = {"max_detections": most, "max_detections_per": "image"}
    for metric in LIMITED:
        chosen = metric | {"matching": protocol}
        limited = results_of(items, chosen | limit)
        kept = results_of([best(item, most) for item in items], chosen | {"max_detections": 10**6})

        assert [one.to_dict()["value"] for one in limited] == [
            one.to_dict()["value"] for one in kept
        ], metric


@for_each("seed", range(40))
def test_limit_per_image_equals_pycocotools_on_best_predictions(seed: int) -> None:
    data, kept = CocoData(8000 + seed), CocoData(8000 + seed)
    most = int(data.rng.integers(1, 20))
    rows = sorted(range(len(data.results)), key=lambda row: -data.results[row]["score"])
    seen: dict[int, list[int]] = {}
    for row in rows:  # stable: equal scores in the order of the data
        seen.setdefault(data.results[row]["image_id"], []).append(row)
    wanted = sorted(row for image in seen.values() for row in image[:most])
    kept.results = [data.results[row] for row in wanted]

    at = {"area_ranges": COCO_AREAS, "max_detections": most, "max_detections_per": "image"}
    results = results_of(data.batch, {"name": "mAPAveragedOverIOUs"} | at, {"name": "mAR"} | at)
    stats = kept.theirs.stats
    for name, first in (("mAPAveragedOverIOUs", (0, 3, 4, 5)), ("mAR", (8, 9, 10, 11))):
        expected = [None if stats[place] == -1 else float(stats[place]) for place in first]
        assert [one.to_dict()["value"] for one in results[name]] == expected


def test_predictions_of_other_label_key_do_not_count_towards_limit() -> None:
    item = Detection(
        "a",
        [true([("animal", "dog"), ("color", "white")], *DOG)],
        [predicted([(("animal", "dog"), 0.9), (("color", "white"), 0.8)], *DOG)],
    )
    found = results_of(
        [item], {"name": "Counts", "max_detections": 1, "max_detections_per": "image"}
    )

    assert [tuple(one.value.values()) for one in found] == [(1, 0, 0), (1, 0, 0)]


def test_limit_per_image_is_a_coordinate_of_results() -> None:
    chosen = {"name": "mAR", "max_detections": 2, "max_detections_per": "image"}
    parameters = results_of(ITEMS, chosen).only.parameters

    assert (parameters["max_detections"], parameters["max_detections_per"]) == (2, "image")


@pytest.mark.parametrize("name", ["AP", "F1", "LRP", "ErrorAnalysis", "BestThreshold"])
def test_limit_per_image_without_number_is_an_error(name: str) -> None:
    with pytest.raises(ParameterError) as error:
        results_of(ITEMS, {"name": name, "max_detections_per": "image"})

    assert "max_detections_per: image requires max_detections" in str(error.value)
    assert "max_detections: 100" in str(error.value)

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from cases import for_each
from numpy.typing import NDArray
from valor_segmentation.readers.in_memory import from_arrays
from valor_testing import check_metric

from valor_core import Registry, Report, evaluate
from valor_core.errors import ReadError
from valor_core.results import Result
from valor_core.schemas.segmentation import Segmentation

NAMES = ["cat", "dog", "sky"]


def report(items: Any, **parameters: Any) -> Any:
    return evaluate(items, [{"name": "Hausdorff", **parameters}], "segmentation")["Hausdorff"]


def distance(
    items: Any, label: str = "cat", percentile: float = 100, statistic: str = "mean"
) -> Any:
    found = report(items, percentiles=percentile).find(label=label, statistic=statistic).only
    return found.undefined or found.value


def row(*values: int) -> Any:
    return np.array([values], np.uint8)


def test_two_squares_by_hand() -> None:
    # The corner of the true square at (8, 8) is nearest to the corner of the other at (5, 5).
    true, predicted = np.zeros((2, 12, 12), np.uint8)
    true[1:9, 1:9] = 1
    predicted[1:6, 1:6] = 1

    assert distance([Segmentation("a", true, predicted, labels=["cat"])]) == math.sqrt(9 + 9)


def test_percentiles_by_hand() -> None:
    # From the prediction: distances 0, 1, 2, 3, 4; from the truth 0. The 95th percentile stands
    # at 0.95 * 4 = 3.8 places.
    item = Segmentation("a", row(1, 0, 0, 0, 0), row(1, 1, 1, 1, 1), labels=["cat"])

    assert distance([item], percentile=100) == 4
    assert distance([item], percentile=95) == pytest.approx(3.8, abs=1e-15)
    assert distance([item], percentile=50) == 2


def test_the_inside_of_a_label_is_no_edge() -> None:
    # A pixel missing in the middle: it makes four new edge pixels, 1 and 2 away from the ring.
    true = np.ones((7, 7), np.uint8)
    predicted = true.copy()
    predicted[3, 3] = 0

    assert distance([Segmentation("a", true, predicted, labels=["cat"])]) == 2


def test_mean_and_worst_over_images() -> None:
    items = [
        Segmentation("a", row(1, 0, 0), row(1, 1, 1), labels=["cat"]),
        Segmentation("b", row(1, 0, 0), row(0, 1, 0), labels=["cat"]),
        Segmentation("c", row(1, 0, 0), None, labels=["cat"]),
        Segmentation("d", None, row(1, 0, 0), labels=["cat"]),
    ]

    assert distance(items) == 1.5
    assert distance(items, statistic="worst") == 2
    assert report(items).find(label="cat", percentile=95, statistic="mean").only.left_out == {
        "label only in the ground truth of the image": 1,
        "label only in the prediction of the image": 1,
    }


def test_a_label_on_one_side_only_is_undefined() -> None:
    item = Segmentation("a", row(1, 0, 3), row(0, 2, 3), labels=NAMES)

    assert distance([item]) == "no image has the label on both sides"
    assert distance([item], statistic="worst") == "no image has the label on both sides"
    average = report([item], percentiles=100).find(average="macro").only
    assert average.value == 0
    assert average.left_out == {
        "label only in predictions": 1,
        "no image has the label on both sides": 1,
    }
    absent = Segmentation("a", row(0), row(0), labels=["cat"])
    assert distance([absent]) == "neither ground truths nor predictions"


def test_pixels_that_do_not_count_are_taken_out_of_both_sides() -> None:
    item = Segmentation("a", row(1, 9, 9), row(1, 1, 1), labels=["cat"], ignore=9)

    assert distance([item]) == 0


def test_an_unknown_value_names_the_item() -> None:
    with pytest.raises(
        ReadError, match="item 'a', groundtruth: expected the value of a label, got 7 at 1 pixels"
    ):
        distance([Segmentation("a", row(7), row(1), labels=["cat"])])


def naive_edge(mask: Any) -> list[tuple[int, int]]:
    padded = np.pad(mask, 1)
    return [
        (y, x)
        for y, x in np.argwhere(mask).tolist()
        if not all(padded[y + 1 + dy, x + 1 + dx] for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)))
    ]


def naive(true: Any, predicted: Any, percentile: float) -> float:
    sides = [naive_edge(true), naive_edge(predicted)]
    found = []
    for one, other in (sides, sides[::-1]):
        distances = sorted(min(math.dist(a, b) for b in other) for a in one)
        position = percentile / 100 * (len(distances) - 1)
        low = math.floor(position)
        high = min(low + 1, len(distances) - 1)
        found.append(distances[low] + (distances[high] - distances[low]) * (position - low))
    return max(found)


def random_item(rng: np.random.Generator, uid: int) -> Segmentation:
    height, width = rng.integers(1, 16, 2)
    size = int(rng.integers(1, 6))
    coarse = rng.integers(0, 4, (height // size + 1, width // size + 1))
    true = np.kron(coarse, np.ones((size, size), int))[:height, :width]
    predicted = np.where(rng.random(true.shape) < 0.1, rng.integers(0, 4, true.shape), true)
    return Segmentation(uid, true, np.roll(predicted, 1, axis=0), labels=NAMES)


@for_each("seed", range(20))
def test_equal_to_a_naive_program(seed: int) -> None:
    rng = np.random.default_rng(seed)
    items = [random_item(rng, uid) for uid in range(3)]

    for percentile in (100.0, 95.0, 30.0):
        for code, label in enumerate(NAMES, start=1):
            masks = [(item.groundtruth == code, item.prediction == code) for item in items]
            expected = [
                naive(true, predicted, percentile)
                for true, predicted in masks
                if true.any() and predicted.any()
            ]
            if not expected:
                assert isinstance(distance(items, label, percentile), str)
                continue
            mean = math.fsum(expected) / len(expected)
            assert distance(items, label, percentile) == pytest.approx(mean, rel=1e-14)
            worst = distance(items, label, percentile, "worst")
            assert worst == pytest.approx(max(expected), rel=1e-14)


@pytest.mark.parametrize("parameters", [{}, {"percentiles": [50, 0]}])
def test_conformance(parameters: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    items = [random_item(rng, uid) for uid in range(6)]
    items.append(Segmentation(6, None, row(1), labels=["cat"]))

    check_metric(Registry().metric("segmentation.Hausdorff"), {"random": items}, parameters)


def test_an_image_without_pixels_has_no_edges() -> None:
    empty = np.zeros((0, 4), np.uint8)

    expected = "neither ground truths nor predictions"
    assert distance([Segmentation("a", empty, empty, labels=["cat"])]) == expected


def test_scipy_is_imported_for_it_alone_and_named_where_it_is_missing() -> None:
    script = """
import sys
sys.modules["scipy"] = None
import valor_core
from valor_core.schemas.segmentation import (Segmentation, SegmentationBatch)
item = Segmentation("a", [[1]], [[1]], labels=["cat"])
names = ["PanopticQuality", "BoundaryIOU"]
assert len(valor_core.evaluate([item], names, "segmentation").results) == 4
try:
    valor_core.evaluate([item], ["Hausdorff"], "segmentation")
except valor_core.errors.MissingExtraError as error:
    assert "plugins/segmentation[distance]" in str(error), error
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def shifted_and_missed() -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Two images of 30 x 40 with a square; the square 4 pixels to the right; and once not found."""
    true = np.zeros((2, 30, 40), int)
    true[:, 10:18, 10:18] = 1
    missed = true.copy()
    missed[1] = 0
    return true, np.roll(true, 4, axis=2), missed


def organ(predicted: NDArray[Any], **chosen: Any) -> tuple[Result, Result, Report]:
    """Mean and worst distance of the square at the 100th percentile."""
    batch = from_arrays(shifted_and_missed()[0], predicted, labels=["organ"])
    report = evaluate(batch, [{"name": "Hausdorff", **chosen}])
    found = [
        report.find("Hausdorff", label="organ", percentile=100.0, statistic=statistic).only
        for statistic in ("mean", "worst")
    ]
    return found[0], found[1], report


def test_organ_missed_in_half_of_the_images_is_named_in_a_warning() -> None:
    _, off, missed = shifted_and_missed()
    mean, worst, report = organ(off)
    assert (mean.value, worst.value, report.warnings) == (4.0, 4.0, ())
    mean, worst, report = organ(missed)
    assert (mean.value, worst.value) == (0.0, 0.0)
    assert report.warnings == (
        "Hausdorff has no distance of labels that only one side of an image has: 'organ' in "
        "1 image; missed: diagonal counts them",
    )


def test_missed_organ_is_as_far_as_the_diagonal_on_request() -> None:
    # The diagonal of 30 x 40 pixels is 50; the mean of 0 and 50 is 25.
    mean, worst, report = organ(shifted_and_missed()[2], missed="diagonal")
    assert (mean.value, worst.value, report.warnings) == (25.0, 50.0, ())
    assert mean.left_out == {}


def test_missed_organ_leaves_no_distance_on_request() -> None:
    mean, worst, report = organ(shifted_and_missed()[2], missed="infinite")
    assert mean.undefined == worst.undefined == "only one side has the label in 1 image"
    assert report.warnings == ()

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from valor_segmentation.counting import boundary_counts
from valor_segmentation.counting.boundary_counts import width_of
from valor_segmentation.readers.in_memory import from_arrays
from valor_testing import check_metric

from valor_core import Registry, evaluate
from valor_core.errors import ReadError
from valor_core.schemas import Datums
from valor_core.schemas.segmentation import (
    IGNORED,
    LabelImage,
    Layer,
    Legend,
    Segmentation,
    SegmentationBatch,
)

NAMES = ["cat", "dog", "sky"]


class Strips:
    """Pixels that are best read a row at a time."""

    def __init__(self, image: Any) -> None:
        self.image, self.shape, self.strip_rows = image, image.shape, 1

    def read(self, first: int, last: int) -> Any:
        return self.image[first:last]


def values(data: Any, **parameters: Any) -> dict[str, Any]:
    report = evaluate(data, [{"name": "BoundaryIOU", **parameters}], "segmentation")
    return {
        r.parameters.get("label", r.parameters.get("average")): r.undefined or r.value
        for r in report.results
    }


def square(size: int, first: int, last: int) -> Any:
    image = np.zeros((size, size), np.uint8)
    image[first:last, first:last] = 1
    return image


def test_two_squares_by_hand() -> None:
    # The true square has 6 by 6 pixels, the predicted one is its inner 4 by 4. With a width of
    # 1 their boundaries are the rings of 36 - 16 = 20 and 16 - 4 = 12 pixels, which are disjoint.
    # With a width of 2 the rings are 36 - 4 = 32 and all 16, which share 16 - 4 = 12.
    item = Segmentation("a", square(10, 2, 8), square(10, 3, 7), labels=["cat"])

    assert values([item], width_in_pixels=1)["cat"] == 0.0
    assert values([item], width_in_pixels=2)["cat"] == 12 / (32 + 16 - 12)


def test_a_width_as_large_as_the_image_is_plain_iou() -> None:
    item = Segmentation("a", square(10, 2, 8), square(10, 3, 7), labels=["cat"])

    assert values([item], width=1.0)["cat"] == 16 / 36
    assert values([item], width_in_pixels=1000)["cat"] == 16 / 36


def test_outside_the_image_is_another_label() -> None:
    # All of 5 by 5 pixels: the boundary is the ring of 16. The prediction lacks the one in the
    # middle, so that its boundary is all of its 24 pixels.
    predicted = np.ones((5, 5), np.uint8)
    predicted[2, 2] = 0
    item = Segmentation("a", np.ones((5, 5), np.uint8), predicted, labels=["cat"])

    assert values([item], width_in_pixels=1)["cat"] == 16 / 24


def test_the_width_is_that_of_the_reference_program() -> None:
    # int(round(0.02 * sqrt(300² + 400²))) = 10; Python rounds 2.5 and 1.5 to 2; at least 1.
    assert width_of((300, 400), 0.02, None) == 10
    assert width_of((3, 4), 0.5, None) == 2
    assert width_of((3, 4), 0.3, None) == 2
    assert width_of((3, 4), 0.02, None) == 1


def test_a_width_is_a_share_as_the_decimal_that_people_wrote() -> None:
    # 0.018 * 750 = 13.5 and 0.07 * 750 = 52.5: halves go to the even number, 14 and 52.
    assert width_of((450, 600), 0.018, None) == 14
    assert width_of((450, 600), 0.07, None) == 52
    assert (round(0.018 * 750), round(0.07 * 750)) == (13, 53)


@given(st.integers(1, 3000), st.integers(1, 3000), st.integers(1, 10_000))
def test_a_width_is_the_nearest_whole_number(height: int, width: int, share: int) -> None:
    found = width_of((height, width), share / 10_000, None)
    # Squared, so that no root is rounded: |found - share * diagonal| <= 1/2.
    square = (height * height + width * width) * share * share * 4
    assert (2 * found - 1) ** 2 * 10_000**2 <= square or found == 1
    assert square <= (2 * found + 1) ** 2 * 10_000**2


def test_pixels_that_do_not_count_are_taken_out_of_both_sides() -> None:
    true = np.ones((7, 7), np.uint8)
    true[:, 4:] = 255
    predicted = np.ones((7, 7), np.uint8)

    item = Segmentation("a", true, predicted, labels=["cat"], ignore=255)

    assert values([item], width_in_pixels=1)["cat"] == 1.0


def test_means_take_labels_with_ground_truths_and_count_the_others() -> None:
    true = np.array([[1, 1, 0, 0]], np.uint8)
    predicted = np.array([[1, 0, 2, 0]], np.uint8)
    item = Segmentation("a", true, predicted, labels=NAMES)

    report = evaluate([item], ["BoundaryIOU"], "segmentation")
    average = report["BoundaryIOU"].find(average="macro").only
    assert (average.value, average.left_out) == (0.5, {"label only in predictions": 1})
    assert values([item])["sky"] == "neither ground truths nor predictions"
    assert values([item], include_prediction_only_labels=True)["macro"] == 0.25


def test_averages_pool_pixels_or_weigh_labels_by_true_boundaries() -> None:
    # All pixels of a row are boundary: cat 2 of 4, dog 1 of 1, sky, only predicted, 0 of 2.
    true = [[1, 1, 1, 0, 2, 0, 0]]
    predicted = [[0, 1, 1, 1, 2, 3, 3]]
    item = Segmentation("a", true, predicted, labels=NAMES)
    report = evaluate([item], [{"name": "BoundaryIOU", "average": ["micro", "weighted", "macro"]}])

    found = {r.parameters["average"]: r for r in report.results}
    assert found["micro"].value == 3 / 7
    assert found["weighted"].value == (3 * 0.5 + 1 * 1.0) / 4
    assert found["macro"].value == 0.75
    assert found["macro"].left_out == {"label only in predictions": 1}


def test_a_side_without_annotations_is_background() -> None:
    image = square(6, 1, 5)

    assert values([Segmentation("a", image, None, labels=["cat"])])["cat"] == 0.0
    assert values([Segmentation("a", None, image, labels=["cat"])])["cat"] == 0.0


def test_an_unknown_value_names_the_item() -> None:
    bad = Segmentation("a", [[0, 1]], [[0, 7]], labels=["cat"])

    with pytest.raises(
        ReadError, match="item 'a', prediction: expected the value of a label, got 7 at 1 pixels"
    ):
        values([bad])


def naive_boundary(mask: Any, reach: int) -> Any:
    """As in boundary_iou_api: zeros around, eroded again and again by a square of 3 by 3."""
    padded = np.pad(mask, 1)
    for _ in range(reach):
        around = np.pad(padded, 1, constant_values=True)
        height, width = padded.shape
        padded = np.logical_and.reduce(
            [around[y : y + height, x : x + width] for y in range(3) for x in range(3)]
        )
    return mask & ~padded[1:-1, 1:-1]


def random_pair(rng: np.random.Generator) -> tuple[LabelImage, LabelImage]:
    height, width = rng.integers(1, 30, 2)
    size = int(rng.integers(1, 12))
    true = rng.integers(0, 4, (height // size + 1, width // size + 1))
    true = np.kron(true, np.ones((size, size), int))[:height, :width]
    predicted = np.where(rng.random(true.shape) < 0.1, rng.integers(0, 4, true.shape), true)
    predicted = np.roll(predicted, int(rng.integers(0, 3)), axis=1)
    meaning = {0: -1, 1: 0, 2: 1, 3: 2}
    legend, seen_legend = Legend.of(meaning | {9: IGNORED}), Legend.of(meaning)
    true[rng.random(true.shape) < 0.02] = 9
    return LabelImage(true.astype(np.uint8), legend), LabelImage(
        predicted.astype(np.int32), seen_legend
    )


def dataset(seed: int, count: int = 5, start: int = 0) -> SegmentationBatch:
    from valor_core.schemas import Label

    rng = np.random.default_rng(seed)
    pairs = [random_pair(rng) for _ in range(count)]
    layer = Layer([t for t, _ in pairs], [p for _, p in pairs])
    labels = [Label("class", name) for name in NAMES]
    return SegmentationBatch(Datums(range(start, start + count)), labels, [layer])


@for_each("seed", range(25))
@for_each("reach", [1, 2, 5])
def test_equal_to_the_repeated_erosion_of_single_masks(seed: int, reach: int) -> None:
    data = dataset(seed)
    found = values([data], width_in_pixels=reach)

    shared, union = np.zeros(3, int), np.zeros(3, int)
    layer = data.layers[0]
    for true, predicted in zip(layer.groundtruths, layer.predictions, strict=True):
        t, p = true.pixels.read(0, 99), predicted.pixels.read(0, 99).copy()
        p[t == 9] = 9
        for code in range(3):
            edge, seen_edge = (naive_boundary(one == code + 1, reach) for one in (t, p))
            shared[code] += (edge & seen_edge).sum()
            union[code] += (edge | seen_edge).sum()
    for code, name in enumerate(NAMES):
        if union[code]:
            assert found[name] == shared[code] / union[code]
        else:
            assert found[name] == "neither ground truths nor predictions"


@pytest.mark.parametrize("reach", [1, 3, 40])
@pytest.mark.parametrize("block", [1, 7, 50, 10_000])
def test_reading_strip_by_strip_changes_nothing(
    reach: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = dataset(5)
    whole = values([data], width_in_pixels=reach)
    layer = data.layers[0]

    def stripped(one: LabelImage) -> LabelImage:
        return evolve(one, pixels=Strips(one.pixels.read(0, 99)))

    apart = Layer(map(stripped, layer.groundtruths), map(stripped, layer.predictions))
    monkeypatch.setattr(boundary_counts, "_BLOCK", block)

    assert values([evolve(data, layers=[apart])], width_in_pixels=reach) == whole


class Plain:
    """A large image of one label that is made when it is read."""

    shape = (6000, 2000)
    strip_rows = 16

    def read(self, first: int, last: int) -> Any:
        return np.ones((last - first, self.shape[1]), np.uint8)


def test_memory_holds_some_rows_only() -> None:
    data = from_arrays([Plain()], [Plain()], labels=["cat"])
    tracemalloc.start()
    try:
        assert values([data], width_in_pixels=100)["cat"] == 1.0
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 24_000_000  # both sides have 12 million pixels


@pytest.mark.parametrize(
    "parameters", [{}, {"width_in_pixels": 2}, {"width": 0.2, "average": ["weighted", "micro"]}]
)
def test_conformance(parameters: dict[str, Any]) -> None:
    data = {"one": [dataset(1), dataset(2, 3, start=5)]}

    check_metric(Registry().metric("segmentation.BoundaryIOU"), data, parameters)

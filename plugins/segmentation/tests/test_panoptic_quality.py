from __future__ import annotations

import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from cases import for_each
from valor_report.requirements import parse_requirements
from valor_segmentation.readers.in_memory import from_arrays
from valor_testing import check_metric

from valor_core import Registry, evaluate
from valor_core.errors import ReadError
from valor_core.schemas import Datums, Label
from valor_core.schemas.segmentation import (
    BACKGROUND,
    IGNORED,
    LabelImage,
    Layer,
    Legend,
    Segmentation,
    SegmentationBatch,
    Segments,
)

from .support import results_of

LABELS = (Label("class", "person"), Label("class", "sky"), Label("class", "dog"))
PERSON, SKY, DOG = range(3)
NAMES = ("PanopticQuality", "SegmentationQuality", "RecognitionQuality")


def segments(
    image: Any, codes: dict[int, int], crowd: tuple[int, ...] = (), dtype: Any = np.int32
) -> LabelImage:
    """A label image of objects: label code of each pixel value, and which values are crowds."""
    legend = Legend.of(codes)
    flags = np.isin(legend.values, crowd)
    return LabelImage(np.array(image, dtype), evolve(legend, crowd=flags))


def batch(*pairs: tuple[LabelImage | None, LabelImage | None], start: int = 0) -> SegmentationBatch:
    layer = Layer([true for true, _ in pairs], [predicted for _, predicted in pairs])
    return SegmentationBatch(Datums(range(start, start + len(pairs))), LABELS, [layer])


def values(data: SegmentationBatch, name: str = "PQ", **parameters: Any) -> dict[str, Any]:
    report = evaluate([data], [{"name": name, **parameters}], "segmentation")
    found = {}
    for result in report.results:
        of = result.parameters.get("label", result.parameters.get("average"))
        found[of] = result.undefined or result.value
    return found


# The picture of the paper's section 4.2 (figure 2), as rows of ten pixels: three people of ten
# pixels, a sky of ten. Two people are matched with IoUs 8/10 and 6/10, one true person is missed,
# one predicted person is false; the sky is matched with IoU 10/12.
TRUE = [[1] * 10, [2] * 10, [3] * 10, [9] * 10, [0] * 10]
SEEN = [
    [4] * 8 + [0] * 2,
    [5] * 6 + [0] * 4,
    [6] * 4 + [0] * 6,
    [7] * 10,
    [7] * 2 + [0] * 8,
]
TRUE_CODES = {0: BACKGROUND, 1: PERSON, 2: PERSON, 3: PERSON, 9: SKY}
SEEN_CODES = {0: BACKGROUND, 4: PERSON, 5: PERSON, 6: PERSON, 7: SKY}


def test_the_definition_of_the_paper_by_hand() -> None:
    data = batch((segments(TRUE, TRUE_CODES), segments(SEEN, SEEN_CODES)))
    counted = {"background_is_void": False, "stuff": ["sky"]}

    # person: (0.8 + 0.6) / (2 + 1/2 + 1/2) = 1.4 / 3; sky: (10/12) / 1.
    pq = values(data, **counted)
    assert pq["person"] == pytest.approx(1.4 / 3, abs=1e-15)
    assert pq["sky"] == 10 / 12
    assert pq["dog"] == "neither ground truths nor predictions that count"
    assert pq["things"] == pq["person"]
    assert pq["stuff"] == pq["sky"]
    assert pq["all"] == pytest.approx((1.4 / 3 + 10 / 12) / 2, abs=1e-15)
    assert values(data, "SQ", **counted)["person"] == 0.7
    assert values(data, "RQ", **counted)["person"] == 2 / 3


def test_segments_are_objects_that_people_can_type() -> None:
    names = {PERSON: "person", SKY: "sky"}
    true = Segments(TRUE, {n: names[code] for n, code in TRUE_CODES.items() if code >= 0})
    predicted = Segments(SEEN, {n: names[code] for n, code in SEEN_CODES.items() if code >= 0})
    item = Segmentation("a", true, predicted, stuff=["sky"])

    report = evaluate([item], [{"name": "PanopticQuality", "background_is_void": False}])

    found = report["PanopticQuality"]
    assert found.find(label="person").value == pytest.approx(1.4 / 3, abs=1e-15)
    assert found.find(average="stuff").value == 10 / 12


def test_labels_of_many_images_miss_no_segment_unless_they_are_listed() -> None:
    names = {1: "person", 2: "person"}

    def quality(*, listed: bool) -> Any:
        true = Segments([[1, 1]], names, listed=listed)
        item = Segmentation("a", true, Segments([[1, 1]], names))
        return (
            evaluate([item], ["PQ"], "segmentation")["PanopticQuality"].find(label="person").value
        )

    assert quality(listed=False) == 1
    assert quality(listed=True) == 2 / 3


def test_a_crowd_of_segments_is_not_missed_and_an_ignored_number_is_void() -> None:
    true = Segments([[1, 1, 8, 8, 5]], {1: "person", 8: "person"}, crowd=[8])
    predicted = Segments([[1, 1, 0, 0, 1]], {1: "person"})
    item = Segmentation("a", true, predicted, ignore=5)

    report = evaluate([item], [{"name": "PQ", "background_is_void": False}], "segmentation")

    assert report["PanopticQuality"].find(label="person").value == 1.0


def test_a_requirement_can_name_a_mean() -> None:
    data = batch((segments(TRUE, TRUE_CODES), segments(SEEN, SEEN_CODES)))

    metric = {"name": "PQ", "stuff": "sky", "background_is_void": True}
    report = evaluate([data], [metric], "segmentation")
    (outcome,) = report.judged(parse_requirements({"PanopticQuality/stuff": ">= 0.9"})).requirements

    assert (outcome.value, outcome.met) == (1.0, True)


def test_void_pixels_are_taken_out_of_predictions() -> None:
    # Two of the sky's twelve pixels are void: 10/10. Person 6 lies on person 3 with 4/10.
    data = batch((segments(TRUE, TRUE_CODES), segments(SEEN, SEEN_CODES)))

    assert values(data, background_is_void=True)["sky"] == 1.0


def test_a_prediction_on_background_is_false_unless_the_data_ignore_it() -> None:
    true, predicted = [[1, 0, 0, 0, 0, 0, 0, 0]], [[1] * 8]

    def quality(ignore: int | None) -> Any:
        item = Segmentation("a", true, predicted, labels=["cat"], ignore=ignore)
        return evaluate([item], ["PQ"])["PanopticQuality"].find(label="cat").value

    assert quality(None) == 0.0
    assert quality(0) == 1.0


def test_labels_of_stuff_that_the_data_lack_are_named() -> None:
    true = segments([[1, 2]], {1: PERSON, 2: SKY})

    report = evaluate([batch((true, true))], [{"name": "PQ", "stuff": ["sky", "dgo"]}])

    found = report["PanopticQuality"]
    assert found.find(average="stuff").only.left_out == {
        "'dgo' is no label of the data, did you mean 'dog'?": 1
    }
    assert found.find(average="things").only.left_out == {}


def test_ignored_value_is_void_for_any_background() -> None:
    true = segments([[1, 1, 255, 255]], {1: PERSON, 255: IGNORED}, dtype=np.uint8)
    predicted = segments([[1, 1, 1, 1]], {1: PERSON})

    assert values(batch((true, predicted)), background_is_void=False)["person"] == 1.0


@pytest.mark.parametrize(("pixels", "false"), [(2, 1), (3, 0)])
def test_prediction_mostly_on_void_is_excluded(pixels: int, false: int) -> None:
    # Of its four pixels, exactly half on void counts; more does not.
    true = segments([[255] * pixels + [2] * (4 - pixels) + [1]], {1: PERSON, 2: SKY, 255: IGNORED})
    predicted = segments([[7, 7, 7, 7, 5]], {5: PERSON, 7: PERSON})

    assert values(batch((true, predicted)), "RQ")["person"] == 1 / (1 + false / 2)


@pytest.mark.parametrize(("crowd", "false"), [(PERSON, 0), (DOG, 1)])
def test_prediction_mostly_on_a_crowd_of_its_label_is_excluded(crowd: int, false: int) -> None:
    true = segments([[8, 8, 8, 2, 1]], {1: PERSON, 2: SKY, 8: crowd}, crowd=(8,))
    predicted = segments([[7, 7, 7, 7, 5]], {5: PERSON, 7: PERSON})

    found = values(batch((true, predicted)), "RQ")
    assert found["person"] == 1 / (1 + false / 2)
    assert found["dog"] == "neither ground truths nor predictions that count"


def test_a_crowd_is_not_matched_and_its_pixels_stay_in_unions() -> None:
    # Person 1 has 2 pixels and its prediction 3, one on the crowd: IoU 2/3.
    true = segments([[1, 1, 8, 8]], {1: PERSON, 8: PERSON}, crowd=(8,))
    predicted = segments([[5, 5, 5, 0]], {0: BACKGROUND, 5: PERSON})

    assert values(batch((true, predicted)))["person"] == 2 / 3


def test_an_iou_of_one_half_is_no_match() -> None:
    true = segments([[1, 1, 1]], {1: PERSON})
    half = segments([[5, 5, 5, 5, 5, 5]], {5: PERSON})
    long = segments([[1, 1, 1, 2, 2, 2]], {1: PERSON, 2: SKY})

    assert values(batch((long, half)))["person"] == 0.0
    assert values(batch((long, half)), "SQ", zero_division=None)["person"] == "no matched segments"
    assert values(batch((true, true)))["person"] == 1.0


def test_an_image_without_annotations_is_all_background() -> None:
    predicted = segments([[5]], {5: PERSON})

    assert values(batch((None, predicted)))["person"] == 0.0
    assert (
        values(batch((None, predicted)), background_is_void=True)["all"] == "no labels with a value"
    )
    assert values(batch((predicted, None)))["person"] == 0.0
    assert values(batch((None, None)))["all"] == "no labels with a value"


def test_labels_only_in_predictions_are_excluded_from_means_and_counted() -> None:
    true = segments([[1, 2]], {1: PERSON, 2: SKY})
    predicted = segments([[5, 5]], {5: DOG})

    data = batch((true, predicted), (true, true))
    report = evaluate([data], ["PQ"], "segmentation")
    average = report["PanopticQuality"].find(average="all").only

    # Person and sky: found once and missed once, 1 / (1 + 1/2).
    assert average.value == 2 / 3
    assert average.left_out == {"label only in predictions": 1}
    assert values(data, include_prediction_only_labels=True)["all"] == pytest.approx(4 / 9)


def test_a_map_without_objects_has_one_segment_for_each_label() -> None:
    # Values 1 and 2 are one label, so that 3 of 4 pixels are one segment.
    legend = Legend.of({0: BACKGROUND, 1: SKY, 2: SKY})
    data = batch((LabelImage([[1, 2, 1, 2]], legend), LabelImage([[1, 1, 2, 0]], legend)))

    assert values(data)["sky"] == 0.75


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_integers_above_the_precision_of_floats_stay_distinct(kind: Any) -> None:
    numbers = [2**60 + i for i in range(4)]
    side = Segments(np.array([numbers], kind), dict.fromkeys(numbers, "person"))

    report = evaluate([Segmentation("a", side, side)], ["PQ"], "segmentation")

    assert report["PanopticQuality"].find(label="person").value == 1.0


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, np.int32, np.int64])
def test_an_unknown_value_is_an_error_that_names_the_item(dtype: Any) -> None:
    predicted = segments([[1, 3, 3, 4]], {1: PERSON}, dtype=dtype)

    with pytest.raises(
        ReadError, match="batch 0: item 0, prediction: expected the value of a label, got 3 at 2"
    ):
        values(batch((None, predicted)))


def random_image(rng: np.random.Generator) -> tuple[LabelImage | None, LabelImage | None]:
    """Blocks of a few objects; predictions are the truth with some pixels changed."""
    height, width = rng.integers(1, 12, 2)
    count = int(rng.integers(1, 9))
    coarse = rng.integers(0, count, (height // 3 + 1, width // 3 + 1))
    true = np.kron(coarse, np.ones((3, 3), int))[:height, :width]
    predicted = np.where(rng.random(true.shape) < 0.3, rng.integers(0, count, true.shape), true)
    codes = rng.integers(-2, 3, count).tolist()
    seen_codes = [max(c, -1) if rng.random() < 0.8 else int(rng.integers(-1, 3)) for c in codes]
    crowd = tuple(i for i in range(count) if codes[i] >= 0 and rng.random() < 0.2)
    # Ids of COCO's format are up to 2**24.
    ids = rng.permutation(1000)[:count] * 10_000
    return (
        segments(ids[true], dict(zip(ids.tolist(), codes, strict=True)), ids[list(crowd)].tolist()),
        segments(ids[predicted], dict(zip(ids.tolist(), seen_codes, strict=True))),
    )


def naive(pairs: list[Any], label: int, void: set[int]) -> tuple[Fraction, int, int, int]:
    """Sum of IoUs, matches, false and missed segments, from sets of pixels."""
    ious, false, missed, matches = Fraction(0), 0, 0, 0
    for true, predicted in pairs:

        def areas(one: LabelImage, crowd: bool) -> list[set[tuple[int, int]]]:
            image = one.pixels.read(0, one.pixels.shape[0])
            legend = one.legend
            return [
                set(map(tuple, np.argwhere(image == value).tolist()))
                for value, code, flag in zip(legend.values, legend.codes, legend.crowd, strict=True)
                if code == label and flag == crowd and (image == value).any()
            ]

        image = true.pixels.read(0, true.pixels.shape[0])
        empty = [v for v, c in zip(true.legend.values, true.legend.codes, strict=True) if c in void]
        outside = set(map(tuple, np.argwhere(np.isin(image, empty)).tolist()))
        crowds = set().union(*areas(true, True))
        truths, found = areas(true, False), set()
        for area in areas(predicted, False):
            rest = area - outside
            hit = next((i for i, t in enumerate(truths) if 2 * len(t & rest) > len(t | rest)), None)
            if hit is not None:
                ious += Fraction(len(truths[hit] & rest), len(truths[hit] | rest))
                found.add(hit)
            elif 2 * len(area & (outside | crowds)) <= len(area):
                false += 1
        matches += len(found)
        missed += len(truths) - len(found)
    return ious, matches, false, missed


@for_each("seed", range(40))
@for_each("is_void", [True, False])
def test_equal_to_a_naive_program(seed: int, is_void: bool) -> None:
    rng = np.random.default_rng(seed)
    pairs = [random_image(rng) for _ in range(4)]
    data = batch(*pairs)

    pq, sq, rq = (values(data, name, background_is_void=is_void) for name in ("PQ", "SQ", "RQ"))

    void = {IGNORED, BACKGROUND} if is_void else {IGNORED}
    for code, label in enumerate(LABELS):
        ious, matches, false, missed = naive(pairs, code, void)
        if not matches + false + missed:
            assert pq[label.value] == "neither ground truths nor predictions that count"
            continue
        total = matches + Fraction(false + missed, 2)
        assert pq[label.value] == pytest.approx(float(ious / total), abs=1e-15)
        assert rq[label.value] == float(matches / total)
        assert sq[label.value] == pytest.approx(float(ious / matches) if matches else 0, abs=1e-15)


def test_quality_is_the_product_of_its_factors() -> None:
    rng = np.random.default_rng(7)
    data = batch(*[random_image(rng) for _ in range(20)])
    pq, sq, rq = (values(data, name) for name in ("PQ", "SQ", "RQ"))

    for label in LABELS:
        name = label.value
        assert pq[name] == pytest.approx(sq[name] * rq[name], abs=1e-15)


def dataset(seed: int) -> list[SegmentationBatch]:
    rng = np.random.default_rng(seed)
    pairs = [random_image(rng) for _ in range(7)]
    pairs[2] = (None, pairs[2][1])
    pairs[5] = (pairs[5][0], None)
    first, second = batch(*pairs[:4]), batch(*pairs[4:], start=4)
    return [first, evolve(second, stuff={LABELS[SKY]})]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("parameters", [{}, {"stuff": ["sky"], "background_is_void": True}])
def test_conformance(name: str, parameters: dict[str, Any]) -> None:
    check_metric(
        Registry().metric(f"segmentation.{name}"),
        {"objects": dataset(1), "more": dataset(2)},
        parameters,
    )


class Strips:
    """Pixels that are best read one row at a time."""

    def __init__(self, image: Any) -> None:
        self.image, self.shape, self.strip_rows = image, image.shape, 1

    def read(self, first: int, last: int) -> Any:
        return self.image[first:last]


def test_reading_strip_by_strip_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    data = dataset(3)[0]
    layer = data.layers[0]

    def stripped(one: LabelImage | None) -> LabelImage | None:
        return None if one is None else evolve(one, pixels=Strips(one.pixels.read(0, 99)))

    apart = Layer(map(stripped, layer.groundtruths), map(stripped, layer.predictions))
    whole = values(data)
    monkeypatch.setattr("valor_segmentation.counting.segment_overlaps._BLOCK", 5)

    assert values(evolve(data, layers=[apart])) == whole


def test_many_segments_are_counted_without_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    data = dataset(4)[0]
    whole = values(data)
    monkeypatch.setattr("valor_segmentation.counting.segment_overlaps._TABLE", 1)

    assert values(data) == whole


def test_memory_grows_with_the_pairs_of_segments_that_there_are() -> None:
    # Each pixel is a segment: a table of all pairs would have 1.6 billion cells.
    numbers = np.arange(1, 40_001, dtype=np.int32).reshape(200, 200)
    legend = Legend(np.arange(1, 40_001), np.zeros(40_000, int), np.zeros(40_000, bool))
    one = LabelImage(numbers, legend)
    data = batch((one, LabelImage(numbers[::-1], legend)))
    tracemalloc.start()
    try:
        assert values(data)["person"] == 1.0
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 40_000_000


@pytest.mark.parametrize("size", [100, 101, 1_000_000])
def test_segments_of_which_half_is_shared_are_no_match(size: int) -> None:
    # A union of 2n pixels of which n are shared has an IoU of 0.5, which is not above it.
    image = np.zeros((1, 2 * size), np.uint8)
    true, half, more = image + 1, image.copy(), image.copy()
    half[0, :size], more[0, : size + 1] = 1, 1
    batch = from_arrays([true], [half], labels=["cat"])
    above = from_arrays([true], [more], labels=["cat"])

    assert results_of(batch, "RecognitionQuality")["RecognitionQuality", "cat"].value == 0.0
    assert results_of(above, "RecognitionQuality")["RecognitionQuality", "cat"].value == 1.0

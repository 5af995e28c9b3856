"""Area ranges of the user: every metric counts the objects of each range as COCO's AP does."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from cases import for_each
from valor_detection.parameters.fields import COCO_IOUS

from valor_core.schemas.detection import Detection

from .support import predicted, results_of, true
from .test_parity_pycocotools import CocoData, mean

BINS = {"tiny": [0, 256], "rest": [257, None]}

ITEMS = [
    Detection(
        "a",
        [true("x", 0, 0, 10, 10), true("x", 100, 100, 140, 140)],  # 100 and 1600 square pixels
        [
            predicted({"x": 0.9}, 0, 0, 10, 10),  # p1 matches the object of 100
            predicted({"x": 0.8}, 100, 100, 140, 140),  # p2 matches the object of 1600
            predicted({"x": 0.7}, 200, 200, 210, 210),  # p3 matches none, and has an area of 100
            predicted({"x": 0.6}, 300, 300, 340, 340),  # p4 matches none, and has an area of 1600
        ],
    ),
    Detection(
        "b",
        [true("x", 0, 0, 15, 20), true("x", 100, 0, 116, 16)],  # 300 and 256 square pixels
        [predicted({"x": 0.5}, 0, 0, 12, 20)],  # p5 of area 240 matches the object of 300: 240/300
    ),
]

WORKED = {
    # Ground truths of 100 and 256. p1 is true, p3 false; p2 and p5 match an object of another size,
    # p4 has another size. AP is 1 at the recalls 0 to 0.5, 51 of 101.
    "tiny": {
        "Counts": {"tp": 1, "fp": 1, "fn": 1},
        "Precision": 1 / 2,
        "Recall": 1 / 2,
        "F1": 2 / (2 + 1 + 1),
        "AP": 51 / 101,
        "AR": 1 / 2,
    },
    # Ground truths of 1600 and 300. p2 is true, p4 false, p5 true, though its area is 240.
    # AP is 1 at the recalls 0 to 0.5, and 2/3 at the other 50.
    "rest": {
        "Counts": {"tp": 2, "fp": 1, "fn": 0},
        "Precision": 2 / 3,
        "Recall": 1.0,
        "F1": 4 / (4 + 1 + 0),
        "AP": (51 + 50 * 2 / 3) / 101,
        "AR": 1.0,
    },
}


def at_iou_50(name: str, ranges: Any) -> dict[str, Any]:
    average = {"average": "none"} if name in ("Precision", "Recall", "F1") else {}
    return {"name": name, "area_ranges": ranges, "iou_thresholds": 0.5} | average


@for_each("name", WORKED["tiny"])
@for_each("size", WORKED)
def test_metric_of_each_size_equals_calculation_by_hand(size: str, name: str) -> None:
    found = results_of(ITEMS, at_iou_50(name, BINS)).find(area_range=size).only

    low, high = BINS[size]
    assert found.parameters["area_bounds"] == [low, high]
    expected = WORKED[size][name]
    if isinstance(expected, float):
        assert math.isclose(found.value, expected, rel_tol=1e-15)
    else:
        assert found.value == expected


def test_sizes_that_divide_all_areas_divide_counts() -> None:
    by_size = results_of(ITEMS, at_iou_50("Counts", BINS))
    overall = results_of(ITEMS, at_iou_50("Counts", None)).value

    assert overall == {"tp": 3, "fp": 2, "fn": 1}
    assert {name: sum(one.value[name] for one in by_size) for name in overall} == overall


def drawn_ranges(data: CocoData) -> dict[str, list[float]]:
    """Ranges that overlap, meet or have gaps, with the area of an object as a bound."""
    areas = [one["area"] for one in data.truths] + [0.0, 500.0]
    bounds = [*data.rng.choice(areas, 4), *data.rng.integers(0, 12_000, 4)]
    pairs = np.unique(np.sort(np.array(bounds, float).reshape(4, 2), axis=1), axis=0).tolist()
    return {f"bin {n}": pair for n, pair in enumerate(pairs)} | {"rest": [700.0, None]}


@for_each("seed", range(60))
def test_averages_of_custom_sizes_equal_pycocotools_bit_by_bit(seed: int) -> None:
    data = CocoData(5000 + seed)
    ranges = drawn_ranges(data)
    theirs = data.evaluated(ranges).eval
    results = results_of(
        data.batch,
        *(
            {"name": name, "iou_thresholds": COCO_IOUS, "area_ranges": ranges}
            for name in ("AP", "mAP", "mAPAveragedOverIOUs", "AR", "mAR")
        ),
    )

    labels = {str(number): place for place, number in enumerate(sorted(data.categories))}
    for result in results:
        at = result.parameters
        ious = [COCO_IOUS.index(at["iou_threshold"])] if "iou_threshold" in at else list(range(10))
        name = "recall" if "AR" in result.type else "precision"
        values = theirs[name][ious][..., list(ranges).index(at["area_range"]), 2]
        if "label" in at:
            values = values[..., [labels[at["label"]]]]
        assert result.to_dict()["value"] == mean(values), (result.type, at)


COORDINATES = ("label", "area_range", "iou_threshold", "score_threshold")
SCORES = (0.0, 0.3, 0.7)
IOUS = (0.5, 0.75)


@for_each("seed", range(60))
def test_counts_of_custom_sizes_equal_matches_of_pycocotools(seed: int) -> None:
    data = CocoData(6000 + seed)
    ranges = drawn_ranges(data)
    at = {
        "area_ranges": ranges,
        "iou_thresholds": IOUS,
        "score_thresholds": SCORES,
        "max_detections": 100,
    }
    results = results_of(data.batch, {"name": "Counts"} | at, *quotients_of(at))
    found = {
        (one.type, *(one.parameters[name] for name in COORDINATES)): one.to_dict()["value"]
        for one in results
    }

    for place, (tp, fp, fn) in counts_by_pycocotools(data, ranges).items():
        if ("Counts", *place) not in found:  # a label without objects
            assert (tp, fp, fn) == (0, 0, 0)
            continue
        assert found["Counts", *place] == {"tp": tp, "fp": fp, "fn": fn}, place
        assert found["Precision", *place] == share(tp, fp), place
        assert found["Recall", *place] == share(tp, fn), place
        assert found["F1", *place] == share(2 * tp, fp + fn), place


def share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None


@for_each("seed", range(20))
def test_recall_and_average_recall_of_a_size_agree(seed: int) -> None:
    data = CocoData(7000 + seed)
    ranges = drawn_ranges(data)
    both = {"area_ranges": ranges, "iou_thresholds": 0.5, "max_detections": 100}
    results = results_of(
        data.batch,
        {"name": "AR", "recall_score_threshold": 0.3} | both,
        *quotients_of(both | {"score_thresholds": 0.3}),
    )

    for result in results["AR"]:
        where = {name: result.parameters[name] for name in ("label", "area_range")}
        recall = results["Recall"].find(**where).only
        assert recall.to_dict()["value"] == result.to_dict()["value"]


@for_each("seed", range(10))
def test_names_with_a_size_equal_numbers_of_summaries(seed: int) -> None:
    data = CocoData(9000 + seed).batch
    sizes = [(kind, size) for kind in ("AP", "AR") for size in ("small", "medium", "large")]
    summary = results_of(data, "COCOSummary").value
    for kind, size in sizes:
        for name in (f"{kind}_{size}", f"m{kind}_{size}", f"{kind}{size[0]}"):
            value = results_of(data, name).only.to_dict()["value"]
            assert value == summary[f"{kind}_{size}"], name

    of_lvis = results_of(data, "LVISSummary").value
    for kind, size in sizes:
        name = f"{kind}{size[0]}" + "@300" * (kind == "AR")
        chosen = {"name": name, "matching": "lvis"}
        assert results_of(data, chosen).only.to_dict()["value"] == of_lvis[name], name


def quotients_of(parameters: dict[str, Any]) -> list[dict[str, Any]]:
    single = {"average": "none", "zero_division": None}
    return [{"name": name} | single | parameters for name in ("Precision", "Recall", "F1")]


def counts_by_pycocotools(
    data: CocoData, ranges: dict[str, Any]
) -> dict[tuple[Any, ...], tuple[int, int, int]]:
    """Counts of each label from the matches of COCOeval in each image."""
    evaluation = data.evaluated(ranges)
    cells: dict[tuple[int, int], list[Any]] = {}
    areas = [tuple(pair) for pair in evaluation.params.areaRng]
    for image in filter(None, evaluation.evalImgs):
        place = image["category_id"], areas.index(tuple(image["aRng"]))
        cells.setdefault(place, []).append(image)
    found = {}
    for category in data.categories:
        for size, name in enumerate(ranges):
            images = cells.get((category, areas.index(areas[size])), [])
            positives = sum(int((one["gtIgnore"] == 0).sum()) for one in images)
            for iou in IOUS:
                at = COCO_IOUS.index(iou)
                for score in SCORES:
                    tp = fp = 0
                    for one in images:
                        passes = np.array(one["dtScores"]) >= score
                        passes &= ~one["dtIgnore"][at].astype(bool)
                        matched = one["dtMatches"][at] > 0
                        tp += int((passes & matched).sum())
                        fp += int((passes & ~matched).sum())
                    found[str(category), name, iou, score] = tp, fp, positives - tp
    return found

"""The metrics of one report agree on counts, under every protocol.

At each score threshold, true positives, false positives and ignored predictions are the predicted
labels that pass; true positives and false negatives are the ground truths that are not ignored.
Data have crowds, objects of up to 10^12 square pixels and more than 100 predictions of a label in
an image. COCO's bounds on both apply to averages only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from cases import for_each
from valor_detection.matching.candidate_pairs import request
from valor_detection.matching.matches import matching
from valor_detection.matching.precisions import At
from valor_detection.matching.protocols import PROTOCOLS
from valor_detection.matching.table import LABEL, Table
from valor_detection.parameters.fields import PROTOCOL_NAMES, ProtocolName

from valor_core.results.results import Results
from valor_core.schemas.detection import Detection, DetectionBatch

from .support import predicted, results_of, true, value_of

NAMES = PROTOCOL_NAMES
SEEDS = range(4)
IOUS = (0.5, 0.75)
SCORES = (0.0, 0.3, 0.5, 0.75, 1.0)
SIZES: tuple[Mapping[str, list[float | None]] | None, ...] = (
    None,
    {"all": [0, None], "small": [0, 1e6], "large": [1e6, None], "coco": [0, 1e10]},
)


def items_of(
    seed: int, labels: str = "ab", crowd: float = 0.2, searched: float = 0.75
) -> list[Detection]:
    """Random boxes of very different sizes; the first image has 150 predictions of a label.

    Some objects are ignored, and some labels were searched for in some images only.
    """
    rng = np.random.default_rng(seed)

    def box(unit: float) -> list[float]:
        x, y, width, height = (rng.integers([0, 0, 2, 2], [6, 6, 6, 6]) * unit).tolist()
        return [x, y, x + width, y + height]

    def image(name: str, truths: int, predictions: int) -> Detection:
        units = 10.0 ** rng.choice([1, 3, 6], 3)
        return Detection(
            name,
            [
                true(
                    rng.choice(list(labels)),
                    *box(rng.choice(units)),
                    is_crowd=bool(rng.random() < crowd),
                    ignored=bool(rng.random() < crowd / 2),
                )
                for _ in range(truths)
            ],
            [
                predicted({rng.choice(list(labels)): int(rng.integers(0, 21)) / 20}, *box(unit))
                for unit in rng.choice(units, predictions)
            ],
            searched=[label for label in labels if rng.random() < searched],
        )

    dense = image("dense", 40, 150 * len(labels))
    return [dense, *(image(f"i{i}", int(rng.integers(0, 8)), 12) for i in range(4))]


def table_of(items: list[Detection], protocol: ProtocolName) -> Table:
    state = request(IOUS, PROTOCOLS[protocol]).open()
    state.update(DetectionBatch.of(items))
    return state.table


def counts_of(results: Results) -> Iterator[tuple[dict[str, Any], tuple[int, int, int]]]:
    for result in results["Counts"]:
        yield dict(result.parameters), tuple(result.value.values())


def bounds(parameters: Mapping[str, Any]) -> tuple[float, float]:
    low, high = parameters.get("area_bounds", (0.0, None))
    return low, math.inf if high is None else high


@for_each("most", [None, 3])
@for_each("sizes", SIZES)
@for_each("protocol", NAMES)
@for_each("seed", SEEDS)
def test_counts_partition_predictions_and_ground_truths(
    seed: int, protocol: ProtocolName, sizes: Any, most: int | None
) -> None:
    items, chosen = items_of(seed), {"area_ranges": sizes, "max_detections": most}
    at = {"matching": protocol, "iou_thresholds": IOUS, "score_thresholds": SCORES}
    table, results = table_of(items, protocol), results_of(items, {"name": "Counts"} | at | chosen)
    chunk = table.objects

    for parameters, (tp, fp, fn) in counts_of(results):
        code = [label.value for label in table.labels].index(parameters["label"])
        low, high = bounds(parameters)
        passes = (chunk.labels == code) & (chunk.scores >= parameters["score_threshold"])
        matched = matching(table, PROTOCOLS[protocol], LABEL, (low, high))
        is_matched, is_ignored = matched.at(parameters["iou_threshold"])
        in_range = (chunk.areas >= low) & (chunk.areas <= high) & chunk.searched
        too_many = matched.ranks >= (math.inf if most is None else most)
        ignored = passes & (is_ignored | too_many | (~is_matched & ~in_range))
        there = (chunk.true_labels == code) & ~PROTOCOLS[protocol].uncounted(chunk)
        there &= (chunk.true_areas >= low) & (chunk.true_areas <= high)

        assert tp + fp + ignored.sum() == passes.sum(), parameters
        assert tp + fn == there.sum(), parameters


def share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None


@for_each("protocol", NAMES)
@for_each("seed", SEEDS)
@for_each("iou", IOUS)
def test_all_metrics_of_a_report_agree_on_counts(
    seed: int, protocol: ProtocolName, iou: float
) -> None:
    one, several = {"iou_threshold": iou}, {"iou_thresholds": iou, "score_thresholds": SCORES}
    names = ("Precision", "Recall", "F1")
    unbound = {"max_detections": 10**6, "area_ranges": {"all": [0, None]}}
    results = results_of(
        items_of(seed),
        *(
            {"name": name, "matching": protocol} | parameters
            for name, parameters in [
                ("Counts", several),
                *((name, several | {"average": "none", "zero_division": None}) for name in names),
                ("PrecisionRecallCurve", one | {"score_thresholds": SCORES}),
                ("PrecisionRecallCurve", one | {"form": "interpolated"}),
                ("DetailedPrecisionRecallCurve", one | {"score_thresholds": SCORES}),
                ("LRP", one | {"score_thresholds": SCORES}),
                ("ErrorAnalysis", one | {"per_label": True}),
                *(
                    ("CalibrationError", one | {"score_threshold": s, "per_label": True})
                    for s in SCORES
                ),
                *(
                    ("AR", {"iou_thresholds": iou, "recall_score_threshold": s} | unbound)
                    for s in SCORES
                ),
                ("AP", {"iou_thresholds": iou} | unbound),
            ]
        ),
    )
    curves = results["PrecisionRecallCurve"]
    points = next(curve.value for curve in curves if "form" not in curve.parameters)
    drawn = next(curve.value for curve in curves if "form" in curve.parameters)
    kinds = results["DetailedPrecisionRecallCurve"].value
    analysis = results["ErrorAnalysis"]

    for parameters, (tp, fp, fn) in counts_of(results):
        label, score = parameters["label"], parameters["score_threshold"]
        at = {"label": label, "score_threshold": score}
        assert results["Precision"].find(**at).only.to_dict()["value"] == share(tp, fp)
        assert results["Recall"].find(**at).only.to_dict()["value"] == share(tp, fn)
        assert results["F1"].find(**at).only.to_dict()["value"] == share(2 * tp, fp + fn)
        assert [points[label][repr(score)][name] for name in ("tp", "fp", "fn")] == [tp, fp, fn]
        assert [kinds[label][repr(score)][name]["total"] for name in ("tp", "fp", "fn")] == [
            tp,
            fp,
            fn,
        ]
        assert results["AR"].find(**at).only.to_dict()["value"] == share(tp, fn)
        lrp = results["LRP"].find(**at).only.to_dict()["value"]
        if lrp is not None:
            assert lrp["false_positive"] == share(fp, tp)
            assert lrp["false_negative"] == share(fn, tp)
        bins = results["CalibrationError"].find(**at).only.to_dict()["value"]
        filled = [own for own in (bins["bins"] if bins else ()) if own["count"]]
        assert sum(own["count"] for own in filled) == tp + fp
        assert sum(round(own["count"] * own["precision"]) for own in filled) == tp
        if score == 0.0:
            found = analysis.find(label=label).value
            assert found["false_positives"]["count"] == fp
            assert found["false_negatives"]["count"] == fn
            if type(PROTOCOLS[protocol].precision) is At:  # others average more than the points
                mean = sum(drawn[label]["precisions"]) / len(drawn[label]["precisions"])
                assert mean == pytest.approx(results["AP"].find(label=label).value, rel=1e-14)


@for_each("protocol", NAMES)
@for_each("seed", SEEDS)
def test_matrix_and_examples_agree_on_counts_of_a_label(seed: int, protocol: ProtocolName) -> None:
    at = {"matching": protocol, "iou_thresholds": IOUS, "score_thresholds": SCORES}
    results = results_of(
        items_of(seed, labels="a"),
        {"name": "Counts"} | at,
        {"name": "ConfusionMatrix"} | at,
        {"name": "Examples"} | at,
    )

    for parameters, (tp, fp, fn) in counts_of(results):
        own = {name: parameters[name] for name in ("iou_threshold", "score_threshold")}
        matrix = results["ConfusionMatrix"].find(**own).value
        images = results["Examples"].find(**own).value

        assert matrix["confusion_matrix"]["a"]["a"] == tp
        assert matrix["unmatched_predictions"]["a"] == fp
        assert matrix["unmatched_ground_truths"]["a"] == fn
        listed = ("true_positives", "false_positives", "false_negatives")
        assert [sum(len(image[name]) for image in images) for name in listed] == [tp, fp, fn]


@for_each("protocol", NAMES)
@for_each("seed", SEEDS)
def test_matrix_of_several_labels_contains_every_counted_object(
    seed: int, protocol: ProtocolName
) -> None:
    at = {"matching": protocol, "iou_thresholds": IOUS, "score_thresholds": SCORES}
    items = items_of(seed, labels="abc", crowd=0.0, searched=1.0)
    results = results_of(items, {"name": "Counts"} | at, {"name": "ConfusionMatrix"} | at)

    for parameters, (tp, fp, fn) in counts_of(results):
        own = {name: parameters[name] for name in ("iou_threshold", "score_threshold")}
        label, matrix = parameters["label"], results["ConfusionMatrix"].find(**own).value
        cells = matrix["confusion_matrix"]

        predicted = sum(row[label] for row in cells.values())
        assert predicted + matrix["unmatched_predictions"][label] == tp + fp
        there = sum(cells[label].values())
        assert there + matrix["unmatched_ground_truths"][label] == tp + fn


@pytest.mark.parametrize("protocol", NAMES)
def test_object_of_more_than_1e10_square_pixels_is_counted(protocol: ProtocolName) -> None:
    box = (0, 0, 150_000, 100_000)  # as in a whole-slide image, or a map in meters
    items = [Detection("a", [true("x", *box)], [predicted({"x": 0.9}, *box)])]

    assert value_of(items, "Counts", matching=protocol) == {"tp": 1, "fp": 0, "fn": 0}
    assert value_of(items, "PrecisionRecallCurve", matching=protocol)["x"]["0.5"]["tp"] == 1
    ap = results_of(items, {"name": "AP", "iou_thresholds": 0.5, "matching": protocol}).only
    if protocol in ("coco", "lvis", "keypoints"):  # pycocotools ignores it
        assert ap.undefined == "no ground truths of label 'x'"
    else:
        # Recall 0, which KITTI excludes, has the only true positive.
        assert ap.value == (0.0 if protocol == "kitti" else 1.0)


def test_counts_and_confusion_matrix_of_150_predictions_in_an_image_agree() -> None:
    boxes = [(10 * i, 0, 10 * i + 8, 8) for i in range(150)]
    items = [
        Detection(
            "a", [true("d", *box) for box in boxes], [predicted({"d": 0.9}, *b) for b in boxes]
        )
    ]
    results = results_of(items, "Counts", {"name": "Recall", "average": "none"}, "ConfusionMatrix")

    assert results["Counts"].value == {"tp": 150, "fp": 0, "fn": 0}
    assert results["Recall"].value == 1.0
    assert results["ConfusionMatrix"].value["confusion_matrix"] == {"d": {"d": 150}}
    assert value_of(items, "AR") == pytest.approx(
        100 / 150, rel=1e-15
    )  # COCO's bound, for averages only
    assert value_of(items, "AR", max_detections=150) == 1.0
    assert value_of(items, "AR", matching="valor") == 1.0

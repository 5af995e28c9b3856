"""Best thresholds of detections: worked examples, Counts at every score, and saved reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from valor_core import evaluate
from valor_core.errors import ParameterError
from valor_core.schemas.detection import Detection

from .support import REGISTRY, ROW, predicted, results_of, true

NAME = "BestThreshold"


def best(label: str, /, **parameters: Any) -> Any:
    found = results_of(ROW, {"name": NAME, **parameters}).find(label=label).only
    return found.value if found.undefined is None else found.undefined


# ROW has four dogs and a cat. Matched at an IoU of 0.5: dog 0.9 and 0.7 (IoU 0.6), cat 0.6 (IoU
# 0.75). Not matched: dog 0.8 and bee 0.5.


def test_greatest_f1_and_the_numbers_there() -> None:
    # at 0.9 F1 = 2 / (2 + 0 + 3) = 2/5, at 0.7 F1 = 4 / (4 + 1 + 2) = 4/7
    assert best("dog") == {
        "threshold": 0.7,
        "precision": 2 / 3,
        "recall": 2 / 4,
        "f1": 4 / 7,
        "tp": 2,
        "fp": 1,
        "fn": 2,
    }
    assert best("cat")["f1"] == 1.0
    assert best("bee") == "no ground truths of 'bee'"


def test_each_iou_threshold_has_its_own() -> None:
    # at an IoU of 0.75 only dog 0.9 is matched
    found = results_of(ROW, {"name": NAME, "iou_thresholds": [0.5, 0.75]})

    cuts = [one.value["threshold"] for one in found.find(label="dog")]
    assert cuts == [0.7, 0.9]


def test_one_threshold_for_all_labels() -> None:
    # 0.9 right, 0.8 wrong, 0.7 and 0.6 right: at 0.6 F1 = 6 / (6 + 1 + 2)
    found = results_of(ROW, NAME).find(average="micro").value

    assert (found["threshold"], found["f1"]) == (0.6, 2 / 3)


def test_other_objectives() -> None:
    precise = {"objective": "recall_at_precision", "minimum": 0.9}
    assert best("dog", **precise)["threshold"] == 0.9
    assert best("dog", objective="precision_at_recall", minimum=0.5)["threshold"] == 0.7
    assert best("dog", objective="precision_at_recall", minimum=0.75) == (
        "no threshold of 'dog' has a recall of at least 0.75; the greatest is 0.5"
    )
    # 3 at 0.9, 1 + 2 at 0.7: the higher one
    assert best("dog", objective="cost")["threshold"] == 0.9
    # 3 * 2 at 0.9, 1 + 2 * 2 at 0.7
    found = best("dog", objective="cost", false_negative_cost=2)
    assert (found["threshold"], found["cost"]) == (0.7, 5.0)


def test_objectives_that_need_true_negatives_are_rejected() -> None:
    with pytest.raises(ParameterError, match="must be one of 'f_beta', 'cost'"):
        results_of(ROW, {"name": NAME, "objective": "youden"})


def random_set(seed: int) -> list[Detection]:
    rng = np.random.default_rng(seed)
    items = []
    for image in range(int(rng.integers(1, 6))):
        corners = rng.integers(0, 12, (int(rng.integers(1, 6)), 2))
        sides = rng.integers(4, 12, (len(corners), 2))
        boxes = np.hstack([corners, corners + sides]).tolist()
        moved = np.hstack([corners, corners + sides + rng.integers(0, 4, sides.shape)]).tolist()
        labels = rng.choice(["cat", "dog", "bee"], (2, len(boxes)), p=[0.5, 0.3, 0.2])
        labels[1] = np.where(rng.random(len(boxes)) < 0.7, labels[0], labels[1])
        scores = rng.integers(1, 8, len(boxes)) / 8
        items.append(
            Detection(
                f"image {image}",
                [true(str(label), *box) for label, box in zip(labels[0], boxes, strict=True)],
                [
                    predicted({str(label): score}, *box)
                    for label, box, score in zip(labels[1], moved, scores.tolist(), strict=True)
                ],
            )
        )
    return items


def gain(counts: dict[str, int], chosen: dict[str, Any]) -> tuple[Any, ...] | None:
    """Return the number to maximize, or None if the threshold is not allowed."""
    tp, fp, fn = counts["tp"], counts["fp"], counts["fn"]
    name, minimum = chosen.get("objective", "f_beta"), chosen.get("minimum", 0)
    if not tp:
        return None
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    if name == "recall_at_precision":
        return (recall,) if precision >= minimum else None
    if name == "precision_at_recall":
        return (precision, recall) if recall >= minimum else None
    if name == "cost":
        cost, nothing = 2 * fp + 3 * fn, 3 * (tp + fn)
        return (-cost,) if cost <= nothing else None
    square = chosen.get("beta", 1) ** 2
    return ((1 + square) * tp / ((1 + square) * tp + fp + square * fn),)


OBJECTIVES: list[dict[str, Any]] = [
    {},
    {"beta": 2.0},
    {"objective": "recall_at_precision", "minimum": 0.6},
    {"objective": "precision_at_recall", "minimum": 0.4},
    {"objective": "cost", "false_positive_cost": 2.0, "false_negative_cost": 3.0},
]

SETTINGS: list[dict[str, Any]] = [
    {},
    {"matching": "ranked", "max_detections": 1},
    {"matching": "valor"},
    {"area_ranges": {"small": [0, 60], "large": [60, None]}},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_random_sets_equal_counts_at_every_score(settings: dict[str, Any]) -> None:
    cuts, compared = [n / 8 for n in range(1, 8)], 0
    settings = {"iou_thresholds": [0.5, 0.7], **settings}
    for seed in range(30):
        counts = {"name": "Counts", "score_thresholds": cuts, **settings}
        choices = [{"name": NAME, **settings, **chosen} for chosen in OBJECTIVES]
        results = results_of(random_set(seed), counts, *choices)
        table: dict[Any, dict[float, dict[str, int]]] = {}
        for one in results["Counts"]:
            place = dict(one.parameters)
            cut, label = place.pop("score_threshold"), place.pop("label")
            for key in (label, None):
                sums = table.setdefault((key, str(place)), {}).setdefault(cut, {})
                for name, number in one.value.items():
                    sums[name] = sums.get(name, 0) + number
        for one in results[NAME]:
            place = dict(one.parameters)
            place.pop("average", None)
            chosen = {
                name: place.pop(name)
                for name in (*OBJECTIVES[-1], "beta", "minimum")
                if name in place
            }
            rows = table[place.pop("label", None), str(place)]
            gains = {cut: gain(row, chosen) for cut, row in rows.items()}
            defined = [(value, cut) for cut, value in gains.items() if value is not None]
            assert (one.undefined is None) == bool(defined), one
            if defined:
                _, cut = max(defined)
                assert one.value["threshold"] == cut
                assert {name: one.value[name] for name in rows[cut]} == rows[cut]
                compared += 1
    assert compared > 300


def test_applied_thresholds_give_the_counts_of_other_images(tmp_path: Path) -> None:
    path = tmp_path / "validation.json"
    settings = {"matching": "ranked", "iou_thresholds": [0.5, 0.75]}
    validation, test = random_set(101), random_set(102)
    saved = evaluate(validation, [{"name": NAME, **settings}], task="detection")
    saved.save(path)

    found = results_of(test, {"name": NAME, **settings, "apply": path})

    compared = 0
    for one in found:
        where = {k: v for k, v in one.parameters.items() if k in ("label", "iou_threshold")}
        if "label" not in where or one.undefined is not None:
            continue
        cut = saved[NAME].find(**where).value["threshold"]
        counts = {"name": "Counts", "score_thresholds": cut, **settings}
        wanted = results_of(test, counts).find(**where).value
        assert one.value["threshold"] == cut
        assert {name: one.value[name] for name in wanted} == wanted
        compared += 1
    assert compared >= 4


def test_applied_to_the_same_images_the_numbers_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    report = evaluate(ROW, [NAME], task="detection")
    report.save(path)

    again = results_of(ROW, {"name": NAME, "apply": path})

    assert [one.to_dict()["value"] for one in again] == [one.to_dict()["value"] for one in report]


def test_report_of_other_iou_thresholds_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "validation.json"
    evaluate(ROW, [NAME], task="detection").save(path)

    with pytest.raises(ParameterError) as caught:
        evaluate(
            ROW,
            [{"name": NAME, "apply": path, "iou_thresholds": 0.75}],
            task="detection",
            registry=REGISTRY,
        )

    assert caught.value.message == (
        f"apply: expected thresholds for iou_threshold 0.75 in {path}, found iou_threshold 0.5"
    )
    assert caught.value.remedy == "Set the same parameters as in the run that wrote the report."


def test_found_numbers_have_no_interval_but_applied_ones_do(tmp_path: Path) -> None:
    items = [
        Detection(f"{i} {one.uid}", one.groundtruths, one.predictions)
        for i in range(60)
        for one in ROW
    ]
    report = evaluate(items, [NAME], task="detection", confidence=0.95)
    report.save(tmp_path / "own.json")
    rows = report[NAME].find(label="dog").only.details["confidence"]
    assert {row["method"] for row in rows} == {"no interval: the place of a maximum"}

    choice = {"name": NAME, "apply": tmp_path / "own.json"}
    applied = evaluate(items, [choice], task="detection", confidence=0.95)[NAME].find(label="dog")
    rows = {row["number"]: row for row in applied.only.details["confidence"]}
    low, high = rows["precision"]["interval"]
    assert low < applied.value["precision"] < high

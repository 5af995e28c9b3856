"""Naive implementations of metrics of single objects, one object at a time.

Boxes only, under the rule ``coco``. The code shares only the data with the metrics.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box

from .support import predicted, true

LABELS = ("cat", "dog", "elk")


def random_items(seed: int, images: int = 5, crowds: float = 0.1) -> list[Detection]:
    """Random images with predictions moved, duplicated, relabeled or unrelated to true boxes."""
    rng = np.random.default_rng(seed)
    items = []
    for uid in range(images):
        truths, predictions = [], []
        for _ in range(int(rng.integers(0, 5))):
            box, label = _box(rng), str(rng.choice(LABELS))
            is_crowd = bool(rng.random() < crowds)
            truths.append(true(label, *_edges(box), is_crowd=is_crowd))
            for _ in range(int(rng.integers(0, 3))):
                name = label if rng.random() < 0.7 else str(rng.choice(LABELS))
                moved = box + rng.integers(-3, 4, 4) * int(rng.choice([0, 1, 3]))
                predictions.append(_seen(rng, name, np.maximum(moved, 1.0)))
        strays = range(int(rng.integers(0, 3)))
        predictions += [_seen(rng, str(rng.choice(LABELS)), _box(rng)) for _ in strays]
        items.append(Detection(uid, truths, predictions))
    return items


def _box(rng: np.random.Generator) -> Any:
    return np.concatenate([rng.integers(1, 40, 2), rng.integers(6, 24, 2)]).astype(float)


def _edges(box: Any) -> tuple[float, ...]:
    x, y, width, height = box.tolist()
    return x, y, x + width, y + height


def _seen(rng: np.random.Generator, label: str, box: Any) -> PredictedObject:
    return predicted({label: float(rng.integers(1, 21)) / 20}, *_edges(box))


def label_of(one: TrueObject | PredictedObject) -> str:
    """Value of an object's one label."""
    label: Any = one.labels[0]
    return str(label.value if isinstance(one, TrueObject) else label[0].value)


def score_of(one: PredictedObject) -> float:
    """Score of an object's one label."""
    return one.labels[0][1]


def iou(true_object: TrueObject, prediction: PredictedObject) -> float:
    """IoU of two boxes; for a crowd, the share of the prediction inside it."""
    one, other = true_object.geometry, prediction.geometry
    assert isinstance(one, Box)
    assert isinstance(other, Box)
    width = min(one.xmax, other.xmax) - max(one.xmin, other.xmin)
    height = min(one.ymax, other.ymax) - max(one.ymin, other.ymin)
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    whole = other.area if true_object.is_crowd else one.area + other.area - shared
    return shared / whole


def matched(item: Detection, threshold: float, same_label: bool) -> dict[int, int]:
    """Return the position of the ground truth that each prediction of an image matches."""
    order = sorted(range(len(item.predictions)), key=lambda row: -score_of(item.predictions[row]))
    taken: set[int] = set()
    found = {}
    for row in order:
        prediction = item.predictions[row]
        best: tuple[bool, float, int] | None = None
        for place, truth in enumerate(item.groundtruths):
            if place in taken and not truth.is_crowd:
                continue
            if label_of(truth) != label_of(prediction) and (same_label or truth.is_crowd):
                continue
            overlap = iou(truth, prediction)
            if overlap > 0 and overlap >= threshold:
                rank = (not truth.is_crowd, overlap, place)
                best = rank if best is None else max(best, rank)
        if best is not None:
            found[row] = best[2]
            taken.add(best[2])
    return found


def confusion(items: Sequence[Detection], iou_threshold: float, score: float) -> Counter[Any]:
    """Count objects by true and predicted label; None for unmatched."""
    cells: Counter[Any] = Counter()
    for item in items:
        kept = [one for one in item.predictions if score_of(one) >= score]
        image = Detection(item.uid, item.groundtruths, kept)
        found = matched(image, iou_threshold, same_label=False)
        for row, prediction in enumerate(kept):
            truth = item.groundtruths[found[row]] if row in found else None
            if truth is None or not truth.is_crowd:
                cells[truth and label_of(truth), label_of(prediction)] += 1
        for place, truth in enumerate(item.groundtruths):
            if place not in found.values() and not truth.is_crowd:
                cells[label_of(truth), None] += 1
    return cells


def detailed(items: Sequence[Detection], iou_threshold: float, score: float) -> Counter[Any]:
    """Count objects by label and outcome."""
    counts: Counter[Any] = Counter()
    for item in items:
        kept = [one for one in item.predictions if score_of(one) >= score]
        image = Detection(item.uid, item.groundtruths, kept)
        found = matched(image, iou_threshold, same_label=True)
        for row, prediction in enumerate(kept):
            name = label_of(prediction)
            if row in found:
                if not item.groundtruths[found[row]].is_crowd:
                    counts[name, "tp", "all"] += 1
                continue
            mistaken = any(
                label_of(truth) != name
                and not truth.is_crowd
                and iou(truth, prediction) >= iou_threshold
                for truth in item.groundtruths
            )
            counts[name, "fp", "misclassifications" if mistaken else "hallucinations"] += 1
        for place, truth in enumerate(item.groundtruths):
            if truth.is_crowd or place in found.values():
                continue
            name = label_of(truth)
            mistaken = any(
                label_of(one) != name and iou(truth, one) >= iou_threshold for one in kept
            )
            counts[name, "fn", "misclassifications" if mistaken else "no_predictions"] += 1
    return counts


def ranked(items: Sequence[Detection], label: str, threshold: float) -> list[tuple[float, float]]:
    """Scores and IoUs of a label's predictions by descending score; 0.0 for false positives."""
    rows = []
    for item in items:
        found = matched(item, threshold, same_label=True)
        for row, prediction in enumerate(item.predictions):
            if label_of(prediction) != label:
                continue
            truth = item.groundtruths[found[row]] if row in found else None
            if truth is None:
                rows.append((score_of(prediction), 0.0))
            elif not truth.is_crowd:
                rows.append((score_of(prediction), iou(truth, prediction)))
    return sorted(rows, key=lambda row: -row[0])


def positives(items: Sequence[Detection], label: str) -> int:
    """Number of counted ground truths of a label."""
    truths = [truth for item in items for truth in item.groundtruths]
    return sum(label_of(truth) == label and not truth.is_crowd for truth in truths)


def lrp(
    rows: Sequence[tuple[float, float]], total: int, threshold: float, score: float
) -> float | None:
    """LRP error of a label's predictions at a score threshold."""
    kept = [overlap for own, overlap in rows if own >= score]
    hits = [overlap for overlap in kept if overlap]
    objects = len(kept) + total - len(hits)
    if not objects:
        return None
    loss = math.fsum((1 - overlap) / (1 - threshold) for overlap in hits)
    return (loss + objects - len(hits)) / objects


def calibration(rows: Sequence[tuple[float, float]], bins: int) -> float | None:
    """Detection expected calibration error of predictions."""
    if not rows:
        return None
    total = 0.0
    for place in range(bins):
        low, high = place / bins, (place + 1) / bins
        own = [row for row in rows if low < row[0] <= high or (not place and row[0] == 0)]
        if own:
            precision = sum(overlap > 0 for _, overlap in own) / len(own)
            confidence = math.fsum(score for score, _ in own) / len(own)
            total += len(own) * abs(precision - confidence)
    return total / len(rows)


def near(one: float | None, other: float | None) -> bool:
    """Return True if two sums agree up to rounding, or both are None."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-15)

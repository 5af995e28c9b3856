"""Valor's definitions for classification, as slowly and plainly as they can be written.

An oracle for tests: every function loops over datums, shares no code with the plugin, and keeps
exact fractions until the end. Rows are attrs values with a ``uid``, ``groundtruths`` as
(key, value) and ``predictions`` as (key, value, score), in the order in which they were listed.

A datum takes part in a label key if it has a ground truth or a prediction in it. None stands for
a value that does not exist.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

if TYPE_CHECKING:
    from .golden_cases import Row

UNLISTED = -math.inf
"""Score of a label that a datum does not list: below every score."""


@frozen
class Counts:
    """The binary problem of one label."""

    tp: int
    fp: int
    fn: int
    tn: int


@frozen
class Confusion:
    """Confusion matrix with the datums in each cell, without empty cells.

    Attributes
    ----------
    matrix : dict of (str, str) to list of (str, float)
        (ground truth, prediction) to (uid, score).
    unmatched_groundtruths : dict of str to list of str
        Ground truths on datums where no prediction passed.
    unmatched_predictions : dict of str to list of (str, float)
        Predictions that passed on datums without ground truth.
    """

    matrix: dict[tuple[str, str], list[tuple[str, float]]]
    unmatched_groundtruths: dict[str, list[str]]
    unmatched_predictions: dict[str, list[tuple[str, float]]]


# What may go in, and what is left of it


def check(rows: Sequence[Row]) -> None:
    """Refuse a uid given twice, a label listed twice on a datum, a score that is no number."""
    if len({row.uid for row in rows}) < len(rows):
        raise ValueError("a uid is given twice")
    for row in rows:
        if len(set(row.groundtruths)) < len(row.groundtruths):
            raise ValueError(f"{row.uid} has a ground truth twice")
        if len({(key, value) for key, value, _ in row.predictions}) < len(row.predictions):
            raise ValueError(f"{row.uid} lists a label twice")
        if not all(math.isfinite(score) for _, _, score in row.predictions):
            raise ValueError(f"{row.uid} has a score that is not finite")


def relabel(rows: Iterable[Row], label_map: Mapping[tuple[str, str], tuple[str, str]]) -> list[Row]:
    """Rename labels on both sides.

    Of ground truths that become the same label on a datum one stays; predictions that become one
    stand where the first of them stood, with the best of their scores.
    """
    if not isinstance(label_map, Mapping):
        raise TypeError("a label map is a mapping of (key, value) to (key, value)")
    renamed = []
    for row in rows:
        truths: list[tuple[str, str]] = []
        for old in row.groundtruths:
            new = label_map.get(old, old)
            if new not in truths:
                truths.append(new)
        listed = [(*label_map.get((k, v), (k, v)), score) for k, v, score in row.predictions]
        best: dict[tuple[str, str], float] = {}
        for key, value, score in listed:
            best[key, value] = max(score, best.get((key, value), score))
        renamed.append(
            evolve(
                row,
                groundtruths=tuple(truths),
                predictions=tuple((*label, score) for label, score in best.items()),
            )
        )
    return renamed


def select(
    rows: Iterable[Row],
    *,
    datums: Collection[str] | None = None,
    groundtruths: Collection[str] | None = None,
    predictions: Collection[str] | None = None,
    hardmax: bool = False,
) -> list[Row]:
    """Leave datums out by uid or by ground-truth value, and predictions by value.

    With `hardmax` the best label of a datum and key is found first: where it is left out, nothing
    takes its place.
    """
    kept = []
    for row in rows:
        if datums is not None and row.uid not in datums:
            continue
        if groundtruths is not None and not any(v in groundtruths for _, v in row.groundtruths):
            continue
        if predictions is not None:
            listed = row.predictions
            if hardmax:
                listed = tuple(p for p in listed if p[1] == best_label(row, p[0]))
            row = evolve(row, predictions=tuple(p for p in listed if p[1] in predictions))
        kept.append(row)
    return kept


# What a datum says


def keys_of(rows: Iterable[Row]) -> list[str]:
    """Return every label key, sorted."""
    return sorted({label[0] for row in rows for label in (*row.groundtruths, *row.predictions)})


def labels_of(rows: Iterable[Row], key: str) -> list[str]:
    """Return every value of a label key, of either side, sorted."""
    return sorted(
        {v for row in rows for k, v, *_ in (*row.groundtruths, *row.predictions) if k == key}
    )


def truths_of(row: Row, key: str) -> list[str]:
    """Return the ground truths of a datum in a key."""
    return [v for k, v in row.groundtruths if k == key]


def scores_of(row: Row, key: str) -> dict[str, float]:
    """Return the predictions of a datum in a key, in the order listed."""
    return {v: score for k, v, score in row.predictions if k == key}


def taking_part(rows: Iterable[Row], key: str) -> list[Row]:
    """Return the datums with a ground truth or a prediction in a key."""
    return [row for row in rows if truths_of(row, key) or scores_of(row, key)]


def best_label(row: Row, key: str) -> str | None:
    """Return the label with the highest score, the first listed of several."""
    scores = scores_of(row, key)
    return next((label for label in scores if scores[label] == max(scores.values())), None)


def passing(row: Row, key: str, threshold: float, hardmax: bool) -> list[str]:
    """Return the labels whose score is at or above the threshold; with `hardmax` the best only."""
    scores = scores_of(row, key)
    return [
        label
        for label, score in scores.items()
        if score >= threshold and (not hardmax or label == best_label(row, key))
    ]


# Counts and what follows from them


def counts(
    rows: Iterable[Row],
    key: str,
    threshold: float = 0.0,
    *,
    hardmax: bool = True,
    labels: Iterable[str] | None = None,
) -> dict[str, Counts]:
    """Count every label of a key (or those given), over the datums that take part in it."""
    rows = taking_part(rows, key)
    answer = {}
    for label in labels_of(rows, key) if labels is None else labels:
        cells = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
        for row in rows:
            cells[label in truths_of(row, key), label in passing(row, key, threshold, hardmax)] += 1
        answer[label] = Counts(
            tp=cells[True, True],
            fp=cells[False, True],
            fn=cells[True, False],
            tn=cells[False, False],
        )
    return answer


def precision(c: Counts, zero_division: float | None = 0.0) -> float | None:
    """Return tp / (tp + fp)."""
    return _ratio(c.tp, c.tp + c.fp, zero_division)


def recall(c: Counts, zero_division: float | None = 0.0) -> float | None:
    """Return tp / (tp + fn)."""
    return _ratio(c.tp, c.tp + c.fn, zero_division)


def f1(c: Counts, zero_division: float | None = 0.0) -> float | None:
    """Return 2 tp / (2 tp + fp + fn)."""
    return _ratio(2 * c.tp, 2 * c.tp + c.fp + c.fn, zero_division)


def binary_accuracy(c: Counts) -> float | None:
    """Return (tp + tn) / all."""
    return _ratio(c.tp + c.tn, c.tp + c.fp + c.fn + c.tn, None)


def _ratio(over: int, under: int, otherwise: float | None) -> float | None:
    return float(Fraction(over, under)) if under else otherwise


def accuracy(
    rows: Iterable[Row], key: str, threshold: float = 0.0, *, hardmax: bool = True
) -> float | None:
    """Return the share of the datums that are right.

    Of datums with at most one ground truth each, those with one take part, and are right if it
    passes. Where any has several, all datums of the key take part, and are right if exactly their
    ground truths pass.
    """
    rows = taking_part(rows, key)
    if any(len(truths_of(row, key)) > 1 for row in rows):
        sets = [(truths_of(row, key), passing(row, key, threshold, hardmax)) for row in rows]
        return _ratio(sum(set(truths) == set(passed) for truths, passed in sets), len(sets), None)
    rows = [row for row in rows if truths_of(row, key)]
    right = sum(truths_of(row, key)[0] in passing(row, key, threshold, hardmax) for row in rows)
    return _ratio(right, len(rows), None)


# Ranking


def ranked_pairs(
    rows: Iterable[Row], key: str, label: str | None = None
) -> tuple[list[float], list[float]]:
    """Return the scores of positive and of negative (datum, label) pairs, of one label or of all.

    A label that a datum does not list has the score `UNLISTED`.
    """
    rows = taking_part(rows, key)
    positives, negatives = [], []
    for row in rows:
        for each in labels_of(rows, key) if label is None else [label]:
            score = scores_of(row, key).get(each, UNLISTED)
            (positives if each in truths_of(row, key) else negatives).append(score)
    return positives, negatives


def roc_auc(rows: Iterable[Row], key: str, label: str | None = None) -> Fraction | None:
    """Return the share of (positive, negative) pairs in the right order; a tie is half a pair.

    One label against the rest; without a label, all (datum, label) pairs as one problem.
    """
    positives, negatives = ranked_pairs(rows, key, label)
    if not positives or not negatives:
        return None
    won = sum(
        Fraction(1) if p > n else Fraction(1, 2) if p == n else Fraction(0)
        for p in positives
        for n in negatives
    )
    return Fraction(won, len(positives) * len(negatives))


def mean_roc_auc(
    rows: Iterable[Row], key: str, labels: Iterable[str] | None = None
) -> Fraction | None:
    """Return the mean over the labels that have an area."""
    rows = list(rows)
    labels = labels_of(rows, key) if labels is None else labels
    areas = [roc_auc(rows, key, each) for each in labels]
    return _mean([area for area in areas if area is not None])


def average_precision(rows: Iterable[Row], key: str, label: str | None = None) -> Fraction | None:
    """Return the sum over distinct scores, falling, of precision times the gain in recall.

    What is not listed is one last group below all scores. One label against the rest; without a
    label, all (datum, label) pairs as one problem.
    """
    positives, negatives = ranked_pairs(rows, key, label)
    if not positives:
        return None
    area = Fraction(0)
    before = 0
    for threshold in sorted({*positives, *negatives}, reverse=True):
        tp = sum(score >= threshold for score in positives)
        fp = sum(score >= threshold for score in negatives)
        area += Fraction(tp - before, len(positives)) * Fraction(tp, tp + fp)
        before = tp
    return area


def mean_average_precision(rows: Iterable[Row], key: str) -> Fraction | None:
    """Return the mean over the labels with a ground truth."""
    rows = list(rows)
    areas = [average_precision(rows, key, each) for each in labels_of(rows, key)]
    return _mean([area for area in areas if area is not None])


def _mean(values: Sequence[Fraction]) -> Fraction | None:
    return sum(values, Fraction(0)) / len(values) if values else None


# Curves


def pr_curve(
    rows: Iterable[Row], key: str, thresholds: Iterable[float], *, hardmax: bool = False
) -> dict[str, dict[float, Counts]]:
    """Count every label of a key at each threshold."""
    rows = list(rows)
    curve: dict[str, dict[float, Counts]] = {label: {} for label in labels_of(rows, key)}
    for threshold in thresholds:
        for label, c in counts(rows, key, threshold, hardmax=hardmax).items():
            curve[label][threshold] = c
    return curve


def detailed_curve(
    rows: Iterable[Row], key: str, thresholds: Iterable[float], *, hardmax: bool = False
) -> dict[str, dict[float, dict[str, list[str]]]]:
    """Say for every label and threshold which datums fall into which category.

    The categories are ``tp``, ``tn``, ``fp.misclassifications``, ``fp.hallucinations`` (no ground
    truth in the key), ``fn.misclassifications`` (another label passes) and ``fn.no_predictions``.
    """
    rows = taking_part(rows, key)
    thresholds = list(thresholds)
    curve: dict[str, dict[float, dict[str, list[str]]]] = {}
    for label in labels_of(rows, key):
        curve[label] = {}
        for threshold in thresholds:
            categories: dict[str, list[str]] = {
                "tp": [],
                "tn": [],
                "fp.misclassifications": [],
                "fp.hallucinations": [],
                "fn.misclassifications": [],
                "fn.no_predictions": [],
            }
            for row in rows:
                truths = truths_of(row, key)
                passed = passing(row, key, threshold, hardmax)
                if label in truths and label in passed:
                    category = "tp"
                elif label in truths:
                    category = "fn.misclassifications" if passed else "fn.no_predictions"
                elif label in passed:
                    category = "fp.misclassifications" if truths else "fp.hallucinations"
                else:
                    category = "tn"
                categories[category].append(row.uid)
            curve[label][threshold] = categories
    return curve


# Who was taken for whom


def confusion_matrix(
    rows: Iterable[Row], key: str, threshold: float = 0.0, *, hardmax: bool = True
) -> Confusion:
    """Pair the ground truth of each datum with every label that passes there."""
    matrix: dict[tuple[str, str], list[tuple[str, float]]] = {}
    lost: dict[str, list[str]] = {}
    loose: dict[str, list[tuple[str, float]]] = {}
    for row in taking_part(rows, key):
        truths = truths_of(row, key)
        scores = scores_of(row, key)
        passed = passing(row, key, threshold, hardmax)
        if len(truths) > 1:
            raise ValueError(f"{row.uid} has several ground truths, so no row of a matrix")
        for truth in truths:
            for label in passed:
                matrix.setdefault((truth, label), []).append((row.uid, scores[label]))
            if not passed:
                lost.setdefault(truth, []).append(row.uid)
        if not truths:
            for label in passed:
                loose.setdefault(label, []).append((row.uid, scores[label]))
    return Confusion(matrix, lost, loose)


def examples(
    rows: Iterable[Row], key: str, threshold: float = 0.0, *, hardmax: bool = True
) -> dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]:
    """Return for each datum that takes part the labels that are tp, fp and fn there, sorted."""
    answer = {}
    for row in taking_part(rows, key):
        truths = set(truths_of(row, key))
        passed = set(passing(row, key, threshold, hardmax))
        answer[row.uid] = (
            tuple(sorted(truths & passed)),
            tuple(sorted(passed - truths)),
            tuple(sorted(truths - passed)),
        )
    return answer


def size(rows: Iterable[Row]) -> dict[str, Any]:
    """Count distinct labels and datums."""
    rows = list(rows)
    return {
        "labels": sum(len(labels_of(rows, key)) for key in keys_of(rows)),
        "datums": len({row.uid for row in rows}),
    }

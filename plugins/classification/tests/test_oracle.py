"""The metrics against the naive oracle, on small data sets of every shape.

Items have several keys, none, one or several ground truths, labels that are not listed, ties,
negative scores, and only one of the two sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_classification.readers.arrays import from_arrays

from valor_core.results import Failed, Undefined
from valor_core.results.results import Results
from valor_core.schemas.classification import ClassificationBatch

from . import naive
from .golden_cases import Row
from .support import batch_of, by_label, results_of

LABELS = {"animal": ("dog", "cat", "bee"), "colour": ("white", "black")}
SCORES = (-0.5, -0.25, 0.0, 0.05, 0.25, 0.3, 0.5, 0.75, 1.0)
THRESHOLDS = (-0.25, 0.0, 0.05, 0.26, 0.5, 1.0, 1.5)
ALL = 10**6
SCALE = ("cat", "black", "dog", "white", "bee")


@st.composite
def row_sets(
    draw: st.DrawFn, *, several: bool = True, scores: Sequence[float] = SCORES
) -> list[Row]:
    """Rows in the order of their uids, which is not the order of their numbers."""
    rows = []
    for uid in sorted(f"u{number}" for number in range(draw(st.integers(1, 12)))):
        truths: list[tuple[str, str]] = []
        listed: list[tuple[str, str]] = []
        for key, labels in LABELS.items():
            most = len(labels) if several else 1
            names = st.lists(st.sampled_from(labels), unique=True, max_size=most)
            truths += [(key, name) for name in draw(names)]
            listed += [(key, name) for name in draw(st.permutations(labels))]
        listed = draw(st.permutations(listed))[: draw(st.integers(0, len(listed)))]
        scored = tuple((*label, draw(st.sampled_from(scores))) for label in listed)
        rows.append(Row(uid, tuple(truths), scored))
    return rows


thresholds_st = st.lists(st.sampled_from(THRESHOLDS), min_size=1, max_size=4, unique=True)


def ran(rows: list[Row], *metrics: Any, **options: Any) -> Results:
    """Results over the rows; without any label there is nothing to compare."""
    return results_of(batch_of(rows), *metrics, **options)


def close(found: Any, wanted: Any) -> None:
    if wanted is None:
        assert found is None or isinstance(found, Undefined)
    else:
        assert found == pytest.approx(float(wanted), rel=1e-12, abs=1e-12)


@given(rows=row_sets(), thresholds=thresholds_st, hardmax=st.booleans())
def test_counts_and_what_follows_from_them(
    rows: list[Row], thresholds: list[float], hardmax: bool
) -> None:
    shared = {"score_thresholds": thresholds, "hardmax": hardmax}
    ratios = ("Precision", "Recall", "F1")
    results = ran(
        rows,
        {"name": "Counts"} | shared,
        {"name": "Accuracy"} | shared,
        *({"name": name, "zero_division": None} | shared for name in ratios),
    )

    for key in naive.keys_of(rows):
        for threshold in thresholds:
            at = {"label_key": key, "score_threshold": threshold}
            counts = naive.counts(rows, key, threshold, hardmax=hardmax)
            found = by_label(results["Counts"].find(**at))
            assert found == {
                label: {"tp": c.tp, "fp": c.fp, "fn": c.fn, "tn": c.tn}
                for label, c in counts.items()
            }
            accuracy = naive.accuracy(rows, key, threshold, hardmax=hardmax)
            close(results["Accuracy"].find(**at).value, accuracy)
            for name in ratios:
                check_averages(results[name].find(**at), getattr(naive, name.lower()), counts)


def check_averages(found: Results, ratio: Any, counts: Mapping[str, naive.Counts]) -> None:
    values = {label: ratio(c, None) for label, c in counts.items()}
    assert by_label(found) == values
    sums = naive.Counts(
        *(sum(getattr(c, name) for c in counts.values()) for name in ("tp", "fp", "fn", "tn"))
    )
    close(found.find(average="micro").value, ratio(sums, None))
    with_truth = {label: c.tp + c.fn for label, c in counts.items() if c.tp + c.fn}
    defined = {label: n for label, n in with_truth.items() if values[label] is not None}
    total = sum(Fraction(values[label]) for label in defined)
    weighted = sum(Fraction(values[label]) * n for label, n in defined.items())
    close(found.find(average="macro").value, total / len(defined) if defined else None)
    close(
        found.find(average="weighted").value,
        weighted / sum(defined.values()) if defined else None,
    )
    left_out = found.find(average="macro").only.left_out
    assert sum(left_out.values()) == len(counts) - len(defined)


@given(rows=row_sets())
def test_ranking(rows: list[Row]) -> None:
    results = ran(rows, "ROCAUC", "mROCAUC", "AveragePrecision", "ROCCurve")

    for key in naive.keys_of(rows):
        labels = naive.labels_of(rows, key)
        found = by_label(results["ROCAUC"].find(label_key=key))
        areas = {label: naive.roc_auc(rows, key, label) for label in labels}
        # the quotient of exact counts is rounded once, so it is the nearest double
        assert found == {
            label: None if area is None else float(area) for label, area in areas.items()
        }
        close(results["mROCAUC"].find(label_key=key).value, naive.mean_roc_auc(rows, key))
        precisions = by_label(results["AveragePrecision"].find(label_key=key))
        for label in labels:
            close(precisions[label], naive.average_precision(rows, key, label))
        mean = results["AveragePrecision"].find(label_key=key, average="macro").value
        close(mean, naive.mean_average_precision(rows, key))
        for label, curve in results["ROCCurve"].find(label_key=key).value.items():
            if areas[label] is None:
                assert curve.keys() == {"undefined"}
            else:
                close(np.trapezoid(curve["tpr"], curve["fpr"]), areas[label])


@given(rows=row_sets(scores=[score for score in SCORES if score >= 0]))
def test_binned_ranking_is_the_ranking_of_the_bins(rows: list[Row]) -> None:
    binned = [
        Row(
            row.uid,
            row.groundtruths,
            tuple((k, v, min(math.floor(score * 4), 3) / 4) for k, v, score in row.predictions),
        )
        for row in rows
    ]

    choices = ("ROCAUC", "mROCAUC", "AveragePrecision")
    results = ran(rows, *({"name": name, "bins": 4} for name in choices))

    for key in naive.keys_of(rows):
        for name, of in (("ROCAUC", naive.roc_auc), ("AveragePrecision", naive.average_precision)):
            found = by_label(results[name].find(label_key=key))
            for label in naive.labels_of(rows, key):
                close(found[label], of(binned, key, label))
        close(results["mROCAUC"].find(label_key=key).value, naive.mean_roc_auc(binned, key))


@given(rows=row_sets(), thresholds=thresholds_st)
def test_curves(rows: list[Row], thresholds: list[float]) -> None:
    shared = {"score_thresholds": thresholds}
    results = ran(
        rows,
        {"name": "PrecisionRecallCurve", "zero_division": None} | shared,
        {"name": "DetailedPrecisionRecallCurve", "max_examples": ALL} | shared,
        {"name": "DetailedPrecisionRecallCurve", "max_examples": 1} | shared,
    )

    for key in naive.keys_of(rows):
        curve = results["PrecisionRecallCurve"].find(label_key=key).value
        for label, points in naive.pr_curve(rows, key, sorted(thresholds)).items():
            assert curve[label] == {
                repr(threshold): {
                    "tp": c.tp,
                    "fp": c.fp,
                    "fn": c.fn,
                    "tn": c.tn,
                    "accuracy": naive.binary_accuracy(c),
                    "precision": naive.precision(c, None),
                    "recall": naive.recall(c, None),
                    "f1_score": naive.f1(c, None),
                }
                for threshold, c in points.items()
            }
        for most in (ALL, 1):
            detailed = results["DetailedPrecisionRecallCurve"].find(
                label_key=key, max_examples=most
            )
            check_detailed(detailed.value, naive.detailed_curve(rows, key, thresholds), most)


def check_detailed(found: Any, wanted: Any, most: int) -> None:
    assert found.keys() == wanted.keys()
    for label, points in wanted.items():
        assert found[label].keys() == {repr(threshold) for threshold in points}
        for threshold, categories in points.items():
            observed = {
                kind if name == "all" else f"{kind}.{name}": each
                for kind, whole in found[label][repr(threshold)].items()
                for name, each in whole["observations"].items()
            }
            assert observed == {
                category: {"count": len(uids), "examples": uids[:most]}
                for category, uids in categories.items()
            }


@given(rows=row_sets(), thresholds=thresholds_st, hardmax=st.booleans(), most=st.integers(0, 3))
def test_confusion_matrix(
    rows: list[Row], thresholds: list[float], hardmax: bool, most: int
) -> None:
    results = ran(
        rows,
        {
            "name": "ConfusionMatrix",
            "score_thresholds": thresholds,
            "hardmax": hardmax,
            "max_examples": most,
        },
    )

    for key in naive.keys_of(rows):
        for threshold in thresholds:
            found = results.find(label_key=key, score_threshold=threshold).only
            try:
                wanted = naive.confusion_matrix(rows, key, threshold, hardmax=hardmax)
            except ValueError:
                assert found.error is not None
                assert "Counts" in found.error
                continue
            labels = naive.labels_of(rows, key)
            assert found.value["confusion_matrix"] == {
                truth: {
                    predicted: cell(wanted.matrix.get((truth, predicted), []), most)
                    for predicted in labels
                }
                for truth in labels
            }
            lost, loose = wanted.unmatched_groundtruths, wanted.unmatched_predictions
            assert found.value["unmatched_ground_truths"] == {
                label: cell(lost.get(label, []), most) for label in labels
            }
            assert found.value["unmatched_predictions"] == {
                label: cell(loose.get(label, []), most) for label in labels
            }


def cell(members: Sequence[Any], most: int) -> Any:
    if not most:
        return len(members)
    named = [
        {"datum_id": one} if isinstance(one, str) else {"datum_id": one[0], "score": one[1]}
        for one in members
    ]
    return {"count": len(members), "examples": named[:most]}


@given(
    rows=row_sets(),
    threshold=st.sampled_from(THRESHOLDS),
    hardmax=st.booleans(),
    errors_only=st.booleans(),
    limit=st.one_of(st.none(), st.integers(0, 5)),
    offset=st.integers(0, 5),
)
def test_examples(
    rows: list[Row],
    threshold: float,
    hardmax: bool,
    errors_only: bool,
    limit: int | None,
    offset: int,
) -> None:
    choice = {
        "name": "Examples",
        "score_thresholds": [threshold],
        "hardmax": hardmax,
        "errors_only": errors_only,
        "limit": limit,
        "offset": offset,
    }

    results = ran(rows, choice)

    for key in naive.keys_of(rows):
        wanted = [
            {
                "datum_id": uid,
                "true_positives": list(tp),
                "false_positives": list(fp),
                "false_negatives": list(fn),
            }
            for uid, (tp, fp, fn) in naive.examples(rows, key, threshold, hardmax=hardmax).items()
            if fp or fn or not errors_only
        ]
        found = results.find(label_key=key).value
        assert found == wanted[offset:][: len(wanted) if limit is None else limit]


@given(rows=row_sets(several=False), threshold=st.sampled_from(THRESHOLDS), k=st.integers(2, 4))
def test_top_k_balance_and_association(rows: list[Row], threshold: float, k: int) -> None:
    at = {"score_thresholds": [threshold]}
    results = ran(
        rows,
        {"name": "Accuracy", "top_k": k} | at,
        {"name": "Accuracy", "balanced": True} | at,
        {"name": "MatthewsCorrelation"} | at,
        {"name": "CohenKappa"} | at,
        {"name": "CohenKappa", "weights": "linear", "order": SCALE} | at,
    )

    for key in naive.keys_of(rows):
        found = results["Accuracy"].find(label_key=key)
        pairs = [
            (naive.truths_of(row, key)[0], naive.scores_of(row, key))
            for row in rows
            if naive.truths_of(row, key)
        ]
        right = sum(
            truth in sorted(scores, key=scores.__getitem__, reverse=True)[:k]
            and scores[truth] >= threshold
            for truth, scores in pairs
        )
        close(found.find(top_k=k).value, Fraction(right, len(pairs)) if pairs else None)
        recalls = [
            Fraction(c.tp, c.tp + c.fn)
            for c in naive.counts(rows, key, threshold).values()
            if c.tp + c.fn
        ]
        mean = sum(recalls, Fraction(0)) / len(recalls) if recalls else None
        close(found.find(balanced=True).value, mean)
        check_association(results, rows, key, threshold)


def check_association(results: Results, rows: list[Row], key: str, threshold: float) -> None:
    """Compare with the definitions: covariances of indicators, and 1 - observed / expected."""
    names = [*naive.labels_of(rows, key), None]
    pairs = [
        (
            names.index(naive.truths_of(row, key)[0]),
            names.index(next(iter(naive.passing(row, key, threshold, True)), None)),
        )
        for row in rows
        if naive.truths_of(row, key)
    ]
    if not pairs:
        return
    truth, predicted = (np.eye(len(names))[list(column)] for column in zip(*pairs, strict=True))

    def covariance(one: Any, other: Any) -> float:
        return float(((one - one.mean(axis=0)) * (other - other.mean(axis=0))).sum())

    variances = covariance(truth, truth) * covariance(predicted, predicted)
    close(
        results["MatthewsCorrelation"].find(label_key=key).value,
        covariance(truth, predicted) / math.sqrt(variances) if variances > 1e-9 else None,
    )
    kappas = results["CohenKappa"].find(label_key=key)
    close(kappas.find(weights="none").value, kappa(pairs, bool))
    on_scale = [(SCALE.index(names[t]), SCALE.index(names[p])) for t, p in pairs if names[p]]
    close(kappas.find(weights="linear").value, kappa(on_scale, abs))


def kappa(pairs: list[tuple[int, int]], distance: Callable[[int], int]) -> Fraction | None:
    """1 - observed / expected disagreement of truths and predictions."""
    observed = sum(distance(t - p) for t, p in pairs) * len(pairs)
    expected = sum(distance(t - p) for t, _ in pairs for _, p in pairs)
    return 1 - Fraction(observed, expected) if expected else None


@given(rows=row_sets(scores=[0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), half=st.booleans())
def test_probabilities(rows: list[Row], half: bool) -> None:
    results = ran(
        rows, "LogLoss", {"name": "BrierScore", "scale_by_half": half}, "CalibrationError"
    )

    for key in naive.keys_of(rows):
        members = [row for row in rows if naive.truths_of(row, key)]
        losses, squares, hits = [], [], []
        for row in members:
            scores, truths = naive.scores_of(row, key), naive.truths_of(row, key)
            squares += [
                (Fraction(scores.get(label, 0.0)) - (label in truths)) ** 2
                for label in naive.labels_of(rows, key)
            ]
            eps = np.finfo(np.float64).eps
            losses += [-math.log(min(max(scores.get(truths[0], 0.0), eps), 1 - eps))]
            best = naive.best_label(row, key)
            hits += [] if best is None else [(scores[best], best in truths)]
        loss = results["LogLoss"].find(label_key=key).value
        if any(len(naive.truths_of(row, key)) > 1 for row in members):
            assert isinstance(loss, Failed)
        else:
            close(loss, sum(losses) / len(members) if members else None)
        brier = sum(squares) / len(members) / (2 if half else 1) if members else None
        close(results["BrierScore"].find(label_key=key).value, brier)
        value = results["CalibrationError"].find(label_key=key).value
        close(None if isinstance(value, Undefined) else value["ece"], calibration(hits, 15))


def calibration(hits: list[tuple[float, bool]], bins: int) -> Fraction | None:
    """ECE; a score of i / bins is the last one in its bin."""
    if not hits:
        return None
    gaps = []
    for index in range(bins):
        inside = [
            (Fraction(score), hit)
            for score, hit in hits
            if max(1, math.ceil(Fraction(score) * bins)) == index + 1
        ]
        gaps.append(abs(sum((score - hit for score, hit in inside), Fraction(0))))
    return sum(gaps, Fraction(0)) / len(hits)


@given(rows=row_sets(), data=st.data())
def test_a_label_map_renames_before_anything_is_counted(rows: list[Row], data: Any) -> None:
    sources = [(key, label) for key, labels in LABELS.items() for label in labels]
    targets = [("animal", "cat"), ("animal", "mammal"), ("colour", "white")]
    renames = data.draw(st.dictionaries(st.sampled_from(sources), st.sampled_from(targets)))

    found = ran(rows, "Counts", "ROCAUC", "Accuracy", label_map=list(renames.items()))

    assert found == ran(naive.relabel(rows, renames), "Counts", "ROCAUC", "Accuracy")


@given(rows=row_sets(), data=st.data())
def test_a_filter_answers_as_if_nothing_else_were_there(rows: list[Row], data: Any) -> None:
    kept = data.draw(st.lists(st.sampled_from([row.uid for row in rows]), unique=True))
    wanted = ", ".join(repr(uid) for uid in (*kept, "nobody"))
    metrics = ("Counts", "Accuracy", "F1", "mROCAUC", "ConfusionMatrix", "Examples")

    found = ran(rows, *metrics, filter=f"uid in [{wanted}]")

    assert found == ran([row for row in rows if row.uid in kept], *metrics)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_matrix_counts_like_the_lists_of_its_items(dtype: Any) -> None:
    rng = np.random.default_rng(3)
    scores = (rng.integers(-2, 8, (40, 4)) / 8).astype(dtype)
    matrix = from_arrays(rng.integers(0, 4, 40), scores)
    names = ("Accuracy", "Counts", "F1", "ConfusionMatrix", "Examples", "CohenKappa")
    metrics = [
        {"name": name, "score_thresholds": [0.125, 0.5]} | more
        for name in names
        for more in ([{}] if name == "CohenKappa" else [{"hardmax": True}, {"hardmax": False}])
    ]
    metrics += [{"name": "Accuracy", "top_k": 2}]
    ranked = ("ROCAUC", "AveragePrecision", "ROCCurve", "DetailedPrecisionRecallCurve")

    found = results_of(matrix, *metrics, *ranked)

    assert found == results_of(ClassificationBatch.of(matrix.items()), *metrics, *ranked)

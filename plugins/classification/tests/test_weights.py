"""Weights of items: worked examples, scikit-learn's `sample_weight`, and any split and order."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk
from valor_classification.counting.weighted_counts import of_text
from valor_classification.readers.arrays import from_arrays

from valor_core import Evaluator, Report, evaluate
from valor_core.errors import StateError
from valor_core.schemas.classification import Classification, ClassificationBatch

from .support import by_label, results_of

AVERAGES = ["none", "micro", "macro", "weighted"]
SAMPLES: dict[str, Any] = {"average": "samples", "zero_division": None}
THRESHOLDS: dict[str, Any] = {"hardmax": False, "score_thresholds": [0.25, 0.5]}
METRICS: list[Any] = [
    "Accuracy",
    {"name": "Accuracy", "balanced": True},
    {"name": "Accuracy", "top_k": 2},
    {"name": "Accuracy", **THRESHOLDS},
    {"name": "Accuracy", "multilabel": "hamming"},
    {"name": "Accuracy", "multilabel": "jaccard"},
    *({"name": name, "average": AVERAGES} for name in ("Precision", "Recall", "F1", "Specificity")),
    {"name": "FBeta", "beta": 2.0, "average": AVERAGES},
    {"name": "F1", **SAMPLES},
    "Counts",
    {"name": "Counts", **THRESHOLDS},
    "ConfusionMatrix",
    {"name": "ConfusionMatrix", **THRESHOLDS},
    {"name": "ConfusionMatrix", "normalize": "truth", "max_examples": 2},
    "MatthewsCorrelation",
    *({"name": "CohenKappa", "weights": kind} for kind in ("none", "linear", "quadratic")),
    *("ROCAUC", "mROCAUC", "ROCCurve", "AveragePrecision"),
    *({"name": name, "bins": 10} for name in ("ROCAUC", "AveragePrecision")),
    *({"name": "BestThreshold", "objective": name} for name in ("f_beta", "youden", "cost")),
    *("PrecisionRecallCurve", "DetailedPrecisionRecallCurve", "Examples"),
    *("LogLoss", "BrierScore", "CalibrationError"),
    {"name": "CalibrationError", "positive": "1"},
]

RANDOM = np.random.default_rng(32)
COUNT, WIDTH = 200, 4
TRUTHS = RANDOM.integers(0, WIDTH, COUNT)
SCORES = RANDOM.dirichlet(np.ones(WIDTH), COUNT)
ROUNDED = SCORES.round(1)
WEIGHTS = np.where(RANDOM.random(COUNT) < 0.1, 0.0, RANDOM.random(COUNT) * 3)
UIDS = [f"item {i}" for i in range(COUNT)]
METADATA = {"weight": WEIGHTS, "one": np.ones(COUNT), "ink": RANDOM.integers(0, 3, COUNT)}


def of_matrix(scores: Any = SCORES) -> ClassificationBatch:
    return from_arrays(TRUTHS, scores, uids=UIDS, metadata=METADATA)


def of_lists(several: bool) -> list[Classification]:
    """Items that list some labels, with one ground truth, or for a third of them with two."""
    return [
        Classification(
            uid,
            [str(truth), *([str((truth + 1) % WIDTH)] if several and i % 3 == 0 else [])],
            {str(j): float(row[j]) for j in range(WIDTH) if (i + j) % 4},
            {name: column[i].item() for name, column in METADATA.items()},
        )
        for i, (uid, truth, row) in enumerate(zip(UIDS, TRUTHS.tolist(), ROUNDED, strict=True))
    ]


DATA: dict[str, Any] = {
    "matrix": of_matrix(),
    "ties": of_matrix(ROUNDED),
    "lists": of_lists(several=False),
    "several": of_lists(several=True),
}


def content(report: Report) -> str:
    """All numbers and warnings as text."""
    record = report.to_dict()
    names = ("results", "slices", "counts", "warnings")
    return json.dumps({name: record.get(name) for name in names})


def of(results: Any, name: str, **parameters: Any) -> Any:
    return results[name].find(**parameters).value


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(found, float), expected, rtol=1e-12, atol=1e-12)


def test_weighted_metrics_by_hand() -> None:
    items = [
        Classification("a", "cat", {"cat": 0.75, "dog": 0.25}, {"w": 2}),
        Classification("b", "cat", {"cat": 0.25, "dog": 0.75}, {"w": 0.5}),
        Classification("c", "dog", {"cat": 0.25, "dog": 0.75}, {"w": 1}),
        Classification("d", "dog", {"cat": 0.5, "dog": 0.5}, {"w": 0.25}),
    ]

    found = results_of(
        items, "Accuracy", "Counts", "Precision", "ROCAUC", "LogLoss", "BrierScore", weights="w"
    )

    # Right are a and c, and d is predicted as cat, the first label: (2 + 1) / (2 + 0.5 + 1 + 0.25).
    assert found["Accuracy"].value == 3 / 3.75
    assert of(found, "Counts", label="cat") == {"tp": 2.0, "fp": 0.25, "fn": 0.5, "tn": 1.0}
    assert of(found, "Precision", label="cat") == 2 / 2.25
    assert of(found, "Precision", label="dog") == 1 / 1.5
    # Pairs of a cat and a dog, weighted by the product: a (2) beats c and d (1.25), b (0.5) ties
    # with c (1) and loses to d: (2 * 1.25 + 0.5 * 1 / 2) / (2.5 * 1.25).
    assert of(found, "ROCAUC", label="cat") == (2 * 1.25 + 0.25) / (2.5 * 1.25)
    log_loss = -(2 * math.log(0.75) + 0.5 * math.log(0.25) + math.log(0.75) + 0.25 * math.log(0.5))
    assert found["LogLoss"].value == pytest.approx(log_loss / 3.75, rel=1e-15)
    # Half of the squares of both labels: 0.25**2, 0.75**2, 0.25**2, 0.5**2.
    squares = 2 * 0.0625 + 0.5 * 0.5625 + 1 * 0.0625 + 0.25 * 0.25
    assert found["BrierScore"].value == squares / 3.75


def test_weighted_labels_equal_those_of_scikit_learn() -> None:
    found = evaluate(DATA["ties"], METRICS, weights="weight")
    predicted = ROUNDED.argmax(axis=1)
    pair: Any = (TRUTHS, predicted)
    labels = [str(label) for label in range(WIDTH)]

    alone = evaluate(DATA["ties"], ["Accuracy", "ConfusionMatrix"], weights="weight")
    close(alone["Accuracy"].value, sk.accuracy_score(*pair, sample_weight=WEIGHTS))
    balanced = sk.balanced_accuracy_score(*pair, sample_weight=WEIGHTS)
    close(of(found, "Accuracy", balanced=True), balanced)
    table = sk.confusion_matrix(*pair, sample_weight=WEIGHTS)
    matrix = alone["ConfusionMatrix"].value["confusion_matrix"]
    close([list(row.values()) for row in matrix.values()], table)
    for average in AVERAGES:
        scores = sk.precision_recall_fscore_support(
            *pair, average=None if average == "none" else average, sample_weight=WEIGHTS
        )
        beta = sk.fbeta_score(
            *pair, beta=2, average=None if average == "none" else average, sample_weight=WEIGHTS
        )
        named = zip(("Precision", "Recall", "F1", "FBeta"), (*scores[:3], beta), strict=True)
        for name, expected in named:
            if average == "none":
                close([of(found, name, label=label) for label in labels], expected)
            else:
                close(of(found, name, average=average), expected)
    close(of(found, "MatthewsCorrelation"), sk.matthews_corrcoef(*pair, sample_weight=WEIGHTS))
    for kind, weights in (("none", None), ("linear", "linear"), ("quadratic", "quadratic")):
        kappa = sk.cohen_kappa_score(*pair, weights=weights, sample_weight=WEIGHTS)
        close(of(found, "CohenKappa", weights=kind), kappa)
    for number, label in enumerate(labels):
        table = sk.confusion_matrix(number == TRUTHS, predicted == number, sample_weight=WEIGHTS)
        counts = of(found, "Counts", label=label, hardmax=True)
        close([[counts["tn"], counts["fp"]], [counts["fn"], counts["tp"]]], table)
        recall = sk.recall_score(
            number == TRUTHS, predicted == number, pos_label=False, sample_weight=WEIGHTS
        )
        close(of(found, "Specificity", label=label), recall)


@pytest.mark.parametrize("scores", [SCORES, ROUNDED], ids=["distinct", "ties"])
@pytest.mark.parametrize("weights", [WEIGHTS, WEIGHTS * 1e-300, WEIGHTS * 1e290])
def test_weighted_ranks_equal_those_of_scikit_learn(scores: Any, weights: Any) -> None:
    batch = from_arrays(TRUTHS, scores, uids=UIDS, metadata={"weight": weights})
    metrics = ["ROCAUC", "mROCAUC", "AveragePrecision", "ROCCurve"]
    found = evaluate(batch, metrics, weights="weight")
    curves = found["ROCCurve"].value

    areas = []
    for number in range(WIDTH):
        # scikit-learn overflows or underflows for weights of such a size
        pair: Any = (number == TRUTHS, scores[:, number])
        areas.append(sk.roc_auc_score(*pair, sample_weight=WEIGHTS))
        precision = sk.average_precision_score(*pair, sample_weight=WEIGHTS)
        close(of(found, "ROCAUC", label=str(number)), areas[-1])
        close(of(found, "AveragePrecision", label=str(number)), precision)
        fpr, tpr, thresholds = sk.roc_curve(*pair, sample_weight=WEIGHTS, drop_intermediate=False)
        close(curves[str(number)]["fpr"], fpr)
        close(curves[str(number)]["tpr"], tpr)
        assert curves[str(number)]["thresholds"] == [None, *thresholds[1:].tolist()]
    close(found["mROCAUC"].value, np.mean(areas))


def test_weighted_top_k_and_probabilities_equal_those_of_scikit_learn() -> None:
    found = evaluate(
        DATA["matrix"],
        [{"name": "Accuracy", "top_k": 2}, "LogLoss", "BrierScore"],
        weights="weight",
    )

    pair: Any = (TRUTHS, SCORES)
    close(found["Accuracy"].value, sk.top_k_accuracy_score(*pair, k=2, sample_weight=WEIGHTS))
    close(found["LogLoss"].value, sk.log_loss(*pair, sample_weight=WEIGHTS))
    close(found["BrierScore"].value, sk.brier_score_loss(*pair, sample_weight=WEIGHTS))


def test_weighted_sets_of_labels_equal_those_of_scikit_learn() -> None:
    true = RANDOM.random((COUNT, 3)) < 0.5
    scores = RANDOM.random((COUNT, 3))
    batch = from_arrays(true.astype(int), scores, uids=UIDS, metadata={"w": WEIGHTS})
    settings = {"hardmax": False, "score_thresholds": 0.5}

    for rule, expected in (
        ("exact", sk.accuracy_score(true, scores >= 0.5, sample_weight=WEIGHTS)),
        ("hamming", 1 - sk.hamming_loss(true, scores >= 0.5, sample_weight=WEIGHTS)),
        (
            "jaccard",
            sk.jaccard_score(
                true, scores >= 0.5, average="samples", sample_weight=WEIGHTS, zero_division=1
            ),
        ),
    ):
        metric = {"name": "Accuracy", "multilabel": rule, **settings}
        close(evaluate(batch, [metric], weights="w")["Accuracy"].value, expected)


def test_weighted_calibration_error_is_that_of_repeated_items() -> None:
    repeats = RANDOM.integers(1, 4, COUNT)
    weighted = from_arrays(TRUTHS, SCORES, uids=UIDS, metadata={"w": repeats})
    repeated = from_arrays(TRUTHS.repeat(repeats), SCORES.repeat(repeats, axis=0))

    found = evaluate(weighted, ["CalibrationError"], weights="w")
    expected = evaluate(repeated, ["CalibrationError"])

    assert content(found).replace(f'"read": {COUNT}', "") == content(expected).replace(
        f'"read": {repeats.sum()}', ""
    )


@pytest.mark.parametrize("data", DATA)
def test_weights_of_1_give_the_same_bits_as_no_weights(data: str) -> None:
    plain, ones = evaluate(DATA[data], METRICS), evaluate(DATA[data], METRICS, weights="one")

    assert content(ones) == content(plain)


def in_parts(data: Any, sizes: Sequence[int], **options: Any) -> Evaluator:
    """Count shuffled items in parts by two evaluators, merge them, and save and load the state."""
    items = list(data.items()) if isinstance(data, ClassificationBatch) else data
    items = [items[i] for i in RANDOM.permutation(len(items))]
    parts = [Evaluator(METRICS, weights="weight", **options) for _ in range(2)]
    starts = [*np.cumsum([0, *sizes]).tolist(), len(items)]
    for number, (start, stop) in enumerate(pairwise(starts)):
        parts[number % 2].update(items[start:stop])
    parts[0].merge(parts[1])
    return Evaluator.loads(parts[0].dumps())


@pytest.mark.parametrize("data", DATA)
def test_weighted_items_give_the_same_bits_for_any_split_and_order(data: str) -> None:
    expected = evaluate(DATA[data], METRICS, weights="weight", slices=["ink"])

    found = in_parts(DATA[data], [1, 2, 70], slices=["ink"])

    assert content(found.compute()) == content(expected)


def test_slice_of_weighted_items_is_that_of_its_items() -> None:
    sliced = evaluate(DATA["matrix"], METRICS, weights="weight", slices=["ink"])
    alone = evaluate(DATA["matrix"], METRICS, weights="weight", filter="ink == 1")

    assert list(sliced.slice(ink=1)) == list(alone.results)


def test_items_of_weight_0_change_no_number() -> None:
    # Their labels are known, though: with a label that only such items have, means would differ.
    kept = evaluate(DATA["matrix"], METRICS, weights="weight", filter="weight > 0")
    names = {"Examples", "ConfusionMatrix", "DetailedPrecisionRecallCurve"}  # they list items
    found = evaluate(DATA["matrix"], METRICS, weights="weight")

    assert by_label(found["ROCAUC"]) == by_label(kept["ROCAUC"])
    assert [one for one in found if one.type not in names] == [
        one for one in kept if one.type not in names
    ]


def test_label_without_weight_has_no_ground_truths() -> None:
    items = [
        Classification("a", "cat", {"cat": 0.75, "dog": 0.25}, {"w": 1}),
        Classification("b", "dog", {"cat": 0.75, "dog": 0.25}, {"w": 0}),
    ]

    found = results_of(items, "ROCAUC", "Accuracy", {"name": "F1", "average": "macro"}, weights="w")

    assert found["ROCAUC"].find(label="dog").only.undefined == "no ground truths of 'dog'"
    assert found["ROCAUC"].find(label="cat").only.undefined == "no items without ground truth 'cat'"
    assert (found["Accuracy"].value, found["F1"].value) == (1.0, 1.0)


def test_weighted_counts_are_integers_if_all_sums_are() -> None:
    items = [Classification("a", "cat", {"cat": 1.0}, {"w": 3.0})]

    assert repr(results_of(items, "Counts", weights="w")["Counts"].value["tp"]) == "3"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("1/0", "datums: expected sums of weights, found '1/0'"),
        ("1e9999999", "datums: expected sums of weights, found '1e9999999'"),
        ("-1", "datums: expected sums of weights, found '-1'"),
        (7, "datums: expected sums of weights, found 7"),
        (["1/2"], r"datums: expected the shape \(2,\), found 1 sums"),
    ],
)
def test_damaged_sums_of_weights_are_rejected(value: Any, message: str) -> None:
    with pytest.raises(StateError, match=message):
        of_text(value, "datums", (2,))

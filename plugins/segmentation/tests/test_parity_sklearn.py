"""Equal to scikit-learn's confusion matrix and to what it computes of pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import for_each
from sklearn import metrics
from valor_segmentation.readers.in_memory import from_arrays

from .support import results_of

NAMES = ["cat", "dog", "bee", "owl"]
CODES = list(range(5))


def images(seed: int, dtype: Any) -> tuple[list[Any], list[Any]]:
    rng = np.random.default_rng(seed)
    shapes = [(17, 23), (40, 31), (1, 200)]
    true = [np.repeat(rng.integers(0, 5, shape), 3, axis=1).astype(dtype) for shape in shapes]
    predicted = [np.where(rng.random(t.shape) < 0.7, t, rng.integers(0, 5, t.shape)) for t in true]
    return true, [s.astype(dtype) for s in predicted]


@for_each("dtype", [np.uint8, np.uint16, np.int32, np.int64])
@for_each("seed", range(3))
def test_the_confusion_matrix_is_scikit_learns(seed: int, dtype: Any) -> None:
    true, predicted = images(seed, dtype)
    batch = from_arrays(true, predicted, labels=NAMES)
    flat = [np.concatenate([image.ravel() for image in side]) for side in (true, predicted)]
    expected = metrics.confusion_matrix(*flat, labels=CODES)

    value = results_of(batch, "ConfusionMatrix").value
    for i, truth in enumerate(NAMES, 1):
        row = [value["confusion_matrix"][truth][name] for name in NAMES]
        assert [value["unmatched_ground_truths"][truth], *row] == expected[i].tolist()
    invented = [value["unmatched_predictions"][name] for name in NAMES]
    assert [value["background"], *invented] == expected[0].tolist()


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_scikit_learns(seed: int) -> None:
    true, predicted = images(seed, np.uint8)
    batch = from_arrays(true, predicted, labels=NAMES)
    flat = [np.concatenate([image.ravel() for image in side]) for side in (true, predicted)]
    options = {"labels": CODES[1:], "zero_division": 0.0}

    for name, score in (
        ("IOU", metrics.jaccard_score),
        ("Precision", metrics.precision_score),
        ("Recall", metrics.recall_score),
        ("F1", metrics.f1_score),
    ):
        averages = ["none", "micro", "macro", "weighted"]
        results = results_of(batch, {"name": name, "average": averages})
        found = {r.parameters["label"]: r.value for r in results if "label" in r.parameters}
        each = score(*flat, average=None, **options)
        assert [found[label] for label in NAMES] == pytest.approx(each.tolist(), abs=1e-15)
        for average in averages[1:]:
            (mean,) = [r for r in results if r.parameters.get("average") == average]
            expected = score(*flat, average=average, **options)
            assert mean.value == pytest.approx(expected, abs=1e-15)
    assert results_of(batch, "Accuracy").value == metrics.accuracy_score(*flat)


@pytest.mark.parametrize("seed", range(3))
def test_counts_are_scikit_learns(seed: int) -> None:
    true, predicted = images(seed, np.uint8)
    batch = from_arrays(true, predicted, labels=NAMES)
    flat = [np.concatenate([image.ravel() for image in side]) for side in (true, predicted)]
    expected = metrics.multilabel_confusion_matrix(*flat, labels=CODES[1:])

    results = results_of(batch, "Counts")
    found = {result.parameters["label"]: result.value for result in results}
    for name, ((tn, fp), (fn, tp)) in zip(NAMES, expected.tolist(), strict=True):
        assert found[name] == {"tp": tp, "fp": fp, "fn": fn, "tn": tn}


@pytest.mark.parametrize(
    ("ours", "theirs"), [("truth", "true"), ("prediction", "pred"), ("all", "all")]
)
def test_shares_of_the_confusion_matrix_are_scikit_learns(ours: str, theirs: str) -> None:
    true, predicted = images(3, np.uint8)
    batch = from_arrays(true, predicted, labels=NAMES)
    flat = [np.concatenate([image.ravel() for image in side]) for side in (true, predicted)]
    expected = metrics.confusion_matrix(*flat, labels=CODES, normalize=theirs)

    value = results_of(batch, {"name": "ConfusionMatrix", "normalize": ours}).value
    for i, truth in enumerate(NAMES, 1):
        row = [value["confusion_matrix"][truth][name] for name in NAMES]
        missed = value["unmatched_ground_truths"][truth]
        assert [missed, *row] == pytest.approx(expected[i].tolist(), abs=1e-15)
    invented = [value["unmatched_predictions"][name] for name in NAMES]
    assert [value["background"], *invented] == pytest.approx(expected[0].tolist(), abs=1e-15)

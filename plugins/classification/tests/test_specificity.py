from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import recall_score
from valor_classification.readers.arrays import from_arrays

from valor_core.schemas.classification import Classification

from .support import PETS, REGISTRY, by_label, results_of


def test_specificity() -> None:
    results = results_of(PETS, "Specificity")

    # 3 of 5 items that are no dogs, as of those that are no cats; no item is taken for bee or ant
    assert by_label(results) == {"ant": 1.0, "bee": 1.0, "cat": 3 / 5, "dog": 3 / 5}
    assert results.find(average="micro").value == (3 + 3 + 6 + 6) / (5 + 5 + 6 + 6)
    assert results.find(average="macro").value == (3 / 5 + 3 / 5 + 1 + 1) / 4
    # two dogs, two cats, a bee, an ant
    weighted = (2 * 3 / 5 + 2 * 3 / 5 + 1 + 1) / 6
    assert results.find(average="weighted").value == pytest.approx(weighted, rel=1e-15)


@pytest.mark.parametrize(("zero_division", "value"), [(0.0, 0.0), (1.0, 1.0), (None, None)])
def test_a_label_that_every_item_has_leaves_nothing_to_be_right_about(
    zero_division: float | None, value: float | None
) -> None:
    items = [Classification("a", "dog", {"dog": 0.9}), Classification("b", "dog", {"cat": 0.9})]
    choice = {"name": "Specificity", "zero_division": zero_division}

    results = results_of(items, choice)

    assert by_label(results) == {"cat": 1 / 2, "dog": value}
    reason = results.find(label="dog").only.undefined
    assert reason == (None if value is not None else "every item has the label")


@pytest.mark.parametrize("name", ["tnr", "TNR", "true_negative_rate", "selectivity", "specificity"])
def test_textbook_names_of_specificity(name: str) -> None:
    assert REGISTRY.metric(name, "classification").name == "classification.Specificity"


@pytest.mark.parametrize("threshold", [None, 0.25, 0.5])
def test_specificity_is_the_recall_of_the_rest(threshold: float | None) -> None:
    rng = np.random.default_rng(5)
    truths, scores = rng.integers(0, 4, 200), rng.dirichlet(np.ones(4), 200)
    batch = from_arrays(truths, scores)
    choice: dict[str, Any] = {"name": "Specificity"}
    predicted = np.eye(4, dtype=int)[scores.argmax(axis=1)]
    if threshold is not None:
        choice |= {"hardmax": False, "score_thresholds": threshold}
        predicted = (scores >= threshold).astype(int)

    results = results_of(batch, choice)

    wanted = [
        recall_score(truths == label, predicted[:, label] == 1, pos_label=0) for label in range(4)
    ]
    assert [results.find(label=str(label)).value for label in range(4)] == wanted
    assert results.find(average="macro").value == pytest.approx(np.mean(wanted), rel=1e-15)
    pooled = recall_score(np.eye(4)[truths].ravel(), predicted.ravel(), pos_label=0)
    assert results.find(average="micro").value == pooled
    shares = np.bincount(truths, minlength=4) / 200
    assert results.find(average="weighted").value == pytest.approx(shares @ wanted, rel=1e-15)

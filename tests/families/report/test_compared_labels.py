"""Comparison of two classifiers by the items that each has right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar

from valor_core import Evaluator, Report, compare, evaluate
from valor_core.schemas.classification import Classification

RANDOM = np.random.default_rng(0)
TRUTHS = RANDOM.integers(0, 3, 200)


def predictions(share: float) -> Any:
    return np.where(RANDOM.random(200) < share, TRUTHS, RANDOM.integers(0, 3, 200))


FIRST, SECOND = predictions(0.7), predictions(0.85)


def report(found: Any, **options: Any) -> Report:
    return evaluate(TRUTHS.tolist(), found.tolist(), ["Accuracy", "F1"], items=True, **options)


def test_accuracies_are_compared_by_mcnemars_test() -> None:
    found = compare(report(FIRST), report(SECOND))

    (number,) = (one for one in found.numbers if one.result.type == "Accuracy")
    is_first, is_second = FIRST == TRUTHS, SECOND == TRUTHS
    table = [
        [np.sum(is_first & is_second), np.sum(is_first & ~is_second)],
        [np.sum(~is_first & is_second), np.sum(~is_first & ~is_second)],
    ]
    assert number.test is not None
    assert number.test.method == "McNemar"
    assert number.test.p == pytest.approx(mcnemar(table, exact=True).pvalue, rel=1e-9)
    assert {one.result.type for one in found.numbers if one.test is not None} == {"Accuracy"}
    flips, of_f1 = found.flips
    assert (of_f1.better, of_f1.worse) == (flips.better, flips.worse)
    assert [len(flips.worse), len(flips.better), len(flips.wrong)] == [
        table[0][1],
        table[1][0],
        table[1][1],
    ]


def test_rows_are_the_same_for_any_split() -> None:
    pairs = zip(TRUTHS.tolist(), FIRST.tolist(), strict=True)
    items = [Classification(f"i{i}", str(t), {str(p): 1.0}) for i, (t, p) in enumerate(pairs)]
    evaluator = Evaluator(["Accuracy", "F1"], items=True)
    for rows in (slice(150, 200), slice(0, 30), slice(30, 150)):
        evaluator.update(items[rows])

    for table in evaluator.compute().items:
        rights = {row.uid: row.value for row in table.rows}
        assert rights == {f"i{i}": float(one) for i, one in enumerate(FIRST == TRUTHS)}


def test_rows_survive_a_saved_state(tmp_path: Any) -> None:
    evaluator = Evaluator(["Accuracy"], items=True)
    evaluator.update(TRUTHS.tolist(), FIRST.tolist())
    evaluator.save(tmp_path / "counts.valor")
    loaded = Evaluator.load(tmp_path / "counts.valor", items=True)

    assert [row.value for row in loaded.compute().items[0].rows] == [
        row.value for row in evaluator.compute().items[0].rows
    ]


def test_rows_have_first_of_several_thresholds() -> None:
    scores = RANDOM.random(200)
    metric = {"name": "Accuracy", "score_thresholds": [0.2, 0.5], "hardmax": False}
    found = evaluate((TRUTHS > 0).tolist(), scores.tolist(), [metric], items=True)

    (table,) = found.items
    mean = float(table.rows.columns()[""].values.mean())
    first, second = found
    assert first.parameters["score_threshold"] == 0.2
    assert mean == first.value != second.value

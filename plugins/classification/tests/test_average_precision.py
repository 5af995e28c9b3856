from __future__ import annotations

import pytest

from valor_core.schemas.classification import Classification

from .support import PETS, by_label, results_of


def test_average_precision_weighs_precisions_by_the_gain_in_recall() -> None:
    results = results_of(PETS, {"name": "AP", "average": ["none", "macro", "weighted"]})

    # dog: a at 1/1, b at 2/3; cat: c at 1/2, d at 2/4; bee and ant: unlisted, at 1/7
    wanted = {"ant": 1 / 7, "bee": 1 / 7, "cat": 1 / 2, "dog": (1 + 2 / 3) / 2}
    assert by_label(results) == pytest.approx(wanted, rel=1e-15)
    macro = (1 / 7 + 1 / 7 + 1 / 2 + 5 / 6) / 4
    assert results.find(average="macro").value == pytest.approx(macro, rel=1e-15)
    weighted = (1 / 7 + 1 / 7 + 2 / 2 + 2 * 5 / 6) / 6
    assert results.find(average="weighted").value == pytest.approx(weighted, rel=1e-15)


def test_tied_scores_are_one_point() -> None:
    items = [
        Classification(uid, truth, {"dog": 0.5})
        for uid, truth in zip("abc", ["dog", "x", "x"], strict=True)
    ]

    assert results_of(items, "AveragePrecision").find(label="dog").value == 1 / 3


def test_binned_scores_are_tied_within_a_bin() -> None:
    # halves: a and d, then b, c and f: 1/2 of recall at 1/2, 1/2 at 2/5
    found = results_of(PETS, {"name": "AveragePrecision", "bins": 2}).find(label="dog")

    assert found.value == pytest.approx((1 / 2 + 2 / 5) / 2, rel=1e-15)


def test_a_label_without_ground_truth_has_none_and_one_without_others_is_perfect() -> None:
    results = results_of([Classification("a", "dog", {"dog": 0.1, "eel": 0.9})], "AveragePrecision")

    assert results.find(label="eel").only.undefined == "no ground truths of 'eel'"
    assert results.find(label="dog").value == 1.0
    assert results.find(average="macro").value == 1.0
    assert results.find(average="macro").only.left_out == {"label only in predictions": 1}

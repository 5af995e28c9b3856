from __future__ import annotations

import pytest

from valor_core.schemas.classification import Classification

from .support import PETS, by_label, reason_of, results_of, value_of


def test_roc_auc_is_the_share_of_pairs_in_the_right_order() -> None:
    # dog: 0.9 and 0.4 against 0.3, 0.55, 0.2 and twice unlisted win 5 + 4 of 10
    # cat: 0.7 and 0.45 against 0.1, 0.6, 0.8 and twice unlisted win 4 + 3 of 10
    # bee and ant: unlisted against unlisted is a tie, half a pair each
    assert by_label(results_of(PETS, "ROCAUC")) == {
        "ant": 0.5,
        "bee": 0.5,
        "cat": 0.7,
        "dog": 0.9,
    }


def test_mean_roc_auc() -> None:
    assert value_of(PETS, "mROCAUC") == pytest.approx((0.9 + 0.7 + 0.5 + 0.5) / 4, rel=1e-15)
    weighted = value_of(PETS, "mROCAUC", average="weighted")
    assert weighted == pytest.approx((2 * 0.9 + 2 * 0.7 + 0.5 + 0.5) / 6, rel=1e-15)


def test_everything_tied_is_one_half() -> None:
    items = [Classification(uid, truth, {"dog": 0.0}) for uid, truth in (("a", "dog"), ("b", "x"))]

    assert results_of(items, "ROCAUC").find(label="dog").value == 0.5


def test_binned_roc_auc_ties_the_scores_in_a_bin() -> None:
    # halves: dog 0.9, 0.55 | 0.4, 0.3, 0.2 | unlisted: a ties with d, b with c and f
    # a wins 1/2 + 4, b wins 1/2 + 1/2 + 2 of 5 each
    found = results_of(PETS, {"name": "ROCAUC", "bins": 2}).find(label="dog")

    assert found.value == (4.5 + 3) / 10
    assert found.only.parameters["bins"] == 2


def test_mean_excludes_and_counts_labels_without_an_area() -> None:
    items = [
        Classification("a", ["dog", "pet"], {"dog": 0.9, "eel": 0.3}),
        Classification("b", ["cat", "pet"], {"dog": 0.4}),
    ]
    results = results_of(items, "ROCAUC", "mROCAUC")

    assert results["ROCAUC", "eel"].only.undefined == "no ground truths of 'eel'"
    assert results["ROCAUC", "pet"].only.undefined == "no items without ground truth 'pet'"
    # dog 1, cat 1/2
    assert results["mROCAUC"].value == 3 / 4
    assert results["mROCAUC"].only.left_out == {
        "label only in predictions": 1,
        "no items without ground truth 'pet'": 1,
    }


def test_no_label_with_an_area_leaves_no_mean() -> None:
    assert reason_of([Classification("a", "dog")], "mROCAUC") == "no labels with a value"


def test_roc_curve_begins_at_the_origin_and_ends_with_the_unlisted() -> None:
    curve = value_of(PETS, "ROCCurve", drop_intermediate=False)["dog"]

    # a is a dog, d not, b is, c and f are not, e and g do not list dog
    assert curve["thresholds"] == [None, 0.9, 0.55, 0.4, 0.3, 0.2, None]
    assert curve["tpr"] == [0, 1 / 2, 1 / 2, 1, 1, 1, 1]
    assert curve["fpr"] == [0, 0, 1 / 5, 1 / 5, 2 / 5, 3 / 5, 1]


def test_roc_curve_omits_points_on_straight_lines() -> None:
    curve = value_of(PETS, "ROCCurve")["dog"]

    # 0.3 lies evenly between 0.4 and 0.2
    assert curve["thresholds"] == [None, 0.9, 0.55, 0.4, 0.2, None]


def test_roc_curve_of_a_label_without_both_sides_says_why() -> None:
    items = [Classification("a", "dog", {"eel": 0.3})]

    assert value_of(items, "ROCCurve") == {
        "dog": {"undefined": "no items without ground truth 'dog'"},
        "eel": {"undefined": "no ground truths of 'eel'"},
    }


def test_label_keys_are_ranked_separately() -> None:
    dog, dogs = ("animal", "dog"), ("toy", "dog")
    items = [
        Classification("a", [dog], [(dog, 0.9)]),
        Classification("b", [("animal", "cat"), dogs], [(dog, 0.4), (dogs, 0.9)]),
        Classification("c", [("toy", "car")], [(dogs, 0.95)]),
    ]
    results = results_of(items, "ROCAUC")

    assert results.find(label_key="animal", label="dog").value == 1.0
    assert results.find(label_key="toy", label="dog").value == 0.0


@pytest.mark.parametrize("name", ["ROCAUC", "mROCAUC", "AveragePrecision"])
def test_bins_of_scores_outside_0_and_1_fail_with_a_remedy(name: str) -> None:
    items = [
        Classification("a", ["dog", ("size", "big")], {"dog": 1.5, ("size", "big"): 0.5}),
        Classification("b", ["cat", ("size", "small")], {"dog": -2.0, ("size", "big"): 0.25}),
    ]

    binned = results_of(items, {"name": name, "bins": 10})
    exact = results_of(items, name)

    reason = "expected scores in [0, 1], found 2 outside; put the model's outputs through a "
    for result in binned.find(label_key="class"):
        assert result.error is not None
        assert result.error.startswith(reason)
    assert not any(result.error for result in binned.find(label_key="size"))
    assert not any(result.error for result in exact)

from __future__ import annotations

import re

import pytest

from valor_core.errors import ParameterError
from valor_core.schemas.classification import Classification

from .support import PETS, SETS, by_label, results_of


def counts(*cells: int) -> dict[str, int]:
    return dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True))


def test_counts_of_the_best_labels() -> None:
    found = by_label(results_of(PETS, "Counts"))

    assert found == {
        "ant": counts(0, 0, 1, 6),
        "bee": counts(0, 0, 1, 6),
        "cat": counts(1, 2, 1, 3),
        "dog": counts(1, 2, 1, 3),
    }


def test_counts_of_all_labels_that_pass_a_threshold() -> None:
    choice = {"name": "Counts", "hardmax": False, "score_thresholds": [0.5]}

    found = by_label(results_of(PETS, choice))

    # dog passes on a and d, cat on b, c and e
    assert found["dog"] == counts(1, 1, 1, 4)
    assert found["cat"] == counts(1, 2, 1, 3)


def test_a_score_equal_to_the_threshold_passes() -> None:
    for hardmax in (True, False):
        choice = {"name": "Counts", "score_thresholds": [0.9, 0.91], "hardmax": hardmax}
        found = results_of(PETS, choice).find(label="dog")
        assert found.find(score_threshold=0.9).value == counts(1, 0, 1, 5)
        assert found.find(score_threshold=0.91).value == counts(0, 0, 2, 5)


def test_the_order_of_thresholds_changes_only_the_order_of_results() -> None:
    rising, falling = ([0.1, 0.5, 0.9], [0.9, 0.5, 0.1])

    one = results_of(PETS, {"name": "Counts", "score_thresholds": rising})
    other = results_of(PETS, {"name": "Counts", "score_thresholds": falling})

    assert [r.parameters["score_threshold"] for r in other][:5:4] == [0.9, 0.5]
    for threshold in rising:
        assert one.find(score_threshold=threshold) == other.find(score_threshold=threshold)


def test_ties_go_to_the_first_listed() -> None:
    items = [
        Classification("a", "dog", [("dog", 0.5), ("cat", 0.5)]),
        Classification("b", "dog", [("cat", 0.5), ("dog", 0.5)]),
    ]

    assert by_label(results_of(items, "Counts")) == {
        "cat": counts(0, 1, 0, 1),
        "dog": counts(1, 0, 1, 0),
    }


def test_a_listed_zero_passes_the_threshold_zero_and_a_negative_score_does_not() -> None:
    items = [Classification("a", "dog", {"dog": 0.0}), Classification("b", "dog", {"dog": -0.1})]

    at_zero = results_of(items, {"name": "Counts", "score_thresholds": [0.0]})
    assert by_label(at_zero) == {"dog": counts(1, 0, 1, 0)}
    assert by_label(results_of(items, "Counts")) == {"dog": counts(2, 0, 0, 0)}


def test_several_ground_truths_are_counted_one_by_one() -> None:
    choice = {"name": "Counts", "hardmax": False, "score_thresholds": [0.5]}

    found = by_label(results_of(SETS, choice))

    assert found == {
        "bee": counts(0, 1, 1, 2),
        "cat": counts(1, 0, 0, 3),
        "dog": counts(2, 0, 0, 2),
    }


def test_true_negatives_are_items_of_the_same_key() -> None:
    dog, white = ("animal", "dog"), ("colour", "white")
    items = [
        Classification("a", [dog, white], [(dog, 0.9)]),
        Classification("b", [white], [(white, 0.8)]),
        Classification("c", [("colour", "black")], [(white, 0.4)]),
    ]

    found = results_of(items, "Counts")

    assert found.find(label_key="animal", label="dog").value == counts(1, 0, 0, 0)
    assert found.find(label_key="colour", label="white").value == counts(1, 1, 1, 0)
    assert found.find(label_key="colour", label="black").value == counts(0, 0, 1, 2)


def test_labels_that_a_label_map_makes_one_keep_the_greater_score() -> None:
    item = Classification("a", "puppy", {"dog": 0.3, "puppy": 0.6, "cat": 0.5})

    found = results_of([item], "Counts", label_map={"puppy": "dog"})

    assert by_label(found) == {"cat": counts(0, 0, 0, 1), "dog": counts(1, 0, 0, 0)}


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        ([], "classification.Counts: score_thresholds must not be empty"),
        ([0.5, 0.5], "score_thresholds must not repeat a value, got [0.5, 0.5]"),
    ],
)
def test_thresholds_must_be_some_and_differ(thresholds: list[float], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        results_of(PETS, {"name": "Counts", "score_thresholds": thresholds})


def test_unknown_parameter_suggests_closest_match() -> None:
    with pytest.raises(
        ParameterError, match=r"classification\.Counts: score_treshold: unknown key"
    ):
        results_of(PETS, {"name": "Counts", "score_treshold": [0.5]})

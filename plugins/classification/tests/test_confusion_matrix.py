from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from valor_classification.readers.arrays import from_arrays

from valor_core.schemas.classification import Classification

from .support import PETS, SETS, failure_of, results_of, value_of

LABELS = ("ant", "bee", "cat", "dog")


def matrix(*rows: tuple[float, ...]) -> dict[str, dict[str, float]]:
    return {
        label: dict(zip(LABELS, row, strict=True)) for label, row in zip(LABELS, rows, strict=True)
    }


def per_label(*counts: float) -> dict[str, float]:
    return dict(zip(LABELS, counts, strict=True))


def test_best_labels_by_ground_truth() -> None:
    value = value_of(PETS, "ConfusionMatrix")

    # e is a bee called cat; c a cat, d a cat called dog; b a dog called cat, a a dog
    assert value["confusion_matrix"] == matrix((0,) * 4, (0, 0, 1, 0), (0, 0, 1, 1), (0, 0, 1, 1))
    # g has no prediction, f no ground truth
    assert value["unmatched_ground_truths"] == per_label(1, 0, 0, 0)
    assert value["unmatched_predictions"] == per_label(0, 0, 0, 1)


def test_what_does_not_pass_leaves_its_ground_truth_unmatched() -> None:
    value = value_of(PETS, "ConfusionMatrix", score_thresholds=[0.65])

    # b's 0.6, d's 0.55 and f's 0.2 do not pass
    assert value["confusion_matrix"] == matrix((0,) * 4, (0, 0, 1, 0), (0, 0, 1, 0), (0, 0, 0, 1))
    assert value["unmatched_ground_truths"] == per_label(1, 0, 1, 1)
    assert value["unmatched_predictions"] == per_label(0, 0, 0, 0)


def test_without_hardmax_an_item_counts_in_several_cells() -> None:
    value = value_of(PETS, "ConfusionMatrix", hardmax=False, score_thresholds=[0.4])

    # b passes as cat and as dog, d too
    assert value["confusion_matrix"] == matrix((0,) * 4, (0, 0, 1, 0), (0, 0, 2, 1), (0, 0, 1, 2))


@pytest.mark.parametrize(
    ("normalize", "of_cats", "ants", "stray_dogs"),
    [
        ("truth", (1 / 2, 1 / 2), 1 / 1, 1 / 1),
        ("prediction", (1 / 3, 1 / 3), 1 / 1, 1 / 3),
        ("all", (1 / 7, 1 / 7), 1 / 7, 1 / 7),
    ],
)
def test_shares_of_rows_columns_or_all(
    normalize: str, of_cats: tuple[float, float], ants: float, stray_dogs: float
) -> None:
    value = value_of(PETS, "ConfusionMatrix", normalize=normalize)

    # truth: two cats; prediction: three cats and three dogs, one of them stray; all: seven items
    cats = value["confusion_matrix"]["cat"]
    assert (cats["cat"], cats["dog"]) == of_cats
    assert value["unmatched_ground_truths"]["ant"] == ants
    assert value["unmatched_predictions"]["dog"] == stray_dogs


def test_shares_of_nothing_are_zero() -> None:
    value = value_of(PETS, "ConfusionMatrix", normalize="prediction")

    assert value["confusion_matrix"]["bee"]["bee"] == 0.0


def test_every_cell_names_the_first_items_by_uid() -> None:
    items = [Classification(uid, "dog", {"dog": 0.9}) for uid in ("c", "a", "b")]
    items.append(Classification("d", "dog"))
    items.append(Classification("e", [], {"cat": 0.5}))

    value = value_of(items, "ConfusionMatrix", max_examples=2)

    assert value["confusion_matrix"]["dog"]["dog"] == {
        "count": 3,
        "examples": [{"datum_id": "a", "score": 0.9}, {"datum_id": "b", "score": 0.9}],
    }
    assert value["unmatched_ground_truths"]["dog"] == {"count": 1, "examples": [{"datum_id": "d"}]}
    assert value["unmatched_predictions"]["cat"] == {
        "count": 1,
        "examples": [{"datum_id": "e", "score": 0.5}],
    }


def test_several_ground_truths_fail_and_point_to_counts() -> None:
    for name in ("ConfusionMatrix", "MatthewsCorrelation", "CohenKappa"):
        reason = failure_of(SETS, name)
        assert reason is not None
        assert "item 'a'" in reason
        assert "Counts treats every label on its own" in reason


def test_several_ground_truths_of_one_key_do_not_cost_another_its_matrix() -> None:
    dog, tags = ("animal", "dog"), [("tag", "wet"), ("tag", "dark")]
    item = Classification("a", [dog, *tags], [(dog, 0.9)])

    results = results_of([item], "ConfusionMatrix", {"name": "ConfusionMatrix", "max_examples": 1})

    animals, tagged = results.find(label_key="animal"), results.find(label_key="tag")
    assert animals[0].value["confusion_matrix"] == {"dog": {"dog": 1}}
    assert animals[1].value["confusion_matrix"]["dog"]["dog"]["count"] == 1
    assert all(result.error for result in tagged)


@pytest.mark.parametrize("hardmax", [True, False])
def test_a_float32_score_passes_the_threshold_it_was_written_as(hardmax: bool) -> None:
    # the float32 nearest to 0.35 is less than the float64 nearest to it
    scores = np.array([[0.35, 0.2]], dtype=np.float32)
    batch = from_arrays([0], scores)

    value: dict[str, Any] = value_of(
        batch, "ConfusionMatrix", hardmax=hardmax, score_thresholds=[0.35]
    )

    assert value["confusion_matrix"]["0"] == {"0": 1, "1": 0}
    assert value["unmatched_ground_truths"] == {"0": 0, "1": 0}

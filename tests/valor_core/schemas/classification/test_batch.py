from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from valor_core import Label
from valor_core.errors import SchemaError
from valor_core.schemas.classification.batch import Classification, ClassificationBatch
from valor_core.schemas.classification.scores import ScoreList, ScoreMatrix
from valor_core.schemas.datum import Datums

DOG, CAT, COW = (Label("class", name) for name in ("dog", "cat", "cow"))
ITEMS = [
    Classification("a", "dog", {"dog": 0.75, "cat": 0.25}, {"weather": "sun"}),
    Classification("b", ["cat", ("color", "white")], [("cat", 0.5)], {"weather": None}),
    Classification("c", None, {}, {"weather": "rain"}),
    Classification("d", "dog", [("cow", 0.0), ("dog", 0.0)], {"weather": "sun"}),
]


def matrix_batch(rows: int = 2) -> ClassificationBatch:
    values = np.arange(rows * 3).reshape(rows, 3) / 10
    return ClassificationBatch(
        Datums([f"i{n}" for n in range(rows)]),
        [DOG, CAT, COW],
        np.arange(rows),
        np.arange(rows) % 3,
        ScoreMatrix(values, [2, 0, 1]),
    )


class TestObjects:
    @pytest.mark.parametrize(
        ("groundtruths", "labels"),
        [
            (None, ()),
            ("dog", (DOG,)),
            (3, (Label("class", "3"),)),
            (np.int64(3), (Label("class", "3"),)),
            ([("color", "white")], (Label("color", "white"),)),
            (("dog", "cat"), (DOG, CAT)),
            ({"key": "color", "value": "white"}, (Label("color", "white"),)),
            (["dog", "cat"], (DOG, CAT)),
            ({"dog"}, (DOG,)),
            ([], ()),
        ],
    )
    def test_bare_values_become_labels(self, groundtruths: Any, labels: Any) -> None:
        assert Classification("a", groundtruths).groundtruths == labels

    @pytest.mark.parametrize(
        ("groundtruths", "message"),
        [
            (0.5, "label: expected a string, a (key, value) pair or a Label, got 0.5"),
            (True, "label: expected a string, a (key, value) pair or a Label, got True"),
            ([None], "label: expected a string, a (key, value) pair or a Label, got None"),
        ],
    )
    def test_invalid_label_is_rejected(self, groundtruths: Any, message: str) -> None:
        with pytest.raises(SchemaError, match=re.escape(message)):
            Classification("a", groundtruths)

    def test_predictions_keep_order_of_input(self) -> None:
        item = Classification("a", "dog", [("cat", 0), ("dog", np.float32(0.5))])

        assert item.predictions == ((CAT, 0.0), (DOG, 0.5))

    @pytest.mark.parametrize(
        ("predictions", "message"),
        [
            (["dog"], "predictions: expected (label, score) pairs, got 'dog'"),
            ("dog", "predictions: expected (label, score) pairs, got 'dog'"),
            (0.5, "predictions: expected (label, score) pairs, got 0.5"),
            ({"dog": "high"}, "predictions: expected a number as score, got 'high'"),
            ({"dog": True}, "predictions: expected a number as score, got True"),
        ],
    )
    def test_invalid_predictions_are_rejected(self, predictions: Any, message: str) -> None:
        with pytest.raises(SchemaError, match=re.escape(message)):
            Classification("a", "dog", predictions)


class TestOfObjects:
    def test_objects_survive_conversion_to_columns(self) -> None:
        batch = ClassificationBatch.of(ITEMS)

        assert list(batch.items()) == ITEMS
        assert batch == ClassificationBatch.of(ITEMS)

    @pytest.mark.parametrize(
        ("score", "message"),
        [
            (np.nan, "item 'e', predictions: expected a finite score for 'cat', got nan"),
            (np.inf, "item 'e', predictions: expected a finite score for 'cat', got inf"),
            pytest.param(
                10**400,
                "item 'e', predictions: expected a finite score for 'cat', got inf",
                id="too great",
            ),
        ],
    )
    def test_non_finite_score_names_item_and_label(self, score: float, message: str) -> None:
        with pytest.raises(SchemaError, match=re.escape(message)):
            ClassificationBatch.of([*ITEMS, Classification("e", "dog", {"cat": score})])

    def test_duplicate_predicted_label_names_item_and_label(self) -> None:
        items = [ITEMS[0], Classification("e", "dog", [("cat", 0.5), ("dog", 1), ("cat", 0.25)])]

        with pytest.raises(
            SchemaError, match="item 'e', predictions: expected each label once, found 'cat' twice"
        ):
            ClassificationBatch.of(items)

    def test_duplicate_true_label_names_item_and_label(self) -> None:
        with pytest.raises(
            SchemaError, match="item 'e', groundtruths: expected each label once, found 'dog' twice"
        ):
            ClassificationBatch.of([Classification("e", ["dog", "cat", "dog"])])

    def test_duplicate_item_is_rejected(self) -> None:
        with pytest.raises(SchemaError, match="item 'a': expected each uid once, found it 2 times"):
            ClassificationBatch.of([ITEMS[0], ITEMS[0]])

    def test_empty_list_becomes_empty_batch(self) -> None:
        assert len(ClassificationBatch.of([])) == 0


class TestDoor:
    """Validation of columns when a batch is created."""

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"labels": [DOG, DOG, CAT]}, "labels: expected each label once in the vocabulary"),
            (
                {"truth_labels": [0]},
                "groundtruths: expected columns of equal length, got 2 datums and 1 labels",
            ),
            ({"truth_datums": [1, 0]}, "groundtruths: expected rows sorted by datum"),
            ({"truth_datums": [0, 2]}, "truth_datums[1]: expected one of 2 datums, got 2"),
            ({"truth_labels": [0, 3]}, "truth_labels[1]: expected one of 3 labels, got 3"),
            (
                {"scores": ScoreMatrix(np.zeros((3, 3)), [0, 1, 2])},
                "scores: expected 2 rows, got 3",
            ),
            (
                {"scores": ScoreMatrix(np.zeros((2, 2)), [0, 5])},
                "score labels[1]: expected one of 3 labels, got 5",
            ),
            (
                {"scores": ScoreList([4], [0], [0.5])},
                "score datums[0]: expected one of 2 datums, got 4",
            ),
        ],
    )
    def test_inconsistent_columns_are_rejected(self, change: dict[str, Any], message: str) -> None:
        good: dict[str, Any] = {
            "datums": Datums(["a", "b"]),
            "labels": [DOG, CAT, COW],
            "truth_datums": [0, 1],
            "truth_labels": [0, 1],
            "scores": ScoreList([], [], []),
        }

        with pytest.raises(SchemaError, match=re.escape(message)):
            ClassificationBatch(**(good | change))

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: ScoreMatrix(np.zeros((1, 2)), [0]), "scores: expected 1 columns, got 2"),
            (
                lambda: ScoreMatrix(np.zeros((1, 2)), [0, 0]),
                "scores: expected one column per label, found a label twice",
            ),
            (
                lambda: ScoreMatrix([[0.5, np.nan]], [0, 1]),
                "scores[0, 1]: expected a finite number, got nan",
            ),
            (
                lambda: ScoreList([0], [0, 1], [0.5]),
                "expected columns of equal length, got 1 datums, 2 labels and 1 scores",
            ),
            (lambda: ScoreList([1, 0], [0, 1], [0, 0]), "scores: expected rows sorted by datum"),
        ],
    )
    def test_inconsistent_scores_are_rejected(self, make: Any, message: str) -> None:
        with pytest.raises(SchemaError, match=re.escape(message)):
            make()


class TestParts:
    @given(st.lists(st.integers(0, 3), unique=True).map(sorted))
    def test_select_returns_items_at_positions(self, positions: list[int]) -> None:
        chosen = ClassificationBatch.of(ITEMS).select(np.array(positions, np.int64))

        assert list(chosen.items()) == [ITEMS[place] for place in positions]

    def test_select_returns_rows_of_matrix(self) -> None:
        batch = matrix_batch(3)

        assert list(batch.select(np.array([2])).items()) == list(batch.items())[2:]

    def test_selected_batch_is_read_only(self) -> None:
        batch = matrix_batch()

        with pytest.raises(ValueError, match="read-only"):
            batch.scores.values[0, 0] = 1.0
        with pytest.raises(ValueError, match="read-only"):
            batch.truth_labels[0] = 1


class TestRelabel:
    def test_labels_are_renamed_on_both_sides(self) -> None:
        batch = ClassificationBatch.of(ITEMS).relabel({DOG: COW})

        assert next(iter(batch.items())) == Classification(
            "a", "cow", {"cow": 0.75, "cat": 0.25}, {"weather": "sun"}
        )

    def test_merged_true_labels_count_once(self) -> None:
        batch = ClassificationBatch.of([Classification("a", ["dog", "cat"])]).relabel({DOG: CAT})

        assert next(batch.items()).groundtruths == (CAT,)

    def test_merged_predictions_keep_first_position_and_greater_score(self) -> None:
        items = [Classification("a", "dog", [("dog", 0.25), ("cow", 0.5), ("cat", 0.75)])]

        batch = ClassificationBatch.of(items).relabel({DOG: CAT})

        assert next(batch.items()).predictions == ((CAT, 0.75), (COW, 0.5))

    def test_merged_columns_keep_greater_score(self) -> None:
        batch = matrix_batch(1).relabel({COW: CAT})

        # columns are cow 0.0, dog 0.1, cat 0.2
        assert dict(next(batch.items()).predictions) == {CAT: 0.2, DOG: 0.1}

    def test_labels_can_be_swapped(self) -> None:
        batch = matrix_batch(1).relabel({COW: CAT, CAT: COW})

        assert dict(next(batch.items()).predictions) == {CAT: 0.0, DOG: 0.1, COW: 0.2}
        assert next(batch.items()).groundtruths == (DOG,)

    def test_relabel_does_not_modify_batch(self) -> None:
        batch = ClassificationBatch.of(ITEMS)

        batch.relabel({DOG: CAT})

        assert batch == ClassificationBatch.of(ITEMS)

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from valor_core import Label
from valor_core.plugin import SchemaError
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


def readable(names: list[Any]) -> bool:
    """Whether a batch with these true classes of three columns is read."""
    try:
        ClassificationBatch.from_arrays(names, np.eye(3)[: len(names)])
    except SchemaError:
        return False
    return True


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
    def test_plain_values_stand_for_labels(self, groundtruths: Any, labels: Any) -> None:
        assert Classification("a", groundtruths).groundtruths == labels

    @pytest.mark.parametrize(
        ("groundtruths", "message"),
        [
            (0.5, "label: expected a string, a (key, value) pair or a Label, got 0.5"),
            (True, "label: expected a string, a (key, value) pair or a Label, got True"),
            ([None], "label: expected a string, a (key, value) pair or a Label, got None"),
        ],
    )
    def test_something_else_is_no_label(self, groundtruths: Any, message: str) -> None:
        with pytest.raises(SchemaError, match=re.escape(message)):
            Classification("a", groundtruths)

    def test_predictions_are_pairs_in_the_order_of_the_listing(self) -> None:
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
    def test_something_else_is_no_prediction(self, predictions: Any, message: str) -> None:
        with pytest.raises(SchemaError, match=re.escape(message)):
            Classification("a", "dog", predictions)


class TestOfObjects:
    def test_objects_become_columns_and_back(self) -> None:
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
    def test_a_score_that_is_not_finite_names_item_and_label(
        self, score: float, message: str
    ) -> None:
        with pytest.raises(SchemaError, match=re.escape(message)):
            ClassificationBatch.of([*ITEMS, Classification("e", "dog", {"cat": score})])

    def test_a_label_predicted_twice_names_item_and_label(self) -> None:
        items = [ITEMS[0], Classification("e", "dog", [("cat", 0.5), ("dog", 1), ("cat", 0.25)])]

        with pytest.raises(
            SchemaError, match="item 'e', predictions: expected each label once, found 'cat' twice"
        ):
            ClassificationBatch.of(items)

    def test_a_true_label_twice_names_item_and_label(self) -> None:
        with pytest.raises(
            SchemaError, match="item 'e', groundtruths: expected each label once, found 'dog' twice"
        ):
            ClassificationBatch.of([Classification("e", ["dog", "cat", "dog"])])

    def test_an_item_twice_is_refused(self) -> None:
        with pytest.raises(SchemaError, match="item 'a': expected each uid once, found it 2 times"):
            ClassificationBatch.of([ITEMS[0], ITEMS[0]])

    def test_no_items_are_a_batch(self) -> None:
        assert len(ClassificationBatch.of([])) == 0


class TestDoor:
    """What a batch checks before any state sees it."""

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"labels": [DOG, DOG, CAT]}, "labels: expected each label once in the vocabulary"),
            (
                {"truth_labels": [0]},
                "groundtruths: expected columns of one length, got 2 datums and 1 labels",
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
    def test_columns_that_do_not_fit_are_refused(
        self, change: dict[str, Any], message: str
    ) -> None:
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
                "scores: expected every label in one column, found one in two",
            ),
            (
                lambda: ScoreMatrix([[0.5, np.nan]], [0, 1]),
                "scores[0, 1]: expected a finite number, got nan",
            ),
            (
                lambda: ScoreList([0], [0, 1], [0.5]),
                "expected columns of one length, got 1 datums, 2 labels and 1 scores",
            ),
            (lambda: ScoreList([1, 0], [0, 1], [0, 0]), "scores: expected rows sorted by datum"),
        ],
    )
    def test_scores_that_do_not_fit_are_refused(self, make: Any, message: str) -> None:
        with pytest.raises(SchemaError, match=re.escape(message)):
            make()


class TestFromArrays:
    def test_whole_numbers_are_the_classes_of_the_columns(self) -> None:
        batch = ClassificationBatch.from_arrays([2, 0], [[0, 0, 1], [1, 0, 0]])

        assert [label.value for label in batch.labels] == ["0", "1", "2"]
        assert batch.truth_labels.tolist() == [2, 0]
        assert batch.datums.numbered

    def test_names_are_sorted_classes(self) -> None:
        batch = ClassificationBatch.from_arrays(["dog", "cat"], [[0.5, 0.5], [1, 0]])

        assert [label.value for label in batch.labels] == ["cat", "dog"]
        assert batch.truth_labels.tolist() == [1, 0]

    def test_labels_name_the_columns_in_their_order(self) -> None:
        batch = ClassificationBatch.from_arrays(
            ["dog"], [[0.5, 0.5, 0]], labels=["dog", "cow", "cat"], key="animal", uids=["a"]
        )

        assert batch.labels == (
            Label("animal", "dog"),
            Label("animal", "cow"),
            Label("animal", "cat"),
        )
        assert batch.truth_labels.tolist() == [0]
        assert batch.datums.uids.tolist() == ["a"]

    def test_one_score_of_two_classes_is_that_of_the_second(self) -> None:
        batch = ClassificationBatch.from_arrays([0, 1], [0.25, 0.75])

        assert batch.scores.values.tolist() == [[0.75, 0.25], [0.25, 0.75]]

    @pytest.mark.parametrize("y_true", [[0, 1], [[0], [1]]])
    @pytest.mark.parametrize("y_score", [[0.25, 0.75], [[0.25], [0.75]]])
    def test_a_single_column_is_flat(self, y_true: Any, y_score: Any) -> None:
        batch = ClassificationBatch.from_arrays(y_true, y_score)

        assert batch == ClassificationBatch.from_arrays([0, 1], [0.25, 0.75])

    def test_a_column_of_truths_may_stand_beside_scores_of_all_classes(self) -> None:
        scores = [[0.75, 0.25], [0.25, 0.75]]

        batch = ClassificationBatch.from_arrays([[0], [1]], scores)

        assert batch == ClassificationBatch.from_arrays([0, 1], scores)

    def test_an_indicator_matrix_is_multilabel(self) -> None:
        batch = ClassificationBatch.from_arrays([[1, 1], [0, 0]], [[0.5, 0.5], [0, 0]])

        assert (batch.truth_datums.tolist(), batch.truth_labels.tolist()) == ([0, 0], [0, 1])

    def test_no_rows_are_a_batch(self) -> None:
        assert len(ClassificationBatch.from_arrays([], np.empty((0, 3)))) == 0

    @pytest.mark.parametrize(
        ("y_true", "y_score", "options", "message"),
        [
            (
                [0, 1],
                [[0.5, 0.5]],
                {},
                "expected shapes (n,) or (n, k) and (n, k), got (2,) and (1, 2)",
            ),
            (
                [0],
                [[[0.5]]],
                {},
                "expected shapes (n,) or (n, k) and (n, k), got (1,) and (1, 1, 1)",
            ),
            (
                [[2, 0]],
                [[0.5, 0.5]],
                {},
                "y_true: expected 0 and 1 in the shape of y_score, (1, 2), got array of",
            ),
            (
                [[1, 0, 0]],
                [[0.5, 0.5]],
                {},
                "y_true: expected 0 and 1 in the shape of y_score, (1, 2), got array of",
            ),
            (
                ["a"],
                [[0.5, 0.5]],
                {},
                "y_true: expected all 2 classes of the columns of y_score, found 1",
            ),
            (
                [1, 2, 3],
                [[0.5, 0.25, 0.25]] * 3,
                {},
                "y_true[2]: expected the number of a column of y_score, 0 to 2, got 3",
            ),
            (
                [-1, 1],
                [0.5, 0.5],
                {},
                "y_true[0]: expected the number of a column of y_score, 0 to 1, got -1",
            ),
            (
                [0, 2],
                [[0.5, 0.5]] * 2,
                {"labels": ["ham", "spam"]},
                "y_true[1]: expected the number of a column of y_score, 0 to 1, got 2",
            ),
            (
                ["a"],
                [[0.5, 0.5]],
                {"labels": ["a"]},
                "labels: expected a class for each of the 2 columns of y_score, got 1",
            ),
            (
                [[0, 1]],
                [[0.5, 0.5]],
                {"labels": ["a"]},
                "labels: expected a class for each of the 2 columns of y_score, got 1",
            ),
            (
                ["a", "x"],
                [[0.5, 0.5]] * 2,
                {"labels": ["a", "b"]},
                "y_true[1]: expected one of the labels, got 'x'",
            ),
            ([0], [[0.5, np.nan]], {}, "y_score[0, 1]: expected a finite number, got nan"),
            (
                [0, 1, 1],
                [0.5, -3.0, 2.0],
                {},
                "y_score[1]: expected a probability in [0, 1], got -3.0 (and 1 more)",
            ),
            (
                ["a", None],
                [[0.5, 0.5]] * 2,
                {},
                "y_true[1]: expected a class as text or number, got None",
            ),
            (
                [0, np.nan],
                [[0.5, 0.5]] * 2,
                {},
                "y_true[1]: expected a class as text or number, got nan",
            ),
            (
                [[0], [1, 2]],
                [[0.5, 0.5]] * 2,
                {},
                "y_true: expected rows of one length, got [[0], [1, 2]]",
            ),
            (
                [0, 1],
                [[0.5], [0.5, 0.5]],
                {},
                "y_score: expected rows of one length, got [[0.5], [0.5, 0.5]]",
            ),
            (
                [0, 1],
                [[0.5, 0.5]] * 2,
                {"labels": [None, "0"]},
                "labels[0]: expected a class as text or number, got None",
            ),
            (
                np.ma.masked_array([0, 1], [False, True]),
                [[0.5, 0.5]] * 2,
                {},
                "y_true[1]: expected a value, found a masked one",
            ),
            (
                [0, 1],
                np.ma.masked_array([[0.5, 0.5]] * 2, [[False, True], [True, False]]),
                {},
                "y_score[0, 1]: expected a value, found a masked one (and 1 more)",
            ),
        ],
    )
    def test_arrays_that_do_not_fit_are_refused(
        self, y_true: Any, y_score: Any, options: Any, message: str
    ) -> None:
        with pytest.raises(SchemaError, match=re.escape(message)):
            ClassificationBatch.from_arrays(y_true, y_score, **options)

    @pytest.mark.parametrize("split", [1, 2, 3])
    def test_what_a_column_means_does_not_depend_on_the_batch(self, split: int) -> None:
        """A batch reads classes as the whole does, or not at all."""
        scores = np.eye(3)
        for names in (["a", "b", "c", "b"], [1, 2, 3, 2], [0, 1, 2, 1], [2.0, 0.0, 1.0, 0.0]):
            batches = (names[:split], names[split:])
            try:
                whole = ClassificationBatch.from_arrays(names, scores[[0, 1, 2, 1]])
            except SchemaError:
                read = sum(readable(batch) for batch in batches)
                assert read < len(batches)
                continue
            for batch in filter(readable, batches):
                found = ClassificationBatch.from_arrays(batch, scores[: len(batch)])
                assert found.labels == whole.labels

    @pytest.mark.parametrize(
        ("y_true", "labels", "codes"),
        [
            ([1, 0], ["ham", "spam"], [1, 0]),
            ([True, False], ["no", "yes"], [1, 0]),
            ([1, 0], ["1", "0"], [0, 1]),
            (["1", "0"], [1, 0], [0, 1]),
            ([1.0, 0.0], [1, 0], [0, 1]),
            ([-1, 1], [-1, 1], [0, 1]),
            (np.array(["b", "a"], object), ["a", "b"], [1, 0]),
        ],
    )
    def test_labels_are_found_by_name_or_else_by_position(
        self, y_true: Any, labels: Any, codes: list[int]
    ) -> None:
        batch = ClassificationBatch.from_arrays(y_true, [[0.5, 0.5]] * 2, labels=labels)

        assert batch.truth_labels.tolist() == codes
        assert [label.value for label in batch.labels] == [str(label) for label in labels]

    def test_whole_numbers_are_positions_in_whatever_type_they_come(self) -> None:
        for dtype in (np.int8, np.uint64, np.float32, bool, object):
            batch = ClassificationBatch.from_arrays(np.array([1, 0]).astype(dtype), [0.5, 0.5])
            assert batch.truth_labels.tolist() == [1, 0]

    @pytest.mark.parametrize(
        ("y_true", "y_pred", "message"),
        [
            ([1.0, np.nan], [1.0, 2.0], "y_true[1]: expected a class as text or number, got nan"),
            (["a", "b"], ["a", None], "y_pred[1]: expected a class as text or number, got None"),
            (
                [0, 1],
                np.ma.masked_array([0, 1], [True, False]),
                "y_pred[0]: expected a value, found a masked one",
            ),
        ],
    )
    def test_a_missing_class_is_not_a_class(self, y_true: Any, y_pred: Any, message: str) -> None:
        with pytest.raises(SchemaError, match=re.escape(message)):
            ClassificationBatch.from_predicted(y_true, y_pred)

    def test_float_without_fraction_is_the_whole_number(self) -> None:
        batch = ClassificationBatch.from_predicted([1.0, 3.0], [1, 2])

        assert sorted(label.value for label in batch.labels) == ["1", "2", "3"]

    @pytest.mark.parametrize(
        ("y_true", "y_score", "message"),
        [
            (
                [1.5, 0.0],
                [[0.5, 0.5]] * 2,
                "y_true[0]: expected a class as text or whole number, got 1.5",
            ),
            ([1, 0], [0.5, None], "y_score[1]: expected a number, got None"),
            ([1, 0], [0.5, "a"], "y_score[1]: expected a number, got 'a'"),
            (
                [1, 0],
                [[2**53 + 1, 2**53], [1, 2]],
                "y_score[0, 0]: expected a number that float64 has, got 9007199254740993",
            ),
            (
                [1, 0],
                np.array([[2**53 + 1, 2**53], [1, 2]]),
                "y_score[0, 0]: expected a number that float64 has, got 9007199254740993",
            ),
            (
                [1, 0],
                [[2**70, 1], [1, 2]],
                "y_score[0, 0]: expected a number, got 1180591620717411303424",
            ),
            (
                [1, 0],
                [[2**53 + 1, 0.5], [1, 2]],
                "expected a number, got 9007199254740993, which NumPy rounds in this list",
            ),
        ],
    )
    def test_classes_and_scores_are_never_rounded(
        self, y_true: Any, y_score: Any, message: str
    ) -> None:
        with pytest.raises(SchemaError, match=re.escape(message)):
            ClassificationBatch.from_arrays(y_true, y_score)

    def test_long_double_is_a_score_if_float64_has_it(self) -> None:
        exact = np.array([[0.5, 0.25]], np.longdouble)

        batch = ClassificationBatch.from_arrays([0], exact)

        assert batch.scores.values.tolist() == [[0.5, 0.25]]
        if np.finfo(np.longdouble).eps < np.finfo(np.float64).eps:
            with pytest.raises(SchemaError, match="expected a number that float64 has"):
                ClassificationBatch.from_arrays([0], exact / 3)

    def test_predicted_classes_score_one(self) -> None:
        batch = ClassificationBatch.from_predicted(
            ["dog", "cat"], ["cat", "cat"], uids=["a", "b"], metadata={"n": [1, 2]}
        )

        assert list(batch.items()) == [
            Classification("a", "dog", {"cat": 1.0}, {"n": 1}),
            Classification("b", "cat", {"cat": 1.0}, {"n": 2}),
        ]

    def test_predicted_classes_need_as_many_true_ones(self) -> None:
        with pytest.raises(
            SchemaError, match=r"y_true, y_pred: expected one shape \(n,\), got \(1,\) and \(2,\)"
        ):
            ClassificationBatch.from_predicted(["dog"], ["cat", "dog"])


class TestParts:
    @given(st.lists(st.integers(0, 3), unique=True).map(sorted))
    def test_selected_items_are_the_items_at_those_positions(self, positions: list[int]) -> None:
        chosen = ClassificationBatch.of(ITEMS).select(np.array(positions, np.int64))

        assert list(chosen.items()) == [ITEMS[place] for place in positions]

    def test_rows_of_a_matrix_are_selected_with_their_items(self) -> None:
        batch = matrix_batch(3)

        assert list(batch.select(np.array([2])).items()) == list(batch.items())[2:]

    def test_items_can_be_renumbered(self) -> None:
        batch = ClassificationBatch.from_arrays([0, 1], [0.25, 0.75]).renumber(5)

        assert batch.datums.uids.tolist() == [5, 6]

    def test_a_selected_batch_shares_nothing_that_can_be_written_to(self) -> None:
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

    def test_true_labels_that_become_one_count_once(self) -> None:
        batch = ClassificationBatch.of([Classification("a", ["dog", "cat"])]).relabel({DOG: CAT})

        assert next(batch.items()).groundtruths == (CAT,)

    def test_predictions_that_become_one_keep_the_first_place_and_the_greater_score(self) -> None:
        items = [Classification("a", "dog", [("dog", 0.25), ("cow", 0.5), ("cat", 0.75)])]

        batch = ClassificationBatch.of(items).relabel({DOG: CAT})

        assert next(batch.items()).predictions == ((CAT, 0.75), (COW, 0.5))

    def test_columns_that_become_one_keep_the_greater_score(self) -> None:
        batch = matrix_batch(1).relabel({COW: CAT})

        # columns are cow 0.0, dog 0.1, cat 0.2
        assert dict(next(batch.items()).predictions) == {CAT: 0.2, DOG: 0.1}

    def test_labels_can_change_places(self) -> None:
        batch = matrix_batch(1).relabel({COW: CAT, CAT: COW})

        assert dict(next(batch.items()).predictions) == {CAT: 0.0, DOG: 0.1, COW: 0.2}
        assert next(batch.items()).groundtruths == (DOG,)

    def test_the_batch_that_was_given_stays_as_it_is(self) -> None:
        batch = ClassificationBatch.of(ITEMS)

        batch.relabel({DOG: CAT})

        assert batch == ClassificationBatch.of(ITEMS)


def test_a_batch_knows_whether_a_datum_has_several_ground_truths() -> None:
    one = ClassificationBatch.from_arrays([1, 0], [[0.25, 0.75], [0.5, 0.5]])
    several = ClassificationBatch.from_arrays([[1, 1], [0, 1]], [[0.25, 0.75], [0.5, 0.5]])

    assert (one.single, several.single) == (True, False)
    assert several.select(np.array([1])).single


@pytest.mark.parametrize("uids", [["a"], ["a", "b", "c"]])
@pytest.mark.parametrize(
    "make",
    [
        lambda uids: ClassificationBatch.from_arrays([1, 0], [[0.25, 0.75], [0.5, 0.5]], uids=uids),
        lambda uids: ClassificationBatch.from_arrays(np.eye(2, dtype=int), np.eye(2), uids=uids),
        lambda uids: ClassificationBatch.from_predicted(["a", "b"], ["a", "b"], uids=uids),
    ],
)
def test_more_or_fewer_uids_than_items_are_counted(make, uids):
    with pytest.raises(SchemaError, match="uids: expected 2, one for each item, got"):
        make(uids)

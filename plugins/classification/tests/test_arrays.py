from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from valor_classification.readers.arrays import from_arrays, from_predicted

from valor_core import Label
from valor_core.errors import SchemaError
from valor_core.schemas.classification import Classification


def readable(names: list[Any]) -> bool:
    """Return True if true classes fit scores of three columns."""
    try:
        from_arrays(names, np.eye(3)[: len(names)])
    except SchemaError:
        return False
    return True


class TestParts:
    def test_items_can_be_renumbered(self) -> None:
        batch = from_arrays([0, 1], [0.25, 0.75]).renumber(5)

        assert batch.datums.uids.tolist() == [5, 6]


class TestFromArrays:
    def test_whole_numbers_are_the_classes_of_the_columns(self) -> None:
        batch = from_arrays([2, 0], [[0, 0, 1], [1, 0, 0]])

        assert [label.value for label in batch.labels] == ["0", "1", "2"]
        assert batch.truth_labels.tolist() == [2, 0]
        assert batch.datums.numbered

    def test_names_are_sorted_classes(self) -> None:
        batch = from_arrays(["dog", "cat"], [[0.5, 0.5], [1, 0]])

        assert [label.value for label in batch.labels] == ["cat", "dog"]
        assert batch.truth_labels.tolist() == [1, 0]

    def test_labels_name_the_columns_in_their_order(self) -> None:
        batch = from_arrays(
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
        batch = from_arrays([0, 1], [0.25, 0.75])

        assert batch.scores.values.tolist() == [[0.75, 0.25], [0.25, 0.75]]

    @pytest.mark.parametrize("y_true", [[0, 1], [[0], [1]]])
    @pytest.mark.parametrize("y_score", [[0.25, 0.75], [[0.25], [0.75]]])
    def test_a_single_column_is_flat(self, y_true: Any, y_score: Any) -> None:
        batch = from_arrays(y_true, y_score)

        assert batch == from_arrays([0, 1], [0.25, 0.75])

    def test_column_of_truths_is_accepted_with_scores_of_all_classes(self) -> None:
        scores = [[0.75, 0.25], [0.25, 0.75]]

        batch = from_arrays([[0], [1]], scores)

        assert batch == from_arrays([0, 1], scores)

    def test_an_indicator_matrix_is_multilabel(self) -> None:
        batch = from_arrays([[1, 1], [0, 0]], [[0.5, 0.5], [0, 0]])

        assert (batch.truth_datums.tolist(), batch.truth_labels.tolist()) == ([0, 0], [0, 1])

    def test_no_rows_are_a_batch(self) -> None:
        assert len(from_arrays([], np.empty((0, 3)))) == 0

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
    def test_arrays_of_unequal_shapes_are_rejected(
        self, y_true: Any, y_score: Any, options: Any, message: str
    ) -> None:
        with pytest.raises(SchemaError, match=re.escape(message)):
            from_arrays(y_true, y_score, **options)

    @pytest.mark.parametrize("split", [1, 2, 3])
    def test_what_a_column_means_does_not_depend_on_the_batch(self, split: int) -> None:
        """A batch reads classes as the whole does, or not at all."""
        scores = np.eye(3)
        for names in (["a", "b", "c", "b"], [1, 2, 3, 2], [0, 1, 2, 1], [2.0, 0.0, 1.0, 0.0]):
            batches = (names[:split], names[split:])
            try:
                whole = from_arrays(names, scores[[0, 1, 2, 1]])
            except SchemaError:
                read = sum(readable(batch) for batch in batches)
                assert read < len(batches)
                continue
            for batch in filter(readable, batches):
                found = from_arrays(batch, scores[: len(batch)])
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
        batch = from_arrays(y_true, [[0.5, 0.5]] * 2, labels=labels)

        assert batch.truth_labels.tolist() == codes
        assert [label.value for label in batch.labels] == [str(label) for label in labels]

    def test_integers_of_any_type_are_positions(self) -> None:
        for dtype in (np.int8, np.uint64, np.float32, bool, object):
            batch = from_arrays(np.array([1, 0]).astype(dtype), [0.5, 0.5])
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
            from_predicted(y_true, y_pred)

    def test_float_without_fraction_is_the_whole_number(self) -> None:
        batch = from_predicted([1.0, 3.0], [1, 2])

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
                "y_score[0, 0]: expected a number that float64 can represent, got 9007199254740993",
            ),
            (
                [1, 0],
                np.array([[2**53 + 1, 2**53], [1, 2]]),
                "y_score[0, 0]: expected a number that float64 can represent, got 9007199254740993",
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
            from_arrays(y_true, y_score)

    def test_long_double_is_a_score_if_float64_has_it(self) -> None:
        exact = np.array([[0.5, 0.25]], np.longdouble)

        batch = from_arrays([0], exact)

        assert batch.scores.values.tolist() == [[0.5, 0.25]]
        if np.finfo(np.longdouble).eps < np.finfo(np.float64).eps:
            with pytest.raises(SchemaError, match="expected a number that float64 can represent"):
                from_arrays([0], exact / 3)

    def test_predicted_classes_score_one(self) -> None:
        batch = from_predicted(
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
            from_predicted(["dog"], ["cat", "dog"])


def test_a_batch_knows_whether_a_datum_has_several_ground_truths() -> None:
    one = from_arrays([1, 0], [[0.25, 0.75], [0.5, 0.5]])
    several = from_arrays([[1, 1], [0, 1]], [[0.25, 0.75], [0.5, 0.5]])

    assert (one.single, several.single) == (True, False)
    assert several.select(np.array([1])).single


@pytest.mark.parametrize("uids", [["a"], ["a", "b", "c"]])
@pytest.mark.parametrize(
    "make",
    [
        lambda uids: from_arrays([1, 0], [[0.25, 0.75], [0.5, 0.5]], uids=uids),
        lambda uids: from_arrays(np.eye(2, dtype=int), np.eye(2), uids=uids),
        lambda uids: from_predicted(["a", "b"], ["a", "b"], uids=uids),
    ],
)
def test_more_or_fewer_uids_than_items_are_counted(make, uids):
    with pytest.raises(SchemaError, match="uids: expected 2, one for each item, got"):
        make(uids)

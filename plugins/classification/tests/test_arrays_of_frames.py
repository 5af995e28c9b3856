from __future__ import annotations

import pandas as pd
import pytest
from valor_classification.readers.arrays import from_arrays

from valor_core.errors import SchemaError


class TestFromArrays:
    def test_names_of_single_columns_are_no_classes(self) -> None:
        truth, score = pd.DataFrame({"label": [0, 1]}), pd.DataFrame({"probability": [0.25, 0.75]})

        batch = from_arrays(truth, score)

        assert batch == from_arrays([0, 1], [0.25, 0.75])

    def test_a_single_column_is_a_label_where_it_is_named(self) -> None:
        truth, score = pd.DataFrame({"indoor": [0, 1]}), pd.DataFrame({"indoor": [0.25, 0.75]})
        named = from_arrays([[0], [1]], [[0.25], [0.75]], labels=["indoor"])

        assert [label.value for label in named.labels] == ["indoor"]
        assert named.truth_datums.tolist() == [1]
        assert from_arrays(truth, score) == named


def test_the_columns_of_a_table_are_known_by_their_names() -> None:
    scores = pd.DataFrame({"dog": [0.1, 0.9], "cat": [0.9, 0.1]})
    batch = from_arrays(pd.Series(["cat", "dog"]), scores)

    assert [label.value for label in batch.labels] == ["dog", "cat"]
    assert batch.truth_labels.tolist() == [1, 0]
    renamed = from_arrays([1, 0], scores, labels=["no", "yes"])
    assert [label.value for label in renamed.labels] == ["no", "yes"]


def test_a_class_that_no_column_is_named_after_is_an_error() -> None:
    scores = pd.DataFrame({"p0": [0.1, 0.9], "p1": [0.9, 0.1]})
    with pytest.raises(SchemaError, match=r"y_true\[0\]: expected one of the labels, got 'cat'"):
        from_arrays(["cat", "p0"], scores)


def test_two_tables_have_one_order_of_columns() -> None:
    scores = pd.DataFrame({"dog": [0.1, 0.9], "cat": [0.9, 0.1]})
    truths = pd.DataFrame({"cat": [1, 0], "dog": [0, 1]})
    with pytest.raises(
        SchemaError,
        match=r"expected the columns of y_score, \['dog', 'cat'\], got \['cat', 'dog'\]",
    ):
        from_arrays(truths, scores)

    assert from_arrays(truths[["dog", "cat"]], scores).truth_labels.tolist() == [1, 0]

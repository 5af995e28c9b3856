from __future__ import annotations

import numpy as np
import pytest

from valor_core.errors import SchemaError
from valor_core.schemas.classification.scores import ScoreList, ScoreMatrix
from valor_core.schemas.columns import rows_of_datums

MATRIX = ScoreMatrix(np.array([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3]]), np.array([0, 1, 2]))
LIST = ScoreList(np.array([0, 0, 0, 2]), np.array([1, 0, 2, 1]), np.array([0.25, 0.5, 0.75, 1.0]))


def test_matrix_needs_a_column_per_label() -> None:
    with pytest.raises(SchemaError, match="scores: expected 1 columns, got 2"):
        ScoreMatrix(np.zeros((1, 2)), np.array([0]))


def test_duplicate_label_in_matrix_is_rejected() -> None:
    with pytest.raises(
        SchemaError, match="scores: expected one column per label, found a label twice"
    ):
        ScoreMatrix(np.zeros((1, 2)), np.array([0, 0]))


def test_list_needs_columns_of_equal_length() -> None:
    with pytest.raises(
        SchemaError, match="expected columns of equal length, got 1 datums, 2 labels and 1 scores"
    ):
        ScoreList(np.array([0]), np.array([0, 1]), np.array([0.5]))


def test_list_must_be_sorted_by_datum() -> None:
    with pytest.raises(SchemaError, match="scores: expected rows sorted by datum"):
        ScoreList(np.array([1, 0]), np.array([0, 0]), np.array([0.5, 0.5]))


def test_selected_list_is_renumbered() -> None:
    part = LIST.select(np.array([1, 2]))

    assert part == ScoreList(np.array([1]), np.array([1]), np.array([1.0]))


def test_selected_matrix_has_given_rows() -> None:
    assert MATRIX.select(np.array([1])).values.tolist() == [[0.5, 0.2, 0.3]]


def test_merged_labels_keep_first_position_and_greatest_score() -> None:
    # the first and the third label become one, on either layout
    renamed = np.array([0, 1, 0])

    assert MATRIX.relabel(renamed).values.tolist() == [[0.2, 0.7], [0.5, 0.2]]
    assert LIST.relabel(renamed) == ScoreList(
        np.array([0, 0, 2]), np.array([1, 0, 1]), np.array([0.25, 0.75, 1.0])
    )


def test_rows_of_datums_are_in_their_order() -> None:
    rows, datums = rows_of_datums(np.array([0, 0, 2, 3]), np.array([0, 3]))

    assert rows.tolist() == [0, 1, 3]
    assert datums.tolist() == [0, 0, 1]

"""Matrices from the arrays of a confusion table."""

from __future__ import annotations

import numpy as np
from valor_report.tables.structures import NO_GROUND_TRUTH, matrix

from valor_core.results import ConfusionTable


def test_matrix_uses_arrays_of_confusion_table() -> None:
    held = matrix(
        ConfusionTable(
            labels=["l0", "l1", "l2"],
            rows=np.array([0, 0, 2, 3]),
            columns=np.array([0, 1, 3, 2]),
            numbers=np.array([5, 2, 1, 3]),
        )
    )

    assert held is not None
    assert held.rows == ("l0", "l1", "l2", NO_GROUND_TRUTH)
    assert held.numbers.tolist() == [[5, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 3, 0]]
    assert held.largest(~held.is_hit & ~held.is_unmatched, 5) == [("l0", "l1", 2, 2 / 7)]


def test_confusion_table_without_cells_is_matrix_of_zeros() -> None:
    none = np.zeros(0, np.int64)

    empty = matrix(ConfusionTable(labels=["a", "b"], rows=none, columns=none, numbers=none))

    assert empty is not None
    assert empty.numbers.tolist() == [[0, 0], [0, 0]]

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest

from valor_core.errors import SchemaError
from valor_core.results import DetailColumns
from valor_core.results.detail_columns import joined, selected


def details(*positions: int, **columns: Any) -> DetailColumns:
    return DetailColumns(
        {name: np.array(column) for name, column in columns.items()}, np.array(positions, np.int64)
    )


TOLD = details(0, 2, 5, edits=[1, 0, 3], words=["a", "b", "c"], shares=[[1, 2], [3, 4], [5, 6]])


def test_details_are_builtin_values() -> None:
    assert dict(TOLD) == {
        0: {"edits": 1, "words": "a", "shares": [1, 2]},
        2: {"edits": 0, "words": "b", "shares": [3, 4]},
        5: {"edits": 3, "words": "c", "shares": [5, 6]},
    }
    assert [type(value) for value in TOLD[5].values()] == [int, str, list]
    assert dict(pickle.loads(pickle.dumps(TOLD))) == dict(TOLD)


def test_item_without_details_is_missing() -> None:
    assert TOLD.get(1) is None
    assert TOLD.get(6) is None
    assert 2 in TOLD


@pytest.mark.parametrize("positions", [[], [1], [5, 0], [5, 5, 1], [1, 2, 9], [0, 1, 2, 3, 4, 5]])
def test_selection_equals_selection_from_mapping(positions: list[int]) -> None:
    chosen = selected(TOLD, np.array(positions, np.int64))

    assert isinstance(chosen, DetailColumns)
    assert dict(chosen) == selected(dict(TOLD), np.array(positions, np.int64))


@pytest.mark.parametrize(
    ("other", "stay_columns"),
    [
        (details(1, 3, edits=[7, 8], words=["long", "d"], shares=[[1, 1], [2, 2]]), True),
        (details(1, edits=[7]), False),
        (details(1, edits=[0.5], words=["d"], shares=[[1, 1]]), False),
        (details(1, edits=[1], words=["d"], shares=[[1, 1, 1]]), False),
        ({1: {"edits": 7}}, False),
        ({}, True),
    ],
)
def test_concatenation_equals_concatenation_of_mappings(other: Any, stay_columns: bool) -> None:
    both = joined([TOLD, other, TOLD], [0, 6, 10])

    assert isinstance(both, DetailColumns) == stay_columns
    assert dict(both) == joined([dict(TOLD), dict(other), dict(TOLD)], [0, 6, 10])


@pytest.mark.parametrize(
    ("columns", "positions", "message"),
    [
        ({"edits": [1]}, [0], "details['edits']: expected an array, got [1]"),
        (
            {"edits": np.array(1)},
            [0],
            "details['edits']: expected an array, got array of int64, shape ()",
        ),
        ({"edits": np.array([1])}, [0, 1], "details['edits']: expected 2 rows, got 1"),
        (
            {"edits": np.array([1, 2])},
            [1, 0],
            "details: expected ascending positions without duplicates",
        ),
        (
            {"edits": np.array([1, 2])},
            [1, 1],
            "details: expected ascending positions without duplicates",
        ),
    ],
)
def test_invalid_columns_are_rejected(columns: Any, positions: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        DetailColumns(columns, np.array(positions, np.int64))

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from valor_core.errors import SchemaError, StateError
from valor_core.results import Failed, ItemRow, ItemRows, NotRun, Undefined

gaps = st.sampled_from(
    [Undefined("a"), Undefined("b"), Failed("a"), Failed("a", retry=True), NotRun("budget")]
)
single = st.floats(-1e6, 1e6) | gaps
values = single | st.dictionaries(
    st.sampled_from(["rouge1", "rouge2", "rougeL"]), single, min_size=1
)
details = st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=2)


def rows_of(pairs: list[tuple[Any, Any]]) -> list[ItemRow]:
    return [ItemRow(f"q{i}", value, told) for i, (value, told) in enumerate(pairs)]


@given(st.lists(st.tuples(values, details), max_size=8), st.data())
def test_rows_survive_splitting_saving_and_joining(pairs: Any, data: Any) -> None:
    rows = rows_of(pairs)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    bounds = [0, *cuts, len(rows)]
    parts = [ItemRows.of(rows[a:b]) for a, b in pairwise(bounds)]

    joined = ItemRows.joined(parts)
    restored = ItemRows.restored(ItemRows.of(rows).dump())

    whole = list(ItemRows.of(rows))
    assert list(joined) == whole
    assert list(restored) == whole
    assert [ItemRow.from_dict(row.to_dict()) for row in whole] == whole
    assert [row.uid for row in whole] == [row.uid for row in rows]


def test_row_that_may_change_is_not_final() -> None:
    assert ItemRow(1, 0.5).is_final
    assert ItemRow(1, Failed("no reply")).is_final
    assert not ItemRow(1, Failed("time-out", retry=True)).is_final
    assert not ItemRow(1, {"a": 1.0, "b": NotRun("budget")}).is_final


def test_mixed_uids_are_rejected() -> None:
    with pytest.raises(
        SchemaError, match="uids: expected all strings or all whole numbers, found both"
    ):
        ItemRows.joined([ItemRows.of([ItemRow("a", 1.0)]), ItemRows.of([ItemRow(1, 1.0)])])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("uids", np.array([0.5])),
        ("values", [np.array([1.0, 2.0])]),
        ("values", [np.array([np.nan])]),
        ("codes", [np.array([7], np.uint8)]),
        ("codes", [np.array([0], np.int64)]),
        ("gaps", [[{"value": 0.5}]]),
        ("gaps", []),
        ("details_at", np.array([5])),
        ("details_start", np.array([0, 99])),
        ("metadata", {"noise": [1, 2]}),
    ],
)
def test_damaged_columns_are_rejected(key: str, value: Any) -> None:
    content = ItemRows.of([ItemRow("q1", 0.5, {"why": "because"})]).dump()

    with pytest.raises(StateError):
        ItemRows.restored(content | {key: value})


@pytest.mark.parametrize(
    "record",
    [
        {"value": 0.5},
        {"uid": True, "value": 0.5},
        {"uid": 1, "value": "high"},
        {"uid": 1, "value": float("nan")},
        {"uid": 1, "value": None},
        {"uid": 1, "value": None, "error": 3},
        {"uid": 1, "value": 0.5, "details": [1]},
    ],
)
def test_invalid_record_is_rejected(record: dict[str, Any]) -> None:
    with pytest.raises((KeyError, TypeError)):
        ItemRow.from_dict(record)


def test_memory_per_row_is_40_bytes_and_9_per_further_number() -> None:
    # 14 bytes of uid here and 14 in the tally, which tells whether an item was read twice
    uids = np.char.mod("item_%09d", np.arange(10_000))
    one = ItemRows.of([ItemRow("", 0.5)] * 10_000, uids)
    two = ItemRows.of([ItemRow("", {"a": 0.5, "b": 0.5})] * 10_000, uids)

    def size(rows: ItemRows) -> float:
        columns = [rows.uids, *(c for n in rows.numbers.values() for c in (n.values, n.codes))]
        return sum(column.nbytes for column in columns) / len(rows)

    assert size(one) + 14 <= 40
    assert size(two) - size(one) == 9
    assert sys.getsizeof(one.details) < 100


def test_names_of_other_rows_are_excluded() -> None:
    lacking = Undefined("no outcomes")
    rows = ItemRows.of([ItemRow("q1", {"pass@1": 0.5}), ItemRow("q2", lacking)])

    part = rows.select(np.array([1])).columns()

    assert list(part) == list(ItemRows.of([ItemRow("q2", lacking)]).columns()) == [""]
    assert part[""].at(0) == lacking
    assert list(rows.select(np.array([0])).columns()) == ["pass@1"]

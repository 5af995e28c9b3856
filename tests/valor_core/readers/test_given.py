from __future__ import annotations

from typing import Any

import pytest

from valor_core.plugin import SchemaError, reader_of
from valor_core.plugins.registry import Registry
from valor_core.readers.given import told_of
from valor_core.readers.reader import InMemory
from valor_core.schemas.text import Text, TextBatch

ROWS = [{"response": "Paris"}, {"response": "Rome"}]


def told(data: Any, predictions: Any = None, task: str | None = None) -> tuple[Any, str | None]:
    found = told_of(data, predictions, Registry(), task)
    return found.data, found.task


@pytest.mark.parametrize(
    "data",
    [
        TextBatch.of([Text("q1")]),
        [Text("q1")],
        [TextBatch.of([Text("q1")])],
        InMemory((TextBatch.of([Text("q1")]),)),
        {"reader": "table", "path": "items.csv"},
    ],
    ids=["batch", "items", "batches", "reader", "named reader"],
)
def test_data_that_say_what_they_are_stay_as_they_are(data: Any) -> None:
    assert told(data)[0] is data


def test_a_batch_and_an_item_tell_their_task_unless_another_is_named() -> None:
    assert told(TextBatch.of([Text("q1")]))[1] == "text"
    assert told([Text("q1")])[1] == "text"
    assert told([Text("q1")], task="detection")[1] == "detection"


def test_a_table_is_told_from_its_columns() -> None:
    data, task = told(ROWS)

    assert data["reader"] == "core.table"
    assert str(data["path"]) == "<list of 2 rows and 1 column>"
    assert task == "text"


def test_two_sides_become_a_batch() -> None:
    batch, task = told(["Paris", "Rome"], ["paris", "rome"], "text")

    assert task == "text"
    assert [item.references for item in batch.items()] == [("Paris",), ("Rome",)]


def test_what_nothing_is_known_of_is_left_to_the_reader_of_its_task() -> None:
    nothing = object()

    assert told(nothing) == (nothing, None)
    with pytest.raises(SchemaError):
        reader_of(nothing, "text", Registry())


def test_rows_of_a_table_without_uids_have_no_names() -> None:
    reader = reader_of({"reader": "table", "path": ROWS}, "text", Registry())

    (batch,) = (batch for part in reader.partitions() for batch in reader.read(part))
    assert batch.datums.numbered
    assert isinstance(reader, InMemory)


def test_uids_of_a_table_that_look_like_positions_are_names() -> None:
    rows = [{"uid": i, "response": "Paris"} for i in range(2)]
    reader = reader_of({"reader": "table", "path": rows}, "text", Registry())

    (batch,) = (batch for part in reader.partitions() for batch in reader.read(part))
    assert batch.datums.uids.tolist() == ["0", "1"]
    assert not batch.datums.numbered

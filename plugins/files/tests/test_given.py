from __future__ import annotations

from typing import Any

from valor_core.readers import InMemory, reader_of
from valor_core.readers.resolve import resolve_data
from valor_core.specs import Registry

ROWS = [{"response": "Paris"}, {"response": "Rome"}]


def told(data: Any, predictions: Any = None, task: str | None = None) -> tuple[Any, str | None]:
    found = resolve_data(data, predictions, Registry(), task)
    return found.data, found.task


def test_a_table_is_told_from_its_columns() -> None:
    data, task = told(ROWS)

    assert data["reader"] == "tables.table"
    assert str(data["path"]) == "<list of 2 rows and 1 column>"
    assert task == "text"


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

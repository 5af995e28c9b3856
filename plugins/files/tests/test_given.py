from __future__ import annotations

from typing import Any

from valor_core.readers import InMemory, reader_of
from valor_core.readers.resolve import resolve_data
from valor_core.specs import Registry

ROWS = [{"response": "Paris"}, {"response": "Rome"}]


def inferred(data: Any, predictions: Any = None, task: str | None = None) -> tuple[Any, str | None]:
    found = resolve_data(data, predictions, Registry(), task)
    return found.data, found.task


def test_reader_and_task_are_inferred_from_columns() -> None:
    data, task = inferred(ROWS)

    assert data["reader"] == "tables.table"
    assert str(data["path"]) == "<list of 2 rows and 1 column>"
    assert task == "text"


def test_rows_without_uid_are_numbered() -> None:
    reader = reader_of({"reader": "table", "path": ROWS}, "text", Registry())

    (batch,) = (batch for part in reader.partitions() for batch in reader.read(part))
    assert batch.datums.numbered
    assert isinstance(reader, InMemory)


def test_uids_that_look_like_indices_are_kept() -> None:
    rows = [{"uid": i, "response": "Paris"} for i in range(2)]
    reader = reader_of({"reader": "table", "path": rows}, "text", Registry())

    (batch,) = (batch for part in reader.partitions() for batch in reader.read(part))
    assert batch.datums.uids.tolist() == ["0", "1"]
    assert not batch.datums.numbered

from __future__ import annotations

from typing import Any

import pytest

from valor_core.errors import SchemaError
from valor_core.readers import reader_of
from valor_core.readers.reader import InMemory
from valor_core.readers.resolve import resolve_data
from valor_core.schemas.text.batch import Text, TextBatch
from valor_core.specs.registry import Registry


def told(data: Any, predictions: Any = None, task: str | None = None) -> tuple[Any, str | None]:
    found = resolve_data(data, predictions, Registry(), task)
    return found.data, found.task


@pytest.mark.parametrize(
    "data",
    [
        TextBatch.of([Text("q1")]),
        [Text("q1")],
        [TextBatch.of([Text("q1")])],
        InMemory((TextBatch.of([Text("q1")]),)),
        {"reader": "wide", "path": "items.csv"},
    ],
    ids=["batch", "items", "batches", "reader", "named reader"],
)
def test_data_with_explicit_reader_is_unchanged(data: Any) -> None:
    assert told(data)[0] is data


def test_task_is_inferred_from_batch_or_item_unless_specified() -> None:
    assert told(TextBatch.of([Text("q1")]))[1] == "text"
    assert told([Text("q1")])[1] == "text"
    assert told([Text("q1")], task="detection")[1] == "detection"


def test_two_sides_become_a_batch() -> None:
    batch, task = told(["Paris", "Rome"], ["paris", "rome"], "text")

    assert task == "text"
    assert [item.references for item in batch.items()] == [("Paris",), ("Rome",)]


def test_unrecognized_data_is_passed_to_reader_of_task() -> None:
    nothing = object()

    assert told(nothing) == (nothing, None)
    with pytest.raises(SchemaError):
        reader_of(nothing, "text", Registry())

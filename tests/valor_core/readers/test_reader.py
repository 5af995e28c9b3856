from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from valor_core.errors import SchemaError
from valor_core.readers import reader_of
from valor_core.readers.reader import InMemory, Position, Reader, batch_of
from valor_core.schemas.classification import Classification, ClassificationBatch
from valor_core.schemas.datum import Datums
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.text.batch import Text, TextBatch
from valor_core.specs.registry import Registry


def read(data: Any, task: str) -> None:
    reader_of(data, task, Registry())


def unnamed(count: int) -> TextBatch:
    return TextBatch(Datums.numbers(count), *[[None] * count] * 2, *[[()] * count] * 3)


def uids(reader: InMemory) -> list[list[object]]:
    return [
        batch.datums.uids.tolist()
        for partition in reader.partitions()
        for batch in reader.read(partition)
    ]


def test_items_become_one_batch() -> None:
    assert uids(InMemory.of([Text("q1"), Text("q2")], TextBatch.of)) == [["q1", "q2"]]


def test_generator_of_items_becomes_one_batch() -> None:
    assert uids(InMemory.of((Text(name) for name in "ab"), TextBatch.of)) == [["a", "b"]]


def test_empty_list_becomes_one_empty_batch() -> None:
    assert uids(InMemory.of([], TextBatch.of)) == [[]]


def test_every_batch_is_a_partition() -> None:
    batches = [TextBatch.of([Text("q1")]), TextBatch.of([Text("q2")])]

    reader = InMemory.of(batches, TextBatch.of)

    assert isinstance(reader, Reader)
    assert [partition.name for partition in reader.partitions()] == ["batch 0", "batch 1"]
    assert list(reader.read(Position(1))) == batches[1:]


def test_single_batch_is_unchanged() -> None:
    batch = TextBatch.of([Text("q1")])

    assert InMemory.of(batch, TextBatch.of).batches == (batch,)


def test_items_without_uid_are_numbered_across_batches() -> None:
    reader = InMemory.of([unnamed(2), unnamed(1), unnamed(2)], TextBatch.of)

    assert uids(reader) == [[0, 1], [2], [3, 4]]


def test_selected_items_without_uid_are_renumbered() -> None:
    parts = [unnamed(4).select(np.array([1, 3])), unnamed(3).select(np.array([0, 2]))]

    assert uids(InMemory.of(parts, TextBatch.of)) == [[0, 1], [2, 3]]


class Table:
    columns = ("label", "score")


@pytest.mark.parametrize("made", [InMemory.of, batch_of])
def test_arrays_for_task_without_remedy_are_rejected(made: Any) -> None:
    with pytest.raises(SchemaError, match="expected items or a batch, got Table"):
        made(Table(), TextBatch)


def test_mapping_instead_of_item_suggests_class() -> None:
    with pytest.raises(
        SchemaError, match=r"data\[0\]: expected a Text, got \{'query': 'Where\?'\}"
    ):
        batch_of([{"query": "Where?"}], TextBatch.of)


@pytest.mark.parametrize("path", ["x.csv", Path("x.csv")])
def test_path_suggests_specifying_a_reader(path: Any) -> None:
    with pytest.raises(SchemaError, match=r"expected items or a batch, got 'x\.csv'"):
        InMemory.of(path, DetectionBatch.of)


def test_object_array_of_items_is_accepted() -> None:
    items = np.array([Classification("a", "dog", {"dog": 0.5})], dtype=object)

    assert len(InMemory.of(items, ClassificationBatch.of).batches[0]) == 1

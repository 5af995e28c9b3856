from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from valor_core.errors import SchemaError
from valor_core.reading import InMemory, Position, Reader
from valor_core.schemas.classification import Classification
from valor_core.schemas.datum import Datums
from valor_core.schemas.text import Text, TextBatch


def unnamed(count: int) -> TextBatch:
    return TextBatch(Datums.numbers(count), *[[None] * count] * 2, *[[()] * count] * 3)


def uids(reader: InMemory) -> list[list[object]]:
    return [
        batch.datums.uids.tolist()
        for partition in reader.partitions()
        for batch in reader.read(partition)
    ]


def test_objects_become_one_batch() -> None:
    assert uids(InMemory.of([Text("q1"), Text("q2")], "text")) == [["q1", "q2"]]


def test_a_generator_of_objects_becomes_one_batch() -> None:
    assert uids(InMemory.of((Text(name) for name in "ab"), "text")) == [["a", "b"]]


def test_nothing_becomes_one_empty_batch() -> None:
    assert uids(InMemory.of([], "text")) == [[]]


def test_every_batch_is_a_partition() -> None:
    batches = [TextBatch.of([Text("q1")]), TextBatch.of([Text("q2")])]

    reader = InMemory.of(batches, "text")

    assert isinstance(reader, Reader)
    assert [partition.name for partition in reader.partitions()] == ["batch 0", "batch 1"]
    assert list(reader.read(Position(1))) == batches[1:]


def test_a_single_batch_is_taken_as_it_is() -> None:
    batch = TextBatch.of([Text("q1")])

    assert InMemory.of(batch, "text").batches == (batch,)


def test_unnamed_items_of_several_batches_are_numbered_through() -> None:
    reader = InMemory.of([unnamed(2), unnamed(1), unnamed(2)], "text")

    assert uids(reader) == [[0, 1], [2], [3, 4]]


def test_an_unknown_task_is_answered_with_the_nearest() -> None:
    with pytest.raises(SchemaError, match=r"task: expected one of .*, got 'tekst'\nDid you mean"):
        InMemory.of([], "tekst")


def test_a_path_is_no_data() -> None:
    with pytest.raises((SchemaError, TypeError, AttributeError)):
        InMemory.of(Path("a.csv"), "text")


class Table:
    columns = ("label", "score")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (([0, 1], [[0.2, 0.8], [0.5, 0.5]]), "tuple"),
        ((np.zeros(2), np.zeros((2, 2))), "tuple"),
        (np.zeros((2, 2)), "ndarray"),
        (Table(), "Table"),
    ],
)
def test_arrays_are_answered_with_what_makes_a_batch_of_them(data: Any, kind: str) -> None:
    with pytest.raises(SchemaError) as caught:
        InMemory.of(data, "classification")

    assert str(caught.value) == (
        f"data: expected items or a batch, got {kind}\n"
        "Make a batch of arrays with: ClassificationBatch.from_arrays"
    )


@pytest.mark.parametrize("path", ["x.csv", Path("x.csv")])
def test_a_path_is_answered_with_how_a_reader_is_named(path: Any) -> None:
    with pytest.raises(SchemaError) as caught:
        InMemory.of(path, "detection")

    assert str(caught.value) == (
        "data: expected items or a batch, got 'x.csv'\n"
        "Name what reads it: {'reader': …, 'path': 'x.csv'}. "
        "See the readers with: valor list --readers"
    )


def test_items_in_an_array_of_objects_are_items() -> None:
    items = np.array([Classification("a", "dog", {"dog": 0.5})], dtype=object)

    assert len(InMemory.of(items, "classification").batches[0]) == 1

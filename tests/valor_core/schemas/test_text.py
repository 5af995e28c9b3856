from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from valor_core import Label
from valor_core.errors import SchemaError
from valor_core.schemas.datum import Datums
from valor_core.schemas.text import Text, TextBatch

ITEMS = [
    Text("q1", "Capital of France?", "Paris", "Paris", ["a", "b"], ["a"], {"level": 1}),
    Text("q2", None, None, ["x", "y"], (), (), {"level": None}),
    Text("q3", metadata={"level": 2}),
]


def test_a_bare_string_stands_for_a_list_of_one() -> None:
    item = Text("q1", references="Paris", contexts=["a", "b"], reference_contexts=None)  # type: ignore[arg-type]

    assert (item.references, item.contexts, item.reference_contexts) == (("Paris",), ("a", "b"), ())


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"query": 3}, "query: expected a string, got 3"),
        ({"response": ["a"]}, "response: expected a string, got ['a']"),
        ({"references": ["a", 3]}, "references[1]: expected a string, got 3"),
        ({"contexts": 3}, "contexts: expected strings, got 3"),
        ({"reference_contexts": {"a": 1}}, "reference_contexts: expected strings, got {'a': 1}"),
    ],
)
def test_other_things_than_text_are_refused(fields: dict[str, Any], error: str) -> None:
    with pytest.raises(SchemaError) as caught:
        Text("q1", **fields)

    assert str(caught.value) == error


def test_items_become_columns_and_back() -> None:
    batch = TextBatch.of(ITEMS)

    assert list(batch.items()) == ITEMS
    assert batch == TextBatch.of(ITEMS)


def test_items_with_equally_many_references_stay_apart() -> None:
    batch = TextBatch.of([Text("a", references=["x", "y"]), Text("b", references=["z", "w"])])

    assert batch.references.tolist() == [("x", "y"), ("z", "w")]


@pytest.mark.parametrize(
    ("field", "lacking"),
    [
        ("query", [False, True, True, False]),
        ("response", [False, True, True, False]),
        ("references", [False, False, True, False]),
        ("contexts", [False, True, True, False]),
        ("reference_contexts", [False, True, True, True]),
    ],
)
def test_an_item_lacks_a_field_of_no_text_and_has_an_empty_one(
    field: str, lacking: list[bool]
) -> None:
    batch = TextBatch.of([*ITEMS, Text("q4", "", "", "", [""])])

    assert batch.lacks(field).tolist() == lacking
    assert batch.lacks(field).dtype == bool
    assert TextBatch.of([]).lacks(field).tolist() == []


def test_some_items_can_be_selected() -> None:
    chosen = TextBatch.of(ITEMS).select(np.array([0, 2]))

    assert list(chosen.items()) == [ITEMS[0], ITEMS[2]]


def test_items_can_be_renumbered() -> None:
    batch = TextBatch(Datums.numbers(1), ["q"], ["r"], [()], [()], [()])

    assert next(batch.renumber(7).items()).uid == 7


def test_columns_have_one_length() -> None:
    with pytest.raises(SchemaError, match=r"^responses: expected 2 rows, got 1$"):
        TextBatch(Datums(["a", "b"]), ["q", "q"], ["r"], [(), ()], [(), ()], [(), ()])


def test_an_item_twice_is_refused() -> None:
    with pytest.raises(SchemaError, match=r"^item 'q1': expected each uid once, found it 2 times$"):
        TextBatch.of([ITEMS[0], ITEMS[0]])


def test_there_are_no_labels_to_rename() -> None:
    batch = TextBatch.of(ITEMS)

    assert batch.relabel({}) is batch
    with pytest.raises(
        SchemaError, match=r"^label_map: expected none, items of text have no label"
    ):
        batch.relabel({Label("class", "a"): Label("class", "b")})

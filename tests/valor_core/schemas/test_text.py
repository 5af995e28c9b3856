from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from valor_core import Label
from valor_core.errors import SchemaError
from valor_core.schemas.datum import Datums
from valor_core.schemas.text.batch import Text, TextBatch

ITEMS = [
    Text("q1", "Capital of France?", "Paris", "Paris", ["a", "b"], ["a"], {"level": 1}),
    Text("q2", None, None, ["x", "y"], (), (), {"level": None}),
    Text("q3", metadata={"level": 2}, outcomes=[True, False]),
]


def test_bare_string_becomes_list_of_one() -> None:
    item = Text("q1", references="Paris", contexts=["a", "b"], reference_contexts=None)  # type: ignore[arg-type]

    assert (item.references, item.contexts, item.reference_contexts) == (("Paris",), ("a", "b"), ())


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"query": 3}, "query: expected a string, got 3"),
        ({"response": ["a"]}, "response: expected a string, got ['a']"),
        ({"references": ["a", 3]}, "references[1]: expected a string, got 3"),
        ({"contexts": 3}, "contexts: expected strings, got 3"),
        ({"reference_contexts": {"a": 1}}, "reference_contexts: expected strings, got {'a': 1}"),
        ({"outcomes": [True, 2]}, "outcomes[1]: expected true or false, got 2"),
        ({"outcomes": [1.0]}, "outcomes[0]: expected true or false, got 1.0"),
        ({"outcomes": "true"}, "outcomes: expected a list of true and false, got 'true'"),
        ({"outcomes": 2}, "outcomes: expected a list of true and false, got 2"),
    ],
)
def test_non_text_values_are_rejected(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Text("q1", **fields)


def test_outcomes_accept_any_boolean_type() -> None:
    item = Text("q1", outcomes=[1, False, np.True_, np.int64(0)])

    assert item.outcomes == (True, False, True, False)
    assert set(map(type, item.outcomes)) == {bool}
    assert Text("q1", outcomes=True).outcomes == (True,)  # type: ignore[arg-type]
    assert Text("q1", outcomes=None).outcomes == ()  # type: ignore[arg-type]


COLUMNS: dict[str, Any] = {
    "queries": ["q", None],
    "responses": ["r", None],
    "references": [("a", "b"), ()],
    "contexts": [["a"], []],
    "reference_contexts": [(), ()],
    "outcomes": [(True,), ()],
}


@pytest.mark.parametrize(
    ("name", "cell", "message"),
    [
        ("queries", 3, "item 'q2', query: expected a string, got 3"),
        ("queries", b"q", "item 'q2', query: expected a string, got b'q'"),
        ("responses", ("a",), "item 'q2', response: expected a string, got ('a',)"),
        ("responses", "\ud83d", "expected Unicode text, got '\\ud83d', a lone surrogate"),
        ("references", None, "item 'q2', references: expected strings, got None"),
        ("references", "a", "item 'q2', references: expected strings, got 'a'"),
        ("references", ("a", 3), "item 'q2', references: expected strings, got ('a', 3)"),
        ("contexts", {"a"}, "item 'q2', contexts: expected strings, got {'a'}"),
        (
            "reference_contexts",
            ("ü", "ü\udc00"),
            "expected Unicode text, got 'ü\\udc00', a lone surrogate",
        ),
        ("outcomes", True, "item 'q2', outcomes: expected a list of true and false, got True"),
        ("outcomes", (1,), "item 'q2', outcomes: expected a list of true and false, got (1,)"),
    ],
)
def test_invalid_cell_is_rejected_with_item(name: str, cell: Any, message: str) -> None:
    columns = COLUMNS | {name: [COLUMNS[name][0], cell]}

    with pytest.raises(SchemaError, match=re.escape(message)):
        TextBatch(Datums(["q1", "q2"]), **columns)


class _Word(str):
    __slots__ = ()


def test_subclass_of_str_is_text() -> None:
    batch = TextBatch(
        Datums(["q1", "q2"]),
        **COLUMNS | {"queries": [_Word("q"), np.str_("é")], "references": [(_Word("a"),), ("b",)]},
    )

    assert batch.queries.tolist() == ["q", "é"]
    assert batch.references.tolist() == [("a",), ("b",)]


def test_batch_is_independent_of_input_arrays() -> None:
    responses = np.array(["r", "s"], dtype=object)
    batch = TextBatch(Datums(["q1", "q2"]), **COLUMNS | {"responses": responses})
    chosen = batch.select(np.array([1, 0]))

    responses[0] = None

    assert batch.responses.tolist() == ["r", "s"]
    assert chosen.responses.tolist() == ["s", "r"]
    assert not any(one.responses.flags.writeable for one in (batch, chosen))


def test_items_survive_conversion_to_columns() -> None:
    batch = TextBatch.of(ITEMS)

    assert list(batch.items()) == ITEMS
    assert batch == TextBatch.of(ITEMS)


def test_items_with_equal_number_of_references_are_separate() -> None:
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
        ("outcomes", [True, True, False, True]),
    ],
)
def test_lacks_reports_none_but_not_empty_text(field: str, lacking: list[bool]) -> None:
    batch = TextBatch.of([*ITEMS, Text("q4", "", "", "", [""])])

    assert batch.lacks(field).tolist() == lacking
    assert batch.lacks(field).dtype == bool
    assert TextBatch.of([]).lacks(field).tolist() == []


def test_items_can_be_selected() -> None:
    chosen = TextBatch.of(ITEMS).select(np.array([0, 2]))

    assert list(chosen.items()) == [ITEMS[0], ITEMS[2]]


def test_items_can_be_renumbered() -> None:
    batch = TextBatch(Datums.numbers(1), ["q"], ["r"], [()], [()], [()])

    assert next(batch.renumber(7).items()).uid == 7


def test_columns_of_different_length_are_rejected() -> None:
    with pytest.raises(SchemaError, match="responses: expected 2 rows, got 1"):
        TextBatch(Datums(["a", "b"]), ["q", "q"], ["r"], [(), ()], [(), ()], [(), ()])


def test_duplicate_item_is_rejected() -> None:
    with pytest.raises(SchemaError, match="item 'q1': expected each uid once, found it 2 times"):
        TextBatch.of([ITEMS[0], ITEMS[0]])


def test_label_map_is_rejected() -> None:
    batch = TextBatch.of(ITEMS)

    assert batch.relabel({}) is batch
    with pytest.raises(SchemaError, match="label_map: expected none, items of text have no labels"):
        batch.relabel({Label("class", "a"): Label("class", "b")})


def test_large_batch_of_texts_is_counted_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = TextBatch.of([Text(f"q{i}", response="a" * i) for i in range(8)])
    assert [len(piece) for piece in batch.pieces()] == [8]
    monkeypatch.setattr(TextBatch, "most_at_once", 3)
    pieces = list(batch.pieces())
    assert [piece.datums.uids.tolist() for piece in pieces] == [
        ["q0", "q1", "q2"],
        ["q3", "q4", "q5"],
        ["q6", "q7"],
    ]
    assert [text for piece in pieces for text in piece.responses.tolist()] == [
        "a" * i for i in range(8)
    ]

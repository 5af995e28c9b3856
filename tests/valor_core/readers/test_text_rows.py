from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import refused

from valor_core import Registry, evaluate, metric
from valor_core.plugin import ParameterError, ReadError, SchemaError, reader_of
from valor_core.readers.text_rows import two_sides
from valor_core.schemas.text import Text

ROWS: list[dict[str, Any]] = [
    {"uid": "a", "query": "q", "response": "Paris", "references": ["Paris", "P"], "city": "1"},
    {"uid": "b", "response": None, "references": "Rome", "contexts": ["x"], "city": None},
]


def items_of(path: Path, **parameters: Any) -> list[Text]:
    values = {"reader": "core.table", "path": str(path)} | parameters
    reader = reader_of(values, "text", Registry())
    return [
        item
        for partition in reader.partitions()
        for batch in reader.read(partition)
        for item in batch.items()
    ]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_every_row_is_an_item_and_other_columns_are_metadata(tmp_path: Path) -> None:
    items = items_of(written(tmp_path / "rows.jsonl", ROWS))

    assert items == [
        Text("a", "q", "Paris", ("Paris", "P"), (), (), {"city": "1"}),
        Text("b", None, None, ("Rome",), ("x",), (), {"city": None}),
    ]


def test_a_csv_file_says_the_same_as_far_as_it_can(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("uid,response,references,year\na,Paris,Paris,2020\n")

    assert items_of(tmp_path / "rows.csv") == [
        Text("a", None, "Paris", "Paris", (), (), {"year": 2020})
    ]


def test_columns_of_other_names_are_named_in_the_config(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", [{"id": "a", "answer": "Paris"}])

    assert items_of(path, columns={"uid": "id", "response": "answer"}) == [
        Text("a", response="Paris")
    ]


@pytest.mark.parametrize(
    "row",
    [
        {"user_input": "q", "response": "a", "reference": "r", "retrieved_contexts": ["c"]},
        {"input": "q", "actual_output": "a", "expected_output": "r", "retrieval_context": ["c"]},
    ],
    ids=["Ragas", "DeepEval"],
)
def test_names_that_other_programs_use_are_known(tmp_path: Path, row: dict[str, Any]) -> None:
    path = written(tmp_path / "rows.jsonl", [{"uid": "a"} | row])

    assert items_of(path) == [Text("a", "q", "a", "r", ["c"])]


def test_two_names_of_a_field_are_refused_until_the_config_says_which(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", [{"uid": "a", "query": "mine", "input": "theirs"}])
    (tmp_path / "rows.csv").write_text("uid,reference,expected_output\na,x,y\n")

    with refused(ReadError):
        items_of(path)
    with refused(ReadError):
        items_of(tmp_path / "rows.csv")

    assert items_of(path, columns={"query": "input"}) == [Text("a", "theirs")]
    assert items_of(path, columns={"query": "query"}) == [
        Text("a", "mine", metadata={"input": "theirs"})
    ]


def test_a_line_that_is_no_object_is_refused_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"uid": "a", "response": "x"}\n["b", "y"]\n')

    with refused(ReadError):
        items_of(path)


def test_items_without_a_field_have_none_of_it(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"uid": "a", "references": []},
        {"uid": "b", "references": None, "response": None},
        {"uid": "c"},
        {"uid": "d", "references": "", "response": ""},
    ]
    path = written(tmp_path / "rows.jsonl", rows)

    assert items_of(path) == [
        Text("a"),
        Text("b"),
        Text("c"),
        Text("d", response="", references=""),
    ]


def test_rows_without_names_are_called_by_their_number_however_the_file_is_split(
    tmp_path: Path,
) -> None:
    path = written(tmp_path / "rows.jsonl", [{"response": "x" * n} for n in range(20)])

    whole, parts = items_of(path), items_of(path, partition_bytes=50)

    assert parts == whole
    assert len({item.uid for item in parts}) == 20


def test_a_table_is_evaluated_in_parts(tmp_path: Path) -> None:
    @metric("mylab.Length", task="text")
    def length(item: Any) -> float:
        return len(item.response) / 100

    rows = [{"uid": f"q{n}", "response": "x" * n} for n in range(20)]
    path = written(tmp_path / "rows.jsonl", rows)

    report = evaluate(
        {"reader": "table", "path": str(path), "partition_bytes": 50}, [length], task="text"
    )

    assert report["Length"].value == 0.095
    assert report.counts["read"] == 20


@pytest.mark.parametrize(
    "columns",
    [
        {"query": "question", "respons": "answer"},
        {"weather": "wetter"},
    ],
)
def test_a_column_for_a_field_that_is_not_of_the_schema_is_refused(columns: dict[str, str]) -> None:
    values = {"reader": "core.table", "path": "a.csv", "columns": columns}

    with refused(ParameterError):
        reader_of(values, "text", Registry(), None, "c.yaml: ")


def test_a_column_of_metadata_tables_becomes_fields(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"uid": "a", "metadata": {"city": "Oslo"}}\n{"uid": "b"}\n', encoding="utf-8")

    items = items_of(path)

    assert [item.metadata for item in items] == [{"city": "Oslo"}, {"city": None}]


@pytest.mark.parametrize(
    "cells",
    [
        {"query": 5},
        {"contexts": 5},
        {"references": ["x", None]},
    ],
)
def test_a_cell_that_is_no_text_is_refused_with_its_item(
    tmp_path: Path, cells: dict[str, Any]
) -> None:
    with refused(SchemaError):
        items_of(written(tmp_path / "rows.jsonl", [{"uid": "a"} | cells]))


OUTCOMES = [Text("a", outcomes=[True, False, True]), Text("b", outcomes=[False]), Text("c")]


def test_outcomes_of_attempts_are_true_and_false_or_1_and_0(tmp_path: Path) -> None:
    cells: list[Any] = [[True, False, 1], 0, None]
    rows = [{"uid": uid, "outcomes": cell} for uid, cell in zip("abc", cells, strict=True)]

    assert items_of(written(tmp_path / "rows.jsonl", rows)) == OUTCOMES


def test_a_cell_of_references_in_a_csv_file_is_one_text(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('uid,response,references\na,x,"[""x"", ""y""]"\n')

    # A reference of JSONMatch may be such a list.
    assert items_of(tmp_path / "rows.csv") == [Text("a", response="x", references='["x", "y"]')]


def test_outcomes_in_a_csv_file_are_json_or_one_word(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('uid,outcomes\na,"[true, false, 1]"\nb,false\nc,\n')

    assert items_of(tmp_path / "rows.csv") == OUTCOMES


@pytest.mark.parametrize("cell", ["yes", 2, 1.0, [True, None], [True, "true"], {"a": True}, [[1]]])
def test_an_outcome_that_is_neither_is_refused_with_its_place(tmp_path: Path, cell: Any) -> None:
    path = written(tmp_path / "rows.jsonl", [{"uid": "a"}, {"uid": "b", "outcomes": cell}])

    with refused(ReadError):
        items_of(path)


def test_a_table_of_metadata_in_a_csv_file_is_json(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('uid,response,metadata\na,x,"{""city"": ""Oslo""}"\n')

    assert items_of(tmp_path / "rows.csv") == [Text("a", response="x", metadata={"city": "Oslo"})]


def test_a_table_without_any_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("uid\tquery\tresponse\na\twho\tme\n")

    with refused(ReadError):
        items_of(path)


@pytest.mark.parametrize(
    ("references", "responses"),
    [([1], ["a"]), (["a"], [1]), (["a"], "a"), (["a"], [["a"]]), ({"a": "a"}, ["a"]), (3, ["a"])],
)
def test_what_is_no_list_of_references_and_responses_is_none(
    references: Any, responses: Any
) -> None:
    assert two_sides(references, responses) is None


class Numbers(np.ndarray[Any, Any]):
    """An array that must not become a list of Python's objects, of which there may be millions."""

    def tolist(self) -> Any:
        raise AssertionError("all numbers became objects")


def test_numbers_are_told_from_texts_without_an_object_for_each() -> None:
    scores = np.array([[0.25, 0.75], [0.5, 0.5]]).view(Numbers)

    assert two_sides(np.array([0, 1]).view(Numbers), scores) is None
    assert two_sides(np.array(["a", "b"]), scores) is None
    assert two_sides(np.array(["a", "b"]), np.array(["a", "c"], object)) is not None

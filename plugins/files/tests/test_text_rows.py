from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import refused
from valor_files.tables import Table
from valor_files.text_rows import text_batch

from valor_core import Registry, evaluate, metric
from valor_core.errors import ParameterError, ReadError, SchemaError
from valor_core.readers import reader_of
from valor_core.schemas.text import Text
from valor_core.schemas.text.pairs import text_pair

ROWS: list[dict[str, Any]] = [
    {"uid": "a", "query": "q", "response": "Paris", "references": ["Paris", "P"], "city": "1"},
    {"uid": "b", "response": None, "references": "Rome", "contexts": ["x"], "city": None},
]


def items_of(path: Path, **parameters: Any) -> list[Text]:
    values = {"reader": "tables.table", "path": str(path)} | parameters
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


def test_rows_become_items_and_other_columns_metadata(tmp_path: Path) -> None:
    items = items_of(written(tmp_path / "rows.jsonl", ROWS))

    assert items == [
        Text("a", "q", "Paris", ("Paris", "P"), (), (), {"city": "1"}),
        Text("b", None, None, ("Rome",), ("x",), (), {"city": None}),
    ]


def test_csv_rows_become_items(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("uid,response,references,year\na,Paris,Paris,2020\n")

    assert items_of(tmp_path / "rows.csv") == [
        Text("a", None, "Paris", "Paris", (), (), {"year": 2020})
    ]


def test_config_maps_column_names_to_fields(tmp_path: Path) -> None:
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
def test_column_names_of_ragas_and_deepeval_are_accepted(
    tmp_path: Path, row: dict[str, Any]
) -> None:
    path = written(tmp_path / "rows.jsonl", [{"uid": "a"} | row])

    assert items_of(path) == [Text("a", "q", "a", "r", ["c"])]


def test_two_columns_for_one_field_are_rejected_without_config(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", [{"uid": "a", "query": "mine", "input": "theirs"}])
    (tmp_path / "rows.csv").write_text("uid,reference,expected_output\na,x,y\n")

    with pytest.raises(ReadError, match="expected one field for 'query'"):
        items_of(path)
    with pytest.raises(ReadError, match="expected one column for 'references'"):
        items_of(tmp_path / "rows.csv")

    assert items_of(path, columns={"query": "input"}) == [Text("a", "theirs")]
    assert items_of(path, columns={"query": "query"}) == [
        Text("a", "mine", metadata={"input": "theirs"})
    ]


def test_line_that_is_not_an_object_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"uid": "a", "response": "x"}\n["b", "y"]\n')

    with pytest.raises(ReadError, match="line 2: expected one JSON object per line"):
        items_of(path)


def test_missing_or_null_fields_are_none(tmp_path: Path) -> None:
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


def test_row_numbers_as_uids_do_not_depend_on_partitions(
    tmp_path: Path,
) -> None:
    path = written(tmp_path / "rows.jsonl", [{"response": "x" * n} for n in range(20)])

    whole, parts = items_of(path), items_of(path, partition_bytes=50)

    assert parts == whole
    assert len({item.uid for item in parts}) == 20


def test_table_is_evaluated_in_partitions(tmp_path: Path) -> None:
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
def test_column_of_unknown_field_is_rejected(columns: dict[str, str]) -> None:
    values = {"reader": "tables.table", "path": "a.csv", "columns": columns}

    with refused(ParameterError):
        reader_of(values, "text", Registry(), None, "c.yaml: ")


def test_metadata_objects_become_columns(tmp_path: Path) -> None:
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
def test_cell_that_is_not_text_is_rejected(tmp_path: Path, cells: dict[str, Any]) -> None:
    with refused(SchemaError):
        items_of(written(tmp_path / "rows.jsonl", [{"uid": "a"} | cells]))


OUTCOMES = [Text("a", outcomes=[True, False, True]), Text("b", outcomes=[False]), Text("c")]


def test_outcomes_are_booleans_or_0_and_1(tmp_path: Path) -> None:
    cells: list[Any] = [[True, False, 1], 0, None]
    rows = [{"uid": uid, "outcomes": cell} for uid, cell in zip("abc", cells, strict=True)]

    assert items_of(written(tmp_path / "rows.jsonl", rows)) == OUTCOMES


def test_csv_cell_of_references_is_one_string(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('uid,response,references\na,x,"[""x"", ""y""]"\n')

    # A reference of JSONMatch may be such a list.
    assert items_of(tmp_path / "rows.csv") == [Text("a", response="x", references='["x", "y"]')]


def test_outcomes_in_csv_are_json_list_or_one_word(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('uid,outcomes\na,"[true, false, 1]"\nb,false\nc,\n')

    assert items_of(tmp_path / "rows.csv") == OUTCOMES


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("yes", "expected a list of true and false, found 'yes'"),
        (2, "expected a list of true and false, found 2"),
        (1.0, "expected a list of true and false, found 1.0"),
        ([True, None], "expected a list of true and false"),
        ([True, "true"], "found [True, 'true']"),
        ({"a": True}, "expected a list of true and false"),
        ([[1]], "expected a list of true and false, found [[1]]"),
    ],
)
def test_invalid_outcome_is_rejected(tmp_path: Path, cell: Any, message: str) -> None:
    path = written(tmp_path / "rows.jsonl", [{"uid": "a"}, {"uid": "b", "outcomes": cell}])

    with pytest.raises(ReadError, match=re.escape(message)):
        items_of(path)


def test_metadata_in_csv_is_json_object(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('uid,response,metadata\na,x,"{""city"": ""Oslo""}"\n')

    assert items_of(tmp_path / "rows.csv") == [Text("a", response="x", metadata={"city": "Oslo"})]


def test_table_without_text_field_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("uid\tquery\tresponse\na\twho\tme\n")

    with pytest.raises(ReadError, match="expected a column 'query' or 'response'"):
        items_of(path)


@pytest.mark.parametrize(
    ("references", "responses"),
    [([1], ["a"]), (["a"], [1]), (["a"], "a"), (["a"], [["a"]]), ({"a": "a"}, ["a"]), (3, ["a"])],
)
def test_other_data_are_no_text_pair(references: Any, responses: Any) -> None:
    assert text_pair(references, responses) is None


class Numbers(np.ndarray[Any, Any]):
    """Array that must not be converted to a list, which takes too much memory."""

    def tolist(self) -> Any:
        raise AssertionError("all numbers became objects")


def test_arrays_of_numbers_are_detected_without_python_objects() -> None:
    scores = np.array([[0.25, 0.75], [0.5, 0.5]]).view(Numbers)

    assert text_pair(np.array([0, 1]).view(Numbers), scores) is None
    assert text_pair(np.array(["a", "b"]), scores) is None
    assert text_pair(np.array(["a", "b"]), np.array(["a", "c"], object)) is not None


LISTS = {
    "python": "['Bob likes pears.', 'The mill burned in 1874.']",
    "json": '["Bob likes pears.", "The mill burned in 1874."]',
    "numpy": "['Bob likes pears.'\n 'The mill burned in 1874.']",
    "array": "array(['Bob likes pears.'], dtype=object)",
    "one": "['Bob likes pears.']",
    "empty": "[]",
}


@pytest.mark.parametrize("cell", LISTS.values(), ids=LISTS)
def test_printed_list_in_cell_is_one_text_with_warning(cell: str) -> None:
    cells = {"response": ["a", "b"], "retrieved_contexts": ["A mill.", cell]}
    batch = text_batch(Table(cells, "a.csv", first_row=2, is_text=True))

    assert batch.contexts.tolist() == [("A mill.",), (cell,)]
    (warning,) = batch.left_out
    assert warning == (
        "cells of 'retrieved_contexts' used as one text although printed as a list; write the data "
        "as JSON Lines or Parquet to keep lists"
    )
    assert (batch.left_out[warning], batch.first_left_out[warning]) == (1, ("a.csv", 3))


@pytest.mark.parametrize(
    "text",
    [
        "[1] Smith, 'A mill', 1874 [2]",
        "[laughter] yes",
        "[1, 2]",
        "['a'] and ['b']",
        "a list: ['a']",
        "['unclosed",
        "array of mills",
        "",
    ],
)
def test_text_with_brackets_gives_no_warning(text: str) -> None:
    batch = text_batch(Table({"response": ["a"], "contexts": [text]}, "a.csv", is_text=True))

    assert batch.left_out == {}


def test_json_reference_with_json_response_gives_no_warning() -> None:
    cells = {"response": ['["a"]', "a"], "references": ['["a", "b"]', '["a", "b"]']}
    batch = text_batch(Table(cells, "a.csv", is_text=True))

    assert list(batch.left_out.values()) == [1]
    assert list(batch.first_left_out.values()) == [("a.csv", 2)]


def test_printed_lists_in_memory_give_warning() -> None:
    batch = text_pair(["['Paris', 'Paris, France']", "x"], ["Paris", "x"])

    assert batch is not None
    assert list(batch.left_out.values()) == [1]
    assert list(batch.first_left_out.values()) == [("references", 0)]


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        (None, "expected a string, got None"),
        (float("nan"), "responses[1]: expected a string, got nan"),
    ],
)
def test_missing_response_in_list_is_rejected(missing: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        text_pair(["a", "b"], ["a", missing])


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (5, "expected a string, got 5"),
        (b"b", "expected a string, got b'b'"),
        ({"text": "b"}, "expected a string, got {'text': 'b'}"),
        (["b"], "expected a string, got ['b']"),
    ],
)
def test_response_that_is_not_a_string_is_rejected(cell: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        text_pair(["a", "b"], ["a", cell])


@pytest.mark.parametrize(
    ("cell", "message"),
    [(5, "expected a string, got 5"), (["b", 5], "expected a string, got ['b', 5]")],
)
def test_reference_that_is_not_a_string_is_rejected(cell: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        text_pair(["a", cell], ["a", "b"])


@pytest.mark.parametrize(
    ("missing", "message"),
    [(None, "expected a string, got None"), (float("nan"), "expected a string, got nan")],
)
def test_missing_reference_in_list_is_rejected(missing: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        text_pair(["a", missing], ["a", "b"])


def test_response_in_list_of_one_is_unpacked() -> None:
    table = Table({"response": [["18"], "19"], "reference": ["18", "19"]}, "a.jsonl")

    assert text_batch(table).responses.tolist() == ["18", "19"]


@pytest.mark.parametrize(
    ("response", "message"),
    [(5, "expected a string, found 5"), (["a", "b"], "expected a string, found ['a', 'b']")],
)
def test_response_that_is_not_text_suggests_conversion(response: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        text_batch(Table({"response": [response]}, "a.jsonl"))


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (3, "field 'references': expected strings, found 3"),
        (["a", 3], "field 'references': expected strings, found ['a', 3]"),
        ({"label": "a"}, "field 'references': expected strings, found {'label': 'a'}"),
    ],
)
def test_reference_that_is_not_text_is_rejected_with_line(cell: Any, message: str) -> None:
    table = Table({"response": ["a", "b"], "references": [["a"], cell]}, "a.jsonl", 1, unit="line")

    with pytest.raises(SchemaError, match=re.escape(message)):
        text_batch(table)

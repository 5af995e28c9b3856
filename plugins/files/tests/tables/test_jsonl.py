from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from messages import refused
from valor_files import read_table, split_table
from valor_files.tables import cuts, jsonl, strict_json
from valor_files.tables.csv import CSV
from valor_files.tables.jsonl import JSON
from valor_files.tables.table import Table, TablePartition

from valor_core.errors import ReadError, SchemaError

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
RECORDS = st.dictionaries(st.sampled_from(["uid", "score", "é\n"]), SCALARS | st.lists(SCALARS))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jsonl")


def written(folder: Path, content: bytes | str, name: str = "preds.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def records_of(*tables: Table) -> list[tuple[int, dict[str, Any]]]:
    return [
        (
            table.row(index),
            {
                name: cells[index]
                for name, cells in sorted(table.columns.items())
                if cells[index] is not None
            },
        )
        for table in tables
        for index in range(len(table))
    ]


@given(
    records=st.lists(RECORDS.filter(bool), max_size=8),
    line_end=st.sampled_from(["\n", "\r\n"]),
    has_last_line_end=st.booleans(),
    has_bom=st.booleans(),
    blank_lines=st.integers(0, 2),
    is_ascii=st.booleans(),
    partition_bytes=st.integers(1, 80),
    chunk_bytes=st.integers(1, 40),
)
def test_partitions_of_any_size_have_records_of_file(
    folder: Path,
    records: list[dict[str, Any]],
    line_end: str,
    has_last_line_end: bool,
    has_bom: bool,
    blank_lines: int,
    is_ascii: bool,
    partition_bytes: int,
    chunk_bytes: int,
) -> None:
    lines = [json.dumps(record, ensure_ascii=is_ascii) for record in records]
    text = (line_end * (blank_lines + 1)).join(lines) + line_end * has_last_line_end
    path = written(folder, "\ufeff" * has_bom + (text or "\n"))

    with mock.patch.object(cuts, "_CHUNK_BYTES", chunk_bytes):
        parts = split_table(path, partition_bytes=partition_bytes)
    with mock.patch.object(jsonl, "_BLOCK_LINES", 2):
        tables = [read_table(part) for part in parts]

    assert [record for _, record in records_of(read_table(path))] == [
        {key: value for key, value in sorted(record.items()) if value is not None}
        for record in records
    ]
    assert records_of(*tables) == records_of(read_table(path))
    assert [part.start for part in parts[1:]] == [part.stop for part in parts[:-1]]
    assert (parts[0].start, parts[-1].stop) == (0, path.stat().st_size)


@given(
    text=st.text(alphabet='{}[],:"a1\n \r', min_size=1, max_size=30),
    partition_bytes=st.integers(1, 30),
)
@example('{"a":1},{"a":2}\n{"a":[1\n2]}', 1)
@example('{"a":1},{"a":2}\n{"a":[{}\n{}]}', 1)
@example('{"a":[1\n2]}', 1)
@example('{"a":1},{"b":2},{"c":[1\n2]}', 1)
def test_malformed_file_gives_same_records_or_error_in_any_split(
    folder: Path, text: str, partition_bytes: int
) -> None:
    path = written(folder, text)

    def outcome(size: int) -> object:
        try:
            return records_of(*map(read_table, split_table(path, partition_bytes=size)))
        except ReadError as error:
            return error.message

    assert outcome(partition_bytes) == outcome(10_000)


PIECES = st.sampled_from(
    ['{"a":1}', '{"b":[1', "2]}", '{"a":"', '"}', "{", "}", "[", "]", ",", ",null,", "null", '"']
    + ["\n"] * 4
)


@given(pieces=st.lists(PIECES | st.text(alphabet='{}[],:"a1\\ \r\n', max_size=4), max_size=12))
@example(['{"a":1},null,{"b":[1', "\n", "2]}"])
@example(['{"a":1}', "\n", '{"b":[1', "\n", '{"c":1}]}'])
@example(['{"a":"', "\n", '{"b":1}', "\n", '"}'])
@example(["\u00a0", '{"a":1}'])
def test_two_broken_lines_are_not_two_records(folder: Path, pieces: list[str]) -> None:
    text = "".join(pieces) or "\n"
    path = written(folder, text)

    try:
        values = [strict_json.parse_json(line) for line in text.split("\n") if line.strip(" \r")]
    except ValueError:
        values = [None]

    if all(isinstance(value, dict) for value in values):
        found = [record for _, record in records_of(read_table(path))]
        expected = [{k: v for k, v in one.items() if v is not None} for one in values]
        assert found == (expected if any(values) else [])  # without a key, there are no columns
    else:
        with pytest.raises(ReadError):
            read_table(path)


def test_missing_key_is_missing_cell(tmp_path: Path) -> None:
    path = written(tmp_path, '{"uid": "a"}\n{"uid": "b", "city": "Oslo"}\n{"uid": null}\n')

    table = read_table(path)

    assert table.names == ("uid", "city")
    assert table.values("city").tolist() == [None, "Oslo", None]
    assert table.values("uid").tolist() == ["a", "b", None]


def test_cell_of_wrong_type_is_rejected_with_line_and_field(tmp_path: Path) -> None:
    path = written(tmp_path, '{"score": 1}\n\n\n{"score": true}\n{"score": NaN}\n')

    with refused(ReadError):
        read_table(path).floats("score")


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ('{"uid": "b', "line 602: expected one JSON object per line"),
        ('{"uid": "b"', "expected one JSON object per line, the line ends too"),
        ('{"uid": ', "expected one JSON object per line, the line ends too"),
        ("{'uid': 1}", "line 602: expected one JSON object per line, expecting"),
        ('{"uid": 1} {"uid": 2}', "line 602: expected one JSON object per line, extra"),
        ('{"uid": "\t"}', "line 602: expected one JSON object per line"),
        ('{"uid": "\\q"}', "line 602: expected one JSON object per line"),
        ("3", "line 602: expected one JSON object per line, found 3"),
        ("null", "line 602: expected one JSON object per line, found None"),
        ('["a"]', "line 602: expected one JSON object per line, found ['a']"),
        ("[" * 100_000, "line 602: expected one JSON object per line, found values"),
        ('{"uid": ' + "1" * 5000 + "}", "line 602: expected one JSON object per line, found an"),
    ],
)
def test_line_without_object_is_rejected_with_number(
    tmp_path: Path, last: str, message: str
) -> None:
    path = written(tmp_path, '{"uid": "a"}\n' * 600 + "\n" + last)

    for partition_bytes in (1, 10**6):
        *_, last_part = split_table(path, partition_bytes=partition_bytes)
        with pytest.raises(ReadError, match=re.escape(message)):
            read_table(last_part)


def test_object_across_lines_is_rejected(tmp_path: Path) -> None:
    path = written(tmp_path, '{"a":1},{"b":2}\n{"c":[{}\n{}]}\n')

    with refused(ReadError):
        read_table(path)


def test_list_in_json_lines_suggests_suffix_json(tmp_path: Path) -> None:
    path = written(tmp_path, '[\n{"uid": "a"}\n]\n')

    with refused(ReadError):
        read_table(path)


def test_lines_nested_too_deeply_only_when_joined_are_read(tmp_path: Path) -> None:
    def loads(text: str, **options: Any) -> Any:
        if text.startswith("["):
            raise RecursionError
        return loads_really(text, **options)

    loads_really = json.loads
    path = written(tmp_path, '{"uid": "a"}\n{"uid": "b"}')

    with mock.patch.object(json, "loads", loads):
        table = read_table(path)

    assert table.strings("uid").tolist() == ["a", "b"]


def test_json_file_is_list_of_objects(tmp_path: Path) -> None:
    path = written(tmp_path, '[\n {"uid": "a",\n  "score": 1},\n {"uid": "b"}]\n', "preds.json")

    (part,) = split_table(path, partition_bytes=1)
    table = read_table(part)

    assert records_of(table) == [(1, {"uid": "a", "score": 1}), (2, {"uid": "b"})]
    with pytest.raises(ReadError, match="expected a number, found no value"):
        table.floats("score")


def test_empty_list_is_table_without_rows(tmp_path: Path) -> None:
    assert len(read_table(written(tmp_path, "[]", "preds.json"))) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"uid": "a"}', "expected a JSON list of objects, found"),
        ('[{"uid": "a"}, 3, 4]', "expected an object, found 3 (and 1 more)"),
        ('[\n{"uid": "a"},\n{"uid": "b', "line 3: expected a JSON list of objects"),
        ("[\n1,\n", "line 3: expected a JSON list of objects"),
        ('{"uid": "a"}\n{"uid": "b"}\n', "line 2: expected a JSON list of objects"),
        ("[] []", "line 1: expected a JSON list of objects"),
    ],
)
def test_json_file_without_list_of_objects_is_rejected(
    tmp_path: Path, text: str, message: str
) -> None:
    path = written(tmp_path, text, "preds.json")

    with pytest.raises(ReadError, match=re.escape(message)):
        read_table(path)


@pytest.mark.parametrize("name", ["preds.jsonl", "preds.csv"])
def test_file_removed_before_split_is_rejected(tmp_path: Path, name: str) -> None:
    gone = TablePartition(tmp_path / name, Path(name).suffix[1:], 0, 100, 1)

    with pytest.raises(ReadError, match="expected a readable file"):
        (CSV if gone.format == "csv" else JSON).split(gone, 10)


def test_explicit_format_overrides_suffix(tmp_path: Path) -> None:
    path = written(tmp_path, '{"uid": "a"}\n{"uid": "b"}\n', "preds.json")

    parts = split_table(path, partition_bytes=5, format="jsonl")

    assert [read_table(part).strings("uid").tolist() for part in parts] == [["a"], ["b"]]
    with pytest.raises(SchemaError, match="expected one of csv, tsv, jsonl, json"):
        split_table(path, format="xml")

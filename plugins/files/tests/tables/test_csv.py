from __future__ import annotations

import csv as stdlib_csv
import gzip
import pickle
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from messages import refused
from valor_files import read_table, split_table
from valor_files.tables import cuts
from valor_files.tables.table import Table

from valor_core.errors import ReadError

CELLS = st.text(alphabet='ab ,;\t"\n\r\x0b\x85\u2028é✓😀', max_size=5)
GRIDS = st.integers(1, 3).flatmap(
    lambda width: st.lists(
        st.lists(st.tuples(CELLS, st.booleans()), min_size=width, max_size=width), max_size=8
    )
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("csv")


def written(folder: Path, content: bytes | str, name: str = "preds.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows_of(*tables: Table) -> list[tuple[object, ...]]:
    return [
        (table.row(index), *(table.columns[name][index] for name in table.names))
        for table in tables
        for index in range(len(table))
    ]


def serialized(cell: str, *, is_quoted: bool) -> str:
    needs_quotes = not cell or any(character in cell for character in ',"\n\r')
    return '"' + cell.replace('"', '""') + '"' if is_quoted or needs_quotes else cell


@given(
    grid=GRIDS,
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    has_last_line_end=st.booleans(),
    has_bom=st.booleans(),
    blank_lines=st.integers(0, 2),
    partition_bytes=st.integers(1, 80),
    chunk_bytes=st.integers(1, 40),
)
@example([[("a\nb", True)]], "\r\n", False, True, 1, 1, 1)
def test_partitions_of_any_size_have_rows_of_file(
    folder: Path,
    grid: list[list[tuple[str, bool]]],
    line_end: str,
    has_last_line_end: bool,
    has_bom: bool,
    blank_lines: int,
    partition_bytes: int,
    chunk_bytes: int,
) -> None:
    width = len(grid[0]) if grid else 2
    lines = [",".join(f'"name {index}"' for index in range(width))]
    lines += [",".join(serialized(cell, is_quoted=quoted) for cell, quoted in row) for row in grid]
    text = (line_end * (blank_lines + 1)).join(lines) + line_end * has_last_line_end
    path = written(folder, "\ufeff" * has_bom + text)

    with mock.patch.object(cuts, "_CHUNK_BYTES", chunk_bytes):
        parts = split_table(path, partition_bytes=partition_bytes)
    tables = [read_table(part) for part in pickle.loads(pickle.dumps(parts))]
    whole = read_table(path)

    assert [row[1:] for row in rows_of(whole)] == [
        tuple(cell or None for cell, _ in row) for row in grid
    ]
    assert rows_of(*tables) == rows_of(whole)
    assert {table.names for table in tables} == {whole.names}
    assert [part.start for part in parts[1:]] == [part.stop for part in parts[:-1]]
    assert (parts[0].start, parts[-1].stop) == (0, path.stat().st_size)


@given(
    text=st.text(alphabet='a,"\n\r', min_size=1, max_size=30),
    partition_bytes=st.integers(1, 30),
    chunk_bytes=st.integers(1, 30),
)
@example('u,v\n1,5" pipe\n2,"a\nb"\n3,c\n', 1, 4)
def test_malformed_file_gives_same_rows_or_error_in_any_split(
    folder: Path, text: str, partition_bytes: int, chunk_bytes: int
) -> None:
    path = written(folder, "u,v\n" + text)

    def outcome(size: int) -> object:
        try:
            return rows_of(*map(read_table, split_table(path, partition_bytes=size)))
        except ReadError as error:
            return error.message.split(" (and ")[0]

    with mock.patch.object(cuts, "_CHUNK_BYTES", chunk_bytes):
        assert outcome(partition_bytes) == outcome(10_000)


def test_partitions_have_about_the_requested_size(tmp_path: Path) -> None:
    path = written(tmp_path, "uid,score\n" + '"a ""b""\nc",0.25\n' * 1000)

    parts = split_table(path, partition_bytes=1000)

    sizes = [part.stop - part.start for part in parts]
    assert len(parts) == 17
    assert all(1000 <= size < 1020 for size in sizes[:-1])
    assert parts[1].header == ("uid", "score")


def test_file_with_quote_inside_unquoted_cell_is_not_split(tmp_path: Path) -> None:
    path = written(tmp_path, 'uid,size\na,5" pipe\nb,"6\n7"\n')

    (part,) = split_table(path, partition_bytes=1)

    assert rows_of(read_table(part)) == [(2, "a", '5" pipe'), (3, "b", "6\n7")]


def test_row_numbers_are_line_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, 'uid,score\n\n"a\nb",1\r\n\r\nc,bad\n\n\n')

    table = read_table(path)

    assert rows_of(table) == [(3, "a\nb", "1"), (6, "c", "bad")]
    with refused(ReadError):
        table.floats("score")


def test_empty_cells_are_missing_and_others_text(tmp_path: Path) -> None:
    path = written(tmp_path, 'uid,score,city\na,,"Oslo, NO"\n,01,""\n')

    table = read_table(path)

    assert table.values("uid").tolist() == ["a", None]
    assert table.values("score").tolist() == [None, "01"]
    assert table.values("city").tolist() == ["Oslo, NO", None]


def test_cells_of_tsv_are_separated_by_tabs(tmp_path: Path) -> None:
    path = written(tmp_path, 'uid\ttext\na\t"x\ty"\nb\t1,5\n', "preds.tsv")

    tables = [read_table(part) for part in split_table(path, partition_bytes=1)]

    assert rows_of(*tables) == [(2, "a", "x\ty"), (3, "b", "1,5")]


def test_header_alone_is_table_without_rows(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "uid,score"))

    assert (len(table), table.names) == (0, ("uid", "score"))
    assert table.floats("score").tolist() == []


def test_columns_without_name_are_skipped(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, ",uid,\n0,a,\n1,b,\n"))

    assert table.names == ("uid",)
    assert table.strings("uid").tolist() == ["a", "b"]


def test_cell_may_exceed_field_size_limit_of_csv_module(tmp_path: Path) -> None:
    limit = stdlib_csv.field_size_limit()
    path = written(tmp_path, f'uid,text\na,"{"x" * (limit + 1)}"\n')

    try:
        table = read_table(path)
    finally:
        stdlib_csv.field_size_limit(limit)

    assert len(table.strings("text")[0]) == limit + 1


@pytest.mark.parametrize("header", ["uid;note", '"uid";"note"', '"u,id";note', "uid;note\r"])
@pytest.mark.parametrize("partition_bytes", [1, 2**20])
def test_header_with_semicolons_and_no_comma_sets_delimiter(
    tmp_path: Path, header: str, partition_bytes: int
) -> None:
    path = written(tmp_path, f'{header}\na;"x;\n"\nb;y,z\n')

    tables = [read_table(part) for part in split_table(path, partition_bytes=partition_bytes)]

    assert {table.names for table in tables} == {("u,id" if "," in header else "uid", "note")}
    notes = [note for table in tables for note in table.strings("note")]
    assert notes == ["x;\n", "y,z"]
    assert len(tables) == (3 if partition_bytes == 1 else 1)


def test_header_with_commas_sets_comma_as_delimiter(tmp_path: Path) -> None:
    assert read_table(written(tmp_path, "uid,a;b\nx,1\n")).names == ("uid", "a;b")
    assert read_table(written(tmp_path, "uid\ta;b\nx\t1\n", "preds.tsv")).names == ("uid", "a;b")


def test_compressed_file_with_semicolons(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(b"uid;note\na;x\n"), "preds.csv.gz")

    assert read_table(path).strings("note").tolist() == ["x"]


@pytest.mark.parametrize("cell", ["0,25", "25%", "2.5 %", "12,5%", "%", "5%5"])
def test_number_with_comma_or_percent_suggests_spelling(tmp_path: Path, cell: str) -> None:
    table = read_table(written(tmp_path, f"uid;score\na;0.5\nb;{cell}\n"))

    with refused(ReadError):
        table.floats("score")


@pytest.mark.parametrize(
    "content",
    [
        'uid,score\na,1\n"b\nc",1,2\nd\ne,1\n',
        "uid;note\na;b;c\n",
        "uid\tnote\na\tone, two\n",
        "uid,score\na\n",
        'uid,score\na\nb,"1',
        'uid,score\na,1\n"b\n\nc,2\n',
        'uid,"score\na,1\n',
        'uid,score\n"a"b,1\n',
        "\nuid,score\n",
        "uid,score,uid,score\n",
        b"uid,score\na,1\r\n\xe9,2\n",
        "uid,score\n".encode("utf-16"),
        b"",
        b"\xef\xbb\xbf",
    ],
)
def test_invalid_csv_is_rejected_with_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | str
) -> None:
    written(tmp_path, content)
    monkeypatch.chdir(tmp_path)

    with refused(ReadError):
        read_table("preds.csv")


def test_error_in_later_partition_names_row_of_file(tmp_path: Path) -> None:
    path = written(tmp_path, 'uid,score\n"a\nb",1\nc,2\nd,1,1\n')

    parts = split_table(path, partition_bytes=1)

    assert len(parts) == 4
    with refused(ReadError):
        read_table(parts[3])


def test_file_that_shrank_after_split_is_rejected(tmp_path: Path) -> None:
    path = written(tmp_path, "uid\na\nb\n")
    parts = split_table(path, partition_bytes=1)
    path.write_bytes(b"uid\n")

    with pytest.raises(ReadError, match="expected at least 6 bytes as when it"):
        read_table(parts[1])

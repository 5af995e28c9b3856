from __future__ import annotations

import gzip
import pickle
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import refused
from valor_files import read_table, split_table, tables
from valor_files.tables.table import Cut, Table, TablePartition, count_line_breaks

from valor_core.errors import ReadError, SchemaError


def column(*cells: Any, **options: Any) -> Table:
    return Table({"score": list(cells)}, "preds.csv", first_row=2, **options)


def array_column(values: Any, dtype: Any) -> Table:
    return Table({"score": np.array(values, dtype=dtype)}, "preds.parquet")


def test_table_has_names_and_length() -> None:
    table = Table({"uid": ("a", "b"), "score": np.array([1.0, 2.0])}, "preds.csv")

    assert (len(table), table.names) == (2, ("uid", "score"))
    assert (table.has("uid"), table.has("label")) == (True, False)
    assert len(Table({}, "preds.csv")) == 0


def test_columns_of_unequal_length_are_rejected() -> None:
    with pytest.raises(SchemaError, match="expected columns of equal length"):
        Table({"uid": ["a"], "score": []}, "preds.csv")


def test_place_names_file_row_and_column() -> None:
    numbers = np.array([4, 9])

    assert column("a", "b").place(1, "score") == "preds.csv, row 3, column 'score'"
    assert column("a", "b", row_numbers=numbers).place(1, "score") == (
        "preds.csv, row 9, column 'score'"
    )
    assert column("a", unit="line").place(0, "score") == "preds.csv, line 2, field 'score'"


def test_values_are_not_converted() -> None:
    lists = column([1, 2], [3, 4]).values("score")
    array = np.array([1, 2])

    assert (lists.dtype, lists.tolist()) == (np.dtype(object), [[1, 2], [3, 4]])
    assert Table({"score": array}, "preds.parquet").values("score") is array


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (column("a", ""), ["a", ""]),
        (column("a", 7), ["a", "7"]),
        (array_column(["a", "b"], str), ["a", "b"]),
        (array_column([3, 4], np.int32), ["3", "4"]),
    ],
)
def test_strings_accept_text_and_integers(table: Table, expected: list[str]) -> None:
    strings = table.strings("score")

    assert strings.dtype == np.dtype(object)
    assert strings.tolist() == expected


def test_missing_strings_are_none_if_allowed() -> None:
    assert column("a", None).strings("score", allow_missing=True).tolist() == ["a", None]
    assert column(7, None).strings("score", allow_missing=True).tolist() == ["7", None]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (column("0.5", " 1e-3 ", "-2"), [0.5, 0.001, -2.0]),
        (column(0.5, 3, "7"), [0.5, 3.0, 7.0]),
        (column(Decimal("0.25"), "1"), [0.25, 1.0]),
        (array_column([1, 2], np.uint8), [1.0, 2.0]),
        (array_column([0.5, "2"], object), [0.5, 2.0]),
        (column(), []),
    ],
)
def test_floats_accept_numbers_and_numerals(table: Table, expected: list[float]) -> None:
    floats = table.floats("score")

    assert floats.dtype == np.float64
    assert floats.tolist() == expected


def test_float32_column_keeps_dtype() -> None:
    floats = array_column([0.35], np.float32).floats("score")

    assert floats.dtype == np.float32


def test_missing_and_non_finite_numbers_are_accepted_if_allowed() -> None:
    missing = column("1", None).floats("score", allow_missing=True)
    non_finite = column("nan", "-inf").floats("score", allow_non_finite=True)

    np.testing.assert_array_equal(missing, [1.0, np.nan])
    np.testing.assert_array_equal(non_finite, [np.nan, -np.inf])


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (column("3", " -4 "), [3, -4]),
        (column("3", "4.0", 5.0, 6), [3, 4, 5, 6]),
        (column(2**63 - 1, str(-(2**63))), [2**63 - 1, -(2**63)]),
        (array_column([1, 2], np.int8), [1, 2]),
        (array_column([1, 2], np.uint64), [1, 2]),
        (array_column([1.0, 2.0], float), [1, 2]),
        (column(), []),
    ],
)
def test_integers_accept_integral_numbers_and_numerals(table: Table, expected: list[int]) -> None:
    integers = table.integers("score")

    assert integers.dtype == np.int64
    assert integers.tolist() == expected


@pytest.mark.parametrize(
    ("read", "table", "message"),
    [
        (
            "strings",
            column("a", None, None),
            "expected text, found no value (and 1 more)",
        ),
        (
            "strings",
            column("a", True),
            "column 'score': expected text, found True",
        ),
        ("strings", column(0.5), "expected text, found 0.5"),
        (
            "floats",
            column("1", "high", "2", "low"),
            "expected a number, found 'high'",
        ),
        (
            "floats",
            column("1", None),
            "expected a number, found no value",
        ),
        (
            "floats",
            column("x", None),
            "expected a number, found 'x' (and 1 more)",
        ),
        (
            "floats",
            column(1.0, True),
            "expected a number, found True",
        ),
        (
            "floats",
            column([1.0], [2.0]),
            "expected a number, found [1.0]",
        ),
        (
            "floats",
            column(1.0, 10**400),
            "column 'score': expected a number",
        ),
        (
            "floats",
            column("1", "nan", "inf", "1e999"),
            "must be finite, found 'nan' (and 2 more)",
        ),
        (
            "floats",
            array_column([1, np.inf], np.float64),
            "column 'score': must be finite, found inf",
        ),
        (
            "floats",
            array_column([True], bool),
            "expected a number, found True",
        ),
        (
            "integers",
            column("1", "1.5", None),
            "expected an integer, found '1.5'",
        ),
        (
            "integers",
            column("x"),
            "expected an integer, found 'x'",
        ),
        (
            "integers",
            column("1", "inf"),
            "expected an integer, found 'inf'",
        ),
        (
            "integers",
            column(1, True),
            "expected an integer, found True",
        ),
        (
            "integers",
            column(1, [2]),
            "expected an integer, found [2]",
        ),
        (
            "integers",
            column("1", str(2**63)),
            "expected an integer, found '9223372036854775808'",
        ),
        (
            "integers",
            array_column([2**63], np.uint64),
            "expected an integer, found 9223372036854775808",
        ),
    ],
)
def test_cell_of_wrong_type_is_rejected(read: str, table: Table, message: str) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        getattr(table, read)("score")


def test_allow_missing_and_allow_non_finite_are_independent() -> None:
    with pytest.raises(ReadError, match="expected a number, found no value"):
        column("nan", None).floats("score", allow_non_finite=True)
    with pytest.raises(ReadError, match="must be finite, found 'nan'"):
        column("nan", None).floats("score", allow_missing=True)


@pytest.mark.parametrize("read", ["values", "strings", "floats", "integers"])
def test_missing_column_error_lists_columns(read: str) -> None:
    table = Table({"uid": [], "score": []}, "preds.csv")

    with refused(ReadError):
        getattr(table, read)("scores")


def test_missing_column_error_lists_at_most_20_columns() -> None:
    many = Table({f"c{index}": [] for index in range(22)}, "preds.jsonl", unit="line")

    with pytest.raises(ReadError, match="expected a field 'x', the fields are 'c0'"):
        many.floats("x")
    with pytest.raises(ReadError, match="expected a column 'x', there is no row"):
        Table({}, "preds.csv").floats("x")


def test_error_of_renamed_column_shows_name_in_file() -> None:
    table = Table({"image_id": ["a"], "uid": ["z"], "conf": ["x"]}, "preds.csv")

    renamed = table.renamed({"uid": "image_id", "name": "image_id", "score": "conf"})

    assert renamed.names == ("uid", "name", "score")
    assert renamed.strings("uid").tolist() == renamed.strings("name").tolist() == ["a"]
    with pytest.raises(ReadError, match="expected a number, found 'x'"):
        renamed.floats("score")
    assert table.names == ("image_id", "uid", "conf")


def test_renaming_missing_column_is_rejected() -> None:
    table = Table({"image_id": ["a"]}, "preds.csv")

    with pytest.raises(ReadError, match="expected a column 'imageid' for 'uid'"):
        table.renamed({"uid": "imageid"})

    with pytest.raises(ReadError, match="expected a column 'uid'"):
        table.renamed({"uid": "uid"})


def test_partition_can_be_cut_pickled_and_printed() -> None:
    uncut = TablePartition(Path("preds.csv"), "csv", 0, 90, 1)

    parts = uncut.cut([Cut(30, 4), Cut(60, 8)], header=("uid",))

    assert pickle.loads(pickle.dumps(parts)) == parts
    assert [(part.start, part.stop, part.first_row, part.header) for part in parts] == [
        (0, 30, 1, None),
        (30, 60, 4, ("uid",)),
        (60, 90, 8, ("uid",)),
    ]
    assert str(parts[1]) == "preds.csv, bytes 30 to 60"
    assert str(TablePartition(Path("a.parquet"), "parquet", 0, 2, 1)) == (
        "a.parquet, row groups 0 to 2"
    )
    assert uncut.cut([]) == (uncut,)


def test_crlf_counts_as_one_line_break() -> None:
    assert count_line_breaks(np.frombuffer(b"a\r\nb\nc\rd\r\r\n", np.uint8)) == 5
    assert count_line_breaks(np.zeros(0, np.uint8)) == 0


@pytest.mark.parametrize("at", range(-3, 3))
@pytest.mark.parametrize("between", ["\r", "\n", "\r\n", "\r\r\n"])
def test_line_breaks_at_block_boundary_count_once(at: int, between: str) -> None:
    text = "x" * (2**18 + at) + between + "x\n\r"

    assert count_line_breaks(np.frombuffer(text.encode(), np.uint8)) == len(text.splitlines())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1_0", "expected a number, found '1_0'"),
        ("٣", "expected a number, found '\u0663'"),
        ("\uff11", "expected a number, found '\uff11'"),
        ("1_0.5", "expected a number, found '1_0.5'"),
        ("2²", "expected a number, found '2²'"),
    ],
)
def test_python_only_numerals_are_rejected(text: str, message: str) -> None:
    for cells in ([text], [text, 1], ["1", text]):
        with pytest.raises(ReadError, match=re.escape(message)):
            column(*cells).floats("score")
        with pytest.raises(ReadError, match="column 'score': expected an integer"):
            column(*cells).integers("score")


@pytest.mark.parametrize(
    "names",
    [
        ["uid;label"],
        ["uid\tlabel"],
        ["uid,label"],
        ["uid", " label", "score "],
    ],
)
def test_missing_column_suggests_other_delimiter_or_stripped_header(names: list[str]) -> None:
    table = Table({name: ["a"] for name in names}, "t.csv")

    with refused(ReadError):
        table.strings("label")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dup.csv", "expected each uid once, found 'a' as in row 2"),
        ("dup.jsonl", "expected each uid once, found 'a' as in line 1"),
    ],
)
def test_repeated_uid_is_rejected_with_both_rows(tmp_path: Path, name: str, message: str) -> None:
    path = tmp_path / name
    texts = {
        "dup.csv": "uid\na\nb\na\nb\n",
        "dup.jsonl": "".join(f'{{"uid": "{uid}"}}\n' for uid in "abab"),
    }
    path.write_text(texts[name])

    with pytest.raises(ReadError, match=re.escape(message)):
        read_table(path).uids("uid")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nul.csv", "row 3, column 'uid': expected a name"),
        ("nul.jsonl", "line 2, field 'uid': expected a name"),
    ],
)
def test_nul_in_uid_is_rejected(tmp_path: Path, name: str, message: str) -> None:
    path = tmp_path / name
    texts = {
        "nul.csv": "uid\na\nb\0\na\nb\0\n",
        "nul.jsonl": "".join(f'{{"uid": "{uid}"}}\n' for uid in ("a", r"b\u0000", "a", r"b\u0000")),
    }
    path.write_text(texts[name])
    table = read_table(path)

    assert table.strings("uid").tolist() == ["a", "b\0", "a", "b\0"]
    with pytest.raises(ReadError, match=re.escape(message)):
        table.uids("uid")
    with pytest.raises(ReadError, match=re.escape(message)):
        table.categories("uid")


def test_small_partitions_may_be_read_ahead_if_reader_allows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "uid,score\n" + "".join(f"item{row},0.5\n" for row in range(100))
    plain, packed = tmp_path / "a.csv", tmp_path / "a.csv.gz"
    plain.write_text(rows)
    packed.write_bytes(gzip.compress(rows.encode()))

    def allowed(path: Path, **options: bool) -> set[bool]:
        return {
            part.may_be_read_ahead for part in split_table(path, partition_bytes=200, **options)
        }

    assert allowed(plain, may_be_read_ahead=True) == {True}
    assert allowed(plain) == {False}
    assert allowed(packed, may_be_read_ahead=True) == {False}  # unpacked size is unknown
    monkeypatch.setattr(tables, "_READ_AHEAD_BYTES", 100)
    assert allowed(plain, may_be_read_ahead=True) == {False}

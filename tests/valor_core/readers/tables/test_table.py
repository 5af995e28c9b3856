from __future__ import annotations

import pickle
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from valor_core.plugin import ReadError, SchemaError, read_table
from valor_core.readers.tables.table import Cut, Table, TablePartition, count_line_breaks


def column(*cells: Any, **options: Any) -> Table:
    return Table({"score": list(cells)}, "preds.csv", first_row=2, **options)


def array_column(values: Any, dtype: Any) -> Table:
    return Table({"score": np.array(values, dtype=dtype)}, "preds.parquet")


def test_a_table_knows_its_names_and_length() -> None:
    table = Table({"uid": ("a", "b"), "score": np.array([1.0, 2.0])}, "preds.csv")

    assert (len(table), table.names) == (2, ("uid", "score"))
    assert (table.has("uid"), table.has("label")) == (True, False)
    assert len(Table({}, "preds.csv")) == 0


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(SchemaError) as caught:
        Table({"uid": ["a"], "score": []}, "preds.csv")

    assert str(caught.value) == (
        "preds.csv: expected columns of equal length, got {'uid': 1, 'score': 0}"
    )


def test_a_place_names_file_row_and_column_in_the_words_of_the_format() -> None:
    numbers = np.array([4, 9])

    assert column("a", "b").place(1, "score") == "preds.csv, row 3, column 'score'"
    assert column("a", "b", row_numbers=numbers).place(1, "score") == (
        "preds.csv, row 9, column 'score'"
    )
    assert column("a", unit="line").place(0, "score") == "preds.csv, line 2, field 'score'"


def test_values_come_as_they_are() -> None:
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
def test_strings_are_text_and_integers(table: Table, expected: list[str]) -> None:
    strings = table.strings("score")

    assert strings.dtype == np.dtype(object)
    assert strings.tolist() == expected


def test_missing_text_is_none_where_it_is_allowed() -> None:
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
def test_floats_are_numbers_and_text_that_reads_as_one(table: Table, expected: list[float]) -> None:
    floats = table.floats("score")

    assert floats.dtype == np.float64
    assert floats.tolist() == expected


def test_a_float32_column_keeps_its_type_so_that_it_passes_the_thresholds_it_was_written_as() -> (
    None
):
    floats = array_column([0.35], np.float32).floats("score")

    assert floats.dtype == np.float32


def test_missing_and_non_finite_numbers_pass_where_they_are_allowed() -> None:
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
def test_integers_are_whole_numbers_in_any_writing(table: Table, expected: list[int]) -> None:
    integers = table.integers("score")

    assert integers.dtype == np.int64
    assert integers.tolist() == expected


@pytest.mark.parametrize(
    ("read", "table", "message"),
    [
        (
            "strings",
            column("a", None, None),
            "preds.csv, row 3, column 'score': expected text, found no value (and 1 more)",
        ),
        (
            "strings",
            column("a", True),
            "preds.csv, row 3, column 'score': expected text, found True",
        ),
        ("strings", column(0.5), "preds.csv, row 2, column 'score': expected text, found 0.5"),
        (
            "floats",
            column("1", "high", "2", "low"),
            "preds.csv, row 3, column 'score': expected a number, found 'high' (and 1 more)",
        ),
        (
            "floats",
            column("1", None),
            "preds.csv, row 3, column 'score': expected a number, found no value",
        ),
        (
            "floats",
            column("x", None),
            "preds.csv, row 2, column 'score': expected a number, found 'x' (and 1 more)",
        ),
        (
            "floats",
            column(1.0, True),
            "preds.csv, row 3, column 'score': expected a number, found True",
        ),
        (
            "floats",
            column([1.0], [2.0]),
            "preds.csv, row 2, column 'score': expected a number, found [1.0] (and 1 more)",
        ),
        (
            "floats",
            column(1.0, 10**400),
            "preds.csv, row 3, column 'score': expected a number, found " + "1" + "0" * 78 + "…",
        ),
        (
            "floats",
            column("1", "nan", "inf", "1e999"),
            "preds.csv, row 3, column 'score': must be finite, found 'nan' (and 2 more)",
        ),
        (
            "floats",
            array_column([1, np.inf], np.float64),
            "preds.parquet, row 2, column 'score': must be finite, found inf",
        ),
        (
            "floats",
            array_column([True], bool),
            "preds.parquet, row 1, column 'score': expected a number, found True",
        ),
        (
            "integers",
            column("1", "1.5", None),
            "preds.csv, row 3, column 'score': expected an integer, found '1.5' (and 1 more)",
        ),
        (
            "integers",
            column("x"),
            "preds.csv, row 2, column 'score': expected an integer, found 'x'",
        ),
        (
            "integers",
            column("1", "inf"),
            "preds.csv, row 3, column 'score': expected an integer, found 'inf'",
        ),
        (
            "integers",
            column(1, True),
            "preds.csv, row 3, column 'score': expected an integer, found True",
        ),
        (
            "integers",
            column(1, [2]),
            "preds.csv, row 3, column 'score': expected an integer, found [2]",
        ),
        (
            "integers",
            column("1", str(2**63)),
            "preds.csv, row 3, column 'score': expected an integer, found '9223372036854775808'",
        ),
        (
            "integers",
            array_column([2**63], np.uint64),
            "preds.parquet, row 1, column 'score': expected an integer, found 9223372036854775808",
        ),
    ],
)
def test_a_cell_of_another_type_is_refused_with_its_place(
    read: str, table: Table, message: str
) -> None:
    with pytest.raises(ReadError) as caught:
        getattr(table, read)("score")

    assert str(caught.value) == message


def test_a_missing_cell_is_refused_where_only_non_finite_ones_are_allowed() -> None:
    with pytest.raises(
        ReadError, match=r"row 3, column 'score': expected a number, found no value"
    ):
        column("nan", None).floats("score", allow_non_finite=True)
    with pytest.raises(ReadError, match=r"row 2, column 'score': must be finite, found 'nan'"):
        column("nan", None).floats("score", allow_missing=True)


@pytest.mark.parametrize("read", ["values", "strings", "floats", "integers"])
def test_an_unknown_column_is_refused_with_those_there_are(read: str) -> None:
    table = Table({"uid": [], "score": []}, "preds.csv")

    with pytest.raises(ReadError) as caught:
        getattr(table, read)("scores")

    assert str(caught.value) == (
        "preds.csv: expected a column 'scores', the columns are 'uid', 'score'\n"
        "Did you mean 'score'?"
    )


def test_a_list_of_many_columns_is_cut_short() -> None:
    many = Table({f"c{index}": [] for index in range(22)}, "preds.jsonl", unit="line")

    with pytest.raises(ReadError, match=r"expected a field 'x', .* 'c19' \(and 2 more\)$"):
        many.floats("x")
    with pytest.raises(ReadError, match=r"expected a column 'x', there is no row$"):
        Table({}, "preds.csv").floats("x")


def test_renamed_columns_go_by_the_new_name_and_errors_by_the_one_in_the_file() -> None:
    table = Table({"image_id": ["a"], "uid": ["z"], "conf": ["x"]}, "preds.csv")

    renamed = table.renamed({"uid": "image_id", "name": "image_id", "score": "conf"})

    assert renamed.names == ("uid", "name", "score")
    assert renamed.strings("uid").tolist() == renamed.strings("name").tolist() == ["a"]
    with pytest.raises(ReadError, match=r"^preds.csv, row 1, column 'conf': expected a number"):
        renamed.floats("score")
    assert table.names == ("image_id", "uid", "conf")


def test_renaming_a_column_that_is_not_there_is_refused() -> None:
    table = Table({"image_id": ["a"]}, "preds.csv")

    with pytest.raises(ReadError) as caught:
        table.renamed({"uid": "imageid"})

    assert str(caught.value) == (
        "preds.csv: expected a column 'imageid' for 'uid', the columns are 'image_id'\n"
        "Did you mean 'image_id'?"
    )
    with pytest.raises(ReadError, match=r"expected a column 'uid', the columns"):
        table.renamed({"uid": "uid"})


def test_a_partition_can_be_cut_pickled_and_named() -> None:
    whole = TablePartition(Path("preds.csv"), "csv", 0, 90, 1)

    parts = whole.cut([Cut(30, 4), Cut(60, 8)], header=("uid",))

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
    assert whole.cut([]) == (whole,)


def test_a_line_break_of_two_characters_counts_once() -> None:
    assert count_line_breaks(b"a\r\nb\nc\rd\r\r\n") == 5


@pytest.mark.parametrize("text", ["1_0", "٣", "\uff11", "1_0.5", "2²"])
def test_a_number_to_python_alone_is_no_number(text: str) -> None:
    for cells in ([text], [text, 1], ["1", text]):
        with pytest.raises(ReadError, match=r"expected a number, found"):
            column(*cells).floats("score")
        with pytest.raises(ReadError, match=r"expected an integer, found"):
            column(*cells).integers("score")


@pytest.mark.parametrize(
    ("names", "remedy"),
    [
        (["uid;label"], "Name a file with semicolons between the cells .csv."),
        (["uid\tlabel"], "Name a file with tabs between the cells .tsv."),
        (["uid,label"], "Name a file with commas between the cells .csv."),
        (["uid", " label", "score "], "Remove the spaces around 'label' in the header."),
    ],
)
def test_another_delimiter_or_spaces_are_told_from_the_header(
    names: list[str], remedy: str
) -> None:
    table = Table({name: ["a"] for name in names}, "t.csv")

    with pytest.raises(ReadError) as caught:
        table.strings("label")

    listed = ", ".join(map(repr, names))
    assert str(caught.value) == (
        f"t.csv: expected a column 'label', the columns are {listed}\n{remedy}"
    )


@pytest.mark.parametrize("name", ["dup.csv", "dup.jsonl"])
def test_a_uid_that_stands_twice_is_named_with_both_rows(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    texts = {
        "dup.csv": "uid\na\nb\na\nb\n",
        "dup.jsonl": "".join(f'{{"uid": "{uid}"}}\n' for uid in "abab"),
    }
    path.write_text(texts[name])
    places = {
        "dup.csv": ("row 4, column 'uid'", "row 2"),
        "dup.jsonl": ("line 3, field 'uid'", "line 1"),
    }
    here, there = places[name]

    with pytest.raises(ReadError) as caught:
        read_table(path).uids("uid")

    assert str(caught.value) == (
        f"{path}, {here}: expected each uid once, found 'a' as in {there} (and 1 more)"
    )

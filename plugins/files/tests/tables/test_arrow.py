from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow
import pyarrow.csv  # once imported, it also reads small files
import pyarrow.parquet
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from valor_files import Table, columns_beside, json_cells, read_table, split_table
from valor_files.tables import csv
from valor_files.tables.arrow import ArrowCells

from valor_core.errors import ValorError

assert pyarrow.csv

NUMERALS = [
    "0.5", "1", "-0", "1e-3", "1_000", "nan", "inf", "-inf", "Infinity", "1e999", "1e-999", "1,5",
    "007", "9007199254740993", "18446744073709551616", " 1", "1 ", "+1", ".5", "5.", "0x10", "1e",
    "٣", "nan(1)", "1.0", "3.0", "true", "-", "e", "1.7976931348623159e308", "5e-324", "4.9e-324",
    "0.1234567890123456789", "9223372036854775807", "9223372036854775808", "1d5", "1f", "\t1",
]  # fmt: skip
CELLS = (
    st.sampled_from(NUMERALS)
    | st.floats().map(repr)
    | st.integers().map(str)
    | st.sampled_from(["", "a", "b", "é", "😀", '["a", "b"]', "[", '{"a": 1}', "\ufeff", "a b"])
    | st.text(alphabet='ab,;\t"\n\r\0 é', max_size=4)
)


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


WRITTEN_CELLS = st.builds(
    lambda cell, how: quoted(cell) if how else cell, CELLS, st.integers(0, 4).map(lambda n: n == 0)
)
PLAIN_CELLS = st.sampled_from([*NUMERALS[:8], "a", "b", "", "x y"]) | st.floats().map(repr)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """CSV, mostly well-formed."""
    width = draw(st.integers(1, 4))
    cells = draw(st.sampled_from([PLAIN_CELLS, PLAIN_CELLS, WRITTEN_CELLS]))
    widths = st.just(width) if draw(st.booleans()) else st.sampled_from([width] * 9 + [width + 1])
    rows = draw(
        st.lists(widths.flatmap(lambda n: st.lists(cells, min_size=n, max_size=n)), max_size=6)
    )
    delimiter = draw(st.sampled_from([",", ",", ",", ";", "\t"]))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    lines = [delimiter.join(row) for row in [["uid", "b", "c", "d"][:width], *rows]]
    for place in draw(st.lists(st.integers(0, len(lines)), max_size=1)):
        lines.insert(place, "")
    bom = draw(st.sampled_from(["", "", "\ufeff"]))
    return bom + end.join(lines) + draw(st.sampled_from([end, "", end * 2, '"']))


def outcome(act: Callable[[], Any]) -> Any:
    """Return the result of a call, with the bits of arrays, or the text of its error."""
    try:
        found = act()
    except ValorError as error:
        return type(error), str(error)
    if isinstance(found, np.ndarray) and found.dtype.kind == "f":
        return found.dtype, found.tobytes()
    if isinstance(found, tuple):
        return [outcome(lambda part=part: part) for part in found]
    if isinstance(found, np.ndarray):
        return [(type(cell), cell) for cell in found.tolist()]
    return repr(found)


def everything(path: Path, step: int) -> Any:
    """Return all columns and errors of a file's tables, by partition."""

    def of(table: Table) -> Any:
        beside = outcome(lambda: columns_beside(table, own=()))
        return [beside, table.rows.tolist(), len(table), *(column(table, n) for n in table.names)]

    def column(table: Table, name: str) -> Any:
        return [
            outcome(act)
            for act in (
                lambda: table.values(name),
                lambda: table.strings(name),
                lambda: table.strings(name, allow_missing=True),
                lambda: table.uids(name),
                lambda: table.floats(name),
                lambda: table.floats(name, allow_missing=True),
                lambda: table.floats(name, allow_missing=True, allow_non_finite=True),
                lambda: table.integers(name),
                lambda: table.distinct(name),
                lambda: table.categories(name),
                lambda: json_cells(table, name),
            )
        ]

    parts = outcome(lambda: list(split_table(path, partition_bytes=step)))
    read = outcome(lambda: of(read_table(path)))
    try:
        return [read, *(of(read_table(part)) for part in split_table(path, partition_bytes=step))]
    except ValorError as error:
        return [read, parts, str(error)]


def row_by_row(path: Path, step: int) -> Any:
    with mock.patch.object(csv, "csv_columns", return_value=None):
        return everything(path, step)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("arrow")


@given(text=texts(), suffix=st.sampled_from([".csv", ".tsv"]), step=st.integers(4, 60))
@example("uid,b\na,0.5\nb,1.5\n", ".csv", 10)
@example('uid,b\n"a",0.5\n"b",""\n', ".csv", 60)
@example("uid,b\r\na,1\r\nb,2\n", ".csv", 60)
@example("uid,b\na,\0\n", ".csv", 60)
@example("uid\n\ufeffa\n", ".csv", 60)
def test_pyarrow_gives_same_cells_and_errors_as_csv_module(
    folder: Path, text: str, suffix: str, step: int
) -> None:
    path = folder / f"items{suffix}"
    path.write_bytes(text.encode())

    assert everything(path, step) == row_by_row(path, step)


@given(numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_have_same_bits_as_in_python(folder: Path, numbers: list[float]) -> None:
    path = folder / "numbers.csv"
    written = [form(number) for number in numbers for form in (repr, "{:.25e}".format)]
    path.write_text("a,b\n" + "".join(f"{text},x\n" for text in written))

    found = read_table(path).floats("a")

    assert found.tobytes() == np.array(list(map(float, written))).tobytes()


@given(digits=st.lists(st.text("0123456789", min_size=1, max_size=40), min_size=1))
def test_decimals_of_any_length_are_rounded_as_in_python(folder: Path, digits: list[str]) -> None:
    path = folder / "digits.csv"
    path.write_text("a,b\n" + "".join(f"0.{text},x\n" for text in digits))

    found = read_table(path).floats("a")

    assert found.tolist() == [float(f"0.{text}") for text in digits]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_reading_by_pyarrow_does_not_import_pandas(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"items{suffix}"
    columns = {"uid": ["a", "b"], "score": [0.5, 1.5], "n": [1, 2]}
    if suffix == ".parquet":
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
    elif suffix == ".csv":
        path.write_text("uid,score,n\na,0.5,1\nb,,2\n")
    else:
        path.write_text('{"uid": "a", "score": 0.5, "n": 1}\n{"uid": "b", "score": 1.5, "n": 2}\n')
    program = (
        "import sys, pyarrow.csv, pyarrow.json; from valor_files import read_table; "
        f"table = read_table({str(path)!r}); table.uids('uid'); table.integers('n'); "
        "table.floats('score', allow_missing=True); table.distinct('uid'); table.values('uid'); "
        "print('pandas' in sys.modules)"
    )

    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert run.stdout.strip() == "False", run.stderr


def test_compressed_file_is_read_by_pyarrow(tmp_path: Path) -> None:
    path = tmp_path / "items.csv.gz"
    path.write_bytes(gzip.compress(b"uid,score\n001,0.5\n002,0.25\n"))

    assert everything(path, 10) == row_by_row(path, 10)
    assert read_table(path).uids("uid").tolist() == ["001", "002"]


def cells_of(texts: list[str]) -> ArrowCells:
    return ArrowCells.of(pyarrow.chunked_array([[text or None for text in texts]], "string"))


@given(st.lists(st.text(alphabet="ab1é😀 ", max_size=12)))
def test_empty_cells_are_none(texts: list[str]) -> None:
    cells = cells_of(texts)

    expected = [text or None for text in texts]
    assert cells.tolist() == expected == list(cells) == [cells[i] for i in range(len(cells))]
    assert cells.has_empty == ("" in texts)


@given(st.lists(st.text(alphabet="ab1é😀", min_size=1, max_size=12), min_size=1))
def test_fixed_width_text_equals_array_of_numpy(texts: list[str]) -> None:
    found = cells_of(texts).texts()

    assert found is not None
    assert np.array_equal(found, np.array(texts))


@given(st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_missing_numbers_are_nan(
    numbers: list[float | None],
) -> None:
    found = cells_of(["" if number is None else repr(number) for number in numbers]).floats()

    assert found is not None
    assert found.tobytes() == np.array(numbers, np.float64).tobytes()


@given(
    st.lists(
        st.from_regex(r"[-+]?([0-9]{1,20}\.?[0-9]{0,20}|\.[0-9]{1,18})", fullmatch=True), min_size=1
    )
)
def test_decimals_with_sign_or_point_have_same_bits_as_in_python(texts: list[str]) -> None:
    found = cells_of(texts).floats()

    assert found is not None
    assert found.tobytes() == np.array(list(map(float, texts))).tobytes()


@pytest.mark.parametrize("text", [".", "-", "-.", "1.2.3", "1-2", "--1", "1 2"])
def test_text_that_looks_like_a_decimal_is_not_a_number(text: str) -> None:
    assert cells_of(["0.5", text]).floats() is None


@pytest.mark.parametrize("text", ["nan", "inf", "1_0", "1,5", "٣", "a", "0x1p3", "1e999"])
def test_non_finite_or_ambiguous_numbers_are_left_to_python(text: str) -> None:
    assert cells_of(["0.5", text]).floats() is None


@pytest.mark.parametrize("text", ["", "1.0", "1_0", "9223372036854775808", "0x1"])
def test_text_that_is_not_an_integer_gives_no_integers(text: str) -> None:
    assert cells_of(["1", text]).integers() is None


def test_one_long_cell_does_not_widen_column() -> None:
    texts = ["a"] * 1000 + ["b" * 100_000]

    cells = cells_of(texts)

    assert cells.texts() is None
    assert cells.floats() is None
    assert cells.tolist() == texts
    assert cells.distinct()[1] == ["a", "b" * 100_000]

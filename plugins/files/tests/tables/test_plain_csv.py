from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from valor_files import Table, columns_beside, parsed, read_table, split_table
from valor_files.tables import csv

from valor_core.errors import ValorError

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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plain")


def outcome(act: Callable[[], Any]) -> Any:
    """What a call gives, arrays by their bits, or the error's text."""
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
    """All that a file's tables say, by partition."""

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
                lambda: parsed(table, name),
            )
        ]

    parts = outcome(lambda: list(split_table(path, partition_bytes=step)))
    read = outcome(lambda: of(read_table(path)))
    try:
        return [read, *(of(read_table(part)) for part in split_table(path, partition_bytes=step))]
    except ValorError as error:
        return [read, parts, str(error)]


def row_by_row(path: Path, step: int) -> Any:
    with mock.patch.object(csv, "row_columns", return_value=None):
        return everything(path, step)


@given(text=texts(), suffix=st.sampled_from([".csv", ".tsv"]), step=st.integers(4, 60))
@example("uid,b\na,0.5\nb,1.5\n", ".csv", 10)
@example('uid,b\n"a",0.5\n"b",""\n', ".csv", 60)
@example("uid,b\r\na,1\r\nb,2\n", ".csv", 60)
@example("uid,b\na,\0\n", ".csv", 60)
@example("uid\n\ufeffa\n", ".csv", 60)
def test_columns_read_at_once_say_what_the_rows_say_and_refuse_what_they_refuse(
    folder: Path, text: str, suffix: str, step: int
) -> None:
    path = folder / f"items{suffix}"
    path.write_bytes(text.encode())

    with mock.patch.dict(sys.modules, {"pyarrow.csv": None}):
        del sys.modules["pyarrow.csv"]
        assert everything(path, step) == row_by_row(path, step)


def test_a_compressed_file_is_read_at_once_too(tmp_path: Path) -> None:
    path = tmp_path / "items.csv.gz"
    path.write_bytes(gzip.compress(b"uid,score\n001,0.5\n002,0.25\n"))

    assert everything(path, 10) == row_by_row(path, 10)
    assert read_table(path).uids("uid").tolist() == ["001", "002"]

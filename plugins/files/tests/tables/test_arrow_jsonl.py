from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow
import pyarrow.json  # once imported, it also reads small files
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from valor_files import read_table
from valor_files.tables import jsonl
from valor_files.tables.arrow import object_columns

from valor_core.errors import ReadError

assert pyarrow.json

_ARROW = Path(__file__).parent / "test_arrow.py"


def _everything() -> Any:
    spec = importlib.util.spec_from_file_location(_ARROW.stem, _ARROW)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.everything


everything = _everything()

NUMERALS = [
    "0",
    "-0",
    "-0.0",
    "1",
    "1.0",
    "1E2",
    "12345678901234567890",
    "9007199254740993",
    "1e400",
]
STRINGS = st.sampled_from(["a", "b", "", "é", "2020-01-01", "2020-01-01T00:00:00Z", "[", '["a"]'])
VALUES = st.one_of(
    st.sampled_from(
        [*NUMERALS, "NaN", "-Infinity", "Inf", "null", "true", "01", "1.", ".5", "nul"]
    ),
    st.floats(allow_nan=False, allow_infinity=False).map(json.dumps),
    st.integers().map(str),
    (STRINGS | st.text(max_size=3)).map(json.dumps),
    st.sampled_from(['"\\ud800"', '"\\u0000"', '"\t"', '"\\x"', '{"a": 1}', "[1, 2]", '"}\\n{"']),
)
KEYS = st.sampled_from(["uid", "b", "c", ""]).map(json.dumps)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Lines of JSON, mostly objects."""
    kinds = {
        key: draw(
            st.sampled_from(
                [
                    st.sampled_from(["0.5", "0.25", "1e-3", "0.1"]),
                    st.sampled_from(["0.5", "1", "1.0", "0"]),
                    st.integers(0, 5).map(str),
                    STRINGS.map(json.dumps),
                    st.sampled_from(["true", "false"]),
                    VALUES,
                ]
            )
        )
        for key in draw(st.lists(KEYS, min_size=1, max_size=3, unique=True))
    }
    lines = []
    for _ in range(draw(st.integers(0, 5))):
        fields = [f"{key}: {draw(values)}" for key, values in kinds.items()]
        odd = draw(st.integers(0, 12))
        if odd == 0:
            fields = fields[1:]
        if odd == 1:
            fields.append(f"{draw(KEYS)}: {draw(VALUES)}")
        lines.append("{" + ", ".join(fields) + "}")
    for place in draw(st.lists(st.integers(0, len(lines)), max_size=1)):
        lines.insert(
            place, draw(st.sampled_from(["", " ", "[]", "{", "1", "{} {}", '{"uid":\n1}']))
        )
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\n ", ""]))
    return end.join(lines) + draw(st.sampled_from([end, "", "\n\n", " "]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jsonl")


@given(text=texts(), step=st.integers(4, 80))
@example('{"uid": 1}\n{"uid": 2.5}\n', 80)
@example('{"uid": -0}\n{"uid": 2.5}\n', 80)
@example('{"b": "x", "uid": "2020-01-01"}\n', 80)
@example('{"uid": 1}{"uid": 2}\n', 80)
@example('{"uid": 1}{"uid":\n2}\n', 80)
@example('{"uid": 1}\n{"b": 2}\n', 80)
@example('\ufeff\ufeff{"uid": 1}\n', 80)
def test_pyarrow_gives_same_cells_and_errors_as_json_module(
    folder: Path, text: str, step: int
) -> None:
    path = folder / "items.jsonl"
    path.write_bytes((text or " ").encode())

    at_once = everything(path, step)

    with mock.patch.object(jsonl, "object_columns", return_value=None):
        assert at_once == everything(path, step)


def test_integers_and_floats_are_printed_as_written(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text('{"n": 0.5, "year": 2020}\n{"n": 1, "year": 2021}\n{"n": 1.0, "year": 0}\n')

    table = read_table(path)

    assert table.floats("n").tolist() == [0.5, 1.0, 1.0]
    assert list(map(repr, table.values("n").tolist())) == ["0.5", "1", "1.0"]
    assert list(map(repr, table.values("year").tolist())) == ["2020", "2021", "0"]


@pytest.mark.parametrize(
    "cells",
    [
        ["0.5", "0.1", "5e-324", "1.7976931348623157e308"],
        ["0.5", "2", "9007199254740993"],
        ["3", "0", "-7"],
        ["0.5", "-0.0"],
        ["0.0", "1e5", "0.30000000000000004"],
        ["0.5", "1e400"],
        ["0.5", "12345678901234567890"],
        ["-0", "1"],
        ["0.5", "-0"],
        ["0.5", "null"],
        ["1", "null"],
        ["true", "false"],
        ["null", "null"],
        ['"a"', '"b"'],
    ],
)
def test_cells_are_the_same_without_pyarrow(tmp_path: Path, cells: list[str]) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text("".join(f'{{"n": {cell}}}\n' for cell in cells))

    def outcomes() -> list[str]:
        found = [repr(read_table(path).values("n").tolist())]
        for read in ("floats", "integers", "strings"):
            try:
                column = getattr(read_table(path), read)("n")
                found.append(repr((str(column.dtype), column.tolist())))
            except ReadError as error:
                found.append(str(error))
        return found

    with mock.patch.object(jsonl, "object_columns", return_value=None):
        expected = outcomes()
    assert outcomes() == expected


@pytest.mark.parametrize(("numerals", "kind"), [(["0.5", "0.0"], "float64"), (["1", "0"], "int64")])
def test_finite_numbers_are_read_by_pyarrow(tmp_path: Path, numerals: list[str], kind: str) -> None:
    content = "".join(f'{{"n": {numeral}}}\n' for numeral in numerals).encode()

    columns = object_columns(content, pyarrow, lambda name: [])

    assert columns is not None
    assert columns["n"].numbers.dtype == kind
    assert columns["n"].numbers.tolist() == [float(numeral) for numeral in numerals]

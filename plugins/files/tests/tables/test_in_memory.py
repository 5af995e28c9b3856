from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from valor_files import TableInMemory, TableSource, read_table, split_table

from valor_core.errors import ParameterError, ReadError
from valor_core.parameters import parameter, parameter_values, parameters
from valor_core.parameters.declaration import relocate

NAN = float("nan")


def held(data: Any) -> TableInMemory:
    table = TableInMemory.of(data)
    assert table is not None
    return table


def cells(data: Any) -> dict[str, list[Any]]:
    table = held(data).table
    return {name: table.values(name).tolist() for name in table.names}


class Series:
    """Stand-in for a series of pandas."""

    def __init__(self, values: list[Any], dtype: Any = object) -> None:
        self.values = np.array(values, dtype)
        self.dtype = self.values.dtype

    def isna(self) -> Series:
        missing = [cell is None or cell != cell for cell in self.values.tolist()]
        return Series(missing, bool)

    def to_numpy(self, dtype: Any = None, na_value: Any = None) -> Any:
        return self.values.astype(dtype or self.dtype)


class Index:
    def __init__(self, name: str | None, values: list[Any]) -> None:
        self.name = name
        self.values = values

    def to_series(self) -> Series:
        return Series(self.values)


class Frame:
    """Stand-in for a data frame of pandas."""

    def __init__(self, columns: dict[str, Series], index: Index | None = None) -> None:
        self.held = columns
        self.columns = list(columns)
        self.index = index or Index(None, [])

    @property
    def iloc(self) -> Frame:
        return self

    def __getitem__(self, place: Any) -> Series:
        return list(self.held.values())[place[1]]


def test_list_of_mappings_has_columns_for_all_keys() -> None:
    assert cells([{"uid": "a", "x": 1}, {"uid": "b", "y": [2]}]) == {
        "uid": ["a", "b"],
        "x": [1, None],
        "y": [None, [2]],
    }


def test_array_of_numbers_is_not_copied() -> None:
    scores = np.array([0.5, 0.25], np.float32)

    table = held({"label": ["cat", "dog"], "score": scores}).table

    assert table.floats("score") is scores
    assert table.strings("label").tolist() == ["cat", "dog"]


def test_text_in_array_is_converted_to_python_strings() -> None:
    found = cells({"label": np.array(["cat", "dog"]), "n": [np.int64(3), np.int64(4)]})

    assert found == {"label": ["cat", "dog"], "n": [3, 4]}
    assert {type(cell) for column in found.values() for cell in column} == {str, int}


def test_nested_arrays_in_cells_are_converted_to_lists() -> None:
    inner = np.array([np.array(["a", "b"], object), np.array(["c"], object)], object)

    assert cells([{"references": inner}]) == {"references": [[["a", "b"], ["c"]]]}


def test_nan_in_column_of_objects_is_missing() -> None:
    assert cells({"label": ["cat", NAN, None]}) == {"label": ["cat", None, None]}


def test_frame_columns_without_missing_cells_are_arrays() -> None:
    frame = Frame(
        {
            "whole": Series([1, 2], np.int64),
            "gap": Series([0.5, NAN], np.float64),
            "text": Series(["a", None]),
        }
    )

    table = held(frame).table

    assert table.values("whole").dtype == np.int64
    assert cells(frame) == {"whole": [1, 2], "gap": [0.5, None], "text": ["a", None]}


def test_float32_column_with_missing_cells_keeps_shortest_decimals() -> None:
    assert cells(Frame({"score": Series([0.35, NAN], np.float32)})) == {"score": [0.35, None]}


def test_named_index_is_column() -> None:
    frame = Frame({"x": Series([1, 2], np.int64)}, Index("uid", ["a", "b"]))

    assert cells(frame) == {"uid": ["a", "b"], "x": [1, 2]}


def test_polars_columns_without_nulls_are_arrays() -> None:
    class Kind:
        def __init__(self, numeric: bool) -> None:
            self.numeric = numeric

        def is_numeric(self) -> bool:
            return self.numeric

    class Column:
        def __init__(self, name: str, values: list[Any]) -> None:
            self.name, self.values = name, values
            self.dtype = Kind(all(isinstance(one, int | None) for one in values))

        def null_count(self) -> int:
            return self.values.count(None)

        def to_numpy(self) -> Any:
            return np.array(self.values)

        def to_list(self) -> list[Any]:
            return self.values

    class Polars:
        columns = ("n", "gap", "text")

        def n_chunks(self) -> int:
            return 1

        def get_columns(self) -> list[Column]:
            return [Column("n", [1, 2]), Column("gap", [1, None]), Column("text", ["a", None])]

    assert cells(Polars()) == {"n": [1, 2], "gap": [1, None], "text": ["a", None]}
    assert held(Polars()).table.values("n").dtype.kind == "i"


@pytest.mark.parametrize(
    "data",
    [
        [],
        {},
        "preds.csv",
        np.zeros((2, 2)),
        {"path": "preds.csv"},
        {"a": [1], "b": [1, 2]},
        {"a": np.zeros((2, 2))},
        [1, 2],
        3,
        None,
    ],
    ids=repr,
)
def test_other_data_are_not_converted(data: Any) -> None:
    assert TableInMemory.of(data) is None


def test_row_that_is_not_a_mapping_is_rejected() -> None:
    with pytest.raises(ReadError, match=r"expected a table of fields as in data\[0\], found 2"):
        TableInMemory.of([{"a": 1}, 2])


def test_repeated_column_name_is_rejected() -> None:
    with pytest.raises(ReadError, match="expected every column once, found '1'"):
        TableInMemory.of({1: [0], "1": [0]})


def test_str_shows_type_and_size_without_cells() -> None:
    assert str(held([{"secret": "x"}] * 1200)) == "<list of 1,200 rows and 1 column>"
    assert str(held({"a": [1], "b": [2]})) == "<dict of 1 row and 2 columns>"


def test_table_in_memory_is_one_partition_with_renamed_columns() -> None:
    table = held({"image": ["a", "b"]})

    (part,) = split_table(table, partition_bytes=1)

    assert part is table
    assert read_table(part, columns={"uid": "image"}).strings("uid").tolist() == ["a", "b"]


def test_fingerprint_depends_on_cells_and_survives_pickling() -> None:
    one, same, other = (held({"a": [1, value]}) for value in (2, 2, 3))

    assert one.fingerprint == same.fingerprint != other.fingerprint
    assert pickle.loads(pickle.dumps(one)).fingerprint == one.fingerprint
    assert not list(one.paths)


def test_error_names_row_by_index() -> None:
    with pytest.raises(ReadError, match="column 'score': expected a number, found 'high'"):
        held({"score": [0.5, "high"]}).table.floats("score")


@pytest.mark.parametrize("make", [list, tuple, np.array])
def test_beginning_has_at_most_1000_rows(make: Callable[[Any], Any]) -> None:
    assert len(held({"a": make(range(5000))}).beginning) == 1000
    assert len(held({"a": make(range(3))}).beginning) == 3


@parameters
class Input:
    path: tuple[TableSource, ...] = parameter(help="Tables.")
    other: TableSource | None = parameter(default=None, help="Another.")


def test_parameters_accept_table_or_path(tmp_path: Path) -> None:
    rows = [{"a": 1}, {"a": 2}]

    made = Input(path=rows, other=tmp_path / "b.csv")

    assert [str(one) for one in made.path] == ["<list of 2 rows and 1 column>"]
    assert made.other == tmp_path / "b.csv"
    assert Input(path=["a.csv", {"a": [1]}]).path[0] == Path("a.csv")


def test_parameter_values_describe_table_and_relocate_moves_only_paths() -> None:
    made = Input(path={"a": [1]}, other="b.csv")

    moved = relocate(made, lambda path: Path("data") / path)

    assert parameter_values(made) == {"path": ["<dict of 1 row and 1 column>"], "other": "b.csv"}
    assert moved.path == made.path
    assert moved.other == Path("data/b.csv")


def test_error_names_parameter_of_second_table() -> None:
    made = Input(path={"a": [1]}, other={"a": ["x"]})

    assert isinstance(made.other, TableInMemory)
    with pytest.raises(ReadError, match="expected a number, found 'x'"):
        made.other.table.floats("a")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, "Input: path must be a path, got 3"),
        ([1, 2], "Input: path[0] must be a path, got 1"),
        ({"a": 1}, "Input: path must be a path, got {'a': 1}"),
    ],
)
def test_parameter_rejects_other_values(value: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        Input(path=value)

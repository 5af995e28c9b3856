from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import refused
from valor_files import TableInMemory, TableSource, read_table, split_table

from valor_core.errors import ParameterError, ReadError
from valor_core.parameters import parameter, parameter_values, parameters, relocate

NAN = float("nan")


def held(data: Any) -> TableInMemory:
    table = TableInMemory.of(data)
    assert table is not None
    return table


def cells(data: Any) -> dict[str, list[Any]]:
    table = held(data).table
    return {name: table.values(name).tolist() for name in table.names}


class Series:
    """A column as pandas has it."""

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
    """A table as pandas has it."""

    def __init__(self, columns: dict[str, Series], index: Index | None = None) -> None:
        self.held = columns
        self.columns = list(columns)
        self.index = index or Index(None, [])

    @property
    def iloc(self) -> Frame:
        return self

    def __getitem__(self, place: Any) -> Series:
        return list(self.held.values())[place[1]]


def test_a_list_of_mappings_has_the_fields_of_all_of_them() -> None:
    assert cells([{"uid": "a", "x": 1}, {"uid": "b", "y": [2]}]) == {
        "uid": ["a", "b"],
        "x": [1, None],
        "y": [None, [2]],
    }


def test_numbers_of_a_mapping_of_columns_stay_in_their_array() -> None:
    scores = np.array([0.5, 0.25], np.float32)

    table = held({"label": ["cat", "dog"], "score": scores}).table

    assert table.floats("score") is scores
    assert table.strings("label").tolist() == ["cat", "dog"]


def test_text_in_arrays_becomes_text_of_python() -> None:
    found = cells({"label": np.array(["cat", "dog"]), "n": [np.int64(3), np.int64(4)]})

    assert found == {"label": ["cat", "dog"], "n": [3, 4]}
    assert {type(cell) for column in found.values() for cell in column} == {str, int}


def test_arrays_in_cells_are_lists_however_deep() -> None:
    inner = np.array([np.array(["a", "b"], object), np.array(["c"], object)], object)

    assert cells([{"references": inner}]) == {"references": [[["a", "b"], ["c"]]]}


def test_nan_in_a_column_of_objects_is_a_missing_cell() -> None:
    assert cells({"label": ["cat", NAN, None]}) == {"label": ["cat", None, None]}


def test_columns_of_a_frame_are_arrays_without_a_missing_cell_and_objects_with_one() -> None:
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


def test_small_floats_beside_a_gap_are_the_decimals_that_they_were_written_as() -> None:
    assert cells(Frame({"score": Series([0.35, NAN], np.float32)})) == {"score": [0.35, None]}


def test_an_index_with_a_name_is_a_column() -> None:
    frame = Frame({"x": Series([1, 2], np.int64)}, Index("uid", ["a", "b"]))

    assert cells(frame) == {"uid": ["a", "b"], "x": [1, 2]}


def test_polars_columns_with_nulls_are_listed_and_others_are_arrays() -> None:
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
def test_what_is_no_table_is_none(data: Any) -> None:
    assert TableInMemory.of(data) is None


def test_a_row_that_is_no_mapping_is_named() -> None:
    with refused(ReadError):
        TableInMemory.of([{"a": 1}, 2])


def test_two_columns_of_one_name_are_refused() -> None:
    with refused(ReadError):
        TableInMemory.of({1: [0], "1": [0]})


def test_it_says_what_it_is_and_how_large_and_shows_no_cells() -> None:
    assert str(held([{"secret": "x"}] * 1200)) == "<list of 1,200 rows and 1 column>"
    assert str(held({"a": [1], "b": [2]})) == "<dict of 1 row and 2 columns>"


def test_it_is_one_partition_that_is_read_as_it_is_under_other_names() -> None:
    table = held({"image": ["a", "b"]})

    (part,) = split_table(table, partition_bytes=1)

    assert part is table
    assert read_table(part, columns={"uid": "image"}).strings("uid").tolist() == ["a", "b"]


def test_it_pickles_and_is_told_from_another_by_its_cells() -> None:
    one, same, other = (held({"a": [1, value]}) for value in (2, 2, 3))

    assert one.fingerprint == same.fingerprint != other.fingerprint
    assert pickle.loads(pickle.dumps(one)).fingerprint == one.fingerprint
    assert not list(one.paths)


def test_an_error_calls_rows_by_their_position() -> None:
    with refused(ReadError):
        held({"score": [0.5, "high"]}).table.floats("score")


@pytest.mark.parametrize("make", [list, tuple, np.array])
def test_the_beginning_has_at_most_a_thousand_rows(make: Callable[[Any], Any]) -> None:
    assert len(held({"a": make(range(5000))}).beginning) == 1000
    assert len(held({"a": make(range(3))}).beginning) == 3


@parameters
class Input:
    path: tuple[TableSource, ...] = parameter(help="Tables.")
    other: TableSource | None = parameter(default=None, help="Another.")


def test_it_stands_where_parameters_take_the_path_of_a_table(tmp_path: Path) -> None:
    rows = [{"a": 1}, {"a": 2}]

    made = Input(path=rows, other=tmp_path / "b.csv")

    assert [str(one) for one in made.path] == ["<list of 2 rows and 1 column>"]
    assert made.other == tmp_path / "b.csv"
    assert Input(path=["a.csv", {"a": [1]}]).path[0] == Path("a.csv")


def test_a_record_of_parameters_says_what_it_is_and_a_folder_moves_paths_alone() -> None:
    made = Input(path={"a": [1]}, other="b.csv")

    moved = relocate(made, lambda path: Path("data") / path)

    assert parameter_values(made) == {"path": ["<dict of 1 row and 1 column>"], "other": "b.csv"}
    assert moved.path == made.path
    assert moved.other == Path("data/b.csv")


def test_errors_name_the_parameter_of_a_table_that_is_not_the_only_one() -> None:
    made = Input(path={"a": [1]}, other={"a": ["x"]})

    assert isinstance(made.other, TableInMemory)
    with refused(ReadError):
        made.other.table.floats("a")


@pytest.mark.parametrize("value", [3, [1, 2], {"a": 1}])
def test_what_is_neither_a_path_nor_a_table_is_refused(value: Any) -> None:
    with refused(ParameterError):
        Input(path=value)

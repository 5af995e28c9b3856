from __future__ import annotations

from pathlib import Path

import pytest
from valor_files import Table, TableInMemory, TableSource
from valor_files.known import known_by, takes_tables, unknown_columns

from valor_core.plugin import ReaderSpec, parameter, parameters
from valor_core.plugins.registry import Registry


@parameters
class Two:
    groundtruths: TableSource = parameter(help="One.")
    others: tuple[TableSource, ...] | None = parameter(default=None, help="Several.")


@parameters
class Folder:
    path: Path = parameter(help="A folder.")


def spec(cls: type) -> ReaderSpec:
    return ReaderSpec(
        name="lab.reader", task="text", summary="", parameters=cls, implementation="lab:Reader"
    )


def held(columns: dict[str, list[object]]) -> TableInMemory:
    table = TableInMemory.of(columns)
    assert table is not None
    return table


def test_the_reader_of_a_table_is_known_by_its_columns() -> None:
    (known,) = known_by([held({"response": ["Paris"]})], Registry(), task="text")

    assert (known.reader.name, known.task) == ("tables.table", "text")
    assert known.config(["ROUGE"])["metrics"] == ["ROUGE"]
    assert known.section["reader"] == "tables.table"


def test_a_file_and_a_table_of_the_same_columns_are_known_alike(tmp_path: Path) -> None:
    file = tmp_path / "items.csv"
    file.write_text("response\nParis\n", encoding="utf-8")

    (known,) = known_by([file], Registry(), task="text")

    assert known.section == {"reader": "tables.table", "path": str(file)}


def test_nothing_is_known_of_strange_columns() -> None:
    assert known_by([held({"foo": [1]})], Registry()) == []


@pytest.mark.parametrize(("cls", "takes"), [(Two, True), (Folder, False)])
def test_readers_whose_parameters_say_so_take_tables(cls: type, takes: bool) -> None:
    assert takes_tables(spec(cls)) is takes


def test_strange_columns_are_listed_with_what_to_write() -> None:
    error = unknown_columns("data", Table({"foo": [1], "bar": [2]}, "data"), "Name a reader.")

    assert str(error) == (
        "data: no reader knows what these columns are: 'foo', 'bar'\nName a reader."
    )

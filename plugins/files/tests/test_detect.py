from __future__ import annotations

from pathlib import Path

import pytest
from valor_files import (
    Table,
    TableInMemory,
    TableSource,
    changed_columns,
    column_called,
    first_rows,
    matching_readers,
    takes_tables,
    unknown_columns,
)

from valor_core.parameters import parameter, parameters
from valor_core.specs import ReaderSpec, Registry


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


def test_reader_of_table_is_detected_by_columns() -> None:
    (known,) = matching_readers([held({"response": ["Paris"]})], Registry(), task="text")

    assert (known.reader.name, known.task) == ("tables.table", "text")
    assert known.config(["ROUGE"])["metrics"] == ["ROUGE"]
    assert known.section["reader"] == "tables.table"


def test_file_and_table_with_same_columns_match_same_reader(tmp_path: Path) -> None:
    file = tmp_path / "items.csv"
    file.write_text("response\nParis\n", encoding="utf-8")

    (known,) = matching_readers([file], Registry(), task="text")

    assert known.section == {"reader": "tables.table", "path": str(file)}


def test_unknown_columns_match_no_reader() -> None:
    assert matching_readers([held({"foo": [1]})], Registry()) == []


@pytest.mark.parametrize(("cls", "takes"), [(Two, True), (Folder, False)])
def test_readers_with_table_parameters_accept_tables(cls: type, takes: bool) -> None:
    assert takes_tables(spec(cls)) is takes


def test_error_lists_unknown_columns_with_remedy() -> None:
    error = unknown_columns("data", Table({"foo": [1], "bar": [2]}, "data"), "Name a reader.")

    assert str(error) == ("data: no reader recognizes these columns: 'foo', 'bar'\nName a reader.")


@pytest.mark.parametrize("written", ["y_true", "Y_True", "y-true", "Y True", "YTRUE"])
def test_column_is_found_in_any_spelling(written: str) -> None:
    table = Table({"a": [1], written: [2]}, "t.csv")

    assert column_called(table, ["label", "y_true"]) == written


def test_first_name_wins_over_order_of_columns() -> None:
    table = Table({"truth": [1], "label": [2]}, "t.csv")

    assert column_called(table, ["label", "truth"]) == "label"
    assert column_called(table, ["target"]) is None


def test_default_column_names_are_excluded() -> None:
    assert changed_columns({"label": "label", "uid": "id", "key": None}) == {"uid": "id"}


def test_first_rows_are_read_from_tables_only(tmp_path: Path) -> None:
    table, text = tmp_path / "t.csv", tmp_path / "t.txt"
    table.write_text("uid,score\n" + "a,0.5\n" * 50_000)
    text.write_text("words")

    rows = first_rows(table)

    assert rows is not None
    assert 0 < len(rows) < 50_000
    for other in (text, tmp_path, tmp_path / "missing.csv"):
        assert first_rows(other) is None

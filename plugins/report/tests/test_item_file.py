from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from valor_report import load_report
from valor_report.item_file import load_reports, read_items, write_items

from valor_core import Report
from valor_core.errors import ReportError
from valor_core.results import Failed, ItemRow, Undefined
from valor_core.results.item_tables import ItemTable


def row_table() -> ItemTable:
    return ItemTable("t.Score@1", {}, (ItemRow("q1", 0.5, {"words": ["a"]}),))


def test_item_rows_are_written_as_json_lines_or_parquet(tmp_path: Path) -> None:
    for name in ("rows.jsonl", "rows.parquet"):
        write_items(tmp_path / name, [row_table()])

    assert json.loads((tmp_path / "rows.jsonl").read_text()) == {
        "metric": "t.Score@1",
        "uid": "q1",
        "value": 0.5,
        "details": {"words": ["a"]},
    }
    assert (tmp_path / "rows.parquet").read_bytes().startswith(b"PAR1")


def test_unwritable_item_rows_raise_report_error(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="cannot be written, No such file or directory"):
        write_items(tmp_path / "missing" / "rows.jsonl", [row_table()])
    with pytest.raises(ReportError, match="cannot be written, No such file or directory"):
        write_items(tmp_path / "missing" / "rows.parquet", [row_table()])
    with pytest.raises(ReportError, match=r"expected a name in \.jsonl or \.parquet for item rows"):
        write_items(tmp_path / "rows.csv", [row_table()])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rows.jsonl", "expected Unicode text, found the lone"),
        ("rows.parquet", "cannot be written"),
    ],
)
def test_failed_write_keeps_previous_item_rows(tmp_path: Path, name: str, message: str) -> None:
    path = tmp_path / name
    path.write_text("before")
    broken = ItemTable("t.Score@1", {}, (ItemRow("q1", 0.5, {"words": "a\ud800"}),))

    with pytest.raises(ReportError, match=re.escape(message)):
        write_items(path, [broken])

    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [(name, "before")]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_rows_read_from_a_file_are_those_written(tmp_path: Path, name: str) -> None:
    several = {"tp": 1.0, "fp": Undefined("no boxes")}
    tables = [
        row_table(),
        ItemTable("t.Counts@1", {}, (ItemRow("q1", several), ItemRow("q2", Failed("no", True)))),
        ItemTable("t.F1@2", {"iou": [0.5]}, (ItemRow("q1", 0.25), ItemRow("q2", Undefined("no")))),
        ItemTable("t.F1@2", {"iou": [0.75]}, (ItemRow("q1", 0.125),)),
    ]
    write_items(tmp_path / name, tables)

    found = read_items(tmp_path / name)

    assert [(one.metric, one.parameters) for one in found] == [
        (one.metric, one.parameters) for one in tables
    ]
    assert [list(one.rows) for one in found] == [list(one.rows) for one in tables]


def saved(path: Path, items: str) -> Path:
    Report(results=[], config={"items": items}).save(path)
    return path


def test_report_is_loaded_with_rows_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    write_items(tmp_path / "rows" / "a.jsonl", [row_table()])

    report = load_report(saved(tmp_path / "a.json", "rows/a.jsonl"))

    assert [list(table.rows) for table in report.items] == [list(row_table().rows)]


def test_report_with_rows_in_it_reads_no_file(tmp_path: Path) -> None:
    Report(results=[], items=(row_table(),), config={"items": True}).save(tmp_path / "a.json")

    assert len(load_report(tmp_path / "a.json").items) == 1


def test_missing_file_of_rows_is_an_error_with_the_command_that_writes_it(tmp_path: Path) -> None:
    path = saved(tmp_path / "my a.json", "rows.jsonl")

    with pytest.raises(ReportError) as caught:
        load_report(path)

    assert str(caught.value) == (
        f"{path}: items: no such file: {tmp_path / 'rows.jsonl'}\n"
        f"Write it with: valor rerun '{path}' -o '{path}'"
    )


def test_file_of_rows_that_two_runs_wrote_is_rejected(tmp_path: Path) -> None:
    write_items(tmp_path / "rows.jsonl", [row_table()])
    a, b = (saved(tmp_path / name, "rows.jsonl") for name in ("a.json", "b.json"))

    with pytest.raises(ReportError) as caught:
        load_reports([a, b])

    assert str(caught.value) == (
        f"{b}: items: expected a separate file, rows.jsonl also has the rows of {a}\n"
        f"Write another one with: valor rerun {b} --set items=b-rows.jsonl -o {b}"
    )
    assert len(load_reports([a, a])) == 2


@pytest.mark.parametrize(
    "line",
    ["{", "[]", '{"uid": 1, "value": 0}', '{"metric": 3, "uid": 1, "value": 0}', '{"metric": "a"}'],
)
def test_damaged_row_is_named_by_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"metric": "a", "uid": 1, "value": 0}\n' + line + "\n")

    with pytest.raises(ReportError, match=r"rows\.jsonl, row 2: expected a row of an item"):
        read_items(path, "Write it again.")


def test_damaged_parquet_file_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "rows.parquet").write_bytes(b"PAR1 and more")

    with pytest.raises(ReportError, match=r"rows\.parquet"):
        read_items(tmp_path / "rows.parquet")

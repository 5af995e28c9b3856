from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from valor_report.item_file import write_items

from valor_core.errors import ReportError
from valor_core.results import ItemRow
from valor_core.results.report import ItemTable


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

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from valor_core import Registry, evaluate, metric
from valor_core.plugin import columns_beside, reader_of, split_table, typed
from valor_core.readers.tables.metadata import unpacked
from valor_core.readers.tables.table import Table


@metric("mylab.Length", task="text")
def length(item: Any) -> float:
    return len(item.response)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("2020", 2020),
        ("-3", -3),
        ("0.5", 0.5),
        ("1e-05", 1e-05),
        ("1e3", "1e3"),
        ("1.10", "1.10"),
        ("1.0", 1.0),
        ("-0", "-0"),
        ("9" * 30, "9" * 30),
        ("9" * 5000, "9" * 5000),
        ("0." + "1" * 30, "0." + "1" * 30),
        ("True", True),
        ("false", False),
        ("007", "007"),
        ("1,5", "1,5"),
        ("", ""),
        ("rain", "rain"),
        ("nan", "nan"),
        (None, None),
        (3, 3),
        (["2020"], ["2020"]),
    ],
)
def test_a_cell_becomes_what_it_is_written_as(cell: Any, value: Any) -> None:
    assert typed(cell) == value
    assert type(typed(cell)) is type(value)


def test_every_cell_of_a_column_is_judged_alone() -> None:
    table = Table({"uid": ["a"] * 4, "x": ["1", "a", "1", None]}, "t.csv", is_text=True)

    assert columns_beside(table, own=("uid",)) == {"x": [1, "a", 1, None]}


def test_a_column_of_tables_becomes_columns() -> None:
    assert unpacked([{"weather": "rain"}, {"year": 2020}, {}]) == {
        "weather": ["rain", None, None],
        "year": [None, 2020, None],
    }


def test_a_number_too_large_for_a_float_stays_text() -> None:
    assert typed("1e999") == "1e999"


def test_a_text_that_is_repeated_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []
    monkeypatch.setattr("valor_core.readers.tables.metadata.typed", judged.append)

    columns_beside(Table({"x": ["rain", "sun", "rain", None]}, "t.csv", is_text=True), own=())

    assert sorted(judged, key=str) == [None, "rain", "sun"]


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv", "tsv", "parquet"])
def test_versions_1_10_and_1_1_are_two_slices_in_every_format(tmp_path: Path, suffix: str) -> None:
    rows = [{"uid": uid, "response": "x", "version": v} for uid, v in (("a", "1.10"), ("b", "1.1"))]
    path = tmp_path / f"rows.{suffix}"
    _write(path, rows)

    report = evaluate({"reader": "table", "path": str(path)}, [length], slices=["version"])

    assert len(report.slices) == 2
    assert report.slice(version="1.10").find("Length")[0].value == 1.0


def test_text_in_a_format_that_has_numbers_stays_text(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    _write(path, [{"uid": "a", "response": "x", "code": "12", "year": 2020, "new": "true"}])

    (batch,) = reader_of({"reader": "core.table", "path": str(path)}, "text", Registry()).read(
        split_table(path)[0]
    )

    assert batch.datums.metadata == {"code": ["12"], "year": [2020], "new": ["true"]}


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    if path.suffix == ".parquet":
        names = dict.fromkeys(name for row in rows for name in row)
        table = pyarrow.table({name: [row.get(name) for row in rows] for name in names})
        pyarrow.parquet.write_table(table, path)
    elif path.suffix in (".csv", ".tsv"):
        mark = "," if path.suffix == ".csv" else "\t"
        lines = [mark.join(rows[0]), *(mark.join(map(str, row.values())) for row in rows)]
        path.write_text("\n".join(lines))
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows))
    else:
        path.write_text("\n".join(map(json.dumps, rows)))

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from valor_files.tables import split_table

from valor_core import Registry, evaluate, metric
from valor_core.readers import reader_of


@metric("mylab.Length", task="text")
def length(item: Any) -> float:
    return len(item.response)


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv", "tsv", "parquet"])
def test_versions_1_10_and_1_1_are_separate_slices(tmp_path: Path, suffix: str) -> None:
    rows = [{"uid": uid, "response": "x", "version": v} for uid, v in (("a", "1.10"), ("b", "1.1"))]
    path = tmp_path / f"rows.{suffix}"
    _write(path, rows)

    report = evaluate({"reader": "table", "path": str(path)}, [length], slices=["version"])

    assert len(report.slices) == 2
    assert report.slice(version="1.10").find("Length")[0].value == 1.0


def test_text_in_json_stays_text(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    _write(path, [{"uid": "a", "response": "x", "code": "12", "year": 2020, "new": "true"}])

    (batch,) = reader_of({"reader": "tables.table", "path": str(path)}, "text", Registry()).read(
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

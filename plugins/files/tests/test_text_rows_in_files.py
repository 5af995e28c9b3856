from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from valor_core import Registry
from valor_core.readers import reader_of
from valor_core.schemas.text import Text


def items_of(path: Path, **parameters: Any) -> list[Text]:
    values = {"reader": "tables.table", "path": str(path)} | parameters
    reader = reader_of(values, "text", Registry())
    return [
        item
        for partition in reader.partitions()
        for batch in reader.read(partition)
        for item in batch.items()
    ]


OUTCOMES = [Text("a", outcomes=[True, False, True]), Text("b", outcomes=[False]), Text("c")]


def test_outcomes_in_parquet_are_lists(tmp_path: Path) -> None:
    cells = [[True, False, True], [False], None]
    pq.write_table(pa.table({"uid": list("abc"), "outcomes": cells}), tmp_path / "rows.parquet")

    assert items_of(tmp_path / "rows.parquet") == OUTCOMES

"""Item files: the rows of per-item metrics as JSON Lines or Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from valor_core.errors import ReportError
from valor_core.readers.parquet import write_records
from valor_core.report import ItemTable
from valor_core.whole_file import write_text


def write_items(path: Path, tables: Iterable[ItemTable]) -> None:
    """Write the rows of per-item metrics to a ``.jsonl`` or ``.parquet`` file.

    Raises
    ------
    ReportError
        If the suffix is neither or the file cannot be written.
    """
    records = [{"metric": table.metric} | row.to_dict() for table in tables for row in table.rows]
    if path.suffix == ".jsonl":
        lines = (json.dumps(record, ensure_ascii=False) for record in records)
        write_text(path, "".join(f"{line}\n" for line in lines))
    elif path.suffix == ".parquet":
        write_records(path, records)
    else:
        raise ReportError(f"{path}: expected a name in .jsonl or .parquet for item rows")

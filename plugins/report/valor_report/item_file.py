"""Item rows of metrics in JSON Lines or Parquet files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from valor_core.errors import ReportError
from valor_core.packages import import_extra
from valor_core.results.files import replacing, write_text
from valor_core.results.report import ItemTable


def write_items(path: Path, tables: Iterable[ItemTable], private: bool = False) -> None:
    """Write the item rows of metrics to a ``.jsonl`` or ``.parquet`` file.

    Parameters
    ----------
    path : Path
        Output file.
    tables : iterable of ItemTable
        Item rows.
    private : bool
        Whether only the owner can read a new file.

    Raises
    ------
    ReportError
        If the suffix is not supported or the file cannot be written.
    """
    records = [{"metric": table.metric} | row.to_dict() for table in tables for row in table.rows]
    if path.suffix == ".jsonl":
        lines = (json.dumps(record, ensure_ascii=False) for record in records)
        write_text(path, "".join(f"{line}\n" for line in lines), private)
    elif path.suffix == ".parquet":
        _write_parquet(path, records, private)
    else:
        raise ReportError(f"{path}: expected a name in .jsonl or .parquet for item rows")


def _write_parquet(path: Path, records: Sequence[Mapping[str, Any]], private: bool) -> None:
    """Write records to a Parquet file; nested values become JSON text."""
    place = f"items: writing {str(path)!r}"
    import_extra("pyarrow.parquet", place, "valor-core[tables]")
    pyarrow = import_extra("pyarrow", place, "valor-core[tables]")
    names = dict.fromkeys(name for record in records for name in record)
    columns = {name: [_cell(record.get(name)) for record in records] for name in names}
    try:
        with replacing(path, private) as unfinished:
            pyarrow.parquet.write_table(pyarrow.table(columns), unfinished)
    except OSError as error:
        raise ReportError(f"{path}: cannot be written, {error.strerror or error}") from error
    except (pyarrow.ArrowException, UnicodeEncodeError) as error:
        reason = str(error).splitlines()[0]
        raise ReportError(f"{path}: cannot be written, {reason}") from error


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value

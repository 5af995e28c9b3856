"""Item rows of metrics in JSON Lines or Parquet files."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve

from valor_core.errors import ReportError, short_repr
from valor_core.packages import import_extra
from valor_core.results import ItemRow, Report
from valor_core.results.files import replacing, write_text
from valor_core.results.item_tables import ItemTable


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
    records = [_named(table) | row.to_dict() for table in tables for row in table.rows]
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
    columns = {name: _column(name, records) for name in names}
    try:
        with replacing(path, private) as unfinished:
            pyarrow.parquet.write_table(pyarrow.table(columns), unfinished)
    except OSError as error:
        raise ReportError(f"{path}: cannot be written, {error.strerror or error}") from error
    except (pyarrow.ArrowException, UnicodeEncodeError) as error:
        reason = str(error).splitlines()[0]
        raise ReportError(f"{path}: cannot be written, {reason}") from error


def _named(table: ItemTable) -> dict[str, Any]:
    parameters = {"parameters": dict(table.parameters)} if table.parameters else {}
    return {"metric": table.metric, **parameters}


def _column(name: str, records: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return a column of cells of one type; nested values become JSON text."""
    cells = [record.get(name) for record in records]
    if any(isinstance(one, (dict, list)) for one in cells):
        return [None if one is None else json.dumps(one, ensure_ascii=False) for one in cells]
    return cells


def load_report(path: str | os.PathLike[str]) -> Report:
    """Load a report with the rows of items that its run wrote to a separate file.

    Parameters
    ----------
    path : path
        Report in ``.json``.

    Raises
    ------
    ReportError
        If a file does not exist or has other content.
    """
    (report,) = load_reports([Path(path)])
    return report


def load_reports(paths: Sequence[Path]) -> list[Report]:
    """Load reports with the rows of items that their runs wrote to separate files.

    Parameters
    ----------
    paths : sequence of Path
        Reports in ``.json``.

    Raises
    ------
    ReportError
        As `load_report`, or if two reports have the same file of rows, which the later run wrote.
    """
    reports = []
    writers: dict[Path, Path] = {}
    for path in paths:
        report, quoted = Report.load(path), shlex.quote(str(path))
        name = report.config.get("items")
        if isinstance(name, str) and not report.items:
            rows = path.parent / name
            other = writers.setdefault(rows.resolve(), path)
            if other.resolve() != path.resolve():
                new = f"{path.stem}-rows{rows.suffix}"
                raise ReportError(
                    f"{path}: items: expected a separate file, {name} also has the rows of {other}",
                    f"Write another one with: valor rerun {quoted} --set items={new} -o {quoted}",
                )
            remedy = f"Write it with: valor rerun {quoted} -o {quoted}"
            if not rows.is_file():
                raise ReportError(f"{path}: items: no such file: {rows}", remedy)
            report = evolve(report, items=read_items(rows, remedy))
        reports.append(report)
    return reports


def read_items(path: Path, remedy: str | None = None) -> tuple[ItemTable, ...]:
    """Read the item rows that `write_items` wrote.

    Parameters
    ----------
    path : Path
        File in ``.jsonl`` or ``.parquet``.
    remedy : str, optional
        Second line of errors.

    Raises
    ------
    ReportError
        If the file cannot be read or has other content.
    """
    rows: dict[tuple[str, str], list[ItemRow]] = {}
    try:
        for record in _records(path):
            metric, parameters = record["metric"], record.get("parameters") or {}
            if not isinstance(metric, str) or not isinstance(parameters, Mapping):
                raise TypeError(f"expected a metric with parameters, found {short_repr(metric)}")
            key = metric, json.dumps(parameters, sort_keys=True)
            row = ItemRow.from_dict(record)
            rows.setdefault(key, []).append(row)
    except OSError as error:
        raise ReportError(f"{path}: cannot be read, {error.strerror or error}") from error
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        number = 1 + sum(map(len, rows.values()))
        raise ReportError(
            f"{path}, row {number:,}: expected a row of an item, found something else", remedy
        ) from error
    return tuple(ItemTable(name, json.loads(text), each) for (name, text), each in rows.items())


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    if path.suffix != ".parquet":
        with path.open(encoding="utf-8") as file:
            yield from map(json.loads, file)
        return
    place = f"items: reading {str(path)!r}"
    parquet = import_extra("pyarrow.parquet", place, "valor-core[tables]")
    for record in parquet.read_table(path).to_pylist():
        yield {name: _value(name, cell) for name, cell in record.items() if _is_given(name, cell)}


def _value(name: str, cell: Any) -> Any:
    return json.loads(cell) if name in _NESTED and isinstance(cell, str) else cell


def _is_given(name: str, cell: Any) -> bool:
    return cell is not None or name == "value"


_NESTED = ("parameters", "value", "details", "reasons")
"""Columns that may have JSON text."""

"""What core itself declares: readers for the formats that every family shares."""

from __future__ import annotations

from valor_core.hookspecs import hookimpl
from valor_core.readers.items import TableParameters
from valor_core.spec import ReaderSpec


@hookimpl
def valor_readers() -> tuple[ReaderSpec, ...]:
    """Declare the reader of plain tables."""
    return (
        ReaderSpec(
            name="core.table",
            task=None,
            summary="One row for each item, in CSV, JSON Lines, JSON or Parquet",
            parameters=TableParameters,
            implementation="valor_core.readers.items:TableReader",
            aliases=("csv", "jsonl", "parquet"),
        ),
    )

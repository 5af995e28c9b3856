"""Manifest of the reader of tables."""

from __future__ import annotations

from valor_core.specs import ReaderSpec, hookimpl


@hookimpl
def valor_readers() -> tuple[ReaderSpec, ...]:
    """Declare the reader of tables."""
    return (
        ReaderSpec(
            name="tables.table",
            task=None,
            other_tasks=("text",),
            summary="One row for each item, in CSV, JSON Lines, JSON or Parquet",
            parameters="valor_files.text_rows:TableParameters",
            implementation="valor_files.text_rows:TableReader",
            aliases=("csv", "jsonl", "json", "parquet"),
            detect="valor_files.text_columns:detected",
        ),
    )

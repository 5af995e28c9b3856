"""Tables of records in files and in memory, and recognition of what they contain.

Examples
--------
>>> from valor_files import Table
>>> Table({"score": ["0.5"]}, "preds.csv").floats("score")
array([0.5])
"""

# ruff: noqa: F401
# mypy: implicit-reexport

from typing import TYPE_CHECKING

from valor_core.plugin import published_later

if TYPE_CHECKING:
    from valor_files.detect import (
        Detected,
        ReaderMatch,
        column_called,
        column_parameters,
        columns_to_name,
        first_rows,
        matching_readers,
        named_source,
        renamed,
        takes_tables,
        unknown_columns,
    )
    from valor_files.files import file_below, file_size, gzip_bytes, unreadable
    from valor_files.label_lists import LabelList, MixedLabelList, listed_labels
    from valor_files.tables import (
        Table,
        TableInMemory,
        TablePartition,
        TableSource,
        read_table,
        split_table,
        table_format,
    )
    from valor_files.tables.metadata import columns_beside, typed
    from valor_files.tables.nested import field_tables, parsed, parsed_distinct
    from valor_files.tables.table import as_number
    from valor_files.text_rows import row_batches

_LATER = {
    "detect": (
        "Detected",
        "ReaderMatch",
        "column_called",
        "column_parameters",
        "columns_to_name",
        "first_rows",
        "matching_readers",
        "named_source",
        "renamed",
        "takes_tables",
        "unknown_columns",
    ),
    "files": ("file_below", "file_size", "gzip_bytes", "unreadable"),
    "label_lists": ("LabelList", "MixedLabelList", "listed_labels"),
    "tables": (
        "Table",
        "TableInMemory",
        "TablePartition",
        "TableSource",
        "read_table",
        "split_table",
        "table_format",
    ),
    "tables.metadata": ("columns_beside", "typed"),
    "tables.nested": ("field_tables", "parsed", "parsed_distinct"),
    "tables.table": ("as_number",),
    "text_rows": ("row_batches",),
}

__all__ = sorted(name for names in _LATER.values() for name in names)

if not TYPE_CHECKING:  # a type checker would accept any name
    __getattr__, __dir__ = published_later(__name__, _LATER)

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
from valor_files.tables.metadata import columns_beside, metadata_by_uid, typed
from valor_files.tables.nested import field_tables, parsed, parsed_distinct
from valor_files.tables.table import as_number
from valor_files.text_rows import row_batches
from valor_files.whole_files import WholeFiles

__all__ = [
    "Detected",
    "LabelList",
    "MixedLabelList",
    "ReaderMatch",
    "Table",
    "TableInMemory",
    "TablePartition",
    "TableSource",
    "WholeFiles",
    "as_number",
    "column_called",
    "column_parameters",
    "columns_beside",
    "columns_to_name",
    "field_tables",
    "file_below",
    "file_size",
    "first_rows",
    "gzip_bytes",
    "listed_labels",
    "matching_readers",
    "metadata_by_uid",
    "named_source",
    "parsed",
    "parsed_distinct",
    "read_table",
    "renamed",
    "row_batches",
    "split_table",
    "table_format",
    "takes_tables",
    "typed",
    "unknown_columns",
    "unreadable",
]

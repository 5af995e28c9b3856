from valor_files.detect import (
    Detected,
    ReaderMatch,
    changed_columns,
    column_called,
    column_parameters,
    columns_to_name,
    first_rows,
    matching_readers,
    named_source,
    takes_tables,
    unknown_columns,
)
from valor_files.files import checked_size, file_below, gzip_bytes, unreadable_error
from valor_files.filters import Filter
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
from valor_files.tables.metadata import cell_value, columns_beside, metadata_by_uid
from valor_files.tables.nested import distinct_json_cells, field_tables, json_cells
from valor_files.tables.table import as_number
from valor_files.text_rows import row_batches
from valor_files.whole_files import WholeFiles

__all__ = [
    "Detected",
    "Filter",
    "LabelList",
    "MixedLabelList",
    "ReaderMatch",
    "Table",
    "TableInMemory",
    "TablePartition",
    "TableSource",
    "WholeFiles",
    "as_number",
    "cell_value",
    "changed_columns",
    "checked_size",
    "column_called",
    "column_parameters",
    "columns_beside",
    "columns_to_name",
    "distinct_json_cells",
    "field_tables",
    "file_below",
    "first_rows",
    "gzip_bytes",
    "json_cells",
    "listed_labels",
    "matching_readers",
    "metadata_by_uid",
    "named_source",
    "read_table",
    "row_batches",
    "split_table",
    "table_format",
    "takes_tables",
    "unknown_columns",
    "unreadable_error",
]

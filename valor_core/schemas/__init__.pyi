from valor_core.schemas.batch import Batch, FileRow
from valor_core.schemas.columns import Codes, Floats, natural_order, object_column
from valor_core.schemas.datum import (
    Datum,
    Datums,
    LazyColumns,
    Uid,
    Uids,
    metadata_field,
    uid_field,
)
from valor_core.schemas.label import DEFAULT_KEY, Label, Vocabulary, label_map

VERSION: int

__all__ = [
    "DEFAULT_KEY",
    "VERSION",
    "Batch",
    "Codes",
    "Datum",
    "Datums",
    "FileRow",
    "Floats",
    "Label",
    "LazyColumns",
    "Uid",
    "Uids",
    "Vocabulary",
    "label_map",
    "metadata_field",
    "natural_order",
    "object_column",
    "uid_field",
]

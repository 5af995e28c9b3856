"""Task schemas: an object form that people type and a columnar batch that states read.

Every task has both; a `valor_core.plugin.TaskSpec` says where they are.
"""

from __future__ import annotations

from valor_core.schemas.batch import Batch
from valor_core.schemas.columns import Codes
from valor_core.schemas.datum import Datum, Datums
from valor_core.schemas.label import DEFAULT_KEY, Label, Vocabulary, as_label, label_map

__all__ = [
    "DEFAULT_KEY",
    "VERSION",
    "Batch",
    "Codes",
    "Datum",
    "Datums",
    "Label",
    "Vocabulary",
    "as_label",
    "label_map",
]

VERSION = 1
"""Raised when the same data can become other columns; a saved state is bound to it."""

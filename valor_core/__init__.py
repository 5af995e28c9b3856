"""Valor: evaluation metrics chosen by name, each family a plugin of its own.

Examples
--------
>>> import valor_core
>>> "core" in valor_core.Registry().namespaces
True
"""

import importlib
from typing import TYPE_CHECKING, Any

from valor_core.errors import ValorError, ValorWarning
from valor_core.evaluation.evaluate import evaluate
from valor_core.evaluation.evaluator import Evaluator
from valor_core.metrics.detail_columns import DetailColumns
from valor_core.metrics.item_rows import ItemRows, Numbers
from valor_core.metrics.result import Failed, ItemScore, NotRun, Result, Undefined, mean, ratio
from valor_core.metrics.result_details import Told
from valor_core.metrics.state import RowsOf, StateRequest
from valor_core.parameters.declaration import NoParameters, Within, parameter, parameters
from valor_core.plugins.decorator import metric
from valor_core.plugins.hooks import hookimpl
from valor_core.plugins.registry import Registry
from valor_core.plugins.spec import (
    CommandSpec,
    EngineSpec,
    GallerySpec,
    MetricSpec,
    Range,
    ReaderSpec,
    Reference,
    ResourceKindSpec,
    ResourceSpec,
    TaskSpec,
)
from valor_core.report.report import Report
from valor_core.schemas import Datum, Label

if TYPE_CHECKING:
    from valor_core.schemas.classification import Classification, ClassificationBatch
    from valor_core.schemas.text import Text, TextBatch

__all__ = [
    "Classification",
    "ClassificationBatch",
    "CommandSpec",
    "Datum",
    "DetailColumns",
    "EngineSpec",
    "Evaluator",
    "Failed",
    "GallerySpec",
    "ItemRows",
    "ItemScore",
    "Label",
    "MetricSpec",
    "NoParameters",
    "NotRun",
    "Numbers",
    "Range",
    "ReaderSpec",
    "Reference",
    "Registry",
    "Report",
    "ResourceKindSpec",
    "ResourceSpec",
    "Result",
    "RowsOf",
    "StateRequest",
    "TaskSpec",
    "Text",
    "TextBatch",
    "Told",
    "Undefined",
    "ValorError",
    "ValorWarning",
    "Within",
    "evaluate",
    "hookimpl",
    "mean",
    "metric",
    "parameter",
    "parameters",
    "ratio",
]

_SCHEMAS = {
    "Classification": "valor_core.schemas.classification",
    "ClassificationBatch": "valor_core.schemas.classification",
    "Text": "valor_core.schemas.text",
    "TextBatch": "valor_core.schemas.text",
}
"""Where the task schemas are that this module publishes, each imported when it is asked for."""


def __getattr__(name: str) -> Any:
    if name not in _SCHEMAS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_SCHEMAS[name]), name)

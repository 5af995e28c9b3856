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
from valor_core.parameters.declaration import NoParameters, Within, parameter, parameters
from valor_core.plugins.hooks import hookimpl
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

if TYPE_CHECKING:
    from valor_core.evaluation.evaluate import evaluate
    from valor_core.evaluation.evaluator import Evaluator
    from valor_core.metrics.detail_columns import DetailColumns
    from valor_core.metrics.item_rows import ItemRows, Numbers
    from valor_core.metrics.result import (
        Failed,
        ItemScore,
        NotRun,
        Result,
        Undefined,
        mean,
        ratio,
    )
    from valor_core.metrics.result_details import Told
    from valor_core.metrics.state import RowsOf, StateRequest
    from valor_core.plugins.decorator import metric
    from valor_core.plugins.registry import Registry
    from valor_core.report.report import Report
    from valor_core.schemas.classification import Classification, ClassificationBatch
    from valor_core.schemas.datum import Datum
    from valor_core.schemas.detection import Detection, DetectionBatch
    from valor_core.schemas.label import Label
    from valor_core.schemas.segmentation import Segmentation, SegmentationBatch
    from valor_core.schemas.text import Text, TextBatch

__all__ = [
    "Classification",
    "ClassificationBatch",
    "CommandSpec",
    "Datum",
    "DetailColumns",
    "Detection",
    "DetectionBatch",
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
    "Segmentation",
    "SegmentationBatch",
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

_LATER = {
    "evaluation.evaluate": ("evaluate",),
    "evaluation.evaluator": ("Evaluator",),
    "metrics.detail_columns": ("DetailColumns",),
    "metrics.item_rows": (
        "ItemRows",
        "Numbers",
    ),
    "metrics.result": (
        "Failed",
        "ItemScore",
        "NotRun",
        "Result",
        "Undefined",
        "mean",
        "ratio",
    ),
    "metrics.result_details": ("Told",),
    "metrics.state": (
        "RowsOf",
        "StateRequest",
    ),
    "plugins.decorator": ("metric",),
    "plugins.registry": ("Registry",),
    "report.report": ("Report",),
    "schemas.classification": (
        "Classification",
        "ClassificationBatch",
    ),
    "schemas.datum": ("Datum",),
    "schemas.detection": (
        "Detection",
        "DetectionBatch",
    ),
    "schemas.label": ("Label",),
    "schemas.segmentation": (
        "Segmentation",
        "SegmentationBatch",
    ),
    "schemas.text": (
        "Text",
        "TextBatch",
    ),
}
"""What this module publishes and imports only when it is asked for, by where it stands."""

_HOME = {name: f"valor_core.{module}" for module, names in _LATER.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""Valor: evaluation metrics chosen by name, each family a plugin of its own.

This is what users call; `valor_core.plugin` is what plugins are made of.

Examples
--------
>>> import valor_core
>>> "core" in valor_core.Registry().namespaces
True
"""

from typing import TYPE_CHECKING

from valor_core.errors import ValorError, ValorWarning
from valor_core.plugins.publishing import published_later

if TYPE_CHECKING:
    from valor_core.evaluation.evaluate import evaluate
    from valor_core.evaluation.evaluator import Evaluator
    from valor_core.metrics.result import Failed, ItemScore, NotRun, Result, Undefined
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
    "Datum",
    "Detection",
    "DetectionBatch",
    "Evaluator",
    "Failed",
    "ItemScore",
    "Label",
    "NotRun",
    "Registry",
    "Report",
    "Result",
    "Segmentation",
    "SegmentationBatch",
    "Text",
    "TextBatch",
    "Undefined",
    "ValorError",
    "ValorWarning",
    "evaluate",
    "metric",
]

_LATER = {
    "evaluation.evaluate": ("evaluate",),
    "evaluation.evaluator": ("Evaluator",),
    "metrics.result": ("Failed", "ItemScore", "NotRun", "Result", "Undefined"),
    "plugins.decorator": ("metric",),
    "plugins.registry": ("Registry",),
    "report.report": ("Report",),
    "schemas.classification": ("Classification", "ClassificationBatch"),
    "schemas.datum": ("Datum",),
    "schemas.detection": ("Detection", "DetectionBatch"),
    "schemas.label": ("Label",),
    "schemas.segmentation": ("Segmentation", "SegmentationBatch"),
    "schemas.text": ("Text", "TextBatch"),
}
"""What this module publishes and imports only when it is asked for, by where it stands."""

if not TYPE_CHECKING:  # which would take any name for one of this module
    __getattr__, __dir__ = published_later(
        __name__,
        _LATER,
        {"EvaluationParameters": 'Pass its values to evaluate: [{"name": "BLEU", "weights": [1]}]'},
    )

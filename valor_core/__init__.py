"""Valor: evaluation metrics chosen by name, each family a plugin of its own.

Examples
--------
>>> import valor_core
>>> "core" in valor_core.Registry().namespaces
True
"""

from valor_core.decorator import metric
from valor_core.errors import ValorError, ValorWarning
from valor_core.evaluate import evaluate
from valor_core.evaluator import Evaluator
from valor_core.hookspecs import hookimpl
from valor_core.parameters import NoParameters, Within, parameter, parameters
from valor_core.registry import Registry
from valor_core.report import Report
from valor_core.result import Failed, ItemScore, Result, Undefined, mean, ratio
from valor_core.schemas import Datum, Label
from valor_core.schemas.classification import Classification, ClassificationBatch
from valor_core.schemas.text import Text, TextBatch
from valor_core.spec import GallerySpec, MetricSpec, Range, ReaderSpec, Reference, ResourceSpec
from valor_core.state import StateRequest

__all__ = [
    "Classification",
    "ClassificationBatch",
    "Datum",
    "Evaluator",
    "Failed",
    "GallerySpec",
    "ItemScore",
    "Label",
    "MetricSpec",
    "NoParameters",
    "Range",
    "ReaderSpec",
    "Reference",
    "Registry",
    "Report",
    "ResourceSpec",
    "Result",
    "StateRequest",
    "Text",
    "TextBatch",
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

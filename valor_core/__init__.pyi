from valor_core.errors import ValorError, ValorWarning
from valor_core.evaluation.evaluate import evaluate
from valor_core.evaluation.evaluator import Evaluator
from valor_core.results.report import Report, compare
from valor_core.results.result import Failed, ItemScore, NotRun, Result, Undefined
from valor_core.schemas.classification import Classification, ClassificationBatch
from valor_core.schemas.datum import Datum
from valor_core.schemas.detection import Detection, DetectionBatch
from valor_core.schemas.label import Label
from valor_core.schemas.segmentation import Segmentation, SegmentationBatch
from valor_core.schemas.text.batch import Text, TextBatch
from valor_core.scoring.decorator import metric
from valor_core.specs.registry import Registry

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
    "compare",
    "evaluate",
    "metric",
]

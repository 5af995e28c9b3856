from valor_core.schemas.detection.batch import DetectionBatch
from valor_core.schemas.detection.items import Detection, PredictedObject, TrueObject
from valor_core.schemas.detection.objects import (
    ObjectColumns,
    PredictedObjects,
    TrueObjects,
    scores_outside,
)
from valor_core.schemas.detection.packing import CheckedShapes, ObjectPlace

__all__ = [
    "CheckedShapes",
    "Detection",
    "DetectionBatch",
    "ObjectColumns",
    "ObjectPlace",
    "PredictedObject",
    "PredictedObjects",
    "TrueObject",
    "TrueObjects",
    "scores_outside",
]

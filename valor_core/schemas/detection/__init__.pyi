from valor_core.schemas.detection.batch import DetectionBatch
from valor_core.schemas.detection.items import Detection, PredictedObject, TrueObject
from valor_core.schemas.detection.objects import PredictedObjects, TrueObjects

__all__ = [
    "Detection",
    "DetectionBatch",
    "PredictedObject",
    "PredictedObjects",
    "TrueObject",
    "TrueObjects",
]

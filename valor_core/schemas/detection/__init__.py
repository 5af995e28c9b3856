"""Detection: objects in images, as boxes, outlines or masks."""

from valor_core.schemas.detection.batch import DetectionBatch
from valor_core.schemas.detection.items import Detection, PredictedObject, TrueObject

__all__ = ["Detection", "DetectionBatch", "PredictedObject", "TrueObject"]

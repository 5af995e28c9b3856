from valor_core.schemas.segmentation.batch import SegmentationBatch
from valor_core.schemas.segmentation.items import Segmentation
from valor_core.schemas.segmentation.label_images import (
    BACKGROUND,
    IGNORED,
    LabelImage,
    Layer,
    Legend,
)
from valor_core.schemas.segmentation.pixels import Image, Pixels
from valor_core.schemas.segmentation.segments import Segments

__all__ = [
    "BACKGROUND",
    "IGNORED",
    "Image",
    "LabelImage",
    "Layer",
    "Legend",
    "Pixels",
    "Segmentation",
    "SegmentationBatch",
    "Segments",
]

"""Segmentation: the label of every pixel of images."""

from valor_core.schemas.segmentation.batch import SegmentationBatch
from valor_core.schemas.segmentation.items import Segmentation
from valor_core.schemas.segmentation.label_images import (
    BACKGROUND,
    IGNORED,
    LabelMap,
    Layer,
    Legend,
)
from valor_core.schemas.segmentation.segments import Segments

__all__ = [
    "BACKGROUND",
    "IGNORED",
    "LabelMap",
    "Layer",
    "Legend",
    "Segmentation",
    "SegmentationBatch",
    "Segments",
]

"""Segmentation: the label of every pixel of images."""

from valor_core.schemas.segmentation.batch import SegmentationBatch
from valor_core.schemas.segmentation.items import Segmentation
from valor_core.schemas.segmentation.label_images import (
    BACKGROUND,
    IGNORED,
    LabelImage,
    Layer,
    Legend,
)
from valor_core.schemas.segmentation.segments import Segments

__all__ = [
    "BACKGROUND",
    "IGNORED",
    "LabelImage",
    "Layer",
    "Legend",
    "Segmentation",
    "SegmentationBatch",
    "Segments",
]

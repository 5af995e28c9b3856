from valor_core.schemas.segmentation.batch import SegmentationBatch
from valor_core.schemas.segmentation.items import Segmentation
from valor_core.schemas.segmentation.label_images import (
    BACKGROUND,
    IGNORED,
    LabelImage,
    Layer,
    Legend,
)
from valor_core.schemas.segmentation.legends import (
    highest,
    ignored_values,
    is_name_of_zero,
    label_maps,
    legend_of,
    pixel_labels,
)
from valor_core.schemas.segmentation.pixels import (
    Flags,
    Image,
    ImageInMemory,
    Pixels,
    as_array,
    remedy_for,
)
from valor_core.schemas.segmentation.segments import Segments

__all__ = [
    "BACKGROUND",
    "IGNORED",
    "Flags",
    "Image",
    "ImageInMemory",
    "LabelImage",
    "Layer",
    "Legend",
    "Pixels",
    "Segmentation",
    "SegmentationBatch",
    "Segments",
    "as_array",
    "highest",
    "ignored_values",
    "is_name_of_zero",
    "label_maps",
    "legend_of",
    "pixel_labels",
    "remedy_for",
]

from valor_core.schemas.geometry.geometry import (
    Box,
    Geometry,
    Mask,
    MultiPolygon,
    Polygon,
    RotatedBox,
)
from valor_core.schemas.geometry.shapes import Keypoints, Rings, RunLengths, Shapes

__all__ = [
    "Box",
    "Geometry",
    "Keypoints",
    "Mask",
    "MultiPolygon",
    "Polygon",
    "Rings",
    "RotatedBox",
    "RunLengths",
    "Shapes",
]

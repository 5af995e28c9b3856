from valor_core.schemas.geometry.geometry import (
    Box,
    Geometry,
    Mask,
    MultiPolygon,
    Polygon,
    RotatedBox,
)
from valor_core.schemas.geometry.shapes import Rings, RunLengths, Shapes

__all__ = [
    "Box",
    "Geometry",
    "Mask",
    "MultiPolygon",
    "Polygon",
    "Rings",
    "RotatedBox",
    "RunLengths",
    "Shapes",
]

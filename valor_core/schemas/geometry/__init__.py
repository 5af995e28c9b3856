"""Geometry: boxes, outlines and masks of objects in images."""

from valor_core.schemas.geometry.geometry import (
    Box,
    Geometry,
    Mask,
    MultiPolygon,
    Polygon,
    RotatedBox,
)

__all__ = ["Box", "Geometry", "Mask", "MultiPolygon", "Polygon", "RotatedBox"]

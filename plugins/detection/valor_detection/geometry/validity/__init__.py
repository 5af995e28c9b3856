"""Faults of invalid geometries, their repairs, and policies."""

from valor_core.schemas.detection.packing import CheckedShapes
from valor_detection.geometry.validity.policy import (
    Place,
    batch_of,
    check_policy,
    checked_boxes,
    checked_geometries,
    checked_shapes,
)
from valor_detection.parameters.fields import Policy

__all__ = [
    "CheckedShapes",
    "Place",
    "Policy",
    "batch_of",
    "check_policy",
    "checked_boxes",
    "checked_geometries",
    "checked_shapes",
]

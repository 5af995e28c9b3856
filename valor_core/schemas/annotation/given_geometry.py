"""Geometry of annotations as the documented calls give it: objects, GeoJSON, rings, arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from valor_core.errors import SchemaError, shown
from valor_core.schemas.geometry.geometry import (
    Box,
    Geometry,
    Mask,
    MultiPolygon,
    Polygon,
    RotatedBox,
)

_EDGES = ("xmin", "ymin", "xmax", "ymax")
_CORNERS = 4


def bounding_box(value: Any) -> Geometry | None:
    """The box that a value stands for.

    Parameters
    ----------
    value : object
        A geometry; a mapping of ``xmin``, ``ymin``, ``xmax`` and ``ymax``; a ring of four corners,
        or what GeoJSON makes of one. None stays None.

    Returns
    -------
    Box, Polygon or None
        A polygon where the corners are of a box that is turned.

    Raises
    ------
    SchemaError
        If it is something else.

    Examples
    --------
    >>> bounding_box([[(0, 0), (2, 0), (2, 1), (0, 1), (0, 0)]])
    Box(xmin=0.0, ymin=0.0, xmax=2.0, ymax=1.0)
    """
    if value is None or isinstance(value, (Box, RotatedBox)):
        return value
    if isinstance(value, Mapping) and set(value) == set(_EDGES):
        return Box(*(value[edge] for edge in _EDGES))
    if _are_edges(value):
        raise SchemaError(
            f"bounding_box: expected a ring of four corners, got {shown(value)}",
            "Say what the numbers are: {'xmin': …, 'ymin': …, 'xmax': …, 'ymax': …}.",
        )
    outline = polygon(value)
    if not isinstance(outline, Polygon) or len(outline.rings) != 1:
        raise SchemaError(f"bounding_box: expected one ring of four corners, got {shown(value)}")
    corners = outline.rings[0]
    if len(corners) != _CORNERS:
        raise SchemaError(f"bounding_box: expected four corners, got {len(corners)}")
    low, high = corners.min(axis=0), corners.max(axis=0)
    is_straight = ((corners == low) | (corners == high)).all()
    if is_straight and len(np.unique(corners, axis=0)) == _CORNERS:
        return Box(*low.tolist(), *high.tolist())
    return outline


def _are_edges(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple, np.ndarray))
        and len(value) == len(_EDGES)
        and all(isinstance(one, (int, float, np.number)) for one in value)
    )


def polygon(value: Any) -> Geometry | None:
    """The polygon that a value stands for.

    Parameters
    ----------
    value : object
        A geometry; rings of points; GeoJSON of a Polygon or MultiPolygon; a mapping with rings
        under ``value``, as the library of 2024 writes it. None stays None.

    Raises
    ------
    SchemaError
        If it is something else.

    Examples
    --------
    >>> polygon({"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [0, 1], [0, 0]]]}).rings[0]
    array([[0., 0.],
           [2., 0.],
           [0., 1.]])
    """
    if value is None or isinstance(value, (Box, RotatedBox, Polygon, MultiPolygon)):
        return value
    if isinstance(value, Mapping):
        kind = value.get("type", "Polygon")
        rings = value.get("coordinates", value.get("value"))
        if rings is None or kind not in ("Polygon", "MultiPolygon"):
            raise SchemaError(f"polygon: expected GeoJSON of a polygon, got {shown(value)}")
        return MultiPolygon(rings) if kind == "MultiPolygon" else Polygon(rings)
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise SchemaError(f"polygon: expected rings of points, got {shown(value)}")
    return Polygon(value)


def raster(value: Any) -> Mask | None:
    """The mask that a value stands for.

    Parameters
    ----------
    value : object
        A mask; rows of pixels; COCO's run lengths; a mapping with rows of pixels under ``mask``.
        None stays None.

    Raises
    ------
    SchemaError
        If it is something else.

    Examples
    --------
    >>> raster({"mask": [[0, 1], [0, 1]]}).runs
    array([2, 2], dtype=uint32)
    """
    if value is None or isinstance(value, Mask):
        return value
    if isinstance(value, Mapping) and "counts" in value:
        return Mask.from_rle(value)
    pixels = value.get("mask") if isinstance(value, Mapping) else value
    if pixels is None or isinstance(pixels, str):
        raise SchemaError(f"raster: expected rows of pixels or run lengths, got {shown(value)}")
    return Mask.of(pixels)

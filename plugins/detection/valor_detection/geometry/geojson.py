"""Conversion of polygons from and to GeoJSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from valor_core.errors import SchemaError, short_repr
from valor_core.schemas.geometry import Geometry, MultiPolygon, Polygon, Shapes
from valor_core.schemas.geometry.shapes import POLYGON, polygons_of
from valor_detection.geometry.conversion import converted


def from_geojson(value: Any) -> Polygon | MultiPolygon:
    """Parse a GeoJSON Polygon or MultiPolygon.

    Parameters
    ----------
    value : mapping
        With ``type`` and ``coordinates``; elevations are ignored.

    Raises
    ------
    SchemaError
        If the value is no Polygon or MultiPolygon.

    Examples
    --------
    >>> ring = [[0, 0], [2, 0], [2, 2], [0, 0]]
    >>> from_geojson({"type": "Polygon", "coordinates": [ring]}).rings[0].tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0]]
    """
    kind = value.get("type") if isinstance(value, Mapping) else None
    if kind not in ("Polygon", "MultiPolygon"):
        raise SchemaError(
            f"geometry: expected a GeoJSON Polygon or MultiPolygon, got {short_repr(value)}"
        )
    coordinates = value.get("coordinates")
    if kind == "Polygon":
        return _polygon(coordinates)
    return MultiPolygon([_polygon(one) for one in _listed(coordinates)])


def _listed(values: Any) -> Sequence[Any]:
    if not isinstance(values, (list, tuple)):
        raise SchemaError(f"coordinates: expected a list, got {short_repr(values)}")
    return values


def _polygon(coordinates: Any) -> Polygon:
    return Polygon([[_position(one) for one in _listed(ring)] for ring in _listed(coordinates)])


def _position(value: Any) -> Sequence[Any]:
    position = _listed(value)
    if len(position) < 2:
        raise SchemaError(f"coordinates: expected positions [x, y], got {short_repr(value)}")
    return position[:2]


def to_geojson(geometry: Geometry) -> dict[str, Any]:
    """Convert a geometry to a GeoJSON Polygon or MultiPolygon.

    Parameters
    ----------
    geometry : Geometry
        Geometry. Boxes become four corners, masks polygons around their pixels.

    Examples
    --------
    >>> from valor_core.schemas.geometry import Box
    >>> to_geojson(Box(0, 0, 2, 1))["coordinates"]
    [[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0], [0.0, 0.0]]]
    """
    polygons = outlines(geometry)
    coordinates = [[_closed(ring.tolist()) for ring in polygon.rings] for polygon in polygons]
    if len(polygons) == 1 and not isinstance(geometry, MultiPolygon):
        return {"type": "Polygon", "coordinates": coordinates[0]}
    return {"type": "MultiPolygon", "coordinates": coordinates}


def outlines(geometry: Geometry) -> tuple[Polygon, ...]:
    """Return the polygons of a geometry, or those around its pixels.

    Examples
    --------
    >>> from valor_core.schemas.geometry import Box
    >>> len(outlines(Box(0, 0, 2, 1)))
    1
    """
    polygons = polygons_of(geometry)
    if not polygons and not isinstance(geometry, MultiPolygon):
        rings = converted(Shapes.of([geometry]), np.array([POLYGON], np.uint8)).rings
        polygons = () if rings is None else rings.at(0)
    return polygons


def _closed(ring: list[list[float]]) -> list[list[float]]:
    return [*ring, ring[0]] if ring else ring

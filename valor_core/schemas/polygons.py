"""Polygons as shapely's geometries, and back; shapely is imported where it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.extras import import_extra
from valor_core.schemas.geometry import Polygon
from valor_core.schemas.shapes import Rings, ends

Geometries = NDArray[Any]
"""Shapely's geometries."""


def import_shapely(doing: str) -> Any:
    """The package shapely.

    Parameters
    ----------
    doing : str
        What it is needed for, as the message begins that says it is missing.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    return import_extra("shapely", f"geometry: {doing}", "valor-detection[polygons]")


def to_shapely(rings: Rings, doing: str) -> Geometries:
    """A multipolygon for each row, as it is: self-crossings stay.

    Rings of fewer than three corners are left out, with their holes where they are the outside.

    Parameters
    ----------
    rings : Rings
        The polygons of each row.
    doing : str
        What for, as the message begins that says shapely is missing.

    Examples
    --------
    >>> square = Polygon([(0, 0), (2, 0), (2, 2), (0, 2)])
    >>> to_shapely(Rings.of([[square]]), "this example")[0].area
    4.0
    """
    shapely = import_shapely(doing)
    rings = _drawable(rings)
    lengths = np.diff(rings.rings)
    # Shapely's rings end where they begin.
    points = np.insert(rings.points, rings.rings[1:], rings.points[rings.rings[:-1]], axis=0)
    offsets = (ends(lengths + 1), rings.polygons, rings.rows)
    geometries: Geometries = shapely.from_ragged_array(
        shapely.GeometryType.MULTIPOLYGON, points, offsets
    )
    return geometries


def _drawable(rings: Rings) -> Rings:
    drawn = np.diff(rings.rings) >= 3
    polygon = np.repeat(np.arange(len(rings.polygons) - 1), np.diff(rings.polygons))
    first = rings.polygons[polygon]
    drawn &= drawn[first]
    if drawn.all() and (np.diff(rings.polygons) > 0).all():
        return rings
    row = np.repeat(np.arange(len(rings)), np.diff(rings.rows))
    counts = np.bincount(polygon[drawn], minlength=len(rings.polygons) - 1)
    filled = counts > 0
    kept = Rings(rings.points, rings.rings, np.arange(len(drawn) + 1), np.arange(len(drawn) + 1))
    kept = kept.select(np.flatnonzero(drawn))
    rows = ends(np.bincount(row[filled], minlength=len(rings)))
    return Rings(kept.points, kept.rings, ends(counts[filled]), rows)


def from_shapely(geometries: Geometries) -> Rings:
    """The polygons of each of shapely's geometries; lines and points are left out.

    Examples
    --------
    >>> square = Polygon([(0, 0), (2, 0), (2, 2), (0, 2)])
    >>> rings = Rings.of([[square, square]])
    >>> from_shapely(to_shapely(rings, "this example")) == rings
    True
    """
    return Rings.of([_polygons(geometry) for geometry in geometries])


def _polygons(geometry: Any) -> Sequence[Polygon]:
    if geometry.geom_type == "Polygon":
        lines = [] if geometry.is_empty else [geometry.exterior, *geometry.interiors]
        return [Polygon([np.asarray(line.coords)[:, :2] for line in lines])] if lines else []
    parts = getattr(geometry, "geoms", ())
    return [polygon for part in parts for polygon in _polygons(part)]

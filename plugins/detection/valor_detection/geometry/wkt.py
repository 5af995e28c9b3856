"""Conversion of polygons from and to WKT with shapely."""

from __future__ import annotations

import numpy as np

from valor_core.errors import SchemaError, short_repr
from valor_core.schemas.geometry import Geometry, MultiPolygon, Polygon, Rings
from valor_detection.geometry.geojson import outlines
from valor_detection.geometry.polygons import from_shapely, import_shapely, to_shapely

_DOING = "reading and writing WKT"


def from_wkt(text: str) -> Polygon | MultiPolygon:
    """Parse a WKT POLYGON or MULTIPOLYGON.

    Raises
    ------
    SchemaError
        If the text is no POLYGON or MULTIPOLYGON.
    MissingExtraError
        If shapely is not installed.

    Examples
    --------
    >>> from_wkt("POLYGON ((0 0, 2 0, 2 2, 0 0))").rings[0].tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0]]
    """
    shapely = import_shapely(_DOING)
    try:
        found = shapely.from_wkt(text)
    except (shapely.errors.ShapelyError, TypeError) as error:
        raise SchemaError(f"geometry: expected WKT, got {short_repr(text)}") from error
    kind = getattr(found, "geom_type", None)
    if kind not in ("Polygon", "MultiPolygon"):
        raise SchemaError(f"geometry: expected a POLYGON or MULTIPOLYGON, got {short_repr(text)}")
    polygons = from_shapely(np.array([found])).at(0)
    if kind == "Polygon":
        return polygons[0] if polygons else Polygon([])
    return MultiPolygon(polygons)


def to_wkt(geometry: Geometry) -> str:
    """Convert a geometry to WKT.

    Parameters
    ----------
    geometry : Geometry
        Geometry. Boxes become four corners, masks polygons around their pixels.

    Raises
    ------
    MissingExtraError
        If shapely is not installed.

    Examples
    --------
    >>> from valor_core.schemas.geometry import Box
    >>> to_wkt(Box(0, 0, 2, 1))
    'POLYGON ((0 0, 2 0, 2 1, 0 1, 0 0))'
    """
    shapely = import_shapely(_DOING)
    polygons = outlines(geometry)
    outline = to_shapely(Rings.of([polygons]), _DOING)[0]
    if len(polygons) == 1 and not isinstance(geometry, MultiPolygon) and not outline.is_empty:
        outline = outline.geoms[0]
    text: str = shapely.to_wkt(outline, rounding_precision=-1)
    return text

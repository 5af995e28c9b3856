"""Repairs of inverted, self-crossing and overhanging shapes."""

from __future__ import annotations

import numpy as np

from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import Box, Geometry, MultiPolygon, RotatedBox, Shapes
from valor_core.schemas.geometry.shapes import BOX, MASK, geometry_kind
from valor_detection.geometry.polygons import (
    from_shapely,
    import_shapely,
    self_crossing,
    to_shapely,
)
from valor_detection.geometry.validity.faults import (
    INVERTED,
    OUTSIDE,
    SELF_CROSSING,
    box_faults,
    is_inverted,
    is_outside,
)

REPAIRABLE = (INVERTED, SELF_CROSSING, OUTSIDE)
"""Codes of repairable faults."""


def repaired_boxes(boxes: Floats, sizes: Codes | None) -> Floats:
    """Swap inverted edges of boxes and clip them to the image.

    Parameters
    ----------
    boxes : ndarray of float64, shape (n, 4)
        x, y, width and height.
    sizes : ndarray of int64, shape (n, 2), optional
        Height and width of each row's image; 0 where unknown.

    Examples
    --------
    >>> repaired_boxes(np.array([[3.0, 1.0, -2.0, 1.0]]), None)
    array([[1., 1., 2., 1.]])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        corners = np.stack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]])
    starts, stops = corners.min(axis=0), corners.max(axis=0)
    if sizes is not None:
        has_size = np.logical_and.reduce(sizes > 0, axis=1)[:, None]
        limits = np.where(has_size, sizes[:, ::-1], np.inf)
        floors = np.where(np.isfinite(limits), 0, -np.inf)
        starts, stops = np.clip(starts, floors, limits), np.clip(stops, floors, limits)
    return np.concatenate([starts, stops - starts], axis=1)


def in_order(geometry: Geometry) -> Geometry:
    """Swap the inverted edges of a geometry.

    Examples
    --------
    >>> in_order(Box(2, 0, 0, 1))
    Box(xmin=0.0, ymin=0.0, xmax=2.0, ymax=1.0)
    """
    if not is_inverted(geometry):
        return geometry
    if isinstance(geometry, Box):
        left, right = sorted((geometry.xmin, geometry.xmax))
        top, bottom = sorted((geometry.ymin, geometry.ymax))
        return Box(left, top, right, bottom)
    if isinstance(geometry, RotatedBox):
        width, height = abs(geometry.width), abs(geometry.height)
        return RotatedBox(geometry.x, geometry.y, width, height, geometry.angle_degrees)
    return geometry


def repaired_geometry(geometry: Geometry, size: tuple[int, int] | None) -> Geometry | None:
    """Remove self-crossings of a geometry and clip it to its image; None if nothing remains.

    Polygons whose edges cross more than a thousand times are not repaired.

    Parameters
    ----------
    geometry : Geometry
        Geometry with its edges in order.
    size : (int, int), optional
        Height and width of its image.

    Raises
    ------
    MissingExtraError
        If the geometry is a polygon and shapely is not installed.

    Examples
    --------
    >>> repaired_geometry(Box(-5, 0, 5, 5), (10, 10))
    Box(xmin=0.0, ymin=0.0, xmax=5.0, ymax=5.0)
    """
    kind = geometry_kind(geometry)
    if kind == MASK:
        return None
    shapes = Shapes.of([geometry])
    if kind == BOX:
        image = None if size is None else np.array([size])
        box = repaired_boxes(shapes.boxes, image)
        return None if box_faults(box, None).any() else Shapes(box).at(0)
    if shapes.rings is None:
        return None
    doing = "repairing polygons"
    shapely = import_shapely(doing)
    outlines = to_shapely(shapes.rings, doing)
    crossing, tangled = self_crossing(outlines)
    if len(tangled):
        return None
    outline = shapely.make_valid(outlines[0]) if len(crossing) else outlines[0]
    if size is not None and is_outside(shapes.boxes, np.array([size])).any():
        outline = shapely.intersection(outline, shapely.box(0, 0, size[1], size[0]))
    polygons = from_shapely(np.array([outline])).at(0)
    if not polygons:
        return None
    return polygons[0] if len(polygons) == 1 else MultiPolygon(polygons)

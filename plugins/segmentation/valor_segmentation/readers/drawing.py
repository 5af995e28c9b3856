"""Drawing: the pixels of polygons and boxes.

A pixel is inside where its center is. The center of the pixel in row r and column c is at
x = c + 0.5, y = r + 0.5. Polygons of COCO's files have other pixels, those of COCO's own programs:
see `valor_segmentation.readers.coco_polygons`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, error_at, shown
from valor_core.packages import import_extra
from valor_core.schemas import Label, as_label
from valor_core.schemas.geometry import Box, MultiPolygon, Polygon, RotatedBox


def drawn(shapes: Mapping[Any, Any], size: tuple[int, int]) -> dict[Label, NDArray[np.bool_]]:
    """A boolean image for each label: one side of a `Segmentation`.

    Parameters
    ----------
    shapes : mapping of label to shape or list of shapes
        Polygons with or without holes, multipolygons, boxes and rotated boxes; several of one
        label are united.
    size : (int, int)
        Height and width of the image; what lies outside is cut off.

    Raises
    ------
    SchemaError
        If a shape has another type, or a corner is not finite; names the label.
    MissingExtraError
        If rasterio is not installed.

    Examples
    --------
    >>> triangle = Polygon([(0, 0), (4, 0), (0, 2)])
    >>> drawn({"cat": triangle}, (2, 3))[Label("class", "cat")].astype(int)
    array([[1, 1, 1],
           [1, 0, 0]])
    """
    return {as_label(name): _mask(as_label(name), value, size) for name, value in shapes.items()}


def _mask(label: Label, value: Any, size: tuple[int, int]) -> NDArray[np.bool_]:
    is_many = isinstance(value, Iterable) and not isinstance(value, (str, Mapping, np.ndarray))
    parts = [part for one in (value if is_many else [value]) for part in _polygons(label, one)]
    with error_at(f"label '{label}': "):
        return polygon_mask(parts, size)


def _polygons(label: Label, value: Any) -> tuple[Polygon, ...]:
    if isinstance(value, Polygon):
        return (value,)
    if isinstance(value, MultiPolygon):
        return value.polygons
    if isinstance(value, RotatedBox):
        return (value.polygon,)
    if isinstance(value, Box):
        left, top, right, bottom = value.xmin, value.ymin, value.xmax, value.ymax
        return (Polygon([(left, top), (right, top), (right, bottom), (left, bottom)]),)
    raise SchemaError(
        f"label '{label}': expected polygons or boxes, got {shown(value)}",
        "Make one of points: Polygon([(0, 0), (2, 0), (2, 2)]).",
    )


def polygon_mask(polygons: Iterable[Polygon], size: tuple[int, int]) -> NDArray[np.bool_]:
    """The pixels that any of some polygons has.

    Parameters
    ----------
    polygons : iterable of Polygon
        The polygons; rings of fewer than three points have no pixels.
    size : (int, int)
        Height and width of the image.

    Raises
    ------
    SchemaError
        If a corner is not finite.
    MissingExtraError
        If rasterio is not installed.

    Examples
    --------
    >>> polygon_mask([Polygon([(0, 0), (1, 0), (1, 2), (0, 2)])], (2, 2)).astype(int)
    array([[1, 0],
           [1, 0]])
    """
    extra = "valor-segmentation[raster]"
    features = import_extra("rasterio.features", "segmentation: drawing polygons", extra)
    shapes = [_geojson(one) for one in polygons if one.rings and len(one.rings[0]) > 2]
    if not shapes or 0 in size:
        return np.zeros(size, dtype=bool)
    image: NDArray[np.uint8] = features.rasterize(
        [(shape, 1) for shape in shapes], out_shape=size, fill=0, dtype="uint8"
    )
    return image.view(np.bool_)


def _geojson(polygon: Polygon) -> dict[str, Any]:
    for ring in polygon.rings:
        strange = ring[~np.isfinite(ring)]
        if len(strange):
            raise SchemaError(f"expected corners with finite coordinates, got {strange[0]}")
    rings = [ring.tolist() for ring in polygon.rings if len(ring) > 2]
    return {"type": "Polygon", "coordinates": [[*ring, ring[0]] for ring in rings]}

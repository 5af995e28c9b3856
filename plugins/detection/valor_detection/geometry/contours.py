"""Contours: polygons around the pixels of masks, with their holes."""

from __future__ import annotations

from typing import Any

import numpy as np

from valor_core.packages import import_extra
from valor_core.schemas import Codes
from valor_core.schemas.geometry import Polygon, Rings, Shapes


def contours(shapes: Shapes, rows: Codes) -> Rings:
    """Polygons of some masks: corners of pixels, so that they enclose exactly the mask's area.

    Pixels that touch at a corner only are of different polygons.

    Parameters
    ----------
    shapes : Shapes
        Shapes with masks.
    rows : ndarray of int64
        Which of them.

    Examples
    --------
    >>> from valor_core.schemas.geometry import Mask
    >>> contours(Shapes.of([Mask.of([[0, 1], [0, 1]])]), np.array([0])).points.tolist()
    [[1.0, 0.0], [1.0, 2.0], [2.0, 2.0], [2.0, 0.0]]
    """
    doing, extra = "geometry: making polygons of masks", "valor-detection[raster]"
    features = import_extra("rasterio.features", doing, extra)
    return Rings.of([_polygons(features, shapes, row) for row in rows.tolist()])


def _polygons(features: Any, shapes: Shapes, row: int) -> list[Polygon]:
    if shapes.masks is None:
        return []
    pixels = shapes.masks.at(row).array
    filled = np.flatnonzero(pixels.any(axis=0))
    if not len(filled):
        return []
    left = int(filled[0])
    part = np.ascontiguousarray(pixels[:, left : int(filled[-1]) + 1])
    found = features.shapes(part.astype(np.uint8), mask=part, connectivity=4)
    shift = np.array([left, 0])
    return [
        Polygon([np.array(ring) + shift for ring in outline["coordinates"]]) for outline, _ in found
    ]

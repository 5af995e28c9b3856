"""Pixels of polygons, by COCO's rule and by pixel centers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError
from valor_core.schemas import Floats
from valor_core.schemas.geometry import Polygon, Rings
from valor_core.schemas.geometry.run_lengths import decoded
from valor_detection.geometry.drawing import drawn
from valor_detection.kernels import masks as kernels
from valor_detection.kernels.row_errors import FARTHEST
from valor_detection.kernels.segmentations import POLYGONS, Segmentation, Segmentations

Pixels = NDArray[np.bool_]


def coco_pixels(corners: Floats, size: tuple[int, int]) -> Pixels:
    """Return the pixels of a ring of corners by the rule of pycocotools.

    pycocotools follows the edges on a grid five times as fine. The result differs from
    `center_pixels` at edges.

    Parameters
    ----------
    corners : ndarray of float64, shape (n, 2)
        x and y of the corners, at least one.
    size : (int, int)
        Height and width of the image.

    Raises
    ------
    SchemaError
        If a corner is not finite, or farther than 100 million pixels from the origin.

    Examples
    --------
    >>> coco_pixels(np.array([[0, 0], [2, 0], [2, 1], [0, 1]], float), (2, 3)).astype(int)
    array([[1, 1, 0],
           [0, 0, 0]])
    """
    _check_finite(corners)
    far = corners[np.abs(corners) > FARTHEST]
    if len(far):
        raise SchemaError(f"expected corners within {FARTHEST:,} pixels, got {far[0]:g}")
    ring = Segmentations.of([Segmentation(POLYGONS, rings=[corners.ravel().tolist()])])
    runs, _ = kernels.segmentation_runs(ring, np.array([0]), np.array([size], np.int64))
    return decoded(runs, *size)


def center_pixels(polygons: Iterable[Polygon], size: tuple[int, int]) -> Pixels:
    """Return the pixels whose centers are inside any polygon.

    The center of the pixel in row r and column c is at x = c + 0.5, y = r + 0.5. Polygons that
    share an edge share no pixel.

    Parameters
    ----------
    polygons : iterable of Polygon
        Polygons. Rings with fewer than three corners have no pixels.
    size : (int, int)
        Height and width of the image.

    Raises
    ------
    SchemaError
        If a corner is not finite.

    Examples
    --------
    >>> center_pixels([Polygon([(0, 0), (1, 0), (1, 2), (0, 2)])], (2, 2)).astype(int)
    array([[1, 0],
           [1, 0]])
    """
    polygons = list(polygons)
    for ring in (ring for polygon in polygons for ring in polygon.rings):
        _check_finite(ring)
    runs, _ = drawn(Rings.of([polygons]), np.array([size], np.int64))
    return decoded(runs, *size)


def _check_finite(corners: Floats) -> None:
    invalid = corners[~np.isfinite(corners)]
    if len(invalid):
        raise SchemaError(f"expected corners with finite coordinates, got {invalid[0]}")

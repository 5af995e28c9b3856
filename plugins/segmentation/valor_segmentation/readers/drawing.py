"""Masks of polygons and boxes.

A pixel is inside if its center is. Polygons of COCO's files have the pixels of pycocotools instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, error_at, short_repr
from valor_core.packages import import_extra
from valor_core.schemas import Label
from valor_core.schemas.geometry import Box, MultiPolygon, Polygon, RotatedBox
from valor_core.schemas.label import as_label


def drawn(shapes: Mapping[Any, Any], size: tuple[int, int]) -> dict[Label, NDArray[np.bool_]]:
    """Draw a mask for each label, as one side of a `Segmentation`.

    Parameters
    ----------
    shapes : mapping of label to shape or list of shapes
        Polygons with or without holes, multipolygons, boxes and rotated boxes. Shapes of one
        label are united.
    size : (int, int)
        Height and width of the image. Shapes are clipped to it.

    Raises
    ------
    SchemaError
        If a shape has another type, or a corner is not finite; names the label.
    MissingExtraError
        If valor-detection, which draws polygons, is not installed.

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
    polygons = [part for one in (value if is_many else [value]) for part in _polygons(label, one)]
    doing = "segmentation: drawing polygons"
    geometry = import_extra("valor_detection.geometry", doing, "valor-segmentation[coco]")
    with error_at(f"label '{label}': "):
        mask: NDArray[np.bool_] = geometry.center_pixels(polygons, size)
    return mask


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
        f"label '{label}': expected polygons or boxes, got {short_repr(value)}",
        "Make one of points: Polygon([(0, 0), (2, 0), (2, 2)]).",
    )

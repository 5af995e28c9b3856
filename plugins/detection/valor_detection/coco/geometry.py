"""Geometry of annotations: their boxes or masks, and the areas that pycocotools gives them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import ReadError, and_more
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import Shapes
from valor_detection.coco_json.records import AREA, BOX, SEGMENTATION, Document
from valor_detection.readers.coco_masks import Masks


def geometry(
    document: Document,
    rows: Codes | None,
    sizes: Callable[[], Codes],
    iou_type: str,
    *,
    is_results: bool,
) -> tuple[Shapes, Floats]:
    """Shapes and areas of annotations.

    Parameters
    ----------
    document : Document
        The annotations, with segmentations where masks are compared.
    rows : ndarray of int64, optional
        Those that are wanted, in their order; None is all.
    sizes : callable
        Tells height and width of the image of each annotation of the document.
    iou_type : {"bbox", "segm"}
        What is compared.
    is_results : bool
        Whether the areas are those that ``loadRes`` gives: of the boxes if the first result has
        one. A data set says its areas itself.

    Raises
    ------
    ReadError
        If an annotation lacks what is compared, or cannot be drawn; names it.
    """
    own = document.annotations
    taken = _everything if rows is None else partial(np.take, indices=rows, axis=0)
    boxes = taken(own.boxes)
    only_masks = is_results and document.has_only_masks
    if iou_type == "segm" or only_masks:
        may_be_box = is_results and not only_masks
        _require(document, BOX if may_be_box else SEGMENTATION)
        assert own.masks is not None
        given = own.boxes if may_be_box else None
        masks = Masks.of(own.masks, sizes(), rows, document.place, given)
        areas, shapes = masks.areas, masks.shapes
    if iou_type == "bbox" and only_masks:
        has_box = taken(own.found)[:, None] & BOX > 0
        shapes = Shapes(np.where(has_box, boxes, masks.boxes))
    elif iou_type == "bbox":
        _require(document, BOX)
        shapes = Shapes(boxes)
    if is_results:
        return shapes, areas if only_masks else boxes[:, 2] * boxes[:, 3]
    has_area = taken(own.found) & AREA > 0
    if has_area.all():
        return shapes, taken(own.areas)
    return shapes, np.where(has_area, taken(own.areas), shapes.areas)


def _everything(column: NDArray[Any]) -> NDArray[Any]:
    return column


def _require(document: Document, bit: int) -> None:
    lacking = document.annotations.lacking(bit)
    if len(lacking):
        name = "bbox" if bit == BOX else "segmentation"
        raise ReadError(
            f"{document.place(int(lacking[0]))}: expected a field {name!r}, found none"
            f"{and_more(len(lacking) - 1)}"
        )

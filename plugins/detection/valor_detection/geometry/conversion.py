"""Conversion between kinds of shapes, for comparison.

Conversion to less detail (mask, polygon, box) requires only the shapes; conversion to more detail
also requires the size of the image. `drawing` and `contours` share one pixel convention, so that
conversion of a mask, or a box with integer edges, to a polygon and back is exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from valor_core.errors import SchemaError, and_more
from valor_core.schemas import Codes, Floats
from valor_core.schemas.detection import DetectionBatch
from valor_core.schemas.detection.objects import ObjectColumns
from valor_core.schemas.geometry import Rings, RunLengths, Shapes
from valor_core.schemas.geometry.shapes import BOX, GEOMETRY_KINDS, MASK, POLYGON, ends, gathered
from valor_detection.geometry.contours import contours
from valor_detection.geometry.drawing import drawn
from valor_detection.kernels import masks as kernels
from valor_detection.kernels.row_errors import RowError, check_pixels
from valor_detection.parameters.fields import check_choice

Kinds = NDArray[np.uint8]


def converted(shapes: Shapes, kinds: int | Kinds, sizes: Codes | None = None) -> Shapes:
    """Convert shapes to other kinds.

    Parameters
    ----------
    shapes : Shapes
        Shapes to convert.
    kinds : int or ndarray of uint8, shape (n,)
        `BOX`, `POLYGON` or `MASK`, for all or for each row.
    sizes : ndarray of int64, shape (n, 2), optional
        Height and width of each row's image; needed to make masks.

    Raises
    ------
    SchemaError
        If the size of the image of a mask is unknown.

    Examples
    --------
    >>> from valor_core.schemas.geometry import Box
    >>> box = Shapes.of([Box(0, 0, 2, 1)])
    >>> converted(box, MASK, np.array([[2, 3]])).at(0).array.astype(int)
    array([[1, 1, 0],
           [0, 0, 0]])
    >>> converted(box, POLYGON).at(0).rings[0].tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]]
    """
    wanted: Kinds = np.broadcast_to(np.asarray(kinds, np.uint8), len(shapes)).copy()
    if np.array_equal(wanted, shapes.kinds):
        return shapes
    rings = _rings(shapes, wanted) if (wanted == POLYGON).any() else None
    masks = _masks(shapes, wanted, sizes) if (wanted == MASK).any() else None
    boxes = shapes.boxes
    is_drawn = (wanted == MASK) & (shapes.kinds != MASK)
    if masks is not None and is_drawn.any():
        boxes = boxes.copy()
        rows = np.flatnonzero(is_drawn)
        drawn = masks.select(rows)
        boxes[rows] = kernels.measured(drawn.runs, drawn.rows, drawn.sizes)[1]
    return Shapes(boxes, wanted, rings, masks)


def _rings(shapes: Shapes, wanted: Kinds) -> Rings:
    """Return polygons of the rows to convert to polygons."""
    is_polygon = wanted == POLYGON
    parts = []
    for kind in (BOX, POLYGON, MASK):
        rows = np.flatnonzero(is_polygon & (shapes.kinds == kind))
        if kind == BOX:
            parts.append((rows, corners(shapes.boxes[rows])))
        elif kind == MASK and len(rows):
            parts.append((rows, contours(shapes, rows)))
        elif shapes.rings is not None:
            parts.append((rows, shapes.rings.select(rows)))
    return _placed(parts, len(shapes))


def corners(boxes: Floats) -> Rings:
    """Convert boxes to polygons.

    Examples
    --------
    >>> corners(np.array([[1.0, 1.0, 2.0, 1.0]])).points.tolist()
    [[1.0, 1.0], [3.0, 1.0], [3.0, 2.0], [1.0, 2.0]]
    """
    x, y = boxes[:, [0]], boxes[:, [1]]
    right, bottom = x + boxes[:, [2]], y + boxes[:, [3]]
    points = np.stack([x, y, right, y, right, bottom, x, bottom], axis=1)
    count = np.arange(len(boxes) + 1)
    return Rings(points.reshape(-1, 2), 4 * count, count, count)


def _placed(parts: list[tuple[Codes, Rings]], count: int) -> Rings:
    """Merge polygons of parts of the rows in row order."""
    order = np.concatenate([rows for rows, _ in parts])
    joined = Rings.joined([rings for _, rings in parts]).select(np.argsort(order))
    lengths = np.zeros(count, np.int64)
    lengths[np.sort(order)] = np.diff(joined.rows)
    return Rings(joined.points, joined.rings, joined.polygons, ends(lengths))


def _masks(shapes: Shapes, wanted: Kinds, sizes: Codes | None) -> RunLengths:
    """Return masks of the rows to convert to masks."""
    rows = np.flatnonzero((wanted == MASK) & (shapes.kinds != MASK))
    masks = shapes.masks or RunLengths.of([None] * len(shapes))
    if not len(rows):
        return _without(masks, wanted != MASK)
    image_sizes_of = np.zeros((len(shapes), 2), np.int64) if sizes is None else np.asarray(sizes)
    unknown = rows[(image_sizes_of[rows] <= 0).any(axis=1)]
    if len(unknown):
        kind = GEOMETRY_KINDS[shapes.kinds[unknown[0]]]
        raise SchemaError(
            f"row {unknown[0]}: expected the height and width of its image, to draw a {kind} as "
            f"a mask{and_more(len(unknown) - 1)}"
        )
    runs, starts = drawn(
        _rings(_chosen(shapes, rows), np.full(len(rows), POLYGON)), image_sizes_of[rows]
    )
    lengths, image_sizes = np.diff(masks.rows), masks.sizes.copy()
    lengths[wanted != MASK] = 0
    lengths[rows], image_sizes[rows] = np.diff(starts), image_sizes_of[rows]
    all_starts = ends(lengths)
    all_runs = np.empty(all_starts[-1], np.uint32)
    all_runs[gathered(all_starts, rows)[0]] = runs
    kept = np.flatnonzero((wanted == MASK) & (shapes.kinds == MASK))
    all_runs[gathered(all_starts, kept)[0]] = masks.runs[gathered(masks.rows, kept)[0]]
    return RunLengths(all_runs, all_starts, image_sizes)


def _chosen(shapes: Shapes, rows: Codes) -> Shapes:
    """Select rows without masks."""
    rings = None if shapes.rings is None else shapes.rings.select(rows)
    return Shapes(shapes.boxes[rows], shapes.kinds[rows], rings)


def _without(masks: RunLengths, removed: NDArray[np.bool_]) -> RunLengths:
    lengths = np.diff(masks.rows)
    runs = masks.runs[np.repeat(~~removed, lengths)]
    lengths[removed] = 0
    return RunLengths(runs, ends(lengths), masks.sizes)


def comparable(batch: DetectionBatch, convert_to: str | None = None) -> DetectionBatch:
    """Convert the shapes of a batch to at most the detail of `convert_to`.

    Boxes stay boxes under ``polygon``, since every box is a polygon. Areas stay those of the
    original shapes.

    Parameters
    ----------
    batch : DetectionBatch
        The images.
    convert_to : str, optional
        ``box``, ``polygon`` or ``mask``. By default shapes are unchanged.

    Raises
    ------
    ParameterError
        If `convert_to` is unknown.
    SchemaError
        If `convert_to` is ``mask`` and an object is no mask, or masks of one image differ in size
        or have too many pixels; names item and annotation.

    Examples
    --------
    >>> from valor_core.schemas.detection import Detection, TrueObject
    >>> from valor_core.schemas.geometry import Mask
    >>> batch = DetectionBatch.of([Detection("x", [TrueObject("a", Mask.of([[0, 1]]))])])
    >>> comparable(batch, "box").groundtruths.shapes.at(0)
    Box(xmin=1.0, ymin=0.0, xmax=2.0, ymax=1.0)
    """
    kind = _kind(convert_to)
    if kind == MASK and convert_to is not None:
        for side in (batch.groundtruths, batch.predictions):
            _check_all_masks(batch, side)
    if kind == MASK:
        _check_mask_sizes(batch)
        return batch
    sides: dict[str, Any] = {
        side.side: evolve(
            side, shapes=converted(side.shapes, np.minimum(side.shapes.kinds, np.uint8(kind)))
        )
        for side in (batch.groundtruths, batch.predictions)
    }
    return evolve(batch, **sides)


def _kind(convert_to: str | None) -> int:
    """Return the most detailed kind to keep."""
    if convert_to is None:
        return MASK
    check_choice("convert_to", convert_to, GEOMETRY_KINDS)
    return GEOMETRY_KINDS.index(convert_to)


def _check_all_masks(batch: DetectionBatch, side: ObjectColumns) -> None:
    less = np.flatnonzero(side.shapes.kinds != MASK)
    if len(less):
        found = GEOMETRY_KINDS[side.shapes.kinds[less[0]]]
        raise SchemaError(
            f"{_where(batch, side, int(less[0]))}: expected a mask for convert_to: mask, "
            f"got a {found}{and_more(len(less) - 1)}",
            f"Set convert_to: {found}, or omit it.",
        )


def _where(batch: DetectionBatch, side: ObjectColumns, row: int) -> str:
    return f"{batch.datums.name(int(side.datums[row]))}, {side.name(row)}"


def _check_mask_sizes(batch: DetectionBatch) -> None:
    """Raise unless all masks have the size of the first mask of their image.

    Also rejects sizes with too many pixels.
    """
    sizes = np.full((len(batch), 2), -1, np.int64)
    for side in (batch.groundtruths, batch.predictions):
        masks = side.shapes.masks
        rows = np.flatnonzero(side.shapes.kinds == MASK)
        if masks is None or not len(rows):
            continue
        try:
            check_pixels(masks.sizes[rows])
        except RowError as error:
            raise error.at(_where(batch, side, int(rows[error.row]))) from None
        datums = side.datums[rows]
        unset = sizes[datums, 0] < 0
        sizes[datums[unset][::-1]] = masks.sizes[rows[unset][::-1]]
        bad = rows[(masks.sizes[rows] != sizes[datums]).any(axis=1)]
        if len(bad):
            row = int(bad[0])
            height, width = sizes[side.datums[row]].tolist()
            found = " by ".join(map(str, masks.sizes[row].tolist()))
            raise SchemaError(
                f"{_where(batch, side, row)}: expected a mask of {height} by {width} pixels like "
                f"other masks of its image, got {found}{and_more(len(bad) - 1)}"
            )

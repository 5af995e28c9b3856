"""Masks as run lengths, with the functions of ``pycocotools.mask``.

A run-length encoding is ``{"size": [height, width], "counts": bytes}``, its counts compressed; text
and lists of counts are taken, too. Most functions take one or a list of them, and answer alike.

Examples
--------
>>> rle = frPyObjects([0, 0, 2, 1], 2, 3)
>>> area(rle), toBbox(rle), decode(rle).tolist()
(np.uint32(2), array([0., 0., 2., 1.]), [[1, 1, 0], [0, 0, 0]])
"""
# ruff: noqa: N802, N803 - the names are those of pycocotools

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, shown
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import Mask, RunLengths, Runs, compressed, encoded
from valor_detection.geometry.ious import box_ious
from valor_detection.kernels import masks as kernels
from valor_detection.kernels.row_errors import RowError, check_pixels
from valor_detection.kernels.segmentations import POLYGONS, Segmentation, Segmentations

__all__ = ["area", "decode", "encode", "frPyObjects", "iou", "merge", "toBbox"]

Rle = Mapping[str, Any]

_NO_SIZE = -1.0  # what pycocotools answers for masks of two sizes


def encode(bimask: NDArray[Any]) -> Any:
    """The run lengths of a mask, or a list of those of several.

    Parameters
    ----------
    bimask : ndarray, shape (height, width) or (height, width, n)
        What is not 0 is inside.

    Raises
    ------
    SchemaError
        If it is of another shape.

    Examples
    --------
    >>> encode(np.array([[0, 1], [0, 1]], np.uint8))
    {'size': [2, 2], 'counts': b'22'}
    """
    pixels = np.asarray(bimask)
    if pixels.ndim not in (2, 3):
        raise SchemaError(f"encode: expected one mask or several, got {shown(pixels)}")
    if pixels.ndim == 2:
        return _rle(encoded(pixels != 0), *pixels.shape)
    return [encode(pixels[:, :, place]) for place in range(pixels.shape[2])]


def decode(rleObjs: Any) -> NDArray[np.uint8]:
    """The pixels of a mask, shape (height, width), or of several, shape (height, width, n).

    Parameters
    ----------
    rleObjs : mapping or list of mapping
        Run lengths of one mask, or of several of one size.

    Raises
    ------
    SchemaError
        If something is no run lengths, or the masks have several sizes.

    Examples
    --------
    >>> decode({"size": [2, 2], "counts": b"22"})
    array([[0, 1],
           [0, 1]], dtype=uint8)
    """
    if not _is_list(rleObjs):
        return np.asfortranarray(_mask(rleObjs).array, np.uint8)
    masks = [_mask(one).array for one in rleObjs]
    if len({mask.shape for mask in masks}) > 1:
        raise SchemaError("decode: expected masks of one size")
    if not masks:
        return np.empty((0, 0, 0), np.uint8)
    return np.asfortranarray(np.stack(masks, axis=-1), np.uint8)


def area(rleObjs: Any) -> Any:
    """Number of pixels inside: of one, or an array of them.

    Examples
    --------
    >>> area([{"size": [2, 2], "counts": b"22"}])
    array([2], dtype=uint32)
    """
    return _of_each(rleObjs, _measures(rleObjs)[0].astype(np.uint32))


def toBbox(rleObjs: Any) -> Any:
    """x, y, width and height of the box around the pixels inside.

    Examples
    --------
    >>> toBbox({"size": [2, 2], "counts": b"22"})
    array([1., 0., 1., 2.])
    """
    return _of_each(rleObjs, _measures(rleObjs)[1])


def merge(rleObjs: Sequence[Rle], intersect: bool = False) -> dict[str, Any]:
    """The union of some masks, or what they share.

    Parameters
    ----------
    rleObjs : list
        Masks of one size.
    intersect : bool
        Whether to take what is inside all of them.

    Examples
    --------
    >>> merge([encode(np.array([[0, 1]])), encode(np.array([[1, 1]]))], intersect=True)
    {'size': [1, 2], 'counts': b'11'}
    """
    masks = [_mask(one) for one in rleObjs]
    if len({(mask.height, mask.width) for mask in masks}) != 1:
        return _rle(np.zeros(1, np.uint32), 0, 0)
    height, width = masks[0].height, masks[0].width
    edges = [np.cumsum(mask.runs, dtype=np.int64)[:-1] for mask in masks]
    steps = [1 - 2 * (np.arange(len(own)) % 2) for own in edges]  # in and out by turns
    places, turns = np.unique(np.concatenate(edges), return_inverse=True)
    depth = np.cumsum(np.bincount(turns, np.concatenate(steps), len(places)))
    inside = depth >= (len(masks) if intersect else 1)
    bounds = places[np.diff(inside.astype(np.int8), prepend=0) != 0]
    bounds = bounds[bounds < height * width]
    runs = np.diff(bounds, prepend=0, append=height * width)
    return _rle(runs.astype(np.uint32), height, width)


def iou(dt: Any, gt: Any, pyiscrowd: Sequence[int]) -> Any:
    """IoU of every predicted with every true object, in a row for each predicted one.

    Parameters
    ----------
    dt, gt : list of run lengths, or list or array of boxes
        Both of one kind.
    pyiscrowd : sequence of bool
        Whether each true object is a crowd: the share of the prediction in it is taken then.

    Returns
    -------
    ndarray of float64, shape (n_predicted, n_true), or list
        An empty list where a side is empty; -1 for masks of two sizes.

    Raises
    ------
    SchemaError
        If there is not one flag for each true object, the sides are of two kinds, or something is
        neither a box nor run lengths.

    Examples
    --------
    >>> iou([[0, 0, 2, 2]], [[0, 0, 2, 1], [5, 5, 1, 1]], [0, 0])
    array([[0.5, 0. ]])
    """
    if len(pyiscrowd) != len(gt):
        raise SchemaError(
            f"iou: expected a flag for each of {len(gt):,} true objects, got {len(pyiscrowd):,}"
        )
    if not len(dt) or not len(gt):
        return []
    if isinstance(dt[0], Mapping) != isinstance(gt[0], Mapping):
        raise SchemaError("iou: expected run lengths or boxes on both sides, got one of each")
    crowd = np.asarray(pyiscrowd).astype(bool)
    if not isinstance(dt[0], Mapping):
        return ious_of_boxes(_boxes(dt), _boxes(gt), crowd)
    sides = _lengths(dt), _lengths(gt)
    for name, side in zip(("dt", "gt"), sides, strict=True):
        try:
            check_pixels(side.sizes)
        except RowError as error:
            raise error.at(f"iou, {name}[{error.row}]") from error
    return ious_of_masks(*sides, crowd)


def ious_of_boxes(predicted: Floats, truths: Floats, is_crowd: NDArray[np.bool_]) -> Floats:
    """IoU of every predicted with every true box, in a row for each predicted one."""
    seen, true = _every_pair(len(predicted), len(truths))
    ious = box_ious(truths[true], predicted[seen], is_crowd[true])
    return ious.reshape(len(predicted), len(truths))


def ious_of_masks(predicted: RunLengths, truths: RunLengths, is_crowd: NDArray[np.bool_]) -> Floats:
    """IoU of every predicted with every true mask; -1 where they are of two sizes."""
    seen, true = _every_pair(len(predicted), len(truths))
    fits = (predicted.sizes[seen] == truths.sizes[true]).all(axis=1)
    ious = np.full(len(fits), _NO_SIZE)
    ious[fits] = kernels.mask_ious(truths, predicted, true[fits], seen[fits], is_crowd[true[fits]])
    return ious.reshape(len(predicted), len(truths))


def _every_pair(predicted: int, truths: int) -> tuple[Codes, Codes]:
    """Rows of both sides, those of the true ones by turns."""
    seen, true = np.indices((predicted, truths)).reshape(2, -1)
    return seen, true


def frPyObjects(pyobj: Any, h: int, w: int) -> Any:
    """Run lengths of polygons, boxes or lists of counts, drawn as pycocotools draws them.

    Parameters
    ----------
    pyobj : list, ndarray or mapping
        A box, a polygon ``[x1, y1, x2, y2, …]``, counts with a size, or several of one kind.
    h, w : int
        Height and width of the image.

    Raises
    ------
    SchemaError
        If something cannot be drawn; names it.

    Examples
    --------
    >>> frPyObjects([[0, 0, 2, 0, 2, 1, 0, 1]], 2, 3)
    [{'size': [2, 3], 'counts': b'01102'}]
    """
    if isinstance(pyobj, Mapping):
        return _rle_of(_mask(pyobj))
    if not len(pyobj):
        return []
    if isinstance(pyobj[0], Mapping):
        return [_rle_of(_mask(one)) for one in pyobj]
    is_one = np.ndim(pyobj[0]) == 0
    try:
        drawn = _drawn([pyobj] if is_one else pyobj, h, w)
    except RowError as error:
        raise error.at(f"frPyObjects, pyobj{'' if is_one else f'[{error.row}]'}") from error
    return drawn[0] if is_one else drawn


def _drawn(outlines: Sequence[Sequence[float]], height: int, width: int) -> list[dict[str, Any]]:
    """Run lengths of boxes, which have four numbers, or of polygons."""
    rings = [_corners(*own) if len(own) == 4 else own for own in outlines]
    if min(map(len, rings)) < 6:
        raise SchemaError(f"frPyObjects: expected boxes or polygons, got {shown(outlines)}")
    given = Segmentations.of([Segmentation(POLYGONS, rings=[ring]) for ring in rings])
    try:
        sizes = np.full((len(rings), 2), (height, width), np.int64)
    except OverflowError as error:
        size = shown((height, width))
        raise SchemaError(f"frPyObjects: expected a height and a width, got {size}") from error
    runs, starts = kernels.segmentation_runs(given, np.arange(len(rings)), sizes)
    return [
        _rle(runs[first:last], height, width)
        for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    ]


def _corners(x: float, y: float, width: float, height: float) -> list[float]:
    right, bottom = x + width, y + height
    return [x, y, x, bottom, right, bottom, right, y]


def _is_list(given: Any) -> bool:
    return isinstance(given, (list, tuple))


def _of_each(given: Any, values: NDArray[Any]) -> Any:
    return values if _is_list(given) else values[0]


def _mask(rle: Rle) -> Mask:
    if not isinstance(rle, Mapping):
        raise SchemaError(f"mask: expected size and counts, got {shown(rle)}")
    return Mask.from_rle(rle)


def _lengths(rles: Sequence[Rle]) -> RunLengths:
    return RunLengths.of([_mask(one) for one in rles])


def _measures(rles: Any) -> tuple[Floats, Floats]:
    """Area of each mask and the box around it."""
    lengths = _lengths(rles if _is_list(rles) else [rles])
    areas, boxes, _ = kernels.measured(lengths.runs, lengths.rows, lengths.sizes)
    return areas, boxes


def _boxes(given: Any) -> Floats:
    boxes = np.asarray(given, np.float64)
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise SchemaError(f"iou: expected boxes of x, y, width and height, got {shown(given)}")
    return boxes


def _rle_of(mask: Mask) -> dict[str, Any]:
    return _rle(mask.runs, mask.height, mask.width)


def _rle(runs: Runs, height: int, width: int) -> dict[str, Any]:
    return {"size": [int(height), int(width)], "counts": compressed(runs).encode()}

"""Masks as run lengths, with the functions of ``pycocotools.mask``.

A run-length encoding is ``{"size": [height, width], "counts": bytes}`` with compressed counts; a
string or a list of counts is also accepted. Most functions accept one mask or a list of masks, and
return one value or one per mask.

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

from valor_core.errors import SchemaError, short_repr
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import Mask, RunLengths
from valor_core.schemas.geometry.run_lengths import Runs, compressed, encoded
from valor_detection.geometry.ious import box_ious
from valor_detection.kernels import masks as kernels
from valor_detection.kernels.row_errors import RowError, check_pixels
from valor_detection.kernels.segmentations import POLYGONS, Segmentation, Segmentations

__all__ = ["area", "decode", "encode", "frPyObjects", "iou", "merge", "toBbox"]

Rle = Mapping[str, Any]

_NO_SIZE = -1.0  # pycocotools' IoU of masks of different sizes


def encode(bimask: NDArray[Any]) -> Any:
    """Encode a mask, or several, as run lengths.

    Parameters
    ----------
    bimask : ndarray, shape (height, width) or (height, width, n)
        Nonzero pixels are inside.

    Raises
    ------
    SchemaError
        If the array has another number of dimensions.

    Examples
    --------
    >>> encode(np.array([[0, 1], [0, 1]], np.uint8))
    {'size': [2, 2], 'counts': b'22'}
    """
    pixels = np.asarray(bimask)
    if pixels.ndim not in (2, 3):
        raise SchemaError(f"encode: expected one mask or several, got {short_repr(pixels)}")
    if pixels.ndim == 2:
        return _rle(encoded(pixels != 0), *pixels.shape)
    return [encode(pixels[:, :, i]) for i in range(pixels.shape[2])]


def decode(rleObjs: Any) -> NDArray[np.uint8]:
    """Decode a mask to shape (height, width), or several to shape (height, width, n).

    Parameters
    ----------
    rleObjs : mapping or list of mapping
        Run lengths of one mask, or of several with the same size.

    Raises
    ------
    SchemaError
        If a mask is invalid, or the masks differ in size.

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
    """Return the number of pixels inside a mask, or inside each mask of a list.

    Examples
    --------
    >>> area([{"size": [2, 2], "counts": b"22"}])
    array([2], dtype=uint32)
    """
    return _of_each(rleObjs, _measures(rleObjs)[0].astype(np.uint32))


def toBbox(rleObjs: Any) -> Any:
    """Return x, y, width and height of the bounding box of a mask, or of each mask of a list.

    Examples
    --------
    >>> toBbox({"size": [2, 2], "counts": b"22"})
    array([1., 0., 1., 2.])
    """
    return _of_each(rleObjs, _measures(rleObjs)[1])


def merge(rleObjs: Sequence[Rle], intersect: bool = False) -> dict[str, Any]:
    """Merge masks to their union or intersection.

    Parameters
    ----------
    rleObjs : list
        Masks of the same size.
    intersect : bool
        If True, return the intersection instead of the union.

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
    steps = [1 - 2 * (np.arange(len(ends)) % 2) for ends in edges]  # alternately in and out
    positions, turns = np.unique(np.concatenate(edges), return_inverse=True)
    depth = np.cumsum(np.bincount(turns, np.concatenate(steps), len(positions)))
    inside = depth >= (len(masks) if intersect else 1)
    bounds = positions[np.diff(inside.astype(np.int8), prepend=0) != 0]
    bounds = bounds[bounds < height * width]
    runs = np.diff(bounds, prepend=0, append=height * width)
    return _rle(runs.astype(np.uint32), height, width)


def iou(dt: Any, gt: Any, pyiscrowd: Sequence[int]) -> Any:
    """Compute the IoU of every prediction (rows) with every ground truth (columns).

    Parameters
    ----------
    dt, gt : list of run lengths, or list or array of boxes
        Both must be of the same kind.
    pyiscrowd : sequence of bool
        Crowd flag of each ground truth. For a crowd, the IoU is the share of the prediction
        inside it.

    Returns
    -------
    ndarray of float64, shape (n_predicted, n_true), or list
        An empty list if a side is empty; -1 for masks of different sizes.

    Raises
    ------
    SchemaError
        If the number of flags differs from the number of ground truths, the sides are of different
        kinds, or an object is neither a box nor a run-length encoding.

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
    """Compute the IoU of every predicted (rows) with every true box (columns)."""
    predicted_rows, true_rows = _every_pair(len(predicted), len(truths))
    ious = box_ious(truths[true_rows], predicted[predicted_rows], is_crowd[true_rows])
    return ious.reshape(len(predicted), len(truths))


def ious_of_masks(predicted: RunLengths, truths: RunLengths, is_crowd: NDArray[np.bool_]) -> Floats:
    """Compute the IoU of every predicted (rows) with every true mask; -1 if their sizes differ."""
    predicted_rows, true_rows = _every_pair(len(predicted), len(truths))
    fits = (predicted.sizes[predicted_rows] == truths.sizes[true_rows]).all(axis=1)
    ious = np.full(len(fits), _NO_SIZE)
    true_rows, predicted_rows = true_rows[fits], predicted_rows[fits]
    ious[fits] = kernels.mask_ious(
        truths, predicted, true_rows, predicted_rows, is_crowd[true_rows]
    )
    return ious.reshape(len(predicted), len(truths))


def _every_pair(predicted: int, truths: int) -> tuple[Codes, Codes]:
    """Return the rows of all pairs; the true row changes fastest."""
    predicted_rows, true_rows = np.indices((predicted, truths)).reshape(2, -1)
    return predicted_rows, true_rows


def frPyObjects(pyobj: Any, h: int, w: int) -> Any:
    """Convert polygons, boxes or lists of counts to run lengths, as pycocotools does.

    Parameters
    ----------
    pyobj : list, ndarray or mapping
        A box, a polygon ``[x1, y1, x2, y2, …]``, counts with a size, or a list of one kind.
    h, w : int
        Height and width of the image.

    Raises
    ------
    SchemaError
        If an object cannot be rasterized.

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
    """Rasterize boxes (four numbers) or polygons."""
    rings = [_corners(*shape) if len(shape) == 4 else shape for shape in outlines]
    if min(map(len, rings)) < 6:
        raise SchemaError(f"frPyObjects: expected boxes or polygons, got {short_repr(outlines)}")
    given = Segmentations.of([Segmentation(POLYGONS, rings=[ring]) for ring in rings])
    try:
        sizes = np.full((len(rings), 2), (height, width), np.int64)
    except OverflowError as error:
        size = short_repr((height, width))
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
        raise SchemaError(f"mask: expected size and counts, got {short_repr(rle)}")
    return Mask.from_rle(rle)


def _lengths(rles: Sequence[Rle]) -> RunLengths:
    return RunLengths.of([_mask(one) for one in rles])


def _measures(rles: Any) -> tuple[Floats, Floats]:
    """Area and bounding box of each mask."""
    lengths = _lengths(rles if _is_list(rles) else [rles])
    areas, boxes, _ = kernels.measured(lengths.runs, lengths.rows, lengths.sizes)
    return areas, boxes


def _boxes(given: Any) -> Floats:
    boxes = np.asarray(given, np.float64)
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise SchemaError(f"iou: expected boxes of x, y, width and height, got {short_repr(given)}")
    return boxes


def _rle_of(mask: Mask) -> dict[str, Any]:
    return _rle(mask.runs, mask.height, mask.width)


def _rle(runs: Runs, height: int, width: int) -> dict[str, Any]:
    return {"size": [int(height), int(width)], "counts": compressed(runs).encode()}

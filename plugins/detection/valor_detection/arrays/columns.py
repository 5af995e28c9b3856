"""Conversion and validation of arrays of one image and side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, and_more, short_repr
from valor_core.schemas import Floats
from valor_core.schemas.columns import readable, widen_as_printed
from valor_core.schemas.geometry import Mask, RunLengths
from valor_core.schemas.geometry.run_lengths import encoded
from valor_core.schemas.geometry.shapes import ends
from valor_detection.kernels import masks as kernels

_EXPECTED = {
    np.floating: "numbers",
    np.float64: "numbers",
    np.int64: "whole numbers",
    np.bool_: "true or false",
}


def as_array(values: Any) -> Any:
    """Convert a tensor or list to an array; None and masked arrays are returned unchanged.

    Examples
    --------
    >>> as_array([1, 2])
    array([1, 2])
    """
    if values is None or type(values) is np.ndarray:
        return values
    values = readable(values)
    is_list = isinstance(values, (list, tuple))
    if is_list and any(issubclass(kind, np.ma.MaskedArray) for kind in set(map(type, values))):
        values = np.ma.array(values)
    if np.ma.is_masked(values):
        return values
    try:
        return np.asarray(values)
    except ValueError:  # rows of different lengths; `column` rejects them
        return np.array([*values, None], dtype=object)[:-1]


def column(values: Any, dtype: type, where: str, width: int | None = None) -> NDArray[Any]:
    """Convert values to a column of numbers or flags, or to rows of a fixed width.

    Parameters
    ----------
    values : object
        An array, a tensor or a list.
    dtype : type
        ``np.float64``, ``np.int64`` or ``np.bool_``; ``np.floating`` keeps float32 and converts
        other types to float64.
    where : str
        Location of the values in messages.
    width : int, optional
        Numbers per row; by default a column.

    Raises
    ------
    SchemaError
        If the shape or the type differs, or a value is not an integer or flag.

    Examples
    --------
    >>> column([0, 1], np.bool_, "crowd")
    array([False,  True])
    >>> column([[0.9, 0.1]], np.float64, "item 0, predictions, scores")
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: item 0, predictions, scores: expected numbers of shape (n,), got
    array of float64, shape (1, 2)
    """
    array = as_array(values)
    inner = () if width is None else (width,)
    if array is not None and array.shape[:1] == (0,) and array.size == 0:
        return np.empty((0, *inner), np.float64 if dtype is np.floating else dtype)
    if (
        array is None
        or array.ndim == 0
        or array.shape[1:] != inner
        or array.dtype.kind not in "fiub"
    ):
        if array is not None and array.dtype.kind == "O":
            _check_numbers(array, dtype, where)
        shape = "(n,)" if width is None else f"(n, {width})"
        raise SchemaError(
            f"{where}: expected {_EXPECTED[dtype]} of shape {shape}, got {short_repr(array)}"
        )
    _check_values(array, dtype, where)
    if dtype is np.floating:
        return array if array.dtype == np.float32 else widen_as_printed(array)
    found: NDArray[Any] = array.astype(dtype)
    return found


def _check_numbers(cells: NDArray[Any], dtype: type, where: str) -> None:
    """Raise a `SchemaError` for the first cell that is not a 64-bit number."""
    for position, cell in np.ndenumerate(cells):
        is_number = isinstance(cell, (int, float)) and -(2**63) <= cell < 2**63
        if not is_number and not isinstance(cell, (list, tuple, np.ndarray)):
            row = ", ".join(map(str, position))
            raise SchemaError(
                f"{where}[{row}]: expected {_EXPECTED[dtype]}, got {short_repr(cell)}"
            )


def _check_values(array: NDArray[Any], dtype: type, where: str) -> None:
    """Raise a `SchemaError` for the first value that the type cannot represent."""
    if dtype is np.bool_:
        bad = (array != 0) & (array != 1)
    elif dtype is np.int64 and array.dtype.kind in "fu":
        bad = ~((array == np.round(array)) & (np.abs(array.astype(np.float64)) < 2.0**63))
    else:
        return
    rows = np.flatnonzero(bad.reshape(len(array), -1).any(axis=1))
    if len(rows):
        raise SchemaError(
            f"{where}[{rows[0]}]: expected {_EXPECTED[dtype]}, "
            f"got {short_repr(array[rows[0]].tolist())}{and_more(len(rows) - 1)}"
        )


_THRESHOLD = 0.5  # of torchvision's and torchmetrics' masks


def thresholded(masks: Any) -> Any:
    """Remove the channel axis of a detector's masks and binarize probabilities at 0.5.

    Other arrays, and arrays with NaN, are returned unchanged; `check_masks` rejects them.

    Examples
    --------
    >>> thresholded(np.array([[[[0.2, 0.9]]]])).tolist()
    [[[False, True]]]
    """
    if masks is None or masks.dtype.kind not in "fiub":
        return masks
    if masks.ndim == 4 and masks.shape[1] == 1:
        masks = masks[:, 0]
    if masks.dtype.kind == "f" and not np.isnan(masks).any():
        return masks > _THRESHOLD
    return masks


def check_masks(masks: NDArray[Any], where: str, size: Sequence[int] | None) -> None:
    """Raise a `SchemaError` if masks are not binary, or differ in size from their image.

    Parameters
    ----------
    masks : ndarray
        The masks of one image.
    where : str
        Location of the values in messages.
    size : (int, int), optional
        Height and width of the image.

    Examples
    --------
    >>> check_masks(np.array([[[0.0, 0.25]]]), "item 0, predictions, masks", None)
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: item 0, predictions, masks[0]: expected pixels of 0 and 1,
    got 0.25
    Binarize probabilities first: masks > 0.5.
    """
    if masks.dtype == object and masks.ndim == 1 and all(isinstance(one, Mask) for one in masks):
        for row, one in enumerate(masks):
            _check_size((one.height, one.width), size, f"{where}[{row}]")
        return
    if masks.ndim != 3 or masks.dtype.kind not in "fiub":
        raise SchemaError(
            f"{where}: expected numbers of shape (n, height, width), got {short_repr(masks)}"
        )
    _check_size(masks.shape[1:], size, where)
    if masks.dtype.kind == "f":
        _check_hard(masks, where)


def _check_size(found: Sequence[int], size: Sequence[int] | None, where: str) -> None:
    if size is not None and tuple(found) != tuple(size):
        raise SchemaError(
            f"{where}: expected {size[0]} by {size[1]} pixels as in sizes, got {found[0]} by "
            f"{found[1]}"
        )


def _check_hard(masks: NDArray[Any], where: str) -> None:
    soft = (masks != 0) & (masks != 1)
    if soft.any():
        row = int(np.flatnonzero(soft.any(axis=(1, 2)))[0])
        raise SchemaError(
            f"{where}[{row}]: expected pixels of 0 and 1, "
            f"got {short_repr(masks[row][soft[row]][0].item())}",
            "Binarize probabilities first: masks > 0.5.",
        )


def run_lengths(stacks: Sequence[NDArray[Any]]) -> RunLengths:
    """Encode masks of several images, arrays or `Mask` objects; nonzero pixels are inside.

    Examples
    --------
    >>> run_lengths([np.array([[[0, 1]]])]).sizes
    array([[1, 2]])
    """
    each = [mask for masks in stacks for mask in masks]
    runs = [mask.runs if isinstance(mask, Mask) else encoded(mask != 0) for mask in each]
    sizes = [(m.height, m.width) if isinstance(m, Mask) else m.shape for m in each]
    return RunLengths(
        np.concatenate([np.empty(0, np.uint32), *runs]),
        ends([len(lengths) for lengths in runs]),
        np.array(sizes, np.int64).reshape(-1, 2),
    )


def boxes_around(masks: RunLengths) -> Floats:
    """Return the bounding box (x, y, width, height) of each mask."""
    found: Floats = kernels.measured(masks.runs, masks.rows, masks.sizes)[1]
    return found

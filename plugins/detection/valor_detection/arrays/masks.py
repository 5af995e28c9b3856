"""Arrays of masks: the pixels of an image's objects, and the run lengths that they become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, shown
from valor_core.schemas import Floats
from valor_core.schemas.geometry import RunLengths, encoded, ends
from valor_detection.kernels.masks import measured

_THRESHOLD = 0.5  # of torchvision's and torchmetrics' masks


def thresholded(masks: Any) -> Any:
    """Masks of a detector without their axis of channels, shares above 0.5 being inside.

    What is not such an array stays, for `check_masks` to see to; so do shares that are no number.

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


def check_masks(masks: NDArray[Any], place: str, size: Sequence[int] | None) -> None:
    """Raise a `SchemaError` if masks are no pixels, or not of the size of their image.

    Parameters
    ----------
    masks : ndarray
        The masks of one image.
    place : str
        How a message calls them.
    size : (int, int), optional
        Height and width of the image.

    Examples
    --------
    >>> check_masks(np.array([[[0.0, 0.25]]]), "item 0, predictions, masks", None)
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: item 0, predictions, masks[0]: expected pixels of 0 and 1,
    got 0.25
    Cut what is a probability first: masks > 0.5.
    """
    if masks.ndim != 3 or masks.dtype.kind not in "fiub":
        raise SchemaError(
            f"{place}: expected numbers of shape (n, height, width), got {shown(masks)}"
        )
    height, width = masks.shape[1:]
    if size is not None and (height, width) != tuple(size):
        raise SchemaError(
            f"{place}: expected {size[0]} by {size[1]} pixels, as sizes say, "
            f"got {height} by {width}"
        )
    if masks.dtype.kind == "f":
        _check_hard(masks, place)


def _check_hard(masks: NDArray[Any], place: str) -> None:
    soft = (masks != 0) & (masks != 1)
    if soft.any():
        row = int(np.flatnonzero(soft.any(axis=(1, 2)))[0])
        raise SchemaError(
            f"{place}[{row}]: expected pixels of 0 and 1, "
            f"got {shown(masks[row][soft[row]][0].item())}",
            "Cut what is a probability first: masks > 0.5.",
        )


def run_lengths(stacks: Sequence[NDArray[Any]]) -> RunLengths:
    """Run lengths of the masks of several images; what is not 0 is inside.

    Examples
    --------
    >>> run_lengths([np.array([[[0, 1]]])]).sizes
    array([[1, 2]])
    """
    runs = [encoded(mask != 0) for masks in stacks for mask in masks]
    sizes = [masks.shape[1:] for masks in stacks for _ in masks]
    return RunLengths(
        np.concatenate([np.empty(0, np.uint32), *runs]),
        ends([len(own) for own in runs]),
        np.array(sizes, np.int64).reshape(-1, 2),
    )


def boxes_around(masks: RunLengths) -> Floats:
    """x, y, width and height of the box around the pixels of each mask."""
    found: Floats = measured(masks.runs, masks.rows, masks.sizes)[1]
    return found

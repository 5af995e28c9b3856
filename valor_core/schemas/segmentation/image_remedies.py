"""Remedies for arrays that are no image of whole numbers: how to make one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_BACKGROUND = "0 is then background, unless it has a name: {0: …}."

MASKS = "Give Segmentation a mask for each label: {'cat': mask, 'dog': mask}."
"""The remedy for images of true and false that belong to several labels."""


def remedy_for(array: NDArray[Any]) -> str | None:
    """How to make an image of whole numbers of an array that is none; None where nobody knows.

    Examples
    --------
    >>> print(remedy_for(np.full((3, 4, 5), 0.5)))
    Take the label of each pixel, scores.argmax(axis=-3); 0 is then background, unless it has a \
name: {0: …}.
    >>> remedy_for(np.ones((2, 2)))
    'Make whole numbers of them: image.astype(int).'
    """
    kind = array.dtype.kind
    if array.ndim == 2 and kind == "f":
        return _of_floats(array)
    if array.ndim != 3 or kind not in "fiub" or not array.size:
        return None
    axis = -3 if array.shape[0] <= array.shape[2] else -1
    if array.shape[axis] == 1:
        level = " >= 0.5" if kind == "f" and not _are_whole(array) else ""
        return f"Leave out the axis of length 1: image.squeeze(axis={axis}){level}."
    if kind == "f":
        return f"Take the label of each pixel, scores.argmax(axis={axis}); {_BACKGROUND}"
    if array.min() >= 0 and array.max() <= 1:
        return _of_masks(array)
    if array.shape[2] in (3, 4):
        return "Give the number of a label, not a color; the reader png has a palette."
    return None


def _of_floats(array: NDArray[Any]) -> str:
    if _are_whole(array):
        return "Make whole numbers of them: image.astype(int)."
    return (
        "Make labels of scores: scores.argmax over the axis of the classes, or scores >= 0.5 where "
        "there is one label."
    )


def _of_masks(masks: NDArray[Any]) -> str:
    for axis in (-3, -1):
        if bool((masks.sum(axis=axis) == 1).all()):
            return f"Take the label of each pixel, masks.argmax(axis={axis}); {_BACKGROUND}"
    return MASKS


def _are_whole(array: NDArray[Any]) -> bool:
    return bool((np.isfinite(array) & (array == np.rint(array))).all())

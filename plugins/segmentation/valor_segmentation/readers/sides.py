"""Sides: true and predicted label images in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas import check_not_masked, readable
from valor_core.schemas.segmentation import SegmentationBatch
from valor_segmentation.readers.in_memory import from_arrays

_FILL = (
    "Fill them: image.filled(255). If such pixels do not count: "
    "from_arrays(groundtruths, predictions, labels=NAMES, ignore=255)."
)


def label_images(groundtruths: Any, predictions: Any) -> SegmentationBatch | None:
    """Stacks or lists of label images, whose labels are called by their values.

    Examples
    --------
    >>> batch = label_images([[[0, 1], [1, 1]]], [[[0, 1], [0, 1]]])
    >>> [label.value for label in batch.labels]
    ['0', '1']
    >>> label_images([0, 1], [0, 1]) is None
    True
    """
    sides = [_images(groundtruths, "groundtruths"), _images(predictions, "predictions")]
    images = [image for side in sides for image in side or ()]
    if None in sides or not images:
        return None
    values = {value for image in images for value in np.unique(image).tolist()}
    names = {value: str(value) for value in sorted(values)}
    return from_arrays(sides[0], sides[1], labels=names)


def _images(side: Any, name: str) -> Sequence[NDArray[Any]] | None:
    """The images of a side, each of whole numbers in two dimensions; None if they are none.

    Raise a `SchemaError` if one has masked pixels.
    """
    if not isinstance(side, (list, tuple)) and len(getattr(side, "shape", ())) != 3:
        return None
    try:
        given = [readable(image) for image in side]
        images = [np.asarray(image) for image in given]
    except (ValueError, TypeError):
        return None
    are_images = all(image.ndim == 2 and image.dtype.kind in "iub" for image in images)
    if not are_images:
        return None
    for i, image in enumerate(given):
        check_not_masked(image, f"{name}[{i}]", _FILL)
    return images

"""Settings of an evaluation, under the names that pycocotools gives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from valor_core.errors import ConfigError, shown
from valor_core.schemas import Codes


class Params:
    """What `COCOeval` evaluates; each can be set.

    Parameters
    ----------
    iouType : {"bbox", "segm"}
        What is compared.

    Attributes
    ----------
    imgIds, catIds : sequence of int
        Images and categories that take part.
    iouThrs, recThrs : sequence of float
        IoU thresholds, and recalls at which precisions are read.
    maxDets : sequence of int
        Most detections of a category that count in an image.
    areaRng, areaRngLbl : sequence of (float, float), sequence of str
        Ranges of areas in square pixels, and their names.
    useCats : int
        Whether detections match ground truths of their own category only.

    Raises
    ------
    ConfigError
        If something else is to be compared.

    Examples
    --------
    >>> Params("bbox").maxDets
    [1, 10, 100]
    """

    def __init__(self, iouType: str = "segm") -> None:  # noqa: N803
        check_type(iouType)
        self.iouType = iouType
        self.imgIds: Sequence[Any] = []
        self.catIds: Sequence[Any] = []
        self.iouThrs: Any = np.linspace(0.5, 0.95, 10)
        self.recThrs: Any = np.linspace(0.0, 1.0, 101)
        self.maxDets: Sequence[int] = [1, 10, 100]
        self.areaRng: Sequence[Sequence[float]] = [
            [0, 1e5**2],
            [0, 32**2],
            [32**2, 96**2],
            [96**2, 1e5**2],
        ]
        self.areaRngLbl: Sequence[str] = ["all", "small", "medium", "large"]
        self.useCats: int | bool = 1
        self.useSegm: int | None = None


def ids(values: Any, name: str) -> Codes:
    """Ids of images or categories as a column.

    Raises
    ------
    ConfigError
        If one is no whole number of 64 bits.

    Examples
    --------
    >>> ids([1, 2**63], "imgIds")
    Traceback (most recent call last):
        ...
    valor_core.errors.ConfigError: imgIds: expected whole numbers of 64 bits, got [1,
    9223372036854775808]
    """
    try:
        return np.asarray(values, np.int64)
    except (OverflowError, TypeError, ValueError) as error:
        plain = [value.item() if isinstance(value, np.generic) else value for value in values]
        raise ConfigError(
            f"{name}: expected whole numbers of 64 bits, got {shown(plain)}"
        ) from error


def check_type(iou_type: str) -> None:
    """Raise a `ConfigError` unless boxes or masks are to be compared."""
    if iou_type == "keypoints":
        raise ConfigError(
            "iouType: keypoints come in a later release, got 'keypoints'",
            'Compare boxes with iouType="bbox" or masks with iouType="segm".',
        )
    if iou_type not in ("bbox", "segm"):
        raise ConfigError(f"iouType: expected 'bbox' or 'segm', got {shown(iou_type)}")

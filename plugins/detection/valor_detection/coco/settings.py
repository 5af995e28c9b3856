"""Settings of an evaluation, with the names of pycocotools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from valor_core.errors import ConfigError, short_repr
from valor_core.schemas import Codes


class Params:
    """Settings of `COCOeval`; each can be set.

    Parameters
    ----------
    iouType : {"bbox", "segm"}
        Kind of shape to compare: boxes or masks.

    Attributes
    ----------
    imgIds, catIds : sequence of int
        Ids of the evaluated images and categories.
    iouThrs, recThrs : sequence of float
        IoU thresholds, and recalls at which precisions are sampled.
    maxDets : sequence of int
        Maximum number of detections per image and category.
    areaRng, areaRngLbl : sequence of (float, float), sequence of str
        Ranges of areas in square pixels, and their names.
    useCats : int
        1 if detections match only ground truths of the same category, 0 for all categories.

    Raises
    ------
    ConfigError
        If `iouType` is not supported.

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
    """Convert ids of images or categories to an array.

    Raises
    ------
    ConfigError
        If an id is not a 64-bit integer.

    Examples
    --------
    >>> ids([1, 2**63], "imgIds")
    Traceback (most recent call last):
        ...
    valor_core.errors.ConfigError: imgIds: expected 64-bit integers, got [1, 9223372036854775808]
    """
    try:
        return np.asarray(values, np.int64)
    except (OverflowError, TypeError, ValueError) as error:
        numbers = [value.item() if isinstance(value, np.generic) else value for value in values]
        raise ConfigError(f"{name}: expected 64-bit integers, got {short_repr(numbers)}") from error


def check_type(iou_type: str) -> None:
    """Raise a `ConfigError` if `iou_type` is not ``"bbox"`` or ``"segm"``."""
    if iou_type == "keypoints":
        raise ConfigError(
            "iouType: keypoints come in a later release, got 'keypoints'",
            'Compare boxes with iouType="bbox" or masks with iouType="segm".',
        )
    if iou_type not in ("bbox", "segm"):
        raise ConfigError(f"iouType: expected 'bbox' or 'segm', got {short_repr(iou_type)}")

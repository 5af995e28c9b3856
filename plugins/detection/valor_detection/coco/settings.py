"""Settings of an evaluation, with the names of pycocotools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from valor_core.errors import ConfigError, short_repr
from valor_core.schemas import Codes
from valor_detection.matching.overlap.oks import COCO_SIGMAS
from valor_detection.matching.protocols import KEYPOINT_MAX_DETECTIONS


class Params:
    """Settings of `COCOeval`; each can be set.

    Parameters
    ----------
    iouType : {"bbox", "segm", "keypoints"}
        Kind of objects to compare: boxes, masks or keypoints.

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
    kpt_oks_sigmas : ndarray of float64
        Standard deviation of each keypoint. Only for keypoints.

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
        if iouType == "keypoints":
            self.maxDets = [KEYPOINT_MAX_DETECTIONS]
            self.areaRng = [self.areaRng[0], *self.areaRng[2:]]
            self.areaRngLbl = [self.areaRngLbl[0], *self.areaRngLbl[2:]]
            self.kpt_oks_sigmas: Any = np.array(COCO_SIGMAS)


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


def given_sigmas(chosen: Params) -> tuple[float, ...]:
    """Return the standard deviations of the keypoints.

    Raises
    ------
    ConfigError
        If they are not numbers above 0.

    Examples
    --------
    >>> given_sigmas(Params("keypoints"))[:2]
    (0.026000000000000002, 0.025)
    """
    sigmas = np.asarray(chosen.kpt_oks_sigmas, np.float64)
    if sigmas.ndim != 1 or not len(sigmas) or not (sigmas > 0).all() or np.isinf(sigmas).any():
        raise ConfigError(f"kpt_oks_sigmas: expected numbers above 0, got {short_repr(sigmas)}")
    return tuple(sigmas.tolist())


def check_type(iou_type: str) -> None:
    """Raise a `ConfigError` if `iou_type` is not ``"bbox"``, ``"segm"`` or ``"keypoints"``."""
    if iou_type not in ("bbox", "segm", "keypoints"):
        raise ConfigError(
            f"iouType: expected 'bbox', 'segm' or 'keypoints', got {short_repr(iou_type)}"
        )

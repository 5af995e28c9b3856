"""Matching rules, and the numbers that each rule defines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen

from valor_core.schemas import Codes, Floats
from valor_core.states.memo import memoized
from valor_detection.kernels import matching as kernels
from valor_detection.parameters.fields import COCO_AREAS, COCO_IOUS, Rule

if TYPE_CHECKING:
    from valor_detection.matching.table import Table

AreaRange = tuple[float, float]

EVERYTHING: AreaRange = (0.0, math.inf)
"""Area range that includes every object."""

COCO_MAX_DETECTIONS = 100

ALMOST_ONE = 1 - 1e-10
"""Greatest IoU that pycocotools requires."""

RECALLS: tuple[float, ...] = tuple(i / 100 for i in range(101))
"""Recalls 0, 0.01 … 1 as decimals."""

_ROUNDED = np.linspace(0, 1, 101)
_AS_PYCOCOTOOLS = dict(zip(COCO_IOUS, np.linspace(0.5, 0.95, 10).tolist(), strict=True))


@frozen
class Bounds:
    """Limits for parameters that a metric does not set.

    Parameters
    ----------
    area_range : (float, float)
        Range of areas, in square pixels.
    max_detections : int, optional
        Maximum number of predictions of a label in an image. None for all.
    """

    area_range: AreaRange = EVERYTHING
    max_detections: int | None = None


NO_BOUNDS = Bounds()
"""No limits."""


def average_bounds(rule: Rule) -> Bounds:
    """Return the limits of average precision and recall: those of pycocotools under ``coco``.

    Examples
    --------
    >>> average_bounds("coco")
    Bounds(area_range=(0.0, 10000000000.0), max_detections=100)
    """
    return Bounds(COCO_AREAS["all"], COCO_MAX_DETECTIONS) if rule == "coco" else NO_BOUNDS


def iou_limits(thresholds: Sequence[float], rule: Rule) -> Floats:
    """Return the values that IoUs are compared with under a rule.

    Under ``coco`` they are the thresholds of ``numpy.linspace``, whose 0.9 is slightly less, and at
    most `ALMOST_ONE`, as in pycocotools.

    Examples
    --------
    >>> iou_limits((0.5, 0.9), "coco").tolist(), iou_limits((0.5, 0.9), "valor").tolist()
    ([0.5, 0.8999999999999999], [0.5, 0.9])
    """
    if rule != "coco":
        return np.array(thresholds, np.float64)
    limits = [min(_AS_PYCOCOTOOLS.get(value, value), ALMOST_ONE) for value in thresholds]
    return np.array(limits, np.float64)


def needed(positives: Codes, rule: Rule) -> Codes:
    """Return the true positives needed for each of COCO's 101 recalls, by group.

    Parameters
    ----------
    positives : ndarray of int64, shape (k,)
        Ground truths of each group.
    rule : str
        Under ``coco``, recalls are the doubles of ``numpy.linspace`` and quotients are rounded, as
        in pycocotools, which needs one more true positive at ten of them. Otherwise the comparison
        is exact.

    Returns
    -------
    ndarray of int64, shape (k, 101)
        Ascending. Column 0 is 0.

    Examples
    --------
    >>> needed(np.array([100]), "valor")[0, 35], needed(np.array([100]), "coco")[0, 35]
    (np.int64(35), np.int64(36))
    """
    return kernels.needed(positives, _ROUNDED if rule == "coco" else None)


def reaching(positives: Codes, recalls: Floats) -> Codes:
    """Return the true positives needed for given recalls, by group, as pycocotools counts them.

    Parameters
    ----------
    positives : ndarray of int64, shape (k,)
        Ground truths of each group.
    recalls : ndarray of float64, shape (r,)
        Recalls, compared with rounded quotients.

    Returns
    -------
    ndarray of int64, shape (k, r)
        More than the size of the group for recalls above 1.

    Examples
    --------
    >>> reaching(np.array([3]), np.array([0.0, 0.5, 1.5])).tolist()
    [[0, 2, 5]]
    """
    count = np.maximum(positives, 1.0)[:, None]
    least = np.ceil(recalls * count)
    least -= (least - 1) / count >= recalls  # rounding shifts them by at most one
    least += least / count < recalls
    return np.maximum(least, 0.0).astype(np.int64)


@memoized
def cut_warning(table: Table, most: int) -> str | None:
    """Return a warning for labels with more ground truths in an image than counted predictions.

    Detectors that emit hundreds of boxes of low score exceed the limit in ordinary data. The
    warning is for images in which even perfect predictions could not find every ground truth.

    Parameters
    ----------
    table : Table
        Objects and pairs.
    most : int
        Maximum number of predictions of a label in an image.
    """
    if table.weights is not None:  # the warning is for the table of all images
        return None
    chunk, labels = table.objects, len(table.labels)
    cut = np.flatnonzero(table.ranks >= most)
    if not len(cut):
        return None
    groups = np.unique(chunk.datums[cut] * labels + chunk.labels[cut])
    true_groups = (chunk.true_datums * labels + chunk.true_labels)[~chunk.crowd]
    found, counts = np.unique(true_groups[np.isin(true_groups, groups)], return_counts=True)
    full = np.flatnonzero(counts > most)
    if not len(full):
        return None
    images = np.unique(found[full] // labels)
    image, label = divmod(int(found[full[0]]), labels)
    uid = chunk.uids[image : image + 1].tolist()[0]
    nouns = "1 image has" if len(images) == 1 else f"{len(images):,} images have"
    return (
        f"{nouns} more than {most} ground truths and predictions of a label (first: image {uid!r}, "
        f"{counts[full[0]]:,} of {table.labels[label].value!r}), of which COCO's AP and AR count "
        f"the {most} best-scored predictions. To count all, use mAPAveragedOverIOUs, mAP, AP, AR "
        "or mAR with max_detections: 1000"
    )

"""Similarity of keypoints, as pycocotools computes it."""

from __future__ import annotations

import numpy as np

from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry.shapes import ends
from valor_detection.kernels.columns import KeypointColumns, TrueKeypoints


def oks_pairs(
    true_side: KeypointColumns, of: TrueKeypoints, side: KeypointColumns, lowest: float
) -> tuple[Codes, Codes, Floats]:
    """Compute the object keypoint similarity (OKS) of predictions and ground truths of an image.

    The OKS is the mean of exp(-d² / (2 variance area)) over the labelled points, where d is the
    distance of a predicted point from the true one. For a ground truth without labelled points, the
    mean is over all points, and d is the distance from a box of three times the width and height.

    Parameters
    ----------
    true_side, side : KeypointColumns
        Ground truths and predictions. Objects of a group have the same number of points.
    of : TrueKeypoints
        Boxes and areas of the ground truths, and variances of the points of each group.
    lowest : float
        Minimum OKS.

    Returns
    -------
    starts : ndarray of int64, shape (n_predictions + 1,)
        Offsets of the pairs of each prediction, and the number of pairs.
    truths : ndarray of int64, shape (n,)
        Rows of the ground truths, ascending within a prediction.
    oks : ndarray of float64, shape (n,)
        Similarities, at least `lowest` and above 0, equal to pycocotools bit by bit.

    References
    ----------
    .. [1] pycocotools, ``COCOeval.computeOks``.

    Examples
    --------
    >>> zero, rows = np.zeros(1, np.int64), np.array([0, 1])
    >>> true = KeypointColumns(zero, zero, np.array([[1.0, 1, 2]]), rows)
    >>> predicted = KeypointColumns(zero, zero, np.array([[1.0, 3, 2]]), rows)
    >>> of = TrueKeypoints(np.array([[0.0, 0, 2, 2]]), np.array([4.0]), np.array([0.5]), rows)
    >>> starts, truths, oks = oks_pairs(true, of, predicted, 0.0)
    >>> starts, truths, oks.round(6)  # exp(-2² / (2 · 0.5 · 4))
    (array([0, 1]), array([0]), array([0.367879]))
    """
    pairs = [
        (row, truth)
        for row, (datum, group) in enumerate(zip(side.datums, side.groups, strict=True))
        for truth in range(*np.searchsorted(true_side.datums, (datum, datum + 1)))
        if true_side.groups[truth] == group
    ]
    rows, truths = np.array(pairs, np.int64).reshape(-1, 2).T
    oks = np.array(
        [
            _oks(
                _points(true_side, truth, of),
                _points(side, row, of),
                *_of(of, truth, side.groups[row]),
            )
            for row, truth in pairs
        ]
    )
    kept = (oks > 0) & (oks >= lowest)
    return ends(np.bincount(rows[kept], minlength=len(side.datums))), truths[kept], oks[kept]


def point_boxes(points: Floats, starts: Codes, counts: Codes) -> Floats:
    """Compute the box around the points of each row.

    Parameters
    ----------
    points : ndarray of float64, shape (n_points, 3)
        x, y and visibility.
    starts, counts : ndarray of int64, shape (n,)
        Offset of the first point of each row, and its number of points, at least 1.

    Returns
    -------
    ndarray of float64, shape (n, 4)
        x, y, width and height.

    Examples
    --------
    >>> point_boxes(np.array([[1.0, 5, 2], [4, 3, 0]]), np.array([0]), np.array([2]))
    array([[1., 3., 3., 2.]])
    """
    boxes = np.empty((len(starts), 4))
    for box, start, count in zip(boxes, starts, counts, strict=True):
        own = points[start : start + count, :2]
        box[:2], box[2:] = own.min(axis=0), own.max(axis=0) - own.min(axis=0)
    return boxes


def _points(side: KeypointColumns, row: int, of: TrueKeypoints) -> Floats:
    group, start = side.groups[row], side.rows[row]
    return side.points[start : start + of.variance_rows[group + 1] - of.variance_rows[group]]


def _of(of: TrueKeypoints, truth: int, group: int) -> tuple[Floats, float, Floats]:
    first, last = of.variance_rows[group : group + 2]
    return of.boxes[truth], float(of.areas[truth]), of.variances[first:last]


def _oks(true: Floats, predicted: Floats, box: Floats, area: float, variances: Floats) -> float:
    is_labeled = true[:, 2] > 0
    if is_labeled.any():
        across, down = (predicted - true)[:, :2].T
    else:
        is_labeled[:] = True
        (x, y), (width, height) = box[:2], box[2:]
        across = _beyond(predicted[:, 0], x - width, x + width * 2)
        down = _beyond(predicted[:, 1], y - height, y + height * 2)
    exponents = (across**2 + down**2) / variances / (area + np.spacing(1)) / 2
    return float(np.sum(np.exp(-exponents[is_labeled])) / np.count_nonzero(is_labeled))


def _beyond(values: Floats, low: float, high: float) -> Floats:
    distances: Floats = np.maximum(0, low - values) + np.maximum(0, values - high)
    return distances

"""Shared areas of pairs of convex quadrilaterals, in Python."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from valor_core.schemas import Codes, Floats
from valor_detection.kernels.columns import Flags

Point = tuple[float, float]
"""x and y."""


def quadrilateral_ious(
    true_corners: Floats,
    corners: Floats,
    true_rows: Codes,
    rows: Codes,
    crowd: Flags,
    at_least: float = 0.0,
) -> Floats:
    """Compute the IoU of pairs of convex quadrilaterals.

    The edges of the ground truth cut the prediction one after the other (Sutherland-Hodgman). The
    shared area has an absolute error below ``2**-46`` times the square of the diagonal of the
    bounding box of both, for any angles.

    Parameters
    ----------
    true_corners, corners : ndarray of float64, shapes (g, 4, 2) and (d, 4, 2)
        Corners with positive orientation: from x to y, clockwise on screen.
    true_rows, rows : ndarray of int64, shape (n,)
        Rows of each pair.
    crowd : ndarray of bool, shape (n,)
        True for pairs with a crowd, whose IoU is the share of the prediction inside.
    at_least : float
        Minimum IoU. Pairs whose areas rule it out are 0.0 and not computed.

    Returns
    -------
    ndarray of float64, shape (n,)
        IoUs from 0 to 1; 0.0 for disjoint quadrilaterals, and for those without area.

    References
    ----------
    Sutherland and Hodgman, Reentrant polygon clipping, Communications of the ACM 17 (1), 1974

    Examples
    --------
    >>> square = np.array([[[0.0, 0], [2, 0], [2, 2], [0, 2]]])
    >>> diamond = np.array([[[1.0, 0], [2, 1], [1, 2], [0, 1]]])
    >>> first = np.array([0])
    >>> quadrilateral_ious(square, diamond, first, first, np.array([False]))
    array([0.5])
    """
    ious = np.zeros(len(rows))
    for pair, (true_row, row) in enumerate(zip(true_rows.tolist(), rows.tolist(), strict=True)):
        truth = _points(true_corners[true_row], true_corners[true_row, 0])
        prediction = _points(corners[row], true_corners[true_row, 0])
        areas = _area(truth), _area(prediction)
        least = min(areas)
        if not least > 0 or not _ratio(least, *areas, crowd[pair]) >= at_least:
            continue
        shared = min(_area(_shared(truth, prediction)), least)
        if shared > 0:
            ious[pair] = _ratio(shared, *areas, crowd[pair])
    return ious


def _points(corners: Floats, origin: Floats) -> list[Point]:
    """Return corners relative to a point, which keeps precision far from the origin."""
    left, top = origin.tolist()
    return [(x - left, y - top) for x, y in corners.tolist()]


def _shared(truth: list[Point], prediction: list[Point]) -> list[Point]:
    """Return the polygon that two convex polygons share."""
    for start, end in pairwise([*truth, truth[0]]):
        prediction = _cut(prediction, start, end)
    return prediction


def _cut(corners: list[Point], start: Point, end: Point) -> list[Point]:
    """Cut off the part of a polygon to the outer side of the line from `start` to `end`.

    A crossing is on the edge between two corners, even if rounding decides on which side of the
    line they are, so nearly parallel edges change the area by rounding only.
    """
    x, y = end[0] - start[0], end[1] - start[1]
    sides = [x * (corner[1] - start[1]) - y * (corner[0] - start[0]) for corner in corners]
    kept = []
    for index, (following, following_side) in enumerate(zip(corners, sides, strict=True)):
        corner, side = corners[index - 1], sides[index - 1]
        if side < 0 < following_side or following_side < 0 < side:
            part = side / (side - following_side)
            kept.append(
                (
                    corner[0] + part * (following[0] - corner[0]),
                    corner[1] + part * (following[1] - corner[1]),
                )
            )
        if following_side >= 0:
            kept.append(following)
    return kept


def _area(corners: list[Point]) -> float:
    """Return the area of a polygon with positive orientation, as a fan around its first corner."""
    twice = 0.0
    for (x, y), (following_x, following_y) in pairwise(corners[1:]):
        first_x, first_y = corners[0]
        twice += (x - first_x) * (following_y - first_y) - (y - first_y) * (following_x - first_x)
    return twice / 2


def _ratio(shared: float, true_area: float, area: float, is_crowd: bool) -> float:
    return shared / (area if is_crowd else true_area + area - shared)

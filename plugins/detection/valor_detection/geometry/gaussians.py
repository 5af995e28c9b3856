"""Gaussians of boxes and rotated boxes, and their probabilistic IoU."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from attrs import frozen

from valor_core.errors import SchemaError, and_more
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import Shapes
from valor_core.schemas.geometry.shapes import GEOMETRY_KINDS
from valor_detection.geometry.quadrilaterals import convex_quadrilaterals

_EPSILON = 1e-7  # of Ultralytics, in denominators, logarithms and square roots
_FARTHEST = 100.0  # greatest Bhattacharyya distance of Ultralytics
_TWELFTH = 1 / 12  # variance of a uniform distribution of width 1


@frozen(eq=False)
class Gaussians:
    """Gaussian of each box: the mean and covariance of a uniform distribution in it.

    Parameters
    ----------
    centers : ndarray of float64, shape (n, 2)
        x and y of the means.
    covariances : ndarray of float64, shape (n, 3)
        Variance of x, variance of y and their covariance, in square pixels.
    """

    centers: Floats
    covariances: Floats

    @classmethod
    def of(cls, shapes: Shapes, place: Callable[[int], str] = "row {}".format) -> Gaussians:
        """Return the Gaussians of boxes, and of the least rectangles around convex outlines.

        Parameters
        ----------
        shapes : Shapes
            Boxes, rotated boxes, and convex polygons of four corners.
        place : callable
            Returns the name of a row for messages.

        Raises
        ------
        SchemaError
            If a shape is neither a box nor a convex polygon of four corners.

        Examples
        --------
        >>> from valor_core.schemas.geometry import RotatedBox
        >>> found = Gaussians.of(Shapes.of([RotatedBox(5, 5, 12, 6)]))
        >>> found.centers, found.covariances.round(9)
        (array([[5., 5.]]), array([[12.,  3.,  0.]]))
        """
        corners, is_convex = convex_quadrilaterals(shapes, np.arange(len(shapes)))
        others = np.flatnonzero(~is_convex)
        if len(others):
            kind = GEOMETRY_KINDS[shapes.kinds[others[0]]]
            raise SchemaError(
                f"{place(int(others[0]))}: expected a box or a rotated box for overlap: probiou, "
                f"got a {kind}{and_more(len(others) - 1)}",
                "Set convert_to: box to compare bounding boxes, or omit overlap.",
            )
        return cls(*_of_rectangles(corners))

    @property
    def determinants(self) -> Floats:
        """Determinants of the covariances; 0.0 for boxes without area."""
        x, y, both = self.covariances.T
        found: Floats = np.maximum(x * y - both**2, 0)
        return found


def _of_rectangles(corners: Floats) -> tuple[Floats, Floats]:
    """Return center and covariance of the least rectangle around each convex quadrilateral."""
    edges = np.roll(corners, -1, axis=1) - corners
    lengths = np.hypot(edges[..., 0], edges[..., 1])
    units = edges / np.where(lengths > 0, lengths, 1)[..., None]
    # Corners along and across each of the four edges, relative to the first corner.
    moved = corners - corners[:, :1]
    unit_x, unit_y = units[:, :, None, 0], units[:, :, None, 1]
    moved_x, moved_y = moved[:, None, :, 0], moved[:, None, :, 1]
    along, across = unit_x * moved_x + unit_y * moved_y, unit_x * moved_y - unit_y * moved_x
    sides = np.stack([np.ptp(along, axis=2), np.ptp(across, axis=2)])
    areas = np.where(lengths > 0, sides[0] * sides[1], np.inf)
    rows, best = np.arange(len(corners)), areas.argmin(axis=1)
    unit, (width, height) = units[rows, best], sides[:, rows, best]
    middles = [(one.min(axis=2) + one.max(axis=2))[rows, best] / 2 for one in (along, across)]
    normal = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
    centers = corners[:, 0] + middles[0][:, None] * unit + middles[1][:, None] * normal
    variances = (width**2 * _TWELFTH, height**2 * _TWELFTH)
    x, y = unit.T
    covariances = np.stack(
        [
            variances[0] * x**2 + variances[1] * y**2,
            variances[0] * y**2 + variances[1] * x**2,
            (variances[0] - variances[1]) * x * y,
        ],
        axis=1,
    )
    return centers, covariances


def search_boxes(true: Gaussians, predicted: Gaussians, lowest: float) -> tuple[Floats, Floats]:
    """Return boxes of both sides that overlap for all pairs of a minimum probabilistic IoU.

    The Mahalanobis distance of two centers is at least their distance in x divided by the sum of
    both standard deviations of x, and the same for y.

    Parameters
    ----------
    true, predicted : Gaussians
        Gaussians of both sides.
    lowest : float
        Minimum, above 0.

    Returns
    -------
    true_boxes, boxes : ndarray of float64, shapes (g, 4) and (d, 4)
        x, y, width and height.

    Examples
    --------
    >>> one = Gaussians(np.array([[0.0, 0.0]]), np.array([[1.0, 1.0, 0.0]]))
    >>> search_boxes(one, one, 0.5)[0].round(3)
    array([[-1.073, -1.073,  2.145,  2.145]])
    """
    determinants = np.concatenate([true.determinants, predicted.determinants])
    least = determinants.min(initial=1.0, where=determinants > 0)
    # The epsilons of Ultralytics make boxes of less than a pixel more similar.
    excess = _EPSILON / (4 * least)
    farthest = math.log1p(excess) - math.log(min(1.0, 1 + _EPSILON - (1 - lowest) ** 2))
    factor = 2 * math.sqrt(farthest * (1 + excess)) * (1 + 1e-6)
    found = []
    for side in (true, predicted):
        reach = factor * np.sqrt(side.covariances[:, :2])
        found.append(np.concatenate([side.centers - reach, 2 * reach], axis=1))
    return found[0], found[1]


def probabilistic_ious(
    true: Gaussians, predicted: Gaussians, true_rows: Codes, rows: Codes
) -> Floats:
    """Compute the probabilistic IoU of pairs: 1 minus the Hellinger distance of their Gaussians.

    It equals `probiou` of Ultralytics, with the same epsilons, so equal boxes have 0.99955.

    Parameters
    ----------
    true, predicted : Gaussians
        Gaussians of both sides.
    true_rows, rows : ndarray of int64, shape (n,)
        Rows of each pair.

    Returns
    -------
    ndarray of float64, shape (n,)
        From 0 to 1. 0.0 for boxes without area.

    References
    ----------
    Llerena et al., Gaussian Bounding Boxes and Probabilistic Intersection-over-Union for Object
    Detection, 2021, equations 7 to 11

    Examples
    --------
    >>> one = Gaussians(np.array([[0.0, 0.0]]), np.array([[1.0, 1.0, 0.0]]))
    >>> other = Gaussians(np.array([[2.0, 0.0]]), np.array([[1.0, 1.0, 0.0]]))
    >>> probabilistic_ious(one, other, np.array([0]), np.array([0])).round(4)
    array([0.3727])
    """
    x, y, both = (true.covariances[true_rows] + predicted.covariances[rows]).T
    right, down = (predicted.centers[rows] - true.centers[true_rows]).T
    areas = true.determinants[true_rows] * predicted.determinants[rows]
    area = x * y - both**2
    quadratic = x * down**2 + y * right**2 - 2 * both * right * down
    distances = quadratic / (area + _EPSILON) / 4
    distances += np.log(area / (4 * np.sqrt(areas) + _EPSILON) + _EPSILON) / 2
    coefficients = np.exp(-np.clip(distances, _EPSILON, _FARTHEST))
    ious = 1 - np.sqrt(1 - coefficients + _EPSILON)
    return np.where(areas > 0, np.maximum(ious, 0), 0)

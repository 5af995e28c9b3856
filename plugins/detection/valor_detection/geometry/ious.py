"""Overlaps of pairs of shapes: intersection over union."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError
from valor_core.schemas.arrays import Codes, Floats
from valor_core.schemas.shapes import BOX, KINDS, MASK, POLYGON, Rings, RunLengths, Shapes
from valor_core.threads import over, shares
from valor_detection.geometry import extras
from valor_detection.geometry.polygons import Geometries, to_shapely
from valor_detection.kernels.masks import mask_ious

_PAIRS_EACH = 1 << 12  # polygons, worth a thread of their own


def pair_ious(
    true: Shapes,
    predicted: Shapes,
    true_rows: Codes,
    predicted_rows: Codes,
    crowd: NDArray[np.bool_],
    at_least: float = 0.0,
) -> Floats:
    """IoU of pairs of shapes, each of two of one kind.

    Parameters
    ----------
    true, predicted : Shapes
        The shapes.
    true_rows, predicted_rows : ndarray of int64, shape (n,)
        Rows of each pair.
    crowd : ndarray of bool, shape (n,)
        Whether the true object of each pair is a crowd: the part of the prediction that lies in
        it is taken then, as COCO does.
    at_least : float
        Pairs that are certainly below it may be answered with 0.0.

    Returns
    -------
    ndarray of float64, shape (n,)
        Their IoUs; 0.0 where the shapes share no area.

    Raises
    ------
    SchemaError
        If a pair has two kinds of shapes, or masks of two sizes.
    MissingExtraError
        If there are polygons and shapely is not installed.

    Examples
    --------
    >>> from valor_core.schemas.geometry import Box
    >>> true, predicted = Shapes.of([Box(0, 0, 2, 2)]), Shapes.of([Box(0, 0, 2, 1)])
    >>> first = np.array([0])
    >>> pair_ious(true, predicted, first, first, np.array([False]))
    array([0.5])
    """
    kinds = true.kinds[true_rows]
    _check_kinds(kinds, predicted.kinds[predicted_rows])
    ious = np.zeros(len(true_rows))
    for kind in np.unique(kinds).tolist():
        some = np.flatnonzero(kinds == kind)
        rows = (true_rows[some], predicted_rows[some], crowd[some])
        if kind == BOX:
            ious[some] = box_ious(true.boxes[rows[0]], predicted.boxes[rows[1]], crowd[some])
        elif kind == POLYGON and true.rings is not None and predicted.rings is not None:
            near = box_ious(true.boxes[rows[0]], predicted.boxes[rows[1]], crowd[some]) > 0
            rows = (rows[0][near], rows[1][near], rows[2][near])
            ious[some[near]] = _polygon_ious(true.rings, predicted.rings, *rows, at_least)
        elif kind == MASK and true.masks is not None and predicted.masks is not None:
            _check_sizes(true.masks, predicted.masks, rows[0], rows[1])
            ious[some] = mask_ious(true.masks, predicted.masks, *rows, at_least)
    return ious


def _check_kinds(true: NDArray[np.uint8], predicted: NDArray[np.uint8]) -> None:
    differing = np.flatnonzero(true != predicted)
    if len(differing):
        pair = int(differing[0])
        raise SchemaError(
            f"pair {pair}: expected two shapes of one kind, "
            f"got a {KINDS[true[pair]]} and a {KINDS[predicted[pair]]}"
        )


def _check_sizes(
    true: RunLengths, predicted: RunLengths, true_rows: Codes, predicted_rows: Codes
) -> None:
    differing = (true.sizes[true_rows] != predicted.sizes[predicted_rows]).any(axis=1)
    if differing.any():
        pair = int(np.flatnonzero(differing)[0])
        sizes = (true.sizes[true_rows[pair]], predicted.sizes[predicted_rows[pair]])
        found = " and ".join(f"{height} by {width}" for height, width in sizes)
        raise SchemaError(f"pair {pair}: expected masks of one size, got {found} pixels")


def box_ious(true: Floats, predicted: Floats, crowd: NDArray[np.bool_]) -> Floats:
    """IoU of pairs of boxes, in COCO's arithmetic.

    Parameters
    ----------
    true, predicted : ndarray of float64, shape (n, 4)
        x, y, width and height.
    crowd : ndarray of bool, shape (n,)
        Whether the true box is one of a crowd.

    Examples
    --------
    >>> box = np.array([[0.0, 0.0, 2.0, 2.0]])
    >>> box_ious(box, box / 2, np.array([False])), box_ious(box, box / 2, np.array([True]))
    (array([0.25]), array([1.]))
    """
    starts = np.maximum(true[:, :2], predicted[:, :2])
    stops = np.minimum(true[:, :2] + true[:, 2:], predicted[:, :2] + predicted[:, 2:])
    sides = np.maximum(stops - starts, 0)
    areas = predicted[:, 2] * predicted[:, 3]
    return _ratio(sides[:, 0] * sides[:, 1], true[:, 2] * true[:, 3], areas, crowd)


def _ratio(both: Floats, true: Floats, predicted: Floats, crowd: NDArray[np.bool_]) -> Floats:
    """Shared area over that of the union, or of the prediction; 0.0 where nothing is shared."""
    whole = np.where(crowd, predicted, true + predicted - both)
    return np.divide(both, whole, out=np.zeros(len(both)), where=(both > 0) & (whole > 0))


def _polygon_ious(
    true: Rings,
    predicted: Rings,
    true_rows: Codes,
    predicted_rows: Codes,
    crowd: NDArray[np.bool_],
    at_least: float,
) -> Floats:
    shapely = extras.shapely("the overlap of polygons")
    truths, true_rows = _sound(true, true_rows)
    predictions, predicted_rows = _sound(predicted, predicted_rows)
    true_areas, areas = shapely.area(truths)[true_rows], shapely.area(predictions)[predicted_rows]
    highest = _ratio(np.minimum(true_areas, areas), true_areas, areas, crowd)
    wanted = np.flatnonzero(highest >= at_least)
    a, b = truths[true_rows[wanted]], predictions[predicted_rows[wanted]]
    spans = shares(np.arange(len(a) + 1), _PAIRS_EACH)
    both = np.zeros(len(true_areas))
    both[wanted] = np.concatenate(
        over(lambda i, j: shapely.area(shapely.intersection(a[i:j], b[i:j])), spans)
    )
    # Coordinates of an intersection are rounded; it is no larger than what it is part of.
    both = np.minimum(both, np.minimum(true_areas, areas))
    return _ratio(both, true_areas, areas, crowd)


def _sound(rings: Rings, rows: Codes) -> tuple[Geometries, Codes]:
    """The polygons that some rows need, each once, and which of them each row needs.

    Those that cross themselves enclose what they go around an odd number of times.
    """
    shapely = extras.shapely("the overlap of polygons")
    used, rows = np.unique(rows, return_inverse=True)
    geometries = to_shapely(rings.select(used), "the overlap of polygons")
    crossing = ~shapely.is_valid(geometries)
    if crossing.any():
        geometries[crossing] = shapely.make_valid(geometries[crossing])
    return geometries, rows

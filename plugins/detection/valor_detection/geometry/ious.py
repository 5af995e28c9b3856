"""Intersection over union of pairs of shapes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError
from valor_core.kernels import map_spans, spans_of_equal_cost
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import RunLengths, Shapes
from valor_core.schemas.geometry.shapes import BOX, MASK, POLYGON
from valor_detection.geometry.conversion import converted
from valor_detection.geometry.polygons import (
    MOST_CROSSINGS,
    Geometries,
    import_shapely,
    self_crossing,
    to_shapely,
)
from valor_detection.geometry.quadrilaterals import are_rectangles, convex_quadrilaterals
from valor_detection.kernels import masks as kernels
from valor_detection.kernels import quadrilaterals

_PAIRS_EACH = 1 << 12  # least polygon pairs per thread


def pair_ious(
    true: Shapes,
    predicted: Shapes,
    true_rows: Codes,
    predicted_rows: Codes,
    crowd: NDArray[np.bool_],
    at_least: float = 0.0,
    *,
    raised: bool = False,
) -> Floats:
    """Compute the IoU of pairs of shapes; each depends only on the two shapes.

    Shapes of different kinds are compared as the less detailed kind: mask, polygon, box. A box is
    compared with a rotated box as a polygon, which is exact.

    Parameters
    ----------
    true, predicted : Shapes
        The shapes.
    true_rows, predicted_rows : ndarray of int64, shape (n,)
        Rows of each pair.
    crowd : ndarray of bool, shape (n,)
        True for pairs with a crowd, whose IoU is the share of the prediction inside, as in COCO.
    at_least : float
        Minimum IoU. Lower IoUs may be returned as 0.0, which saves time.
    raised : bool
        If True, compare boxes with any polygons as polygons.

    Returns
    -------
    ndarray of float64, shape (n,)
        IoUs; 0.0 for disjoint shapes.

    Raises
    ------
    SchemaError
        If a pair has masks of two sizes.
    MissingExtraError
        If polygons other than convex quadrilaterals are compared and shapely is not installed.

    Examples
    --------
    >>> from valor_core.schemas.geometry import Box
    >>> true, predicted = Shapes.of([Box(0, 0, 2, 2)]), Shapes.of([Box(0, 0, 2, 1)])
    >>> first = np.array([0])
    >>> pair_ious(true, predicted, first, first, np.array([False]))
    array([0.5])
    """
    kinds = _pair_kinds(true, predicted, true_rows, predicted_rows, raised=raised)
    ious = np.zeros(len(true_rows))
    for kind in np.unique(kinds).tolist():
        pairs = np.flatnonzero(kinds == kind)
        rows = (true_rows[pairs], predicted_rows[pairs], crowd[pairs])
        if kind == BOX:
            ious[pairs] = box_ious(true.boxes[rows[0]], predicted.boxes[rows[1]], crowd[pairs])
        elif kind == POLYGON:
            near = box_ious(true.boxes[rows[0]], predicted.boxes[rows[1]], crowd[pairs]) > 0
            rows = (rows[0][near], rows[1][near], rows[2][near])
            ious[pairs[near]] = _polygon_ious(true, predicted, *rows, at_least)
        elif kind == MASK and true.masks is not None and predicted.masks is not None:
            _check_sizes(true.masks, predicted.masks, rows[0], rows[1])
            ious[pairs] = kernels.mask_ious(true.masks, predicted.masks, *rows, at_least)
    return ious


def _pair_kinds(
    true: Shapes, predicted: Shapes, true_rows: Codes, predicted_rows: Codes, *, raised: bool
) -> NDArray[np.uint8]:
    """Return the kind used to compare each pair."""
    sides = true.kinds[true_rows], predicted.kinds[predicted_rows]
    kinds: NDArray[np.uint8] = np.minimum(*sides)
    for shapes, rows, side_kinds in zip(
        (true, predicted), (true_rows, predicted_rows), sides, strict=True
    ):
        mixed = np.flatnonzero((kinds == BOX) & (side_kinds == POLYGON))
        if len(mixed) and shapes.rings is not None:
            is_exact = raised or are_rectangles(shapes.rings, rows[mixed])
            kinds[mixed] = np.where(is_exact, POLYGON, BOX)
    return kinds


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
    """Compute the IoU of pairs of boxes with COCO's arithmetic.

    Parameters
    ----------
    true, predicted : ndarray of float64, shape (n, 4)
        x, y, width and height.
    crowd : ndarray of bool, shape (n,)
        Crowd flag of the true box.

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
    """Divide the shared area by the union, or by the prediction for crowds; 0.0 if disjoint."""
    total = np.where(crowd, predicted, true + predicted - both)
    return np.divide(both, total, out=np.zeros(len(both)), where=(both > 0) & (total > 0))


def _polygon_ious(
    true: Shapes,
    predicted: Shapes,
    true_rows: Codes,
    predicted_rows: Codes,
    crowd: NDArray[np.bool_],
    at_least: float,
) -> Floats:
    """Compute IoUs of polygons: of convex quadrilaterals in a kernel, of others with shapely."""
    used, truths = np.unique(true_rows, return_inverse=True)
    true_corners, is_true_convex = convex_quadrilaterals(true, used)
    used, rows = np.unique(predicted_rows, return_inverse=True)
    corners, is_convex = convex_quadrilaterals(predicted, used)
    both = is_true_convex[truths] & is_convex[rows]
    ious = np.empty(len(true_rows))
    ious[both] = quadrilaterals.quadrilateral_ious(
        true_corners, corners, truths[both], rows[both], crowd[both], at_least
    )
    if not both.all():
        others = (true_rows[~both], predicted_rows[~both], crowd[~both])
        ious[~both] = _other_ious(true, predicted, *others, at_least)
    return ious


def _other_ious(
    true: Shapes,
    predicted: Shapes,
    true_rows: Codes,
    predicted_rows: Codes,
    crowd: NDArray[np.bool_],
    at_least: float,
) -> Floats:
    shapely = import_shapely("the overlap of polygons")
    truths, true_rows = _sound(true, true_rows)
    predictions, predicted_rows = _sound(predicted, predicted_rows)
    true_areas, areas = shapely.area(truths)[true_rows], shapely.area(predictions)[predicted_rows]
    highest = _ratio(np.minimum(true_areas, areas), true_areas, areas, crowd)
    wanted = np.flatnonzero(highest >= at_least)
    a, b = truths[true_rows[wanted]], predictions[predicted_rows[wanted]]
    spans = spans_of_equal_cost(np.arange(len(a) + 1), _PAIRS_EACH)
    both = np.zeros(len(true_areas))
    both[wanted] = np.concatenate(
        map_spans(lambda i, j: shapely.area(shapely.intersection(a[i:j], b[i:j])), spans)
    )
    # Rounded coordinates can make an intersection larger than its operands.
    both = np.minimum(both, np.minimum(true_areas, areas))
    return _ratio(both, true_areas, areas, crowd)


def _sound(shapes: Shapes, rows: Codes) -> tuple[Geometries, Codes]:
    """Return the distinct polygons of rows, and the index of each row's polygon.

    Self-crossing polygons are repaired by the even-odd rule.
    """
    shapely = import_shapely("the overlap of polygons")
    used, rows = np.unique(rows, return_inverse=True)
    if not len(used):
        return np.empty(0, object), rows
    rings = converted(shapes.select(used), POLYGON).rings
    assert rings is not None
    geometries = to_shapely(rings, "the overlap of polygons")
    crossing, tangled = self_crossing(geometries)
    if len(tangled):
        count = shapely.get_num_coordinates(geometries[tangled[0]])
        raise SchemaError(
            f"polygons: expected edges that cross at most {MOST_CROSSINGS:,} times, found more "
            f"in one of {count:,} corners",
            "Exclude it with data.invalid_geometry: skip; in Python, pass invalid_geometry.",
        )
    if len(crossing):
        geometries[crossing] = shapely.make_valid(geometries[crossing])
    return geometries, rows

"""Policies for invalid shapes.

``error`` rejects them. ``repair`` swaps inverted edges, clips to the image and splits polygons
where they cross themselves; shapes without a repair are excluded. ``skip`` excludes all invalid
shapes. ``accept`` computes with shapes as given, as pycocotools does, and rejects only those that
are not finite or inverted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import get_args

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from valor_core.errors import SchemaError, and_more, error_at
from valor_core.schemas import Codes, Floats
from valor_core.schemas.detection import Detection, DetectionBatch
from valor_core.schemas.detection.packing import CheckedShapes, ObjectPlace
from valor_core.schemas.geometry import Geometry, Shapes
from valor_detection.geometry.validity.faults import (
    EXPECTED,
    FAULTS,
    INVERTED,
    NOT_FINITE,
    Faults,
    area_faults,
    box_faults,
    geometry_words,
    object_fault,
    shape_faults,
)
from valor_detection.geometry.validity.repairs import (
    REPAIRABLE,
    in_order,
    repaired_boxes,
    repaired_geometry,
)
from valor_detection.parameters.fields import Policy, check_choice

Place = Callable[[int], str]
"""Returns the name of the annotation of a row in messages: ``item 'a', predictions[3]``."""


_ALWAYS_REJECTED = (NOT_FINITE, INVERTED)  # under error and accept


def check_policy(value: object) -> None:
    """Raise a `ParameterError` for an unknown policy.

    Examples
    --------
    >>> check_policy("ignore")
    Traceback (most recent call last):
        ...
    valor_core.errors.ParameterError: invalid_geometry: expected one of error, repair, skip, accept,
    got 'ignore'
    """
    check_choice("invalid_geometry", value, get_args(Policy))


def checked_boxes(
    boxes: Floats, sizes: Codes | None, policy: Policy, side: str, place: Place
) -> CheckedShapes:
    """Apply a policy to columns of boxes.

    Parameters
    ----------
    boxes : ndarray of float64, shape (n, 4)
        x, y, width and height.
    sizes : ndarray of int64, shape (n, 2), optional
        Height and width of each row's image; 0 where unknown.
    policy : {"error", "repair", "skip", "accept"}
        Policy for invalid boxes.
    side : str
        ``groundtruths`` or ``predictions``, for the counts.
    place : callable
        Returns the name of the annotation of a row in messages.

    Raises
    ------
    SchemaError
        If a box is rejected.

    Examples
    --------
    >>> boxes = np.array([[0, 0, 2, 1], [3, 1, -2, 1], [1, 1, 0, 0]], float)
    >>> found = checked_boxes(boxes, None, "repair", "predictions", "predictions[{}]".format)
    >>> found.shapes.boxes.tolist()
    [[0.0, 0.0, 2.0, 1.0], [1.0, 1.0, 2.0, 1.0]]
    >>> found.counts
    {'predictions left out: zero area': 1, 'predictions repaired: inverted': 1}
    """
    boxes = np.asarray(boxes, np.float64).reshape(-1, 4)
    faults = box_faults(boxes, sizes)
    _reject(faults, policy, place, lambda row: _edges(boxes[row]))
    if policy == "accept" or not faults.any():
        return CheckedShapes(np.arange(len(boxes)), Shapes(boxes))
    kept = faults == 0
    if policy == "repair":
        repaired = repaired_boxes(boxes, sizes)
        kept = kept | np.isin(faults, REPAIRABLE) & (box_faults(repaired, None) == 0)
        boxes = np.where((faults == 0)[:, None], boxes, repaired)
    rows = np.flatnonzero(kept)
    return CheckedShapes(rows, Shapes(boxes[rows]), _counts(side, faults, kept), faults[rows] > 0)


def _edges(box: Floats) -> str:
    x, y, width, height = box.tolist()
    return f"{x:g}, {y:g}, {x + width:g}, {y + height:g}"


def _counts(side: str, faults: Faults, kept: NDArray[np.bool_]) -> dict[str, int]:
    """Count excluded and repaired shapes by fault."""
    return _named(f"{side} left out", faults[~kept]) | _named(f"{side} repaired", faults[kept])


def _named(what: str, faults: Faults) -> dict[str, int]:
    counts = Counter(faults.tolist())
    return {f"{what}: {FAULTS[code]}": counts[code] for code in sorted(counts) if code}


def _reject(faults: Faults, policy: Policy, place: Place, found: Callable[[int], str]) -> None:
    if policy not in ("error", "accept"):
        return
    rejected: NDArray[np.bool_] = (
        faults > 0 if policy == "error" else np.isin(faults, _ALWAYS_REJECTED)
    )
    rows = np.flatnonzero(rejected)
    if not len(rows):
        return
    row = int(rows[0])
    fault = int(faults[row])
    policies = ["repair", "skip"] + ["accept"] * (fault not in _ALWAYS_REJECTED)
    raise SchemaError(
        f"{place(row)}: expected a shape {EXPECTED[fault]}, got {found(row)}"
        f"{and_more(len(rows) - 1)}",
        f"Correct it, or set data.invalid_geometry: {' | '.join(policies)}; in Python, pass "
        "invalid_geometry to batch_of, from_arrays or evaluate_detection.",
    )


def checked_shapes(
    shapes: Shapes, sizes: Codes | None, policy: Policy, side: str, place: Place
) -> CheckedShapes:
    """Apply a policy to columns of shapes; polygons and masks have to be finite.

    Parameters
    ----------
    shapes : Shapes
        The shapes.
    sizes, policy, side, place
        As in `checked_boxes`.

    Raises
    ------
    SchemaError
        If a shape is rejected.
    MissingExtraError
        If a polygon needs shapely, which is not installed.

    Examples
    --------
    >>> from valor_core.schemas.geometry import Polygon
    >>> bow = Shapes.of([Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])])
    >>> found = checked_shapes(bow, None, "repair", "predictions", "predictions[{}]".format)
    >>> found.shapes.areas, found.counts
    (array([2.]), {'predictions repaired: self-crossing': 1})
    """
    if shapes.only_boxes:
        return checked_boxes(shapes.boxes, sizes, policy, side, place)
    faults = area_faults(shapes) if policy == "accept" else shape_faults(shapes, sizes, place)
    _reject(faults, policy, place, lambda row: geometry_words(shapes.at(row)))
    if not faults.any():
        return CheckedShapes(np.arange(len(shapes)), shapes)
    if policy == "repair":
        return _repaired(list(shapes), faults, sizes, side, place)
    kept = faults == 0
    rows = np.flatnonzero(kept)
    return CheckedShapes(rows, shapes.select(rows), _counts(side, faults, kept))


def _repaired(
    geometries: Sequence[Geometry],
    faults: Faults,
    sizes: Codes | None,
    side: str,
    place: Place,
) -> CheckedShapes:
    found: list[Geometry | None] = list(geometries)
    image_sizes = _image_sizes(sizes, len(geometries))
    for row in np.flatnonzero(faults).tolist():
        with error_at(f"{place(row)}: "):
            found[row] = repaired_geometry(geometries[row], image_sizes[row])
    kept = np.array([geometry is not None for geometry in found], dtype=bool)
    shapes = Shapes.of([geometry for geometry in found if geometry is not None])
    counts = _counts(side, faults, kept)
    return CheckedShapes(np.flatnonzero(kept), shapes, counts, faults[kept] > 0)


def _image_sizes(sizes: Codes | None, count: int) -> list[tuple[int, int] | None]:
    if sizes is None:
        return [None] * count
    return [(high, wide) if high > 0 and wide > 0 else None for high, wide in sizes.tolist()]


def checked_geometries(
    geometries: Sequence[Geometry], sizes: Codes | None, policy: Policy, side: str, place: Place
) -> CheckedShapes:
    """Apply a policy to geometry objects and convert them to columns.

    Parameters
    ----------
    geometries : sequence of Geometry
        The geometries.
    sizes, policy, side, place
        As in `checked_boxes`.

    Raises
    ------
    SchemaError
        If a geometry is rejected.
    MissingExtraError
        If a polygon needs shapely, which is not installed.

    Examples
    --------
    >>> import math
    >>> from valor_core.schemas.geometry import Box
    >>> boxes = [Box(0, 0, 2, 1), Box(0, 0, math.nan, 1)]
    >>> found = checked_geometries(boxes, None, "skip", "predictions", "predictions[{}]".format)
    >>> list(found.shapes), found.counts
    ([Box(xmin=0.0, ymin=0.0, xmax=2.0, ymax=1.0)], {'predictions left out: not finite': 1})
    >>> checked_geometries(boxes, None, "error", "predictions", "predictions[{}]".format)
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: predictions[1]: expected a shape with finite coordinates and
    area, got a box 0, 0, nan, 1
    Correct it, or set data.invalid_geometry: repair | skip; in Python, pass invalid_geometry to
    batch_of, from_arrays or evaluate_detection.
    """
    raw = np.array([object_fault(geometry) for geometry in geometries], np.uint8)
    _reject(raw, policy, place, lambda row: geometry_words(geometries[row]))
    packed = raw == 0 if policy == "skip" else raw != NOT_FINITE
    rows = np.flatnonzero(packed)
    row_sizes = None if sizes is None else sizes[rows]
    ordered = [in_order(geometries[row]) for row in rows.tolist()]
    shapes = Shapes.of(ordered)

    def of_row(row: int) -> str:
        return place(int(rows[row]))

    if policy == "repair":
        faults = shape_faults(shapes, row_sizes, of_row)
        faults = np.where(raw[rows] > 0, raw[rows], faults)
        found = _repaired(ordered, faults, row_sizes, side, of_row)
    else:
        found = checked_shapes(shapes, row_sizes, policy, side, of_row)
    counts = Counter(_named(f"{side} left out", raw[~packed]))
    counts.update(found.counts)
    return evolve(found, kept=rows[found.kept], counts=dict(counts))


def batch_of(
    items: Iterable[Detection],
    invalid_geometry: Policy = "error",
    place: ObjectPlace | None = None,
) -> DetectionBatch:
    """Build a batch of items; reject, repair or exclude invalid geometries.

    Parameters
    ----------
    items : iterable of Detection
        The images.
    invalid_geometry : {"error", "repair", "skip", "accept"}
        Policy for geometries that are empty, self-crossing, inverted, not finite, or outside of an
        image of known size. The report counts excluded and repaired geometries.
    place : callable, optional
        As in `DetectionBatch.of`.

    Raises
    ------
    SchemaError
        If a geometry is rejected.
    ParameterError
        If `invalid_geometry` is unknown.
    MissingExtraError
        If a polygon needs shapely, which is not installed.

    Examples
    --------
    >>> from valor_core.schemas.detection import PredictedObject
    >>> from valor_core.schemas.geometry import Mask
    >>> nothing = PredictedObject({"dog": 0.75}, Mask.of([[0, 0]]))
    >>> batch_of([Detection("a", [], [nothing])], "skip").left_out
    {'predictions left out: empty': 1}
    """
    check_policy(invalid_geometry)
    check = partial(_checked, invalid_geometry)
    return DetectionBatch.of(items, check, place)


def _checked(
    policy: Policy, geometries: Sequence[Geometry], sizes: Codes, side: str, place: Place
) -> CheckedShapes:
    return checked_geometries(geometries, sizes, policy, side, place)

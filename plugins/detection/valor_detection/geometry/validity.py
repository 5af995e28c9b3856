"""Validity: shapes that cannot be right, and the named policies for them.

What can be wrong, in the order in which it is looked for:

- ``not finite``: a coordinate is NaN or infinite, or the area too large for a number;
- ``inverted``: a box whose right edge is left of its left one, or lower edge above its upper one;
- ``empty``: a polygon of fewer than three corners, or a mask without pixels;
- ``zero area``: a box or polygon that encloses nothing;
- ``self-crossing``: a polygon whose edges cross, or whose parts overlap;
- ``out of the image``: more than one pixel of it lies outside, where the image's size is known.

The policies: ``error`` refuses all of it. ``repair`` swaps inverted edges, clips to the image and
splits polygons where they cross themselves; what cannot be repaired is left out. ``skip`` leaves
all of it out. ``accept`` computes with shapes as they are, as COCO's programs do, and refuses
only those that are not finite or inverted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, get_args

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import ParameterError, SchemaError, and_more, did_you_mean, shown
from valor_core.schemas.arrays import Codes, Floats
from valor_core.schemas.geometry import Box, Geometry, Mask, MultiPolygon, Polygon, RotatedBox
from valor_core.schemas.shapes import (
    BOX,
    KINDS,
    MASK,
    POLYGON,
    Rings,
    Shapes,
    kind_of,
    polygons_of,
)
from valor_detection.geometry import extras
from valor_detection.geometry.polygons import from_shapely, to_shapely

Policy = Literal["error", "repair", "skip", "accept"]


def check_policy(value: object) -> None:
    """Raise a `ParameterError` if a value is no policy.

    Examples
    --------
    >>> check_policy("ignore")
    Traceback (most recent call last):
        ...
    valor_core.errors.ParameterError: invalid_geometry: expected one of error, repair, skip, accept,
    got 'ignore'
    """
    policies = get_args(Policy)
    if value not in policies:
        raise ParameterError(
            f"invalid_geometry: expected one of {', '.join(policies)}, got {shown(value)}",
            did_you_mean(value, policies) if isinstance(value, str) else None,
        )


Place = Callable[[int], str]
"""How an error message calls the annotation of a row: ``item 'a', predictions[3]``."""

SLACK = 1.0
"""Pixels by which a shape may stick out of its image: annotators and models round."""

NOT_FINITE, INVERTED, EMPTY = "not finite", "inverted", "empty"
ZERO_AREA, SELF_CROSSING, OUTSIDE = "zero area", "self-crossing", "out of the image"

_FAULTS = ("", NOT_FINITE, INVERTED, EMPTY, ZERO_AREA, SELF_CROSSING, OUTSIDE)
_REFUSED = (NOT_FINITE, INVERTED)
_REPAIRED = (INVERTED, SELF_CROSSING, OUTSIDE)
_EXPECTED = {
    NOT_FINITE: "with finite coordinates and area",
    INVERTED: "with xmin <= xmax and ymin <= ymax",
    EMPTY: "with at least three corners, or a pixel",
    ZERO_AREA: "with an area",
    SELF_CROSSING: "whose edges do not cross",
    OUTSIDE: "inside its image",
}

Faults = NDArray[np.uint8]


@frozen
class CheckedBoxes:
    """Boxes that a policy let through.

    Parameters
    ----------
    kept : ndarray of int64, shape (m,)
        Their rows among those that were checked.
    boxes : ndarray of float64, shape (m, 4)
        The boxes, repaired where they had to be.
    left_out, repaired : dict of str to int
        How many were left out or repaired, as `DetectionBatch.left_out` says it.
    """

    kept: Codes
    boxes: Floats
    left_out: dict[str, int] = field(factory=dict)
    repaired: dict[str, int] = field(factory=dict)


@frozen
class CheckedShapes:
    """Shapes that a policy let through; as `CheckedBoxes`.

    Parameters
    ----------
    kept : ndarray of int64, shape (m,)
        Their rows among those that were checked.
    shapes : Shapes
        The shapes, repaired where they had to be.
    left_out, repaired : dict of str to int
        How many were left out or repaired, as `DetectionBatch.left_out` says it.
    mended : ndarray of int64, shape (k,)
        Rows among those that were checked that were repaired.
    """

    kept: Codes
    shapes: Shapes
    left_out: dict[str, int] = field(factory=dict)
    repaired: dict[str, int] = field(factory=dict)
    mended: Codes = field(factory=partial(np.empty, 0, np.int64))

    @property
    def counts(self) -> dict[str, int]:
        """What was left out and what was repaired."""
        return {**self.left_out, **self.repaired}


def checked_boxes(
    boxes: Floats, sizes: Codes | None, policy: Policy, side: str, place: Place
) -> CheckedBoxes:
    """Columns of boxes under a policy.

    Parameters
    ----------
    boxes : ndarray of float64, shape (n, 4)
        x, y, width and height, whatever they are.
    sizes : ndarray of int64, shape (n, 2), optional
        Height and width of each row's image; 0 where unknown.
    policy : {"error", "repair", "skip", "accept"}
        What to do about boxes that cannot be right.
    side : str
        ``groundtruths`` or ``predictions``, for the counts.
    place : callable
        How an error message calls the annotation of a row.

    Raises
    ------
    SchemaError
        If a box is refused; names the annotation.

    Examples
    --------
    >>> boxes = np.array([[0, 0, 2, 1], [3, 1, -2, 1], [1, 1, 0, 0]], float)
    >>> found = checked_boxes(boxes, None, "repair", "predictions", "predictions[{}]".format)
    >>> found.boxes.tolist(), found.left_out
    ([[0.0, 0.0, 2.0, 1.0], [1.0, 1.0, 2.0, 1.0]], {'predictions left out: zero area': 1})
    """
    boxes = np.asarray(boxes, np.float64).reshape(-1, 4)
    faults = _box_faults(boxes, sizes)
    if not faults.any():
        return CheckedBoxes(np.arange(len(boxes)), boxes)
    _refuse(faults, policy, place, lambda row: _edges(boxes[row]))
    if policy == "accept":
        return CheckedBoxes(np.arange(len(boxes)), boxes)
    kept = faults == 0
    if policy == "repair":
        mended = _mended_boxes(boxes, sizes)
        kept = kept | np.isin(faults, _codes(_REPAIRED)) & (_box_faults(mended, None) == 0)
        boxes = np.where((faults == 0)[:, None], boxes, mended)
    rows = np.flatnonzero(kept)
    counts = _left_out(side, faults[~kept]), _repaired_counts(side, faults[kept])
    return CheckedBoxes(rows, boxes[rows], *counts)


def _codes(faults: Sequence[str]) -> list[int]:
    return [_FAULTS.index(fault) for fault in faults]


def _left_out(side: str, faults: Faults) -> dict[str, int]:
    return _counts(f"{side} left out", faults)


def _repaired_counts(side: str, faults: Faults) -> dict[str, int]:
    return _counts(f"{side} repaired", faults)


def _counts(what: str, faults: Faults) -> dict[str, int]:
    counts = Counter(faults.tolist())
    return {f"{what}: {_FAULTS[code]}": counts[code] for code in sorted(counts) if code}


def _edges(box: Floats) -> str:
    x, y, width, height = box.tolist()
    return f"{x:g}, {y:g}, {x + width:g}, {y + height:g}"


def _refuse(faults: Faults, policy: Policy, place: Place, found: Callable[[int], str]) -> None:
    """Raise if the policy refuses a row."""
    if policy not in ("error", "accept"):
        return
    refused: NDArray[np.bool_] = (
        faults > 0 if policy == "error" else np.isin(faults, _codes(_REFUSED))
    )
    rows = np.flatnonzero(refused)
    if not len(rows):
        return
    row = int(rows[0])
    fault = _FAULTS[faults[row]]
    others = ["repair", "skip"] + ["accept"] * (fault not in _REFUSED)
    raise SchemaError(
        f"{place(row)}: expected a shape {_EXPECTED[fault]}, got {found(row)}"
        f"{and_more(len(rows) - 1)}",
        f"Correct it, or set invalid_geometry: {' | '.join(others)}.",
    )


def _box_faults(boxes: Floats, sizes: Codes | None) -> Faults:
    faults = np.zeros(len(boxes), np.uint8)
    with np.errstate(over="ignore", invalid="ignore"):
        areas = boxes[:, 2] * boxes[:, 3]
    finite: NDArray[np.bool_] = np.logical_and.reduce(np.isfinite(boxes), axis=1)
    finite &= np.isfinite(areas)
    boxes = np.where(finite[:, None], boxes, 1.0)
    sides = boxes[:, 2:]
    if sizes is not None:
        faults[_is_outside(boxes, sizes)] = _FAULTS.index(OUTSIDE)
    faults[(sides == 0).any(axis=1)] = _FAULTS.index(ZERO_AREA)
    faults[(sides < 0).any(axis=1)] = _FAULTS.index(INVERTED)
    faults[~finite] = _FAULTS.index(NOT_FINITE)
    return faults


def _is_outside(boxes: Floats, sizes: Codes) -> NDArray[np.bool_]:
    limits = sizes[:, ::-1]
    with np.errstate(over="ignore"):
        stops = boxes[:, :2] + boxes[:, 2:]
    known: NDArray[np.bool_] = np.logical_and.reduce(limits > 0, axis=1)
    outside = (boxes[:, :2] < -SLACK) | (stops > limits + SLACK)
    is_outside: NDArray[np.bool_] = np.logical_or.reduce(outside, axis=1)
    return is_outside & known


def _mended_boxes(boxes: Floats, sizes: Codes | None) -> Floats:
    """Boxes with their edges in order and inside the image; what lies outside has no area."""
    with np.errstate(over="ignore", invalid="ignore"):
        corners = np.stack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]])
    starts, stops = corners.min(axis=0), corners.max(axis=0)
    if sizes is not None:
        known = np.logical_and.reduce(sizes > 0, axis=1)[:, None]
        limits = np.where(known, sizes[:, ::-1], np.inf)
        floors = np.where(np.isfinite(limits), 0, -np.inf)
        starts, stops = np.clip(starts, floors, limits), np.clip(stops, floors, limits)
    return np.concatenate([starts, stops - starts], axis=1)


def checked_shapes(
    shapes: Shapes, sizes: Codes | None, policy: Policy, side: str, place: Place
) -> CheckedShapes:
    """Columns of any shapes under a policy; those that are no boxes are finite.

    Parameters
    ----------
    shapes : Shapes
        The shapes.
    sizes : ndarray of int64, shape (n, 2), optional
        Height and width of each row's image; 0 where unknown.
    policy : {"error", "repair", "skip", "accept"}
        What to do about shapes that cannot be right.
    side : str
        ``groundtruths`` or ``predictions``, for the counts.
    place : callable
        How an error message calls the annotation of a row.

    Raises
    ------
    SchemaError
        If a shape is refused; names the annotation.
    MissingExtraError
        If polygons are to be checked and shapely is not installed.

    Examples
    --------
    >>> bow = Shapes.of([Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])])
    >>> found = checked_shapes(bow, None, "repair", "predictions", "predictions[{}]".format)
    >>> found.shapes.areas, found.repaired
    (array([2.]), {'predictions repaired: self-crossing': 1})
    """
    if shapes.only_boxes:
        boxes = checked_boxes(shapes.boxes, sizes, policy, side, place)
        counts = boxes.left_out, boxes.repaired
        return CheckedShapes(boxes.kept, Shapes(boxes.boxes), *counts)
    everything = np.arange(len(shapes))
    faults = _shape_faults(shapes, sizes) if policy != "accept" else _area_faults(shapes)
    if not faults.any():
        return CheckedShapes(everything, shapes)
    _refuse(faults, policy, place, lambda row: _described(shapes.at(row)))
    if policy == "skip":
        kept = np.flatnonzero(faults == 0)
        return CheckedShapes(kept, shapes.select(kept), _left_out(side, faults))
    return _repaired(list(shapes), everything, faults, sizes, side)


def _repaired(
    geometries: list[Geometry], rows: Codes, faults: Faults, sizes: Codes | None, side: str
) -> CheckedShapes:
    """Those of some geometries that can be repaired; `rows` says which these were."""
    mended: list[Geometry | None] = [
        _mended(geometry, size) if fault else geometry
        for geometry, fault, size in zip(
            geometries, faults.tolist(), _image_sizes(sizes, len(geometries)), strict=True
        )
    ]
    is_kept = np.array([geometry is not None for geometry in mended], dtype=bool)
    return CheckedShapes(
        rows[is_kept],
        Shapes.of([geometry for geometry in mended if geometry is not None]),
        _left_out(side, faults[~is_kept]),
        _repaired_counts(side, faults[is_kept]),
        rows[is_kept & (faults > 0)],
    )


def _image_sizes(sizes: Codes | None, count: int) -> list[tuple[int, int] | None]:
    if sizes is None:
        return [None] * count
    return [(high, wide) if high > 0 and wide > 0 else None for high, wide in sizes.tolist()]


def _shape_faults(shapes: Shapes, sizes: Codes | None) -> Faults:
    faults = _box_faults(shapes.boxes, sizes)
    masks = np.flatnonzero(shapes.kinds == MASK)
    faults[masks] = np.where(shapes.areas[masks] == 0, _FAULTS.index(EMPTY), 0)
    polygons = np.flatnonzero(shapes.kinds == POLYGON)
    if shapes.rings is not None and len(polygons):
        faults[polygons] = _polygon_faults(shapes.rings.select(polygons), faults[polygons])
    return np.where(_area_faults(shapes) > 0, _FAULTS.index(NOT_FINITE), faults).astype(np.uint8)


def _area_faults(shapes: Shapes) -> Faults:
    """Shapes so large that their area is no number."""
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = np.isfinite(shapes.areas)
    return np.where(is_finite, 0, _FAULTS.index(NOT_FINITE)).astype(np.uint8)


def _polygon_faults(rings: Rings, faults: Faults) -> Faults:
    """What is wrong with polygons; `faults` says what is with their boxes."""
    doing = "checking polygons for self-crossing"
    shapely = extras.shapely(doing)
    outlines = to_shapely(rings, doing)
    crossing = ~shapely.is_valid(outlines)
    faults[crossing] = _FAULTS.index(SELF_CROSSING)
    outlines[crossing] = shapely.make_valid(outlines[crossing])
    faults[shapely.area(outlines) <= 0] = _FAULTS.index(ZERO_AREA)
    faults[_corners(rings) < 3] = _FAULTS.index(EMPTY)
    return faults


def _corners(rings: Rings) -> Codes:
    """Most corners that an outside of each row has."""
    filled = np.diff(rings.polygons) > 0
    owner = np.repeat(np.arange(len(rings)), np.diff(rings.rows))[filled]
    most = np.zeros(len(rings), np.int64)
    np.maximum.at(most, owner, np.diff(rings.rings)[rings.polygons[:-1][filled]])
    return most


def checked_geometries(
    geometries: Sequence[Geometry],
    sizes: Sequence[tuple[int, int] | None] | None,
    policy: Policy,
    side: str,
    place: Place,
) -> CheckedShapes:
    """Objects under a policy, as columns.

    Parameters
    ----------
    geometries : sequence of Geometry
        The geometries, whatever their coordinates.
    sizes : sequence of (int, int) or None, optional
        Height and width of the image of each.
    policy : {"error", "repair", "skip", "accept"}
        What to do about geometries that cannot be right.
    side : str
        ``groundtruths`` or ``predictions``, for the counts.
    place : callable
        How an error message calls the annotation at a position.

    Raises
    ------
    SchemaError
        If a geometry is refused; names the annotation.
    MissingExtraError
        If polygons are to be checked and shapely is not installed.

    Examples
    --------
    >>> boxes = [Box(0, 0, 2, 1), Box(0, 0, math.nan, 1)]
    >>> found = checked_geometries(boxes, None, "skip", "predictions", "predictions[{}]".format)
    >>> list(found.shapes), found.left_out
    ([Box(xmin=0.0, ymin=0.0, xmax=2.0, ymax=1.0)], {'predictions left out: not finite': 1})
    >>> checked_geometries(boxes, None, "error", "predictions", "predictions[{}]".format)
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: predictions[1]: expected a shape with finite coordinates and
    area, got a box 0, 0, nan, 1
    Correct it, or set invalid_geometry: repair | skip.
    """
    known = None if sizes is None else np.array([size or (0, 0) for size in sizes]).reshape(-1, 2)
    raw = np.array([_raw_fault(geometry) for geometry in geometries], np.uint8)
    _refuse(raw, policy, place, lambda row: _described(geometries[row]))
    left_out: NDArray[np.bool_] = raw > 0 if policy == "skip" else raw == _FAULTS.index(NOT_FINITE)
    rows = np.flatnonzero(~left_out)
    some_sizes = None if known is None else known[rows]
    turned = [_turned(geometries[row]) for row in rows.tolist()]
    shapes = Shapes.of(turned)
    if policy == "repair":
        faults = np.where(raw[rows] > 0, raw[rows], _shape_faults(shapes, some_sizes))
        found = _repaired(turned, rows, faults, some_sizes, side)
    else:
        checked = checked_shapes(
            shapes, some_sizes, policy, side, lambda row: place(int(rows[row]))
        )
        found = CheckedShapes(rows[checked.kept], checked.shapes, checked.left_out)
    counts = Counter(_left_out(side, raw[left_out]))
    counts.update(found.left_out)
    return CheckedShapes(found.kept, found.shapes, dict(counts), found.repaired, found.mended)


def let_through(
    geometries: Sequence[Geometry],
    sizes: Sequence[tuple[int, int] | None] | None,
    policy: Policy,
    side: str,
    place: Place,
) -> tuple[list[Geometry | None], dict[str, int]]:
    """Objects under a policy, as objects; None where one is left out, and what was counted.

    Those that need no repair stay the very objects.

    Parameters
    ----------
    geometries, sizes, policy, side, place
        As in `checked_geometries`.

    Examples
    --------
    >>> boxes = [Box(0, 0, 2, 1), Box(0, 0, 0, 1)]
    >>> let_through(boxes, None, "skip", "predictions", "predictions[{}]".format)
    ([Box(xmin=0.0, ymin=0.0, xmax=2.0, ymax=1.0), None], {'predictions left out: zero area': 1})
    """
    found = checked_geometries(geometries, sizes, policy, side, place)
    kept: list[Geometry | None] = [None] * len(geometries)
    mended = set(found.mended.tolist())
    for row, position in enumerate(found.kept.tolist()):
        is_new = position in mended
        kept[position] = found.shapes.at(row) if is_new else geometries[position]
    return kept, found.counts


def _raw_fault(geometry: Geometry) -> int:
    """What is wrong with an object so that it cannot become columns."""
    if isinstance(geometry, Mask):
        return 0
    if isinstance(geometry, (Polygon, MultiPolygon)):
        rings = [ring for polygon in polygons_of(geometry) for ring in polygon.rings if len(ring)]
        with np.errstate(over="ignore", invalid="ignore"):
            is_finite = all(np.isfinite(np.prod(np.ptp(ring, axis=0))) for ring in rings)
    else:
        is_finite = all(map(math.isfinite, (*_numbers(geometry), _extent(geometry))))
    if not is_finite:
        return _FAULTS.index(NOT_FINITE)
    return _FAULTS.index(INVERTED) if _is_inverted(geometry) else 0


def _extent(geometry: Box | RotatedBox) -> float:
    if isinstance(geometry, Box):
        return (geometry.xmax - geometry.xmin) * (geometry.ymax - geometry.ymin)
    return geometry.width * geometry.height


def _numbers(geometry: Box | RotatedBox) -> tuple[float, ...]:
    if isinstance(geometry, Box):
        return geometry.xmin, geometry.ymin, geometry.xmax, geometry.ymax
    return geometry.x, geometry.y, geometry.width, geometry.height, geometry.angle_degrees


def _is_inverted(geometry: Geometry) -> bool:
    if isinstance(geometry, Box):
        return geometry.xmin > geometry.xmax or geometry.ymin > geometry.ymax
    return isinstance(geometry, RotatedBox) and (geometry.width < 0 or geometry.height < 0)


def _turned(geometry: Geometry) -> Geometry:
    """A geometry with its edges in order."""
    if not _is_inverted(geometry):
        return geometry
    if isinstance(geometry, Box):
        left, right = sorted((geometry.xmin, geometry.xmax))
        top, bottom = sorted((geometry.ymin, geometry.ymax))
        return Box(left, top, right, bottom)
    if isinstance(geometry, RotatedBox):
        width, height = abs(geometry.width), abs(geometry.height)
        return RotatedBox(geometry.x, geometry.y, width, height, geometry.angle_degrees)
    return geometry


def _mended(geometry: Geometry, size: tuple[int, int] | None) -> Geometry | None:
    """A geometry without self-crossings and inside its image; None if nothing is left of it."""
    kind = kind_of(geometry)
    if kind == MASK:
        return None
    shapes = Shapes.of([geometry])
    if kind == BOX:
        image = None if size is None else np.array([size])
        box = _mended_boxes(shapes.boxes, image)
        return None if _box_faults(box, None).any() else Shapes(box).at(0)
    if shapes.rings is None:
        return None
    doing = "repairing polygons"
    shapely = extras.shapely(doing)
    outline = shapely.make_valid(to_shapely(shapes.rings, doing)[0])
    if size is not None and _is_outside(shapes.boxes, np.array([size])).any():
        outline = shapely.intersection(outline, shapely.box(0, 0, size[1], size[0]))
    polygons = from_shapely(np.array([outline])).at(0)
    if not polygons:
        return None
    return polygons[0] if len(polygons) == 1 else MultiPolygon(polygons)


def _described(geometry: Geometry) -> str:
    if isinstance(geometry, Box):
        return f"a box {', '.join(f'{value:g}' for value in _numbers(geometry))}"
    if isinstance(geometry, RotatedBox):
        return f"a rotated box {', '.join(f'{value:g}' for value in _numbers(geometry))}"
    if isinstance(geometry, Mask):
        return f"a mask of {geometry.height} by {geometry.width} pixels"
    corners = [len(ring) for polygon in polygons_of(geometry) for ring in polygon.rings]
    return f"a {KINDS[POLYGON]} of {sum(corners)} corners"

"""Shapes: columns of geometries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import Factory, evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, short_repr
from valor_core.schemas import geometry as objects  # lazy: columns of files need no objects
from valor_core.schemas.columns import (
    BY_CONTENT,
    Codes,
    Floats,
    check_not_masked,
    floats,
    read_only,
    whole_numbers,
)

BOX, POLYGON, MASK = 0, 1, 2
"""Kinds of shapes, from least to most detailed."""

GEOMETRY_KINDS = ("box", "polygon", "mask")
"""Names of the kinds, in the order of their numbers."""


def _points(values: Any) -> Floats:
    check_not_masked(values, "coordinates")
    return floats(np.asarray(values, dtype=np.float64).reshape(-1, 2), "coordinates", ndim=2)


def _kinds(values: Any) -> NDArray[np.uint8]:
    return read_only(np.asarray(values, dtype=np.uint8))


def _run_lengths(values: Any) -> NDArray[np.uint32]:
    return read_only(np.ascontiguousarray(values, dtype=np.uint32))


def _boxes(values: Any) -> Floats:
    check_not_masked(values, "boxes")
    return floats(np.asarray(values, dtype=np.float64).reshape(-1, 4), "boxes", ndim=2)


@frozen(repr=False)
class Rings:
    """Ragged polygons with holes: rows have polygons, polygons have rings, rings have points.

    Parameters
    ----------
    points : ndarray of float64, shape (n_points, 2)
        Corners, x before y. No ring repeats its first point.
    rings : ndarray of int64, shape (n_rings + 1,)
        Offsets of the points of each ring, and the number of points.
    polygons : ndarray of int64, shape (n_polygons + 1,)
        Offsets of the rings of each polygon, and the number of rings. The first ring is the outer
        one.
    rows : ndarray of int64, shape (n_rows + 1,)
        Offsets of the polygons of each row, and the number of polygons. Empty for rows of other
        kinds.
    """

    points: Floats = field(eq=BY_CONTENT, converter=_points)
    rings: Codes = field(eq=BY_CONTENT, converter=whole_numbers)
    polygons: Codes = field(eq=BY_CONTENT, converter=whole_numbers)
    rows: Codes = field(eq=BY_CONTENT, converter=whole_numbers)

    def __len__(self) -> int:
        return len(self.rows) - 1

    @classmethod
    def of(cls, rows: Sequence[Sequence[objects.Polygon]]) -> Rings:
        """Convert the polygons of each row to columns."""
        polygons = [polygon for row in rows for polygon in row]
        rings = [ring for polygon in polygons for ring in polygon.rings]
        return cls(
            np.concatenate(rings) if rings else np.empty((0, 2)),
            ends([len(ring) for ring in rings]),
            ends([len(polygon.rings) for polygon in polygons]),
            ends([len(row) for row in rows]),
        )

    @classmethod
    def joined(cls, parts: Sequence[Rings]) -> Rings:
        """Concatenate the rows of several parts."""
        offsets = (
            ends(np.concatenate([np.diff(getattr(part, name)) for part in parts]))
            for name in ("rings", "polygons", "rows")
        )
        return cls(np.concatenate([part.points for part in parts]), *offsets)

    def select(self, positions: Codes) -> Rings:
        """Return the polygons of the given rows."""
        polygons, rows = gathered(self.rows, positions)
        rings, polygon_starts = gathered(self.polygons, polygons)
        points, ring_starts = gathered(self.rings, rings)
        return Rings(self.points[points], ring_starts, polygon_starts, rows)

    @property
    def areas(self) -> Floats:
        """Area of each row: outer rings minus holes."""
        if not len(self.points):
            return np.zeros(len(self))
        following = np.roll(np.arange(len(self.points)), -1)
        full = self.rings[1:] > self.rings[:-1]
        following[self.rings[1:][full] - 1] = self.rings[:-1][full]
        # Coordinates relative to the first corner of each ring keep precision far from the origin.
        origins = np.repeat(self.points[self.rings[:-1][full]], np.diff(self.rings)[full], axis=0)
        here, next_ = self.points - origins, self.points[following] - origins
        with np.errstate(over="ignore", invalid="ignore"):
            crosses = here[:, 0] * next_[:, 1] - next_[:, 0] * here[:, 1]
        rings = np.abs(sums(crosses, self.rings)) / 2
        is_hole = np.ones(len(rings), dtype=bool)
        is_hole[self.polygons[:-1][self.polygons[1:] > self.polygons[:-1]]] = False
        polygons = sums(np.where(is_hole, -rings, rings), self.polygons)
        return sums(polygons, self.rows)

    def at(self, row: int) -> tuple[objects.Polygon, ...]:
        """Return the polygons of one row as objects."""
        return tuple(
            objects.Polygon(
                [self._ring(ring) for ring in range(*self.polygons[polygon : polygon + 2])]
            )
            for polygon in range(*self.rows[row : row + 2])
        )

    def _ring(self, ring: int) -> Floats:
        return self.points[self.rings[ring] : self.rings[ring + 1]]


@frozen(repr=False)
class RunLengths:
    """Ragged masks: the run lengths of each row, as in `Mask`.

    Parameters
    ----------
    runs : ndarray of uint32, shape (n_runs,)
        Run lengths of all rows.
    rows : ndarray of int64, shape (n_rows + 1,)
        Offsets of the runs of each row, and the number of runs. Empty for rows without a mask.
    sizes : ndarray of int64, shape (n_rows, 2)
        Height and width of each row's image.
    """

    runs: NDArray[np.uint32] = field(eq=BY_CONTENT, converter=_run_lengths)
    rows: Codes = field(eq=BY_CONTENT, converter=whole_numbers)
    sizes: Codes = field(eq=BY_CONTENT, converter=whole_numbers)

    def __len__(self) -> int:
        return len(self.rows) - 1

    @classmethod
    def of(cls, rows: Sequence[objects.Mask | None]) -> RunLengths:
        """Convert masks to columns; None is a row without a mask."""
        masks = [row for row in rows if row is not None]
        sizes = [(0, 0) if row is None else (row.height, row.width) for row in rows]
        return cls(
            np.concatenate([mask.runs for mask in masks]) if masks else np.empty(0),
            ends([0 if row is None else len(row.runs) for row in rows]),
            np.array(sizes, np.int64).reshape(-1, 2),
        )

    def select(self, positions: Codes) -> RunLengths:
        """Return the masks of the given rows."""
        runs, rows = gathered(self.rows, positions)
        return RunLengths(self.runs[runs], rows, self.sizes[positions])

    @property
    def areas(self) -> Floats:
        """Number of pixels inside each row's mask."""
        inside = (
            np.arange(len(self.runs)) - np.repeat(self.rows[:-1], np.diff(self.rows))
        ) % 2 == 1
        return sums(np.where(inside, self.runs, 0).astype(np.float64), self.rows)

    def at(self, row: int) -> objects.Mask:
        """Return the mask of one row as an object."""
        height, width = self.sizes[row].tolist()
        return objects.Mask(self.runs[self.rows[row] : self.rows[row + 1]], height, width)


def _labeled(keypoints: Keypoints) -> Codes:
    is_labeled = (keypoints.points[:, 2] > 0).astype(np.float64)
    return sums(is_labeled, keypoints.rows).astype(np.int64)


def keypoints_of(values: Any) -> Floats:
    """Return x, y and visibility of the points of an object; visibility 2 for those without.

    Raises
    ------
    SchemaError
        If the values are not rows of two or three finite numbers.

    Examples
    --------
    >>> keypoints_of([(3, 4)])
    array([[3., 4., 2.]])
    """
    check_not_masked(values, "keypoints")
    try:
        points = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        points = np.empty(0)
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise SchemaError(
            f"keypoints: expected rows of x, y and visibility, got {short_repr(values)}",
            "Reshape COCO's flat list: np.reshape(keypoints, (-1, 3)).",
        )
    if points.shape[1] == 2:
        points = np.column_stack([points, np.full(len(points), 2.0)])
    return floats(points, "keypoints", ndim=2)


@frozen(repr=False)
class Keypoints:
    """Ragged keypoints: rows have any number of points.

    Parameters
    ----------
    points : ndarray of float64, shape (n_points, 3)
        x, y and visibility. Points with a visibility above 0 are labelled.
    rows : ndarray of int64, shape (n_rows + 1,)
        Offsets of the points of each row, and the number of points. Empty for rows without points.
    labeled : ndarray of int64, shape (n_rows,), optional
        Number of labelled points, COCO's ``num_keypoints``. Defaults to the points with a
        visibility above 0.
    """

    points: Floats = field(eq=BY_CONTENT, converter=keypoints_of)
    rows: Codes = field(eq=BY_CONTENT, converter=whole_numbers)
    labeled: Codes = field(
        default=Factory(_labeled, takes_self=True), eq=BY_CONTENT, converter=whole_numbers
    )

    def __len__(self) -> int:
        return len(self.rows) - 1

    @classmethod
    def of(cls, rows: Sequence[Floats | None], labeled: Sequence[int | None]) -> Keypoints | None:
        """Convert points of rows to columns; None if no row has any."""
        if all(row is None for row in rows):
            return None
        points = [np.empty((0, 3)) if row is None else row for row in rows]
        found = cls(np.concatenate(points), ends([len(row) for row in points]))
        counts = zip(labeled, found.labeled.tolist(), strict=True)
        return evolve(found, labeled=[own if given is None else given for given, own in counts])

    def select(self, positions: Codes) -> Keypoints:
        """Return the points of the given rows."""
        counts = np.diff(self.rows)
        if len(counts) and counts[0] and (counts == counts[0]).all():  # faster than by element
            points = self.points.reshape(len(self), -1).take(positions, axis=0).reshape(-1, 3)
            rows = np.arange(len(positions) + 1) * counts[0]
        else:
            elements, rows = gathered(self.rows, positions)
            points = self.points[elements]
        return Keypoints(points, rows, self.labeled[positions])

    def at(self, row: int) -> Floats | None:
        """Return the points of one row; None for a row without points."""
        points = self.points[self.rows[row] : self.rows[row + 1]]
        return points if len(points) else None


def _all_boxes(shapes: Shapes) -> NDArray[np.uint8]:
    return np.zeros(len(shapes.boxes), np.uint8)


@frozen(repr=False)
class Shapes:
    """Geometries of annotations, one row each.

    Parameters
    ----------
    boxes : ndarray of float64, shape (n, 4)
        x and y of the upper left corner, width and height of the box or of the bounding box.
    kinds : ndarray of uint8, shape (n,), optional
        `BOX`, `POLYGON` or `MASK`. Defaults to all boxes.
    rings : Rings, optional
        Polygons. Required if any row is one.
    masks : RunLengths, optional
        Masks. Required if any row is one.

    Examples
    --------
    >>> from valor_core.schemas.geometry import Box
    >>> shapes = Shapes.of([Box(1, 1, 3, 2)])
    >>> shapes.boxes, shapes.at(0)
    (array([[1., 1., 2., 1.]]), Box(xmin=1.0, ymin=1.0, xmax=3.0, ymax=2.0))
    """

    boxes: Floats = field(eq=BY_CONTENT, converter=_boxes)
    kinds: NDArray[np.uint8] = field(
        default=Factory(_all_boxes, takes_self=True), eq=BY_CONTENT, converter=_kinds
    )
    rings: Rings | None = None
    masks: RunLengths | None = None

    def __attrs_post_init__(self) -> None:
        for name in ("kinds", "rings", "masks"):
            column = getattr(self, name)
            if column is not None and len(column) != len(self.boxes):
                raise SchemaError(
                    f"shapes: expected {len(self.boxes):,} rows of {name}, got {len(column):,}"
                )

    def __len__(self) -> int:
        return len(self.boxes)

    @classmethod
    def of(cls, geometries: Sequence[objects.Geometry]) -> Shapes:
        """Convert geometries to columns."""
        kinds = np.array([geometry_kind(geometry) for geometry in geometries], np.uint8)
        polygons = [polygons_of(geometry) for geometry in geometries]
        masks = [
            geometry if isinstance(geometry, objects.Mask) else None for geometry in geometries
        ]
        rings = Rings.of(polygons) if (kinds == POLYGON).any() else None
        runs = RunLengths.of(masks) if (kinds == MASK).any() else None
        boxes = np.array([_box(geometry) for geometry in geometries]).reshape(-1, 4)
        return cls(boxes, kinds, rings, runs)

    @property
    def areas(self) -> Floats:
        """Area of each row, in square pixels."""
        with np.errstate(over="ignore"):  # columns of areas reject infinite values
            areas = self.boxes[:, 2] * self.boxes[:, 3]
        if self.rings is not None:
            areas = np.where(self.kinds == POLYGON, self.rings.areas, areas)
        if self.masks is not None:
            areas = np.where(self.kinds == MASK, self.masks.areas, areas)
        return areas

    @property
    def only_boxes(self) -> bool:
        """True if all rows are boxes."""
        return not self.kinds.any()

    def select(self, positions: Codes) -> Shapes:
        """Return the given rows."""
        return Shapes(
            self.boxes.take(positions, axis=0),  # several times as fast as by index
            self.kinds[positions],
            None if self.rings is None else self.rings.select(positions),
            None if self.masks is None else self.masks.select(positions),
        )

    def at(self, row: int) -> objects.Geometry:
        """Return one row as an object."""
        kind = int(self.kinds[row])
        if kind == MASK and self.masks is not None:
            return self.masks.at(row)
        if kind == POLYGON and self.rings is not None:
            polygons = self.rings.at(row)
            return polygons[0] if len(polygons) == 1 else objects.MultiPolygon(polygons)
        x, y, width, height = self.boxes[row].tolist()
        return objects.Box(x, y, x + width, y + height)

    def __iter__(self) -> Iterator[objects.Geometry]:
        return map(self.at, range(len(self)))


def geometry_kind(geometry: objects.Geometry) -> int:
    """Return the kind of a geometry: `BOX`, `POLYGON` or `MASK`."""
    if isinstance(geometry, objects.Box):
        return BOX
    return MASK if isinstance(geometry, objects.Mask) else POLYGON


def polygons_of(geometry: objects.Geometry) -> tuple[objects.Polygon, ...]:
    """Return the polygons of a geometry; none for a box or a mask."""
    if isinstance(geometry, objects.RotatedBox):
        return (geometry.polygon,)
    if isinstance(geometry, objects.MultiPolygon):
        return geometry.polygons
    return (geometry,) if isinstance(geometry, objects.Polygon) else ()


def _box(geometry: objects.Geometry) -> tuple[float, float, float, float]:
    """Return x, y, width and height of the bounding box of a geometry."""
    if isinstance(geometry, objects.Box):
        x, y = geometry.xmin, geometry.ymin
        return x, y, geometry.xmax - x, geometry.ymax - y
    if isinstance(geometry, objects.Mask):
        return _mask_box(geometry)
    outer = [polygon.rings[0] for polygon in polygons_of(geometry) if polygon.rings]
    if not sum(map(len, outer)):
        return 0.0, 0.0, 0.0, 0.0
    points = np.concatenate(outer)
    (x_min, y_min), (x_max, y_max) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return x_min, y_min, x_max - x_min, y_max - y_min


def _mask_box(mask: objects.Mask) -> tuple[float, float, float, float]:
    stops = np.cumsum(mask.runs, dtype=np.int64)
    first, last = stops[:-1:2], stops[1::2] - 1
    first, last = first[last >= first], last[last >= first]
    if not len(first):
        return 0.0, 0.0, 0.0, 0.0
    left, right = first // mask.height, last // mask.height
    is_within = left == right  # a run that continues in the next column touches bottom and top
    top = np.where(is_within, first % mask.height, 0).min()
    bottom = np.where(is_within, last % mask.height, mask.height - 1).max()
    x, y = float(left.min()), float(top)
    return x, y, float(right.max()) + 1 - x, float(bottom) + 1 - y


def ends(counts: Any) -> Codes:
    """Return the offsets of ragged rows and the total length, given their lengths.

    Examples
    --------
    >>> ends([2, 0, 3])
    array([0, 2, 2, 5])
    """
    starts = np.zeros(len(counts) + 1, np.int64)
    starts[1:] = counts  # `cumsum` of a narrower type would convert each number
    np.cumsum(starts, out=starts)
    return starts


def sums(values: Floats, starts: Codes) -> Floats:
    """Return the sum of each ragged row.

    Examples
    --------
    >>> sums(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 3]))
    array([3., 0., 4.])
    """
    totals = np.zeros(len(starts) - 1)
    full = starts[1:] > starts[:-1]
    if full.any():
        totals[full] = np.add.reduceat(values, starts[:-1][full])
    return totals


def gathered(starts: Codes, positions: Codes) -> tuple[Codes, Codes]:
    """Return the elements of the given ragged rows, and the offsets of these rows among them.

    Examples
    --------
    >>> gathered(np.array([0, 2, 2, 5]), np.array([2, 0]))
    (array([2, 3, 4, 0, 1]), array([0, 3, 5]))
    """
    first = starts[positions]
    begins = ends(starts[positions + 1] - first)
    elements = np.arange(begins[-1]) + np.repeat(first - begins[:-1], np.diff(begins))
    return elements, begins

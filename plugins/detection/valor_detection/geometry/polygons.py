"""Conversion of polygons to and from shapely, which is imported on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.packages import import_extra
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import Polygon, Rings
from valor_core.schemas.geometry.shapes import ends

Geometries = NDArray[Any]
"""Array of shapely's geometries."""


MOST_CROSSINGS = 1000
"""Maximum number of edge crossings of a shape to repair.

Splitting takes a second at this number, and three times as long for twice as many. Annotations
have few crossings.
"""

_FEW_CORNERS = 64  # too few to cross often
_MANY_CORNERS = 100_000  # above, shapely's validity check takes minutes
_SAMPLE = 16  # edges compared with all others
_EDGES = 1024  # edges per query


def import_shapely(doing: str) -> Any:
    """Import shapely.

    Parameters
    ----------
    doing : str
        Purpose, the start of the message for a missing package.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    return import_extra("shapely", f"geometry: {doing}", "valor-core[polygons]")


def to_shapely(rings: Rings, doing: str) -> Geometries:
    """Convert each row to a multipolygon without repairs.

    Rings with fewer than three corners are excluded, outer rings together with their holes.

    Parameters
    ----------
    rings : Rings
        The polygons of each row.
    doing : str
        Purpose, the start of the message if shapely is missing.

    Examples
    --------
    >>> square = Polygon([(0, 0), (2, 0), (2, 2), (0, 2)])
    >>> to_shapely(Rings.of([[square]]), "this example")[0].area
    4.0
    """
    shapely = import_shapely(doing)
    rings = drawable(rings)
    lengths = np.diff(rings.rings)
    # Shapely's rings repeat their first point.
    points = np.insert(rings.points, rings.rings[1:], rings.points[rings.rings[:-1]], axis=0)
    offsets = (ends(lengths + 1), rings.polygons, rings.rows)
    geometries: Geometries = shapely.from_ragged_array(
        shapely.GeometryType.MULTIPOLYGON, points, offsets
    )
    return geometries


def drawable(rings: Rings) -> Rings:
    """Return the rings of at least three corners, without the holes of others.

    Examples
    --------
    >>> len(drawable(Rings.of([[Polygon([(0, 0), (1, 1)])]])).points)
    0
    """
    drawn = np.diff(rings.rings) >= 3
    polygon = np.repeat(np.arange(len(rings.polygons) - 1), np.diff(rings.polygons))
    first = rings.polygons[polygon]
    drawn &= drawn[first]
    if drawn.all() and (np.diff(rings.polygons) > 0).all():
        return rings
    row = np.repeat(np.arange(len(rings)), np.diff(rings.rows))
    counts = np.bincount(polygon[drawn], minlength=len(rings.polygons) - 1)
    filled = counts > 0
    kept = Rings(rings.points, rings.rings, np.arange(len(drawn) + 1), np.arange(len(drawn) + 1))
    kept = kept.select(np.flatnonzero(drawn))
    rows = ends(np.bincount(row[filled], minlength=len(rings)))
    return Rings(kept.points, kept.rings, ends(counts[filled]), rows)


def from_shapely(geometries: Geometries) -> Rings:
    """Return the polygons of each of shapely's geometries, without lines and points.

    Examples
    --------
    >>> square = Polygon([(0, 0), (2, 0), (2, 2), (0, 2)])
    >>> rings = Rings.of([[square, square]])
    >>> from_shapely(to_shapely(rings, "this example")) == rings
    True
    """
    return Rings.of([_polygons(geometry) for geometry in geometries])


def _polygons(geometry: Any) -> Sequence[Polygon]:
    if geometry.geom_type == "Polygon":
        lines = [] if geometry.is_empty else [geometry.exterior, *geometry.interiors]
        return [Polygon([np.asarray(line.coords)[:, :2] for line in lines])] if lines else []
    parts = getattr(geometry, "geoms", ())
    return [polygon for part in parts for polygon in _polygons(part)]


def self_crossing(geometries: Geometries) -> tuple[Codes, Codes]:
    """Return positions of self-crossing polygons, and of those with too many crossings.

    The former can be split at the crossings; splitting the latter would take hours.

    Parameters
    ----------
    geometries : ndarray of object
        Geometries of shapely.

    Examples
    --------
    >>> from shapely import Polygon, box
    >>> self_crossing(np.array([box(0, 0, 2, 2), Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])]))
    (array([1]), array([], dtype=int64))
    """
    shapely = import_shapely("looking for self-crossing")
    sizes = shapely.get_num_coordinates(geometries)
    excessive = [
        i for i in np.flatnonzero(sizes > _MANY_CORNERS).tolist() if _crosses_often(geometries[i])
    ]
    checked = np.setdiff1d(np.arange(len(geometries)), excessive)
    crossing = checked[~shapely.is_valid(geometries[checked])]
    tangled = [
        i for i in crossing[sizes[crossing] > _FEW_CORNERS].tolist() if _is_tangled(geometries[i])
    ]
    return np.setdiff1d(crossing, tangled), np.array(sorted(excessive + tangled), np.int64)


def _edges(geometry: Any) -> Floats:
    """Edges of all rings: both ends, x and y, shape (n, 2, 2)."""
    shapely = import_shapely("looking for self-crossing")
    rings = shapely.get_rings(shapely.get_parts(geometry))
    points, ring = shapely.get_coordinates(rings, return_index=True)
    is_edge = ring[1:] == ring[:-1]
    return np.stack([points[:-1][is_edge], points[1:][is_edge]], axis=1)


def _crosses_often(geometry: Any) -> bool:
    """Return whether a sample of the edges is crossed too often."""
    edges = _edges(geometry)
    starts, steps = edges[:, 0], edges[:, 1] - edges[:, 0]
    found = 0
    for edge in range(0, len(edges), -(-len(edges) // _SAMPLE)):
        # Two edges cross if the ends of each are on both sides of the other.
        of_them = _sides(steps[edge], edges - starts[edge])
        of_it = [_sides(steps, end - starts) for end in edges[edge]]
        found += int(np.count_nonzero((of_them.prod(axis=1) < 0) & (of_it[0] * of_it[1] < 0)))
    return found > 2 * MOST_CROSSINGS


def _sides(steps: Floats, points: Floats) -> Floats:
    """Return the side of a line of each point: -1, 0 or 1."""
    sides: Floats = np.sign(steps[..., 0] * points[..., 1] - steps[..., 1] * points[..., 0])
    return sides


def _is_tangled(geometry: Any) -> bool:
    """Return whether the edges cross each other too often."""
    shapely = import_shapely("looking for self-crossing")
    edges = shapely.linestrings(_edges(geometry))
    tree = shapely.STRtree(edges)
    # Each crossing is found from both edges. Small first queries detect extreme shapes early.
    first, count, found = 0, 1, 0
    while first < len(edges) and found <= 2 * MOST_CROSSINGS:
        found += tree.query(edges[first : first + count], predicate="crosses").shape[1]
        first, count = first + count, min(2 * count, _EDGES)
    return found > 2 * MOST_CROSSINGS

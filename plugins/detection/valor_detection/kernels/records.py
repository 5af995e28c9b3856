"""Records of COCO's JSON, as columns: what both scanners make of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import define, fields, frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes

FloatColumn = NDArray[np.float64]

ID, IMAGE, CATEGORY, BOX, AREA, CROWD, SCORE, SEGMENTATION, HEIGHT, WIDTH = (
    1 << bit for bit in range(10)
)
"""Bits in `found`: which fields a record has, null being none."""

NO_MASK, POLYGONS, RUNS, COMPRESSED = range(4)
"""What a segmentation is."""


@frozen(repr=False)
class Segmentation:
    """One segmentation, as plain Python values."""

    kind: int = NO_MASK
    size: tuple[int, int] = (0, 0)
    rings: Sequence[Sequence[float]] = ()
    counts: Sequence[int] = ()
    letters: bytes = b""


@frozen(repr=False)
class Row:
    """One annotation, as plain Python values; what it has not is 0.

    Parameters
    ----------
    found : int
        Which fields are there.
    integers : (int, int, int)
        Own id, and those of image and category.
    floats : sequence of float
        x, y, width, height, area and score.
    crowd : bool
        Whether it is a crowd.
    segmentation : Segmentation
        Its segmentation, if it was asked for.
    """

    found: int
    integers: tuple[int, int, int]
    floats: Sequence[float]
    crowd: bool
    segmentation: Segmentation


@define(eq=False, repr=False)
class Segmentations:
    """Segmentations of annotations, ragged.

    Parameters
    ----------
    kinds : ndarray of uint8, shape (n,)
        `NO_MASK`, `POLYGONS`, `RUNS` or `COMPRESSED`.
    sizes : ndarray of int64, shape (n, 2)
        Height and width where runs are given; 0 elsewhere.
    row_ends : ndarray of int64, shape (n, 3)
        Where the rings, counts and letters of each row end.
    ring_ends : ndarray of int64, shape (n_rings,)
        Where the numbers of each ring end.
    numbers : ndarray of float64
        x and y by turns.
    counts : ndarray of uint32
        Run lengths.
    letters : ndarray of uint8
        Text of compressed run lengths.
    """

    kinds: NDArray[np.uint8]
    sizes: Codes
    row_ends: Codes
    ring_ends: Codes
    numbers: FloatColumn
    counts: NDArray[np.uint32]
    letters: NDArray[np.uint8]

    @classmethod
    def of(cls, rows: Sequence[Segmentation]) -> Segmentations:
        """Columns of rows of plain Python values."""
        rings = [ring for row in rows for ring in row.rings]
        ends = [(len(row.rings), len(row.counts), len(row.letters)) for row in rows]
        return cls(
            np.array([row.kind for row in rows], np.uint8),
            np.array([row.size for row in rows], np.int64).reshape(-1, 2),
            np.cumsum(np.array(ends, np.int64).reshape(-1, 3), axis=0),
            np.cumsum([len(ring) for ring in rings], dtype=np.int64),
            np.array([number for ring in rings for number in ring], np.float64),
            np.array([run for row in rows for run in row.counts], np.uint32),
            np.frombuffer(b"".join(row.letters for row in rows), np.uint8),
        )

    @classmethod
    def joined(cls, parts: Sequence[Segmentations]) -> Segmentations:
        """Rows of several parts, one after another; takes the parts apart on the way."""
        if len(parts) == 1:
            return parts[0]
        own = [(len(part.ring_ends), len(part.counts), len(part.letters)) for part in parts]
        row_starts = np.cumsum([(0, 0, 0), *own], axis=0, dtype=np.int64)
        ring_starts = np.cumsum([0, *(len(part.numbers) for part in parts)], dtype=np.int64)
        moved: dict[str, NDArray[Any]] = {
            "row_ends": _moved([part.row_ends for part in parts], row_starts),
            "ring_ends": _moved([part.ring_ends for part in parts], ring_starts),
        }
        columns = {}
        for name in _names(cls):
            columns[name] = moved[name] if name in moved else _end_to_end(parts, name)
            _drop(parts, name)
        return cls(**columns)


@define(eq=False, repr=False)
class Annotations:
    """Annotations of a file in their order, one row each.

    Parameters
    ----------
    found : ndarray of uint16, shape (n,)
        Which fields are there; the others are 0.
    ids, images, categories : ndarray of int64, shape (n,)
        Own id, and those of image and category.
    boxes : ndarray of float64, shape (n, 4)
        x, y, width and height.
    areas, scores : ndarray of float64, shape (n,)
        Area and score.
    crowd : ndarray of uint8, shape (n,)
        Whether it is a crowd.
    masks : Segmentations or None
        None unless asked for.
    """

    found: NDArray[np.uint16]
    ids: Codes
    images: Codes
    categories: Codes
    boxes: FloatColumn
    areas: FloatColumn
    scores: FloatColumn
    crowd: NDArray[np.uint8]
    masks: Segmentations | None = None

    def __len__(self) -> int:
        return len(self.found)

    @classmethod
    def none(cls, with_masks: bool) -> Annotations:
        """No annotations at all."""
        return cls.of([], with_masks)

    @classmethod
    def of(cls, rows: Sequence[Row], with_masks: bool) -> Annotations:
        """Columns of rows of plain Python values."""
        integers = np.array([row.integers for row in rows], np.int64).reshape(-1, 3)
        floats = np.array([row.floats for row in rows], np.float64).reshape(-1, 6)
        return cls(
            found=np.array([row.found for row in rows], np.uint16),
            ids=integers[:, 0].copy(),
            images=integers[:, 1].copy(),
            categories=integers[:, 2].copy(),
            boxes=floats[:, :4].copy(),
            areas=floats[:, 4].copy(),
            scores=floats[:, 5].copy(),
            crowd=np.array([row.crowd for row in rows], np.uint8),
            masks=Segmentations.of([row.segmentation for row in rows]) if with_masks else None,
        )

    @classmethod
    def joined(cls, parts: Sequence[Annotations]) -> Annotations:
        """Rows of several parts, one after another; takes the parts apart on the way."""
        if len(parts) == 1:
            return parts[0]
        masks = [part.masks for part in parts if part.masks is not None]
        columns = {}
        for name in _names(cls):
            if name != "masks":
                columns[name] = _end_to_end(parts, name)
                _drop(parts, name)
        return cls(**columns, masks=Segmentations.joined(masks) if masks else None)

    def lacking(self, bits: int) -> Codes:
        """Rows that have none of some fields."""
        return np.flatnonzero(self.found & np.uint16(bits) == 0)


@frozen(eq=False, repr=False)
class Images:
    """Images of a file in their order, one row each.

    Parameters
    ----------
    found : ndarray of uint16, shape (n,)
        Which fields are there.
    ids : ndarray of int64, shape (n,)
        Their ids.
    sizes : ndarray of int64, shape (n, 2)
        Height and width; 0 where not given.
    fields : tuple of str
        Names of fields that have a plain value wherever they stand, sorted.
    """

    found: NDArray[np.uint16]
    ids: Codes
    sizes: Codes
    fields: tuple[str, ...] = ()


def plain_fields(records: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Names of fields that have no list or table in any record, sorted.

    Examples
    --------
    >>> plain_fields([{"id": 1, "tags": ["a"]}, {"weather": "rain", "tags": None}])
    ('id', 'weather')
    """
    records = list(records)
    nested = {
        name for own in records for name, value in own.items() if isinstance(value, (list, dict))
    }
    return tuple(sorted(set().union(*records) - nested))


@frozen(eq=False, repr=False)
class Document:
    """What a file holds.

    Parameters
    ----------
    source : str
        The file, as messages name it.
    annotations : Annotations
        Its annotations, or the records of a list of results.
    is_list : bool
        Whether it is such a list, and not a data set.
    images : Images or None
        Its images; None where it has no such list.
    image_text : bytes
        The JSON of its images.
    category_text : bytes
        The JSON of its categories; empty where it has no such list.
    has_annotations : bool
        Whether it has a list of annotations, be it empty.
    """

    source: str
    annotations: Annotations
    is_list: bool = True
    images: Images | None = None
    image_text: bytes = b""
    category_text: bytes = b""
    has_annotations: bool = True

    @property
    def has_only_masks(self) -> bool:
        """Whether the first result, which speaks for all, has a segmentation and no box."""
        found = self.annotations.found[:1]
        return bool((found & (BOX | SEGMENTATION) == SEGMENTATION).any())

    @property
    def list_name(self) -> str:
        """Name of the list of annotations in messages: ``instances.json, annotations``."""
        return f"{self.source}, {'results' if self.is_list else 'annotations'}"

    def place(self, row: int) -> str:
        """How a message calls an annotation: ``instances.json, annotations[3]``."""
        return f"{self.list_name}[{row}]"


def _names(cls: type) -> tuple[str, ...]:
    return tuple(own.name for own in fields(cls))


def _drop(parts: Sequence[Any], name: str) -> None:
    """Let go of a column, so that no two are in memory twice."""
    for part in parts:
        delattr(part, name)


def _end_to_end(parts: Sequence[Any], name: str) -> NDArray[Any]:
    return np.concatenate([getattr(part, name) for part in parts])


def _moved(ends: Sequence[Codes], starts: Codes) -> Codes:
    return np.concatenate([own + start for own, start in zip(ends, starts, strict=False)])

"""Records of COCO's JSON in columns, as both scanners return them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from attrs import Factory, define, field, frozen
from numpy.typing import NDArray

from valor_core.errors import ReadError, and_more
from valor_core.schemas import Codes
from valor_core.schemas.geometry.shapes import ends
from valor_detection.kernels.segmentations import Segmentation, Segmentations, joined_columns

FloatColumn = NDArray[np.float64]

ID, IMAGE, CATEGORY, BOX, AREA, CROWD, SCORE, SEGMENTATION, HEIGHT, WIDTH = (
    1 << bit for bit in range(10)
)
NEGATIVE, NOT_EXHAUSTIVE, IGNORE, KEYPOINTS, NUM_KEYPOINTS = (1 << bit for bit in range(10, 15))
"""Bits in `found` for the fields of a record; null counts as missing, and `IGNORE` if false."""

FIELD_NAMES = {
    IMAGE: "image_id",
    CATEGORY: "category_id",
    BOX: "bbox",
    SCORE: "score",
    SEGMENTATION: "segmentation",
    KEYPOINTS: "keypoints",
    NUM_KEYPOINTS: "num_keypoints",
    AREA: "area",
}
"""Names of fields by bit."""

CATEGORY_LISTS = {"neg_category_ids": NEGATIVE, "not_exhaustive_category_ids": NOT_EXHAUSTIVE}
"""Bits of the fields of LVIS's images that are lists of category ids, by name."""


@frozen(repr=False)
class Row:
    """One annotation as built-in types; missing fields are 0.

    Parameters
    ----------
    found : int
        Bits of the fields that are present.
    integers : (int, int, int)
        Ids of annotation, image and category.
    floats : sequence of float
        x, y, width, height, area and score.
    crowd : bool
        Crowd flag.
    segmentation : Segmentation
        Segmentation, if requested.
    points : sequence of float
        Alternating x, y and visibility, if requested.
    labeled : int
        Number of labelled keypoints, if requested.
    """

    found: int
    integers: tuple[int, int, int]
    floats: Sequence[float]
    crowd: bool
    segmentation: Segmentation
    points: Sequence[float] = ()
    labeled: int = 0


def _one_after_another(annotations: Annotations) -> Codes:
    return ends(annotations.point_counts)[:-1]


@define(eq=False, repr=False)
class Annotations:
    """Annotations of a file in their order, one row each.

    Parameters
    ----------
    found : ndarray of uint16, shape (n,)
        Bits of the fields that are present; other fields are 0.
    ids, images, categories : ndarray of int64, shape (n,)
        Ids of annotation, image and category.
    boxes : ndarray of float64, shape (n, 4)
        x, y, width and height.
    areas, scores : ndarray of float64, shape (n,)
        Area and score.
    crowd : ndarray of uint8, shape (n,)
        Crowd flags.
    masks : Segmentations or None
        Segmentations, if requested.
    points : ndarray of float64
        Alternating x, y and visibility of the keypoints, if requested.
    point_counts : ndarray of int64, shape (n,)
        Number of entries of each row in `points`, if requested.
    labeled : ndarray of int64, shape (n,)
        Number of labelled keypoints, if requested.
    point_starts : ndarray of int64, shape (n,), optional
        Index in `points` of the first entry of each row. Defaults to one row after another.
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
    points: FloatColumn = field(factory=partial(np.empty, 0))
    point_counts: Codes = field(factory=partial(np.empty, 0, np.int64))
    labeled: Codes = field(factory=partial(np.empty, 0, np.int64))
    point_starts: Codes = field(default=Factory(_one_after_another, takes_self=True))

    def __len__(self) -> int:
        return len(self.found)

    @classmethod
    def none(cls, with_masks: bool) -> Annotations:
        """Return an empty list of annotations."""
        return cls.of([], with_masks)

    @classmethod
    def of(cls, rows: Sequence[Row], with_masks: bool, with_keypoints: bool = False) -> Annotations:
        """Convert rows to columns."""
        posed = rows if with_keypoints else []
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
            points=np.array([number for row in posed for number in row.points], np.float64),
            point_counts=np.array([len(row.points) for row in posed], np.int64),
            labeled=np.array([row.labeled for row in posed], np.int64),
        )

    @classmethod
    def joined(cls, parts: Sequence[Annotations]) -> Annotations:
        """Concatenate parts; empties them on the way to save memory."""
        if len(parts) == 1:
            return parts[0]
        masks = [part.masks for part in parts if part.masks is not None]
        points = parts[0].points
        is_shared = all(part.points is points for part in parts)
        if not is_shared:
            points = np.concatenate([part._own_points for part in parts])
        columns = joined_columns(parts, without=("masks", "points"))
        if not is_shared:
            del columns["point_starts"]
        return cls(**columns, points=points, masks=Segmentations.joined(masks) if masks else None)

    @property
    def _own_points(self) -> FloatColumn:
        """Points of the rows, which are one after another in an array shared with other parts."""
        first = int(self.point_starts[0]) if len(self.point_starts) else 0
        return self.points[first : first + int(self.point_counts.sum())]

    def lacking(self, bits: int) -> Codes:
        """Return rows without any of the fields of `bits`."""
        return np.flatnonzero(self.found & np.uint16(bits) == 0)


@frozen(eq=False, repr=False)
class Images:
    """Images of a file in their order, one row each.

    Parameters
    ----------
    found : ndarray of uint16, shape (n,)
        Bits of the fields that are present.
    ids : ndarray of int64, shape (n,)
        Their ids.
    sizes : ndarray of int64, shape (n, 2)
        Height and width; 0 where not given.
    fields : tuple of str
        Sorted names of fields without lists or tables in any image.
    listed : ndarray of int64, shape (m, 3), optional
        Row of an image, bit of one of its `CATEGORY_LISTS`, and a category id in that list. None
        if the lists were not read.
    """

    found: NDArray[np.uint16]
    ids: Codes
    sizes: Codes
    fields: tuple[str, ...] = ()
    listed: Codes | None = None


def plain_fields(records: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return sorted names of fields without lists or tables in any record.

    Examples
    --------
    >>> plain_fields([{"id": 1, "tags": ["a"]}, {"weather": "rain", "tags": None}])
    ('id', 'weather')
    """
    records = list(records)
    nested = {
        name
        for record in records
        for name, value in record.items()
        if isinstance(value, (list, dict))
    }
    return tuple(sorted(set().union(*records) - nested))


@frozen(eq=False, repr=False)
class Document:
    """Parsed content of a COCO file.

    Parameters
    ----------
    source : str
        Name of the file in messages.
    annotations : Annotations
        Annotations of a data set, or records of a list of results.
    is_list : bool
        True if the file is a list of results instead of a data set.
    images : Images or None
        Images; None without a list of images.
    image_text : bytes
        JSON of the images.
    category_text : bytes
        JSON of the categories; empty without a list of categories.
    has_annotations : bool
        True if the file has a list of annotations, even an empty one.
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
        """True if the first result, the only one that pycocotools checks, has a mask and no box."""
        found = self.annotations.found[:1]
        return bool((found & (BOX | SEGMENTATION) == SEGMENTATION).any())

    @property
    def has_only_keypoints(self) -> bool:
        """True if the first result has keypoints, and neither a box nor a mask."""
        found = self.annotations.found[:1]
        return bool((found & (BOX | SEGMENTATION | KEYPOINTS) == KEYPOINTS).any())

    @property
    def list_name(self) -> str:
        """Name of the list of annotations in messages: ``instances.json, annotations``."""
        return f"{self.source}, {'results' if self.is_list else 'annotations'}"

    def where(self, row: int) -> str:
        """Name of an annotation in messages: ``instances.json, annotations[3]``."""
        return f"{self.list_name}[{row}]"


def check_once(ids: Codes, where: str) -> None:
    """Raise a `ReadError` if an id is repeated in the list `where`."""
    ordered = ids if bool((ids[1:] > ids[:-1]).all()) else np.sort(ids)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(twice):
        first, second = np.flatnonzero(ids == twice[0])[:2].tolist()
        more = len(np.unique(twice)) - 1
        raise ReadError(
            f"{where}[{second}]: expected every id once, found id {twice[0]} as in "
            f"[{first}]{and_more(more)}"
        )


_SPREAD = 64  # a table may have this many entries per id


@frozen(eq=False, repr=False)
class AscendingIds:
    """Positions of ids in an ascending column.

    Parameters
    ----------
    ids : ndarray of int64, shape (n,)
        The ids, ascending.
    table : ndarray of int64, optional
        Position of every number from the lowest to the highest id; -1 for numbers without id.
    """

    ids: Codes
    table: Codes | None

    @classmethod
    def of(cls, ids: Codes) -> AscendingIds:
        """Index an ascending column.

        Examples
        --------
        >>> AscendingIds.of(np.array([3, 7])).positions(np.array([7, 5, 3, -2]))
        array([ 1, -1,  0, -1])
        """
        if not len(ids) or int(ids[-1]) - int(ids[0]) >= _SPREAD * len(ids) + (1 << 20):
            return cls(ids, None)
        table = np.full(int(ids[-1]) - int(ids[0]) + 1, -1)
        table[ids - ids[0]] = np.arange(len(ids))
        return cls(ids, table)

    @property
    def count(self) -> int:
        """Number of ids."""
        return len(self.ids)

    def positions(self, values: Codes) -> Codes:
        """Return the position of each value; -1 for unknown ids."""
        if self.count == 0 or not len(values):
            return np.full(len(values), -1)
        if self.table is None:
            found = np.minimum(np.searchsorted(self.ids, values), self.count - 1)
            return np.where(self.ids[found] == values, found, -1)
        if values.min() >= self.ids[0] and values.max() <= self.ids[-1]:
            positions: Codes = self.table[values - self.ids[0]]
            return positions
        is_inside = (values >= self.ids[0]) & (values <= self.ids[-1])
        return np.where(is_inside, self.table[np.where(is_inside, values - self.ids[0], 0)], -1)

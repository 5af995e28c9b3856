"""Records of COCO's JSON in columns, as both scanners return them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes
from valor_detection.kernels.segmentations import Segmentation, Segmentations, joined_columns

FloatColumn = NDArray[np.float64]

ID, IMAGE, CATEGORY, BOX, AREA, CROWD, SCORE, SEGMENTATION, HEIGHT, WIDTH = (
    1 << bit for bit in range(10)
)
"""Bits in `found`: which fields a record has, null being none."""


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
        columns = joined_columns(parts, without="masks")
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


_SPREAD = 64  # a table is made for ids up to as many times as far apart as there are ids


@frozen(eq=False, repr=False)
class Numbering:
    """Positions of ids in an ascending column.

    Parameters
    ----------
    ids : ndarray of int64, shape (n,)
        The ids, ascending.
    table : ndarray of int64, optional
        Position of every number from the least id to the greatest one, -1 where it is none.
    """

    ids: Codes
    table: Codes | None

    @classmethod
    def of(cls, ids: Codes) -> Numbering:
        """The numbering of an ascending column.

        Examples
        --------
        >>> Numbering.of(np.array([3, 7])).positions(np.array([7, 5, 3, -2]))
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
        """Position of each value, -1 where it is no known id."""
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

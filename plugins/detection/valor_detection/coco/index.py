"""Index: annotations by their images, without objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import ends, gathered
from valor_detection.coco_json.records import Document
from valor_detection.kernels import grouping


@frozen(eq=False)
class Index:
    """Ids of annotations, looked up by what is known of them.

    Parameters
    ----------
    document : Document
        The annotations.
    ids : ndarray of int64, shape (n,)
        Their ids.
    areas : ndarray of float64, shape (n,)
        Their areas.
    images : ndarray of int64, shape (m,)
        Images that have any, ascending.
    rows, starts : ndarray of int64, shapes (n,) and (m + 1,)
        Rows by image, and where those of each image begin.
    """

    document: Document
    ids: Codes
    areas: Floats
    images: Codes
    rows: Codes
    starts: Codes

    @classmethod
    def of(cls, document: Document, ids: Codes, areas: Floats) -> Index:
        """The index of some annotations."""
        images, groups = np.unique(document.annotations.images, return_inverse=True)
        counts = np.bincount(groups, minlength=len(images))
        rows = grouping.grouped_order(groups.astype(np.int64), len(images))
        return cls(document, ids, areas, images, rows, ends(counts))

    def select(
        self,
        images: Sequence[Any],
        categories: Sequence[Any],
        area_range: Sequence[float],
        crowd: bool | None,
    ) -> list[int]:
        """Ids of some annotations, by image as asked for; an empty filter lets all pass.

        Areas are those between the bounds, both excluded.
        """
        rows = self._of_images(images) if len(images) else np.arange(len(self.ids))
        own = self.document.annotations
        keep = np.ones(len(rows), dtype=bool)
        if len(categories):
            keep &= np.isin(own.categories[rows], np.asarray(list(categories)))
        if len(area_range):
            low, high = area_range
            keep &= (self.areas[rows] > low) & (self.areas[rows] < high)
        if crowd is not None:
            keep &= own.crowd[rows] == int(crowd)
        ids: list[int] = self.ids[rows[keep]].tolist()
        return ids

    def _of_images(self, images: Sequence[Any]) -> Codes:
        wanted: NDArray[Any] = np.asarray(list(images))
        if not len(self.images):
            return np.empty(0, np.int64)
        places = np.minimum(np.searchsorted(self.images, wanted), len(self.images) - 1)
        places = places[self.images[places] == wanted]
        chosen, _ = gathered(self.starts, places)
        return self.rows[chosen]

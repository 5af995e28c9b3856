"""Index of annotations by image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import ends, gathered
from valor_detection.coco_json.records import Document
from valor_detection.kernels import matching as kernels


@frozen(eq=False)
class Index:
    """Ids of annotations by image, category, area and crowd flag.

    Parameters
    ----------
    document : Document
        The annotations.
    ids : ndarray of int64, shape (n,)
        Their ids.
    areas : ndarray of float64, shape (n,)
        Their areas.
    images : ndarray of int64, shape (m,)
        Ids of images with annotations, ascending.
    rows, starts : ndarray of int64, shapes (n,) and (m + 1,)
        Rows grouped by image, and the start of each group.
    """

    document: Document
    ids: Codes
    areas: Floats
    images: Codes
    rows: Codes
    starts: Codes

    @classmethod
    def of(cls, document: Document, ids: Codes, areas: Floats) -> Index:
        """Build the index of a document's annotations."""
        images, groups = np.unique(document.annotations.images, return_inverse=True)
        counts = np.bincount(groups, minlength=len(images))
        rows = kernels.grouped_order(groups.astype(np.int64), len(images))
        return cls(document, ids, areas, images, rows, ends(counts))

    def select(
        self,
        images: Sequence[Any],
        categories: Sequence[Any],
        area_range: Sequence[float],
        crowd: bool | None,
    ) -> list[int]:
        """Return ids of annotations in the order of `images`; an empty filter selects all.

        Both area bounds are exclusive.
        """
        rows = self._of_images(images) if len(images) else np.arange(len(self.ids))
        annotations = self.document.annotations
        keep = np.ones(len(rows), dtype=bool)
        if len(categories):
            keep &= np.isin(annotations.categories[rows], np.asarray(list(categories)))
        if len(area_range):
            low, high = area_range
            keep &= (self.areas[rows] > low) & (self.areas[rows] < high)
        if crowd is not None:
            keep &= annotations.crowd[rows] == int(crowd)
        ids: list[int] = self.ids[rows[keep]].tolist()
        return ids

    def _of_images(self, images: Sequence[Any]) -> Codes:
        wanted: NDArray[Any] = np.asarray(list(images))
        if not len(self.images):
            return np.empty(0, np.int64)
        groups = np.minimum(np.searchsorted(self.images, wanted), len(self.images) - 1)
        groups = groups[self.images[groups] == wanted]
        chosen, _ = gathered(self.starts, groups)
        return self.rows[chosen]

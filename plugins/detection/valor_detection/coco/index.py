"""Index of annotations by image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.schemas import Codes, Floats
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
    by_image : dict of int to ndarray of int64
        Rows of each image with annotations.
    """

    document: Document
    ids: Codes
    areas: Floats
    by_image: Mapping[int, Codes]

    @classmethod
    def of(cls, document: Document, ids: Codes, areas: Floats) -> Index:
        """Build the index of a document's annotations."""
        images, groups, counts = np.unique(
            document.annotations.images, return_inverse=True, return_counts=True
        )
        rows = kernels.grouped_order(groups.astype(np.int64), len(images))
        parts = np.split(rows, np.cumsum(counts)[:-1])
        return cls(document, ids, areas, dict(zip(images.tolist(), parts, strict=False)))

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
        rows = np.arange(len(self.ids))
        if len(images):
            parts = [self.by_image[image] for image in images if image in self.by_image]
            rows = np.concatenate([rows[:0], *parts])
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

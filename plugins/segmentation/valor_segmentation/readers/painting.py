"""Painting: label images of COCO's segmentations, run lengths or polygons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from valor_detection.coco_json import coco_masks

from valor_core.errors import ReadError
from valor_core.schemas import Label
from valor_core.schemas.segmentation import LabelImage, Legend
from valor_segmentation.readers.documents import Annotation
from valor_segmentation.readers.panoptic import code_of

Mask = NDArray[np.bool_]
Size = tuple[int, int]


@frozen
class Painter:
    """Paints the annotations of one image over each other.

    Parameters
    ----------
    labels : tuple of Label
        The vocabulary.
    codes : mapping of int to int
        Label codes of the categories.
    overlap : {"error", "first", "last"}
        Which of several labels has a pixel.
    """

    labels: tuple[Label, ...]
    codes: Mapping[int, int]
    overlap: str

    def painted(self, annotations: Sequence[Annotation], size: Size | None) -> LabelImage:
        """The label image of some annotations.

        Parameters
        ----------
        annotations : sequence of Annotation
            At least one.
        size : (int, int), optional
            Height and width of the image, where they are known.

        Raises
        ------
        ReadError
            If a segmentation is none, has another size, or shares pixels with one of another
            label; names the annotation.
        """
        records = [one.record for one in annotations]
        masks = coco_masks(records, size, lambda row: annotations[row].where)
        image = np.zeros(masks.sizes[0], np.min_scalar_type(len(self.labels)))
        for row, one in enumerate(annotations):
            value = 1 + code_of(one.integer("category_id"), self.codes, one.where)
            self._paint(image, value, masks.at(row).array, one.where)
        return LabelImage(image, Legend.of_labels(len(self.labels)))

    def _paint(self, image: NDArray[Any], value: int, mask: Mask, where: str) -> None:
        shared = mask & (image != 0) & (image != value)
        if self.overlap == "error" and shared.any():
            other = self.labels[int(image[shared][0]) - 1]
            raise ReadError(
                f"{where}, segmentation: expected one label per pixel, {int(shared.sum()):,} "
                f"are in '{other}' and in '{self.labels[value - 1]}'",
                "Set data.overlap to first or last to give them to one of the two.",
            )
        image[mask & ~shared if self.overlap == "first" else mask] = value

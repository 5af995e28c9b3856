"""Painting: label images of COCO's segmentations, run lengths or polygons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.errors import ReadError, SchemaError, shown
from valor_core.packages import import_extra
from valor_core.schemas import Floats, Label, as_float
from valor_core.schemas.geometry import decoded, runs_of
from valor_core.schemas.segmentation import LabelImage, Legend
from valor_segmentation.readers.documents import Annotation
from valor_segmentation.readers.panoptic import code_of

Mask = NDArray[np.bool_]
Size = tuple[int, int]

_MOST_PIXELS = 1 << 32


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
        size = size or _run_size(annotations[0])
        if size[0] * size[1] > _MOST_PIXELS:
            raise ReadError(
                f"{annotations[0].place}: expected an image of at most {_MOST_PIXELS:,} pixels to "
                f"draw it in, found {size[0]:,} by {size[1]:,}"
            )
        image = np.zeros(size, np.min_scalar_type(len(self.labels)))
        for one in annotations:
            value = 1 + code_of(one.whole("category_id"), self.codes, one.place)
            self._paint(image, value, _mask(one, size), one.place)
        return LabelImage(image, Legend.of_labels(len(self.labels)))

    def _paint(self, image: NDArray[Any], value: int, mask: Mask, place: str) -> None:
        shared = mask & (image != 0) & (image != value)
        if self.overlap == "error" and shared.any():
            other = self.labels[int(image[shared][0]) - 1]
            raise ReadError(
                f"{place}, segmentation: expected one label per pixel, {int(shared.sum()):,} "
                f"are in '{other}' and in '{self.labels[value - 1]}'",
                "Set data.overlap to first or last to give them to one of the two.",
            )
        image[mask & ~shared if self.overlap == "first" else mask] = value


def _run_size(annotation: Annotation) -> Size:
    found = annotation.record.get("segmentation")
    size = found.get("size") if isinstance(found, dict) else None
    if not _is_size(size):
        raise ReadError(
            f"{annotation.place}: expected an image with height and width to draw it in, found "
            "none",
            'Give the images of the data set their "height" and "width".',
        )
    return size[0], size[1]


def _is_size(value: Any) -> TypeGuard[list[int]]:
    is_pair = isinstance(value, list) and len(value) == 2
    return is_pair and all(type(side) is int and side > 0 for side in value)


def _mask(annotation: Annotation, size: Size) -> Mask:
    found = annotation.record.get("segmentation")
    place = f"{annotation.place}, segmentation"
    if isinstance(found, dict):
        return _of_runs(found, size, place)
    if isinstance(found, list) and all(isinstance(ring, list) for ring in found):
        try:
            return _of_rings([_corners(ring, place) for ring in found], size)
        except SchemaError as error:
            raise ReadError(f"{place}: {error.message.replace(', got ', ', found ')}") from error
    raise ReadError(f"{place}: expected run lengths or polygons, found {shown(found)}")


def _of_runs(record: Mapping[str, Any], size: Size, place: str) -> Mask:
    if record.get("size") != list(size):
        raise ReadError(
            f"{place}, size: expected the image's height and width {list(size)}, found "
            f"{shown(record.get('size'))}"
        )
    try:
        runs = runs_of(record.get("counts"))
    except SchemaError as error:
        raise ReadError(f"{place}, {error.message.replace(', got ', ', found ')}") from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise ReadError(f"{place}, counts: expected run lengths, found: {error}") from error
    filled = int(runs.sum(dtype=np.int64))
    if filled != size[0] * size[1]:
        raise ReadError(
            f"{place}, counts: expected runs for {size[0]:,} by {size[1]:,} pixels, found "
            f"{filled:,} pixels"
        )
    return decoded(runs, *size)


def _of_rings(rings: Sequence[Floats], size: Size) -> Mask:
    """Return the pixels of any ring, by the rule of COCO."""
    doing = "segmentation: reading polygons of COCO's files"
    geometry = import_extra("valor_detection.geometry", doing, "valor-segmentation[coco]")
    mask = np.zeros(size, bool)
    for ring in rings:
        mask |= geometry.coco_pixels(ring, size)
    return mask


def _corners(numbers: Sequence[Any], place: str) -> Floats:
    is_right = all(type(value) in (int, float) for value in numbers)
    if not is_right or len(numbers) % 2 or len(numbers) < 6:
        raise ReadError(
            f"{place}: expected polygons [x, y, x, y, x, y, ...] of 3 points or more, found "
            f"{shown(list(numbers))}"
        )
    return np.array([as_float(value) for value in numbers]).reshape(-1, 2)

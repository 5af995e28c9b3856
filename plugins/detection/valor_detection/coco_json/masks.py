"""Masks of segmentations: rasterized polygons, and run lengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.errors import ReadError, and_more
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import RunLengths, Shapes
from valor_core.schemas.geometry.shapes import MASK
from valor_detection.coco_json.reference_scanner import segmentation
from valor_detection.kernels import masks as kernels
from valor_detection.kernels.row_errors import RowError, is_large, large_sentence
from valor_detection.kernels.segmentations import COMPRESSED, NO_MASK, POLYGONS, RUNS, Segmentations

_CORNERS = [0, 1, 0, 3, 2, 3, 2, 1]  # of xmin, ymin, xmax, ymax: in the order of pycocotools
_FEWEST = 5  # numbers of a polygon that pycocotools draws


@frozen(eq=False)
class Masks:
    """Masks of annotations with their areas and bounding boxes.

    Parameters
    ----------
    lengths : RunLengths
        The masks.
    areas : ndarray of float64, shape (n,)
        Number of pixels of each.
    boxes : ndarray of float64, shape (n, 4)
        Bounding box of each.
    """

    lengths: RunLengths
    areas: Floats
    boxes: Floats

    @property
    def shapes(self) -> Shapes:
        """The masks as geometry."""
        return Shapes(self.boxes, np.full(len(self.areas), MASK), masks=self.lengths)

    @classmethod
    def of(
        cls,
        given: Segmentations,
        images: Codes,
        rows: Codes | None,
        name: Callable[[int], str],
        boxes: Floats | None = None,
    ) -> Masks:
        """Rasterize or decompress segmentations.

        Parameters
        ----------
        given : Segmentations
            The segmentations.
        images : ndarray of int64, shape (n, 2)
            Height and width of each row's image; 0 if unknown.
        rows : ndarray of int64, shape (m,), optional
            Selected rows in order. By default all rows.
        name : callable
            Returns the name of a row for messages.
        boxes : ndarray of float64, shape (n, 4), optional
            Boxes to use as masks of rows without a segmentation.

        Raises
        ------
        ReadError
            If a segmentation cannot be rasterized or differs in size from its image.
        """
        if rows is None:
            rows, where = np.arange(len(given.kinds)), name
        else:
            images, where = images[rows], partial(_where, name, rows)
        kinds = given.kinds[rows]
        is_run = np.isin(kinds, (RUNS, COMPRESSED))
        sizes = np.where(is_run[:, None], given.sizes[rows], images)
        _check_sizes(kinds, sizes, images, where)
        drawn = given if boxes is None else _with_boxes(given, boxes)
        _check_rings(drawn, rows, where)
        try:
            runs, starts = kernels.segmentation_runs(drawn, rows, sizes)
        except RowError as error:
            raise ReadError(f"{where(error.row)}, segmentation: {error.sentence}") from error
        areas, around, filled = kernels.measured(runs, starts, sizes)
        _check_filled(np.where(starts[1:] > starts[:-1], filled, -1), sizes, where)
        return cls(RunLengths(runs, starts, sizes), areas, around)


def coco_masks(
    records: Sequence[Mapping[str, Any]], size: tuple[int, int] | None, name: Callable[[int], str]
) -> RunLengths:
    """Return the masks of the annotations of one image, drawn as by pycocotools.

    Parameters
    ----------
    records : sequence of mapping
        At least one annotation.
    size : (int, int), optional
        Height and width of the image. Defaults to the size of the first annotation's run lengths.
    name : callable
        Returns the name of an annotation for messages.

    Raises
    ------
    ReadError
        If a segmentation is missing or invalid, or differs in size from the image.

    Examples
    --------
    >>> records = [{"segmentation": {"size": [1, 3], "counts": [1, 2]}}]
    >>> coco_masks(records, None, "annotations[{}]".format).areas
    array([2.])
    """
    given = Segmentations.of(
        [
            segmentation(one.get("segmentation"), f"{name(row)}, segmentation")
            for row, one in enumerate(records)
        ]
    )
    sizes = np.tile(given.sizes[0] if size is None else size, (len(records), 1))
    return Masks.of(given, sizes, None, name).lengths


def _where(name: Callable[[int], str], rows: Codes, row: int) -> str:
    return name(int(rows[row]))


def _with_boxes(given: Segmentations, boxes: Floats) -> Segmentations:
    """Add boxes as polygons to rows without a segmentation."""
    is_box = given.kinds == NO_MASK
    rows = np.flatnonzero(is_box)
    if not len(rows):
        return given
    rings, numbers = _starts_of(given.row_ends[:, 0])[rows], _starts_of(given.ring_ends)
    corners = box_corners(boxes[rows])
    row_ends = given.row_ends.copy()
    row_ends[:, 0] += np.cumsum(is_box)
    return Segmentations(
        np.where(is_box, np.uint8(POLYGONS), given.kinds),
        given.sizes,
        row_ends,
        np.cumsum(np.insert(np.diff(numbers), rings, corners.shape[1])),
        np.insert(given.numbers, np.repeat(numbers[rings], corners.shape[1]), corners.ravel()),
        given.counts,
        given.letters,
    )


def box_corners(boxes: Floats) -> Floats:
    """Return corners of boxes as alternating x and y, in the order of pycocotools.

    Examples
    --------
    >>> box_corners(np.array([[1.0, 2.0, 10.0, 20.0]]))
    array([[ 1.,  2.,  1., 22., 11., 22., 11.,  2.]])
    """
    edges = np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], axis=1)
    return edges[:, _CORNERS]


def outline_boxes(given: Segmentations, rows: Codes) -> Floats:
    """Return bounding boxes (x, y, width, height) of polygons; NaN for rows without polygons."""
    rings, numbers = _starts_of(given.row_ends[:, 0]), _starts_of(given.ring_ends)
    found = np.full((len(rows), 4), np.nan)
    for index, row in enumerate(rows.tolist()):
        first, last = numbers[rings[row]], numbers[rings[row + 1]]
        if given.kinds[row] == POLYGONS and last - first > 1:
            ends = [numbers[ring : ring + 2] for ring in range(rings[row], rings[row + 1])]
            x = np.concatenate([given.numbers[start:stop:2] for start, stop in ends])
            y = np.concatenate([given.numbers[start + 1 : stop : 2] for start, stop in ends])
            found[index] = x.min(), y.min(), np.ptp(x), np.ptp(y)
    return found


def _check_rings(given: Segmentations, rows: Codes, name: Callable[[int], str]) -> None:
    """Reject the polygons that pycocotools rejects; it checks only the first of each row."""
    starts = _starts_of(given.row_ends[:, 0])
    has_rings = (np.diff(starts) > 0)[rows]
    polygons = np.flatnonzero((given.kinds[rows] == POLYGONS) & has_rings)
    counts = np.diff(_starts_of(given.ring_ends))[starts[rows[polygons]]]
    short = np.flatnonzero(counts < _FEWEST)
    if len(short):
        raise ReadError(
            f"{name(int(polygons[short[0]]))}, segmentation: expected polygons of 3 points or "
            f"more, found {counts[short[0]]} numbers"
        )


def _check_sizes(
    kinds: NDArray[np.uint8], sizes: Codes, images: Codes, name: Callable[[int], str]
) -> None:
    is_drawn = np.isin(kinds, (POLYGONS, NO_MASK))
    unsized = np.flatnonzero(is_drawn & (images <= 0).any(axis=1))
    if len(unsized):
        raise ReadError(
            f"{name(int(unsized[0]))}, segmentation: expected an image with height and width to "
            f"draw it in, found none{and_more(len(unsized) - 1)}",
            'Give the images of the data set their "height" and "width".',
        )
    unequal = np.flatnonzero((sizes != images).any(axis=1) & (images > 0).all(axis=1))
    if len(unequal):
        row = int(unequal[0])
        raise ReadError(
            f"{name(row)}, segmentation: expected a mask of the image's height and width "
            f"{images[row].tolist()}, found {sizes[row].tolist()}{and_more(len(unequal) - 1)}"
        )
    huge = np.flatnonzero(is_large(sizes))
    if len(huge):
        row = int(huge[0])
        raise ReadError(
            f"{name(row)}, segmentation: {large_sentence(sizes[row])}{and_more(len(huge) - 1)}",
            'Correct the "size" of the mask, or the "height" and "width" of its image.',
        )


def _check_filled(filled: Codes, sizes: Codes, name: Callable[[int], str]) -> None:
    """Reject masks with another number of pixels than the image; -1 means no mask."""
    wrong = np.flatnonzero((filled >= 0) & (filled != sizes.prod(axis=1)))
    if len(wrong):
        row = int(wrong[0])
        height, width = sizes[row].tolist()
        raise ReadError(
            f"{name(row)}, segmentation: expected runs for {height} by {width} pixels, "
            f"found {filled[row]:,} pixels{and_more(len(wrong) - 1)}"
        )


def _starts_of(row_ends: Codes) -> Codes:
    """Return the offsets of ragged rows and the total length, given where each row ends."""
    return np.concatenate([[0], row_ends]).astype(np.int64)

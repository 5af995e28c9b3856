"""Distances between the true and predicted edges of each label, over images."""

from __future__ import annotations

from functools import partial

import numpy as np
from attrs import define, field
from numpy.typing import NDArray
from scipy.spatial import KDTree
from valor_labels import LabelRows, counted_by_label

from valor_core.errors import StateError, short_repr
from valor_core.results import NumberOrReason, Undefined
from valor_core.schemas import Codes, Datums, Floats
from valor_core.schemas.segmentation import BACKGROUND, IGNORED, LabelImage, SegmentationBatch
from valor_core.states import ExactSums, StateContent
from valor_core.states.saved_columns import saved_labels
from valor_core.states.sums import saved_sums
from valor_segmentation.counting.strips import map_images
from valor_segmentation.counting.value_map import LabelCodes, label_codes

Flags = NDArray[np.bool_]
Points = NDArray[np.int64]

BOTH, ONLY_TRUE, ONLY_PREDICTED = range(3)
"""Columns of `EdgeDistances.images`."""

ONE_SIDED = [ONLY_TRUE, ONLY_PREDICTED]

OneSided = tuple[int, float]
"""The side that has a label of an image, and the diagonal of the image in pixels."""

_FARTHEST = 2.0**32  # pixels; more than the diagonal of any image


def _no_distances(state: EdgeDistances) -> Floats:
    return np.zeros((0, len(state.percentiles)))


@define(slots=False, repr=False)
class EdgeDistances(LabelRows):
    """Distances between the true and predicted edges of each label, over images.

    Parameters
    ----------
    percentiles : tuple of float
        Percentiles of the distances to store for each image, ascending.

    Examples
    --------
    >>> state = EdgeDistances(percentiles=(100.0,))
    >>> from valor_segmentation.readers.in_memory import from_arrays
    >>> state.update(from_arrays([[[1, 0, 0]]], [[[1, 1, 1]]], labels=["cat"]))
    >>> state.images, state.worst
    (array([[1, 0, 0]]), array([[2.]]))
    """

    percentiles: tuple[float, ...]
    images: Codes = counted_by_label(lambda: np.zeros((0, 3), np.int64))
    worst: Floats = counted_by_label(_no_distances, takes_self=True)
    longest: Floats = counted_by_label(lambda: np.zeros(0))
    diagonals: ExactSums = counted_by_label(ExactSums)
    sums: list[ExactSums] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.sums = [ExactSums() for _ in self.percentiles]

    def update(self, batch: SegmentationBatch) -> None:
        """Measure the images of a batch, each read whole."""
        codes = self.add(batch.labels)
        for sums in self.sums:
            sums.grow(len(self.vocabulary))
        for layer in batch.layers:
            for edges in map_images(partial(self._of_image, batch.datums), layer):
                self._count(codes, edges)

    def merge(self, other: EdgeDistances) -> None:
        """Add the counts of another state of the same request, which is not modified."""
        super().merge(other)
        codes = self.vocabulary.join(other.vocabulary.labels)
        for mine, more in zip(self.sums, other.sums, strict=True):
            mine.grow(len(self.vocabulary))
            mine.merge(more, codes)

    def dump(self) -> StateContent:
        """Return all counts, for a file."""
        return super().dump() | {"sums": [sums.to_text() for sums in self.sums]}

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned.

        Raises
        ------
        StateError
            If a field is missing, or its distances are not possible.
        """
        count = len(saved_labels(content, "labels"))
        # States of 0.1.0 have no diagonals; their request was to skip such images.
        none = {"longest": np.zeros(count), "diagonals": " ".join(["0x0p+0"] * count)}
        content = none | content
        super().restore(content)
        for name, distances in (("worst", self.worst), ("longest", self.longest)):
            if distances.max(initial=0) > _FARTHEST:
                raise StateError(f"{name}: expected distances in pixels, found {distances.max():g}")
        # The mean of distances is at most the greatest. The sum is rounded to 53 bits, and so is
        # each product here: 2**-50 bounds these errors with a margin.
        most = self.worst * self.images[:, [BOTH]] * (1 + 2**-50)
        texts, kept = content.get("sums"), len(self.percentiles)
        if not isinstance(texts, list) or len(texts) != kept:
            raise StateError(
                f"sums: expected those of {kept} percentiles, found {short_repr(texts)}"
            )
        self.sums = [saved_sums(text, f"sums[{i}]", most[:, i]) for i, text in enumerate(texts)]
        most = self.longest * self.images[:, ONE_SIDED].sum(axis=1) * (1 + 2**-50)
        self.diagonals = saved_sums(content["diagonals"], "diagonals", most)

    def means(self, percentile: float, missed: str = "skip") -> list[NumberOrReason]:
        """Mean distance of each label over the images that count."""
        totals = self.sums[self.percentiles.index(percentile)].values
        if missed == "diagonal":
            totals = totals + self.diagonals.values
        pairs = zip(totals.tolist(), self.images.tolist(), strict=True)
        return [
            total / counted_images(row, missed) if (why := _reason(row, missed)) is None else why
            for total, row in pairs
        ]

    def greatest(self, percentile: float, missed: str = "skip") -> list[NumberOrReason]:
        """Greatest distance of each label in an image that counts."""
        distances = self.worst[:, self.percentiles.index(percentile)]
        if missed == "diagonal":
            distances = np.maximum(distances, self.longest)
        return [
            distance if (why := _reason(row, missed)) is None else why
            for distance, row in zip(distances.tolist(), self.images.tolist(), strict=True)
        ]

    def _of_image(
        self, datums: Datums, position: int, true: LabelImage, predicted: LabelImage
    ) -> dict[int, Floats | OneSided]:
        """Distances of each label of an image, or the one side that has it."""
        true_edges, predicted_edges = map(
            edge_points, _read(true, predicted, datums.name(position))
        )
        diagonal = float(np.hypot(*true.pixels.shape))
        found: dict[int, Floats | OneSided] = {}
        for label in true_edges.keys() | predicted_edges.keys():
            if label in true_edges and label in predicted_edges:
                found[label] = percentiles(
                    true_edges[label], predicted_edges[label], self.percentiles
                )
            else:
                found[label] = ONLY_TRUE if label in true_edges else ONLY_PREDICTED, diagonal
        return found

    def _count(self, codes: Codes, found: dict[int, Floats | OneSided]) -> None:
        for label, distances in found.items():
            code = int(codes[label])
            if isinstance(distances, tuple):
                side, diagonal = distances
                self.images[code, side] += 1
                self.longest[code] = max(self.longest[code], diagonal)
                self.diagonals.add([code], [diagonal])
                continue
            self.images[code, BOTH] += 1
            self.worst[code] = np.maximum(self.worst[code], distances)
            for sums, distance in zip(self.sums, distances.tolist(), strict=True):
                sums.add([code], [distance])


def edge(image: LabelCodes) -> Flags:
    """Pixels with a neighbor above, below, left or right that differs or is outside the image.

    Examples
    --------
    >>> edge(np.ones((3, 3), np.int8)).astype(int)
    array([[1, 1, 1],
           [1, 0, 1],
           [1, 1, 1]])
    """
    is_edge = np.ones(image.shape, bool)
    center = image[1:-1, 1:-1]
    neighbors = (image[:-2, 1:-1], image[2:, 1:-1], image[1:-1, :-2], image[1:-1, 2:])
    is_edge[1:-1, 1:-1] = np.logical_or.reduce([center != other for other in neighbors])
    return is_edge


def edge_points(image: LabelCodes) -> dict[int, Points]:
    """Rows and columns of the edge of every label of an image.

    Examples
    --------
    >>> edge_points(np.array([[-1, 4, 4]], np.int8))
    {4: array([[0, 1],
           [0, 2]])}
    """
    points: Points = np.argwhere(edge(image))
    labels = image[points[:, 0], points[:, 1]]
    order = np.argsort(labels, kind="stable")
    found, starts = np.unique(labels[order], return_index=True)
    groups = np.split(points[order], starts[1:])
    pairs = zip(found.tolist(), groups, strict=False)  # of an empty image, one group too many
    return {label: group for label, group in pairs if label >= 0}


def percentiles(true: Points, predicted: Points, wanted: tuple[float, ...]) -> Floats:
    """Percentiles of the distances between two edges, each the greater of both directions.

    Parameters
    ----------
    true, predicted : ndarray of int64, shape (n, 2)
        Points of the edges, neither of them empty.
    wanted : tuple of float
        Percentiles, in percent.

    Examples
    --------
    >>> percentiles(np.array([[0, 0]]), np.array([[0, 0], [0, 2]]), (50, 100))
    array([1., 2.])
    """
    there: Floats = np.percentile(KDTree(predicted).query(true)[0], wanted)
    back: Floats = np.percentile(KDTree(true).query(predicted)[0], wanted)
    return np.maximum(there, back)


def _read(true: LabelImage, predicted: LabelImage, where: str) -> tuple[LabelCodes, LabelCodes]:
    """Label codes of both sides of an image, without pixels that do not count."""
    height = true.pixels.shape[0]
    names = f"{where}, groundtruth", f"{where}, prediction"
    true_codes = label_codes(true, true.read(0, height, names[0]), names[0])
    predicted_codes = label_codes(predicted, predicted.read(0, height, names[1]), names[1])
    return true_codes, np.where(
        true_codes == IGNORED, predicted_codes.dtype.type(BACKGROUND), predicted_codes
    )


def counted_images(row: list[int], missed: str) -> int:
    """Number of images whose distance counts."""
    return sum(row) if missed == "diagonal" else row[BOTH]


def _reason(row: list[int], missed: str) -> Undefined | None:
    """Reason why there is no distance, or None."""
    one_sided = row[ONLY_TRUE] + row[ONLY_PREDICTED]
    if not any(row):
        return Undefined("neither ground truths nor predictions")
    if missed == "infinite" and one_sided:
        return Undefined(f"only one side has the label in {image_count(one_sided)}")
    if not counted_images(row, missed):
        return Undefined("no image has the label on both sides")
    return None


def image_count(count: int) -> str:
    """Return a number of images in words, for a message."""
    return f"{count:,} image{'' if count == 1 else 's'}"

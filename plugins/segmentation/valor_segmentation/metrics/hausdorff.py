"""Hausdorff distance: how far the edges of a label are apart, in pixels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray
from scipy.spatial import KDTree

from valor_core.errors import StateError, and_more, shown
from valor_core.parameters import changed_parameters
from valor_core.results import NumberOrReason, Result, Undefined, label_parameters, macro
from valor_core.schemas import Codes, Datums, Floats, Vocabulary
from valor_core.schemas.segmentation import BACKGROUND, IGNORED, LabelImage, SegmentationBatch
from valor_core.states import (
    Content,
    ExactSums,
    State,
    StateRequest,
    saved_column,
    saved_labels,
    saved_sums,
)
from valor_segmentation.counting.strips import over_images
from valor_segmentation.counting.tables import check_total
from valor_segmentation.counting.value_map import Meanings, codes
from valor_segmentation.parameters.boundaries import HausdorffParameters

Flags = NDArray[np.bool_]
Points = NDArray[np.int64]

BOTH, ONLY_TRUE, ONLY_PREDICTED = range(3)
"""Columns of `EdgeDistances.images`."""

ONE_SIDED = [ONLY_TRUE, ONLY_PREDICTED]

OneSided = tuple[int, float]
"""The side that has a label of an image, and the diagonal of the image in pixels."""

_MOST_NAMED = 3
_FARTHEST = 2.0**32  # pixels; more than the diagonal of any image


@define
class EdgeDistances(State):
    """Distances between the true and predicted edges of each label, over images.

    Parameters
    ----------
    percentiles : tuple of float
        Which distances are kept of each image, ascending.

    Examples
    --------
    >>> state = EdgeDistances(percentiles=(100.0,))
    >>> from valor_segmentation.readers.in_memory import from_arrays
    >>> state.update(from_arrays([[[1, 0, 0]]], [[[1, 1, 1]]], labels=["cat"]))
    >>> state.images, state.worst
    (array([[1, 0, 0]]), array([[2.]]))
    """

    percentiles: tuple[float, ...]
    vocabulary: Vocabulary = field(factory=Vocabulary, init=False)
    images: Codes = field(init=False, factory=lambda: np.zeros((0, 3), np.int64))
    worst: Floats = field(init=False)
    sums: list[ExactSums] = field(init=False)
    longest: Floats = field(init=False, factory=lambda: np.zeros(0))
    diagonals: ExactSums = field(init=False, factory=ExactSums)

    def __attrs_post_init__(self) -> None:
        self.worst = np.zeros((0, len(self.percentiles)))
        self.sums = [ExactSums() for _ in self.percentiles]

    def update(self, batch: SegmentationBatch) -> None:
        """Measure the images of a batch, each read whole."""
        own = self.vocabulary.join(batch.labels)
        self._grow()
        for layer in batch.layers:
            for edges in over_images(partial(self._of_image, batch.datums), layer):
                self._add(own, edges)

    def merge(self, other: EdgeDistances) -> None:
        """Add what another state measured."""
        own = self.vocabulary.join(other.vocabulary.labels)
        self._grow()
        check_total(self.images, other.images)
        self.images[own] += other.images
        self.worst[own] = np.maximum(self.worst[own], other.worst)
        for mine, more in zip(self.sums, other.sums, strict=True):
            mine.merge(more, own)
        self.longest[own] = np.maximum(self.longest[own], other.longest)
        self.diagonals.merge(other.diagonals, own)

    def dump(self) -> Content:
        """Labels, numbers of images, greatest distances and exact sums of distances."""
        return {
            "labels": self.vocabulary.labels,
            "images": self.images,
            "worst": self.worst,
            "sums": [sums.to_text() for sums in self.sums],
            "longest": self.longest,
            "diagonals": self.diagonals.to_text(),
        }

    def restore(self, content: Content) -> None:
        """The distances that `dump` wrote.

        Raises
        ------
        StateError
            If they are something else.
        """
        self.vocabulary = Vocabulary(saved_labels(content, "labels"))
        count, kept = len(self.vocabulary), len(self.percentiles)
        self.images = saved_column(content, "images", np.int64, shape=(count, 3), low=0)
        check_total(self.images)
        self.worst = saved_column(content, "worst", np.float64, shape=(count, kept), low=0)
        if self.worst.max(initial=0) > _FARTHEST:
            raise StateError(f"worst: expected distances of images, found {self.worst.max():g}")
        # The mean of distances is at most the greatest, but for its rounding.
        most = self.worst * self.images[:, [BOTH]] * (1 + 2**-50)
        texts = content["sums"]
        if not isinstance(texts, list) or len(texts) != kept:
            raise StateError(f"sums: expected those of {kept} percentiles, found {shown(texts)}")
        self.sums = [saved_sums(text, f"sums[{i}]", most[:, i]) for i, text in enumerate(texts)]
        self.longest, self.diagonals = np.zeros(count), ExactSums()
        self.diagonals.grow(count)
        if "longest" in content:  # states of 0.1.0 have none; their request was to skip
            self.longest = saved_column(content, "longest", np.float64, shape=(count,), low=0)
            if self.longest.max(initial=0) > _FARTHEST:
                raise StateError(f"longest: expected diagonals, found {self.longest.max():g}")
            most = self.longest * self.images[:, ONE_SIDED].sum(axis=1) * (1 + 2**-50)
            self.diagonals = saved_sums(content.get("diagonals"), "diagonals", most)

    def means(self, percentile: float, missed: str = "skip") -> list[NumberOrReason]:
        """Mean distance of each label over the images that count."""
        totals = self.sums[self.percentiles.index(percentile)].values
        if missed == "diagonal":
            totals = totals + self.diagonals.values
        pairs = zip(totals.tolist(), self.images.tolist(), strict=True)
        return [
            total / _counted(row, missed) if (why := _reason(row, missed)) is None else why
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

    def _grow(self) -> None:
        more = len(self.vocabulary) - len(self.images)
        self.images = np.concatenate([self.images, np.zeros((more, 3), np.int64)])
        self.worst = np.concatenate([self.worst, np.zeros((more, len(self.percentiles)))])
        self.longest = np.concatenate([self.longest, np.zeros(more)])
        for sums in (*self.sums, self.diagonals):
            sums.grow(len(self.vocabulary))

    def _of_image(
        self, datums: Datums, position: int, true: LabelImage, predicted: LabelImage
    ) -> dict[int, Floats | OneSided]:
        """Distances of each label of an image, or the one side that has it."""
        edges, seen = map(edge_points, _read(true, predicted, datums.name(position)))
        diagonal = float(np.hypot(*true.pixels.shape))
        found: dict[int, Floats | OneSided] = {}
        for label in edges.keys() | seen.keys():
            if label in edges and label in seen:
                found[label] = percentiles(edges[label], seen[label], self.percentiles)
            else:
                found[label] = ONLY_TRUE if label in edges else ONLY_PREDICTED, diagonal
        return found

    def _add(self, own: Codes, found: dict[int, Floats | OneSided]) -> None:
        for label, distances in found.items():
            code = int(own[label])
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


@frozen
class Hausdorff:
    """Distance between the true and predicted edges of each label, in pixels.

    The edge of a label is made of its pixels with a neighbor above, below, left or right that is
    not of it or outside the image. Of each edge pixel on one side the distance to the nearest on
    the other is taken; the percentile of these, from true to predicted and the other way around,
    and the greater of the two. The 100th is the Hausdorff distance, the 95th leaves out the
    farthest of the pixels. 0 is best and there is no upper bound.

    Results with ``statistic: mean`` are means over images, those with ``worst`` the image with
    the greatest. In an image that has the label on one side only there is no distance: by default
    it is left out and the report warns; `missed` makes it the diagonal of the image, ``hypot`` of
    its height and width, or the result undefined. Results with an ``average`` are the means of the
    means over labels with ground truths.

    Parameters
    ----------
    parameters : HausdorffParameters
        Percentiles, and which labels the average takes.

    Notes
    -----
    Images are read whole. Pixels that do not count are taken out of both sides before. Percentiles
    between two distances are interpolated linearly.

    References
    ----------
    .. [1] Huttenlocher et al., "Comparing Images Using the Hausdorff Distance", IEEE Transactions
       on Pattern Analysis and Machine Intelligence 15, 1993, section 2, equations 1 and 2.
    .. [2] Taha and Hanbury, "Metrics for evaluating 3D medical image segmentation", BMC Medical
       Imaging 15:29, 2015, spatial distance based metrics.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.segmentation import Segmentation
    >>> item = Segmentation("a", [[1, 0, 0, 0]], [[1, 1, 1, 0]], labels=["cat"])
    >>> report = evaluate([item], [{"name": "Hausdorff", "percentiles": 100}], "segmentation")
    >>> report["Hausdorff"].find(label="cat", statistic="mean").value
    2.0
    """

    parameters: HausdorffParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Distances between edges."""
        return (StateRequest(EdgeDistances, union={"percentiles": self.parameters.percentiles}),)

    def compute(self, state: EdgeDistances) -> Iterator[Result]:
        """For each key and percentile, results of each label and the mean over labels."""
        labels = state.vocabulary.labels
        for key in state.vocabulary.keys:
            own = [code for code in state.vocabulary.order.tolist() if labels[code].key == key]
            for percentile in self.parameters.percentiles:
                yield from self._of_labels(state, own, percentile)
                yield self._average(state, own, key, percentile)

    def _warnings(self, state: EdgeDistances, own: list[int], percentile: float) -> tuple[str, ...]:
        """Labels that images have on one side only and whose distance does not count."""
        chosen = self.parameters
        sided = state.images[own][:, ONE_SIDED].sum(axis=1)
        if chosen.missed != "skip" or percentile != chosen.percentiles[0] or not sided.any():
            return ()
        order = np.argsort(-sided, kind="stable")[:_MOST_NAMED]
        named = [
            f"{state.vocabulary.labels[own[i]].value!r} in {_images(sided[i])}"
            for i in order.tolist()
            if sided[i]
        ]
        more = and_more(int(np.count_nonzero(sided)) - len(named))
        return (
            f"Hausdorff has no distance of labels that only one side of an image has: "
            f"{', '.join(named)}{more}; missed: diagonal counts them",
        )

    def _of_labels(
        self, state: EdgeDistances, own: list[int], percentile: float
    ) -> Iterator[Result]:
        missed = self.parameters.missed
        means, greatest = state.means(percentile, missed), state.greatest(percentile, missed)
        for code in own:
            place = label_parameters(state.vocabulary.labels[code]) | {"percentile": percentile}
            settings = changed_parameters(self.parameters, "percentiles")
            left_out = _left_out(state.images[code].tolist()) if missed == "skip" else {}
            for name, values in (("mean", means), ("worst", greatest)):
                yield Result(
                    parameters=place | {"statistic": name} | settings,
                    value=values[code],
                    left_out=left_out,
                )

    def _average(self, state: EdgeDistances, own: list[int], key: str, percentile: float) -> Result:
        seen = [code for code in own if state.images[code].any()]
        means = state.means(percentile, self.parameters.missed)
        value, left_out = macro(
            [means[code] for code in seen],
            state.images[seen, BOTH] + state.images[seen, ONLY_TRUE],
            self.parameters.include_prediction_only_labels,
        )
        place = {"label_key": key, "percentile": percentile, "average": "macro"}
        parameters = (
            place | {"statistic": "mean"} | changed_parameters(self.parameters, "percentiles")
        )
        warnings = self._warnings(state, own, percentile)
        return Result(parameters=parameters, value=value, left_out=left_out, warnings=warnings)


def edge(image: Meanings) -> Flags:
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
    others = (image[:-2, 1:-1], image[2:, 1:-1], image[1:-1, :-2], image[1:-1, 2:])
    is_edge[1:-1, 1:-1] = np.logical_or.reduce([center != other for other in others])
    return is_edge


def edge_points(image: Meanings) -> dict[int, Points]:
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


def _read(true: LabelImage, predicted: LabelImage, place: str) -> tuple[Meanings, Meanings]:
    """Label codes of both sides of an image, without pixels that do not count."""
    height = true.pixels.shape[0]
    places = f"{place}, groundtruth", f"{place}, prediction"
    image = codes(true, true.read(0, height, places[0]), places[0])
    seen = codes(predicted, predicted.read(0, height, places[1]), places[1])
    return image, np.where(image == IGNORED, seen.dtype.type(BACKGROUND), seen)


def _left_out(row: list[int]) -> dict[str, int]:
    """Images that have a label on one side only."""
    reasons = {
        "label only in the ground truth of the image": row[ONLY_TRUE],
        "label only in the prediction of the image": row[ONLY_PREDICTED],
    }
    return {reason: count for reason, count in reasons.items() if count}


def _counted(row: list[int], missed: str) -> int:
    """Number of images whose distance counts."""
    return sum(row) if missed == "diagonal" else row[BOTH]


def _reason(row: list[int], missed: str) -> Undefined | None:
    """Why there is no distance, or None."""
    one_sided = row[ONLY_TRUE] + row[ONLY_PREDICTED]
    if not any(row):
        return Undefined("neither ground truths nor predictions")
    if missed == "infinite" and one_sided:
        return Undefined(f"only one side has the label in {_images(one_sided)}")
    if not _counted(row, missed):
        return Undefined("no image has the label on both sides")
    return None


def _images(count: int) -> str:
    return f"{count:,} image{'' if count == 1 else 's'}"

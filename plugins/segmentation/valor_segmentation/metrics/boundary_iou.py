"""Boundary IoU: intersection over union of what lies near the edges of labels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any

import numpy as np
from attrs import define, field, frozen

from valor_core.errors import StateError
from valor_core.parameters import changed_parameters
from valor_core.results import NumberOrReason, Result, label_parameters, macro, ratio, weighted
from valor_core.schemas import Codes, Vocabulary
from valor_core.schemas.segmentation import IGNORED, LabelImage, SegmentationBatch
from valor_core.states import Content, State, StateRequest, saved_column, saved_labels
from valor_segmentation.counting.boundary_pixels import Block, boundaries, width_of
from valor_segmentation.counting.strips import over_images
from valor_segmentation.counting.tables import MOST_COUNTED, check_labels, check_total
from valor_segmentation.kernels import counting as kernels
from valor_segmentation.kernels.value_positions import Places
from valor_segmentation.parameters.boundaries import BoundaryIOUParameters

_TRUE, _BOTH = 0, 2  # columns of `BoundaryCounts.table`


@define
class BoundaryCounts(State):
    """Boundary pixels of each label: true ones, predicted ones, and those that are both.

    Parameters
    ----------
    share : float
        Width of a boundary as a share of the diagonal.
    pixels : int or None
        The width in pixels, in place of the share.

    Examples
    --------
    >>> state = BoundaryCounts(share=0.02, pixels=None)
    >>> from valor_segmentation.readers.in_memory import from_arrays
    >>> state.update(from_arrays([[[0, 1]]], [[[1, 1]]], labels=["cat"]))
    >>> state.table
    array([[1, 2, 1]])
    """

    share: float
    pixels: int | None
    vocabulary: Vocabulary = field(factory=Vocabulary, init=False)
    table: Codes = field(init=False, factory=lambda: np.zeros((0, 3), np.int64))

    def update(self, batch: SegmentationBatch) -> None:
        """Count the boundary pixels of a batch."""
        check_labels(len(batch.labels))
        table = np.zeros((len(batch.labels), 3), np.int64)
        for layer in batch.layers:
            for counts in over_images(partial(self._of_image, batch), layer):
                table += counts
        self._add(self.vocabulary.join(batch.labels), table)

    def merge(self, other: BoundaryCounts) -> None:
        """Add what another state counted."""
        self._add(self.vocabulary.join(other.vocabulary.labels), other.table)

    def dump(self) -> Content:
        """Labels and counts."""
        return {"labels": self.vocabulary.labels, "table": self.table}

    def restore(self, content: Content) -> None:
        """The counts that `dump` wrote.

        Raises
        ------
        StateError
            If they are something else.
        """
        self.vocabulary = Vocabulary(saved_labels(content, "labels"))
        self.table = saved_column(
            content, "table", np.int64, shape=(len(self.vocabulary), 3), low=0
        )
        check_total(self.table)
        if (self.table[:, _BOTH] > self.table[:, :_BOTH].min(axis=1, initial=MOST_COUNTED)).any():
            raise StateError("table: expected at most as many pixels on both sides as on each")

    def _of_image(
        self, batch: SegmentationBatch, position: int, true: LabelImage, predicted: LabelImage
    ) -> Codes:
        table = np.zeros((len(batch.labels), 3), np.int64)
        places = _places(len(table))
        reach = width_of(true.pixels.shape, self.share, self.pixels)
        for block in boundaries(true, predicted, reach, batch.datums.name(position)):
            table += _counts(block, places, len(table))
        return table

    def _add(self, codes: Codes, table: Codes) -> None:
        check_total(self.table, table)
        grown = np.zeros((len(self.vocabulary), 3), np.int64)
        grown[: len(self.table)] = self.table
        grown[codes] += table
        self.table = grown


@frozen
class BoundaryIOU:
    """IoU of a label's true and predicted boundaries, of each label and on average.

    The boundary of a label is made of its pixels that lie no farther from its edge than the width:
    pixels with any pixel of another label, of none, or outside the image in the square around them
    that reaches as many pixels in every direction. Pixels of all images are pooled. In [0, 1];
    undefined for a label that no pixel has. The result with the ``average`` macro is the mean over
    the labels with ground truths.

    Parameters
    ----------
    parameters : BoundaryIOUParameters
        Width of a boundary, averages, and which labels the macro mean takes.

    Notes
    -----
    Boundaries are those of boundary_iou_api's ``mask_to_boundary``, which erodes the mask by
    OpenCV as often as the width has pixels, with a square of 3 by 3 and zeros around the image. Its
    widths are products of floats; here 0.018 of a diagonal of 750 pixels is 13.5, and so 14.
    That program has no pixels that do not count; here they are taken out of both sides before.

    Images are read a few rows at a time; memory holds as many rows of labels as the boundary is
    wide.

    References
    ----------
    .. [1] Cheng et al., "Boundary IoU: Improving Object-Centric Image Segmentation Evaluation",
       CVPR 2021, section 4, equation 1.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.segmentation import Segmentation
    >>> item = Segmentation("a", [[1, 1, 1, 1]], [[1, 1, 1, 0]], labels=["cat"])
    >>> report = evaluate([item], ["BoundaryIOU"], "segmentation")
    >>> report["BoundaryIOU"].find(label="cat").value
    0.75
    """

    parameters: BoundaryIOUParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Boundary pixels."""
        chosen = self.parameters
        pixels = chosen.width_in_pixels
        share = chosen.width if pixels is None else 0.0
        return (StateRequest(BoundaryCounts, {"share": share, "pixels": pixels}),)

    def compute(self, state: BoundaryCounts) -> Iterator[Result]:
        """For each key, one result for each label, and the averages."""
        labels = state.vocabulary.labels
        for key in state.vocabulary.keys:
            own = [code for code in state.vocabulary.order.tolist() if labels[code].key == key]
            for average in self.parameters.average:
                if average == "none":
                    for code in own:
                        value = _quotient(*state.table[code].tolist())
                        parameters = label_parameters(labels[code]) | self._settings
                        yield Result(parameters=parameters, value=value)
                    continue
                mean, left_out = self._mean(average, state.table[own])
                parameters = {"label_key": key, "average": average} | self._settings
                yield Result(parameters=parameters, value=mean, left_out=left_out)

    @property
    def _settings(self) -> dict[str, Any]:
        """What every result names: the width, whatever it is, and what is not as usual."""
        chosen = self.parameters
        if chosen.width_in_pixels is None:
            return {"width": chosen.width} | changed_parameters(chosen, "average")
        return {"width_in_pixels": chosen.width_in_pixels} | changed_parameters(chosen, "average")

    def _mean(self, average: str, table: Codes) -> tuple[NumberOrReason, dict[str, int]]:
        if average == "micro":
            return _quotient(*table.sum(axis=0).tolist()), {}
        seen = table[table.any(axis=1)]
        values = [_quotient(*row) for row in seen.tolist()]
        if average == "weighted":
            return weighted(values, seen[:, _TRUE])
        return macro(values, seen[:, _TRUE], self.parameters.include_prediction_only_labels)


def _quotient(true: int, predicted: int, both: int) -> NumberOrReason:
    union = true + predicted - both
    return ratio(both, union, None, "neither ground truths nor predictions")


@lru_cache(maxsize=8)
def _places(count: int) -> Places:
    """Row or column of each label code, behind one for all other pixels."""
    codes = np.arange(IGNORED, count)
    return Places(codes, np.maximum(codes + 1, 0))


def _counts(block: Block, places: Places, count: int) -> Codes:
    """Boundary pixels of each label, true, predicted and both."""
    true, predicted = block
    found = kernels.count_pairs([(true, places, predicted, places)], count + 1, count + 1)
    table = found[: count + 1, : count + 1]
    return np.stack([table.sum(axis=1), table.sum(axis=0), table.diagonal()], axis=1)[1:]

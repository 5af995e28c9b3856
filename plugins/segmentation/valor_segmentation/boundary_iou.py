"""Boundary IoU: intersection over union of what lies near the edges of labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import define, field, frozen

from valor_core.averages import coordinates, macro
from valor_core.result import Result, ratio
from valor_core.schemas.arrays import Codes
from valor_core.schemas.label import Vocabulary
from valor_core.schemas.segmentation import SegmentationBatch
from valor_core.state import Content, StateRequest
from valor_segmentation.boundaries import Block, boundaries, width_of
from valor_segmentation.boundary_parameters import BoundaryIOUParameters


@define
class BoundaryCounts:
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
    >>> state.update(SegmentationBatch.from_arrays([[[0, 1]]], [[[1, 1]]], labels=["cat"]))
    >>> state.table
    array([[1, 2, 1]])
    """

    share: float
    pixels: int | None
    vocabulary: Vocabulary = field(factory=Vocabulary, init=False)
    table: Codes = field(init=False, factory=lambda: np.zeros((0, 3), np.int64))

    def update(self, batch: SegmentationBatch) -> None:
        """Count the boundary pixels of a batch."""
        table = np.zeros((len(batch.labels), 3), np.int64)
        for layer in batch.layers:
            pairs = zip(layer.groundtruths, layer.predictions, strict=True)
            for i, (true, predicted) in enumerate(pairs):
                one = true or predicted
                if one is None:
                    continue
                reach = width_of(one.pixels.shape, self.share, self.pixels)
                for block in boundaries(true, predicted, reach, batch.datums.name(i)):
                    table += _counts(block, len(table))
        self._add(self.vocabulary.join(batch.labels), table)

    def merge(self, other: BoundaryCounts) -> None:
        """Add what another state counted."""
        self._add(self.vocabulary.join(other.vocabulary.labels), other.table)

    def dump(self) -> Content:
        """Labels and counts."""
        return {"labels": self.vocabulary.labels, "table": self.table}

    def restore(self, content: Content) -> None:
        """The counts that `dump` wrote."""
        self.vocabulary, self.table = Vocabulary(content["labels"]), content["table"]

    def _add(self, codes: Codes, table: Codes) -> None:
        grown = np.zeros((len(self.vocabulary), 3), np.int64)
        grown[: len(self.table)] = self.table
        grown[codes] += table
        self.table = grown


@frozen
class BoundaryIOU:
    """IoU of a label's true and predicted boundaries, of each label and on average.

    A label's boundary are its pixels that lie no farther from its edge than the width: pixels
    with any pixel of another label, of none, or outside the image in the square around them that
    reaches as many pixels in every direction. Pixels of all images are pooled. In [0, 1];
    undefined for a label that no pixel has. The result with an ``average`` is the mean over the
    labels with ground truths.

    Parameters
    ----------
    parameters : BoundaryIOUParameters
        Width of a boundary, and which labels the mean takes.

    Notes
    -----
    Boundaries are those of boundary_iou_api's ``mask_to_boundary``, which erodes the mask by
    OpenCV as often as the width has pixels, with a square of 3 by 3 and zeros around the image.
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
        """One result for each label, then the mean for each key."""
        labels, (truths, predictions, both) = state.vocabulary.labels, state.table.T
        unions = (truths + predictions - both).tolist()
        values = [
            ratio(shared, union, None, "neither ground truths nor predictions")
            for shared, union in zip(both.tolist(), unions, strict=True)
        ]
        for key in state.vocabulary.keys:
            own = [code for code in state.vocabulary.order.tolist() if labels[code].key == key]
            for code in own:
                yield Result(parameters=coordinates(labels[code]), value=values[code])
            seen = [code for code in own if unions[code]]
            average, left_out = macro(
                [values[code] for code in seen],
                truths[seen],
                self.parameters.include_prediction_only_labels,
            )
            yield Result(
                parameters={"label_key": key, "average": "macro"}, value=average, left_out=left_out
            )


def _counts(block: Block, count: int) -> Codes:
    """Boundary pixels of each label, true, predicted and both."""
    true, is_true_edge, predicted, is_edge = block
    is_true_edge = is_true_edge & (true >= 0)
    is_edge = is_edge & (predicted >= 0)
    is_both = is_true_edge & is_edge & (true == predicted)
    chosen = (true[is_true_edge], predicted[is_edge], predicted[is_both])
    return np.stack([np.bincount(codes, minlength=count) for codes in chosen], axis=1)

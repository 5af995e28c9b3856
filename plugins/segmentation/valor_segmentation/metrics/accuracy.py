"""Accuracy: share of pixels whose label is right."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from valor_core.parameters import changed_parameters
from valor_core.results import ItemRows, Result, ratio
from valor_core.states import StateRequest
from valor_segmentation.counting import pixel_counts
from valor_segmentation.counting.image_rows import pooled_rows
from valor_segmentation.counting.pixel_counts import PixelCounts
from valor_segmentation.parameters.pixels import AccuracyParameters


@frozen
class Accuracy:
    """Share of pixels whose prediction is right, for each label key.

    Parameters
    ----------
    parameters : AccuracyParameters
        Whether true background counts.

    References
    ----------
    Long, Shelhamer and Darrell, "Fully Convolutional Networks for Semantic Segmentation", CVPR
    2015, section 5, pixel accuracy.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.segmentation import Segmentation
    >>> item = Segmentation("a", [[1, 1, 0, 0]], [[1, 0, 0, 0]], labels=["cat"])
    >>> evaluate([item], ["Accuracy"])["Accuracy"].value
    0.75
    """

    parameters: AccuracyParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the pixel counts."""
        return (pixel_counts.request(),)

    def item_rows(self, state: PixelCounts) -> ItemRows | None:
        """Return the share of the pixels of each image that are right."""
        background = self.parameters.background
        return pooled_rows(state, lambda tp, fp, fn: (tp, tp + fn), background=background)

    def compute(self, state: PixelCounts) -> Iterator[Result]:
        """Yield one result for each label key."""
        background = self.parameters.background
        reason = "no pixels" if background else "no pixels with a true label"
        for key, counts in state.sorted():
            tp, _, fn = counts.confusion.counts(background=background)
            value = ratio(int(tp.sum()), int(tp.sum() + fn.sum()), None, reason)
            parameters = {"label_key": key, "background": background}
            yield Result(parameters=parameters | changed_parameters(self.parameters), value=value)

"""Intersection over union of the true and predicted pixels of labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from valor_core.parameters import changed_parameters
from valor_core.results import ItemRows, NumberOrReason, Result, ratio
from valor_core.states import StateRequest
from valor_segmentation.counting import pixel_counts
from valor_segmentation.counting.image_rows import mean_rows
from valor_segmentation.counting.pixel_counts import PixelCounts
from valor_segmentation.metrics.precision_recall import ABSENT, LabelQuotient, label_values
from valor_segmentation.parameters.pixels import IOUParameters, MeanIOUParameters


def intersection_over_union(tp: int, fp: int, fn: int) -> NumberOrReason:
    """Quotient of the pixels that are true and predicted by those that are true or predicted.

    Undefined for a label without pixels.

    Examples
    --------
    >>> intersection_over_union(1, 1, 0)
    0.5
    """
    return ratio(*_terms(tp, fp, fn), None, ABSENT)


def _terms(tp: Any, fp: Any, fn: Any) -> tuple[Any, Any]:
    return tp, tp + fp + fn


@frozen
class IOU(LabelQuotient):
    """Intersection over union of a label's true and predicted pixels, of all images together.

    Parameters
    ----------
    parameters : IOUParameters
        Averages.

    References
    ----------
    Jaccard, "The Distribution of the Flora in the Alpine Zone", New Phytologist 11, 1912.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.segmentation import Segmentation
    >>> item = Segmentation("a", [[1, 0]], [[1, 1]], labels=["cat"])
    >>> evaluate([item], ["IOU"])["IOU", "cat"].value
    0.5
    """

    parameters: IOUParameters

    def value(self, tp: int, fp: int, fn: int) -> NumberOrReason:
        """Return the quotient."""
        return intersection_over_union(tp, fp, fn)

    def terms(self, tp: Any, fp: Any, fn: Any) -> tuple[Any, Any]:
        """Return the numerator and the denominator."""
        return _terms(tp, fp, fn)


@frozen
class MeanIOU:
    """Mean of the labels' intersections over union, for each label key.

    Labels without a true pixel are excluded and counted.

    Parameters
    ----------
    parameters : MeanIOUParameters
        Kind of mean, and labels that take part.

    References
    ----------
    Everingham et al., "The PASCAL Visual Object Classes Challenge: A Retrospective", IJCV 111,
    2015, section 4.3.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.segmentation import Segmentation
    >>> item = Segmentation("a", [[1, 0, 2]], [[1, 1, 2]], labels=["cat", "dog"])
    >>> evaluate([item], ["mIOU"])["mIOU"].value
    0.75
    """

    parameters: MeanIOUParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the pixel counts."""
        return (pixel_counts.request(),)

    def item_rows(self, state: PixelCounts) -> ItemRows | None:
        """Return the mean over the labels of each image."""
        chosen = self.parameters
        return mean_rows(
            state,
            _terms,
            background=chosen.background,
            weighted=chosen.average == "weighted",
            prediction_only=chosen.include_prediction_only_labels,
        )

    def compute(self, state: PixelCounts) -> Iterator[Result]:
        """Yield one result for each label key."""
        chosen = self.parameters
        for key, counts in state.sorted():
            columns = counts.confusion.counts(background=chosen.background)
            values = label_values(key, (), columns, intersection_over_union)
            include = chosen.include_prediction_only_labels
            settings = {"background": chosen.background} | changed_parameters(chosen)
            yield from values.results(chosen.average, settings, include)

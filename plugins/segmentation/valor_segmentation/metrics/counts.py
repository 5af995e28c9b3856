"""Counts: true and false positive and negative pixels of every label."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen
from valor_labels import label_parameters

from valor_core.parameters import NoParameters
from valor_core.results import ItemRows, Result
from valor_core.states import StateRequest
from valor_segmentation.counting import pixel_counts
from valor_segmentation.counting.image_rows import count_rows
from valor_segmentation.counting.pixel_counts import PixelCounts


@frozen
class Counts:
    """Number of pixels by prediction and ground truth, each label against the rest.

    Parameters
    ----------
    parameters : NoParameters
        There are none.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.segmentation import Segmentation
    >>> item = Segmentation("a", [[1, 0, 0]], [[1, 1, 0]], labels=["cat"])
    >>> evaluate([item], ["Counts"])["Counts", "cat"].value
    {'tp': 1, 'fp': 1, 'fn': 0, 'tn': 1}
    """

    parameters: NoParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the pixel counts."""
        return (pixel_counts.request(),)

    def item_rows(self, state: PixelCounts) -> ItemRows | None:
        """Return the true positives, false positives and false negatives of each image."""
        return count_rows(state)

    def compute(self, state: PixelCounts) -> Iterator[Result]:
        """Yield one result for each label key and label."""
        for _, counts in state.sorted():
            confusion = counts.confusion
            total = int(confusion.table.sum())
            columns = (column.tolist() for column in confusion.counts())
            for label, tp, fp, fn in zip(confusion.labels, *columns, strict=True):
                value = {"tp": tp, "fp": fp, "fn": fn, "tn": total - tp - fp - fn}
                yield Result(parameters=label_parameters(label), value=value)

"""Confusion matrix: pixels by true and predicted label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.parameters import changed_parameters
from valor_core.results import ConfusionTable, Result
from valor_core.schemas import Codes
from valor_core.states import StateRequest
from valor_segmentation.counting import pixel_counts
from valor_segmentation.counting.pixel_counts import Confusion, PixelCounts
from valor_segmentation.parameters.pixels import ConfusionMatrixParameters


@frozen
class ConfusionMatrix:
    """Pixels by true and predicted label, including pixels with a label on one side only.

    The value holds ``confusion_matrix`` by ground truth and prediction, ``unmatched_ground_truths``
    of labeled pixels that are predicted as background, ``unmatched_predictions`` of background that
    is predicted as a label, and ``background`` of pixels without a label on both sides.

    Parameters
    ----------
    parameters : ConfusionMatrixParameters
        Pixels, shares or IoUs.

    Notes
    -----
    Shares of nothing are 0. With IoUs, ``unmatched_ground_truths`` are shares of a label's true
    pixels, ``unmatched_predictions`` of its predicted pixels, and ``background`` is its IoU.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.segmentation import Segmentation
    >>> item = Segmentation("a", [[1, 2, 0]], [[1, 1, 1]], labels=["cat", "dog"])
    >>> value = evaluate([item], ["ConfusionMatrix"])["ConfusionMatrix"].value
    >>> value["confusion_matrix"], value["unmatched_predictions"]
    ({'cat': {'cat': 1, 'dog': 0}, 'dog': {'cat': 1, 'dog': 0}}, {'cat': 1, 'dog': 0})
    """

    parameters: ConfusionMatrixParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the pixel counts."""
        return (pixel_counts.request(),)

    def compute(self, state: PixelCounts) -> Iterator[Result]:
        """Yield one result for each label key."""
        normalize = self.parameters.normalize
        for key, counts in state.sorted():
            parameters = {"label_key": key} | changed_parameters(self.parameters)
            yield Result(parameters=parameters, value=_value(counts.confusion, normalize))


def _value(confusion: Confusion, normalize: str) -> ConfusionTable:
    cells = _shares(confusion.table, normalize)
    truths, predictions = cells[1:, 0], cells[0, 1:]
    if normalize == "iou":
        truths = _shares(confusion.table, "truth")[1:, 0]
        predictions = _shares(confusion.table, "prediction")[0, 1:]
    background = cells[0, 0].item()
    return ConfusionTable.of(
        confusion.names, cells[1:, 1:], truths, predictions, background=background
    )


def _shares(table: Codes, normalize: str) -> NDArray[Any]:
    truths, predictions = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    if normalize == "none":
        return table
    whole = {
        "truth": truths,
        "prediction": predictions,
        "all": table.sum(),
        "iou": truths + predictions - table,
    }
    shares: NDArray[np.float64] = table / np.maximum(whole[normalize], 1)
    return shares

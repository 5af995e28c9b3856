"""Boundary IoU: intersection over union of the pixels near the edges of labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from valor_core.parameters import changed_parameters
from valor_core.results import NumberOrReason, Result, label_parameters, macro, ratio, weighted
from valor_core.schemas import Codes
from valor_core.states import StateRequest
from valor_segmentation.counting.boundary_counts import TRUE, BoundaryCounts
from valor_segmentation.parameters.boundaries import BoundaryIOUParameters


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
            return weighted(values, seen[:, TRUE])
        return macro(values, seen[:, TRUE], self.parameters.include_prediction_only_labels)


def _quotient(true: int, predicted: int, both: int) -> NumberOrReason:
    union = true + predicted - both
    return ratio(both, union, None, "neither ground truths nor predictions")

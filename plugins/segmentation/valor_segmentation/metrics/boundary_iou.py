"""Boundary IoU: intersection over union of the pixels near the edges of labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen
from valor_labels import LabelValues

from valor_core.parameters import changed_parameters
from valor_core.results import NumberOrReason, Result, ratio
from valor_core.states import StateRequest
from valor_segmentation.counting.boundary_counts import TRUE, BoundaryCounts
from valor_segmentation.parameters.boundaries import BoundaryIOUParameters


@frozen
class BoundaryIOU:
    """IoU of a label's true and predicted boundaries, of each label and on average.

    The boundary of a label consists of its pixels within the width of its edge: the square around
    such a pixel, which extends the width in every direction, has a pixel of another label or of
    none, or reaches outside the image. Pixels of all images are pooled. In [0, 1]; undefined for a
    label without pixels. The result with the ``average`` macro is the mean over the labels with
    ground truths.

    Parameters
    ----------
    parameters : BoundaryIOUParameters
        Width of a boundary, averages, and labels of the macro mean.

    Notes
    -----
    Boundaries equal those of boundary_iou_api's ``mask_to_boundary``, which erodes the mask with
    OpenCV once per pixel of the width, with a square of 3 by 3 and zeros around the image. Its
    widths are products of floats; here 0.018 of a diagonal of 750 pixels is 13.5, rounded to 14.
    boundary_iou_api does not support ignored pixels; here they are removed from both sides first.

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
        """Request boundary pixels."""
        chosen = self.parameters
        pixels = chosen.width_in_pixels
        share = chosen.width if pixels is None else 0.0
        return (StateRequest(BoundaryCounts, {"share": share, "pixels": pixels}),)

    def compute(self, state: BoundaryCounts) -> Iterator[Result]:
        """For each key, one result for each label, and the averages."""
        for key, codes in state.codes_by_key():
            values = self._values(state, key, codes)
            present = self._values(state, key, [code for code in codes if state.table[code].any()])
            for average in self.parameters.average:
                yield from (values if average == "none" else present).results(
                    average, self._settings, self.parameters.include_prediction_only_labels
                )

    def _values(self, state: BoundaryCounts, key: str, codes: list[int]) -> LabelValues:
        table = state.table[codes]
        return LabelValues(
            key=key,
            labels=[state.vocabulary.labels[code] for code in codes],
            truths=table[:, TRUE],
            values=[_quotient(*row) for row in table.tolist()],
            micro=_quotient(*table.sum(axis=0).tolist()),
        )

    @property
    def _settings(self) -> dict[str, Any]:
        """Parameters of all results: the width always, others if not default."""
        chosen = self.parameters
        if chosen.width_in_pixels is None:
            return {"width": chosen.width} | changed_parameters(chosen, "average")
        return {"width_in_pixels": chosen.width_in_pixels} | changed_parameters(chosen, "average")


def _quotient(true: int, predicted: int, both: int) -> NumberOrReason:
    union = true + predicted - both
    return ratio(both, union, None, "neither ground truths nor predictions")

"""Hausdorff distance between the edges of labels, in pixels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import frozen
from valor_labels import label_parameters

from valor_core.errors import and_more
from valor_core.parameters import changed_parameters
from valor_core.results import Result, macro_mean
from valor_core.states import StateRequest
from valor_segmentation.counting.edge_distances import (
    BOTH,
    ONE_SIDED,
    ONLY_PREDICTED,
    ONLY_TRUE,
    EdgeDistances,
    image_count,
)
from valor_segmentation.parameters.boundaries import HausdorffParameters

_MOST_NAMED = 3


@frozen
class Hausdorff:
    """Distance between the true and predicted edges of each label, in pixels.

    The edge of a label consists of its pixels with a neighbor above, below, left or right that has
    another label or is outside the image. The distance of an edge pixel is that to the nearest edge
    pixel on the other side. The value is the greater of two percentiles of these distances: from
    true to predicted, and from predicted to true. The 100th percentile is the Hausdorff distance;
    the 95th ignores the farthest pixels. 0 is best and there is no upper bound.

    Results with ``statistic: mean`` are means over images, results with ``worst`` the greatest
    distance of an image. An image with the label on one side only has no distance: by default it is
    excluded and the report warns; `missed` selects the diagonal of the image (``hypot`` of its
    height and width) instead, or makes the result undefined. Results with an ``average`` are means
    over labels with ground truths.

    Parameters
    ----------
    parameters : HausdorffParameters
        Percentiles, and labels of the average.

    Notes
    -----
    Images are read whole. Ignored pixels are removed from both sides first. Percentiles between two
    distances are interpolated linearly.

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
        """Request distances between edges."""
        return (StateRequest(EdgeDistances, union={"percentiles": self.parameters.percentiles}),)

    def compute(self, state: EdgeDistances) -> Iterator[Result]:
        """For each key and percentile, results of each label and the mean over labels."""
        for key, codes in state.codes_by_key():
            for percentile in self.parameters.percentiles:
                yield from self._of_labels(state, codes, percentile)
                yield self._average(state, codes, key, percentile)

    def _warnings(
        self, state: EdgeDistances, codes: list[int], percentile: float
    ) -> tuple[str, ...]:
        """Labels that images have on one side only and whose distance does not count."""
        chosen = self.parameters
        sided = state.images[codes][:, ONE_SIDED].sum(axis=1)
        if chosen.missed != "skip" or percentile != chosen.percentiles[0] or not sided.any():
            return ()
        order = np.argsort(-sided, kind="stable")[:_MOST_NAMED]
        named = [
            f"{state.vocabulary.labels[codes[i]].value!r} in {image_count(sided[i])}"
            for i in order.tolist()
            if sided[i]
        ]
        more = and_more(int(np.count_nonzero(sided)) - len(named))
        return (
            f"Hausdorff has no distance of labels that only one side of an image has: "
            f"{', '.join(named)}{more}; missed: diagonal counts them",
        )

    def _of_labels(
        self, state: EdgeDistances, codes: list[int], percentile: float
    ) -> Iterator[Result]:
        missed = self.parameters.missed
        means, greatest = state.means(percentile, missed), state.greatest(percentile, missed)
        for code in codes:
            parameters = label_parameters(state.vocabulary.labels[code]) | {
                "percentile": percentile
            }
            settings = changed_parameters(self.parameters, "percentiles")
            left_out = _left_out(state.images[code].tolist()) if missed == "skip" else {}
            for name, values in (("mean", means), ("worst", greatest)):
                yield Result(
                    parameters=parameters | {"statistic": name} | settings,
                    value=values[code],
                    left_out=left_out,
                )

    def _average(
        self, state: EdgeDistances, codes: list[int], key: str, percentile: float
    ) -> Result:
        present = [code for code in codes if state.images[code].any()]
        means = state.means(percentile, self.parameters.missed)
        value, left_out = macro_mean(
            [means[code] for code in present],
            state.images[present, BOTH] + state.images[present, ONLY_TRUE],
            self.parameters.include_prediction_only_labels,
        )
        average = {"label_key": key, "percentile": percentile, "average": "macro"}
        parameters = (
            average | {"statistic": "mean"} | changed_parameters(self.parameters, "percentiles")
        )
        warnings = self._warnings(state, codes, percentile)
        return Result(parameters=parameters, value=value, left_out=left_out, warnings=warnings)


def _left_out(row: list[int]) -> dict[str, int]:
    """Images that have a label on one side only."""
    reasons = {
        "label only in the ground truth of the image": row[ONLY_TRUE],
        "label only in the prediction of the image": row[ONLY_PREDICTED],
    }
    return {reason: count for reason, count in reasons.items() if count}

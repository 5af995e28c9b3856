"""Parameters of metrics that read scores: rankings, curves and probabilities."""

from __future__ import annotations

from typing import Any, Literal

from valor_labels import ThresholdObjective

from valor_classification.parameters import fields
from valor_core.parameters import Within, parameter, parameters

_BINS_OF_SCORES: Any = parameter(
    default=None,
    help="Number of equal bins in [0, 1] that scores are counted in, instead of keeping "
    "every score; null is exact.",
    check=Within(2, 1_000_000),
)


@parameters
class RankParameters:
    """Parameters of ROCAUC."""

    bins: int | None = _BINS_OF_SCORES


@parameters
class MeanRankParameters:
    """Parameters of mROCAUC."""

    average: Literal["macro", "weighted"] = parameter(
        default="macro", help="Plain mean over labels, or the mean by number of ground truths."
    )
    bins: int | None = _BINS_OF_SCORES


@parameters
class AveragePrecisionParameters:
    """Parameters of AveragePrecision."""

    average: tuple[Literal["none", "macro", "weighted"], ...] = parameter(
        default=("none", "macro"),
        help="none is one result for each label; macro is the plain mean over labels with ground "
        "truth, weighted the mean by number of ground truths.",
        non_empty=True,
        distinct=True,
    )
    bins: int | None = _BINS_OF_SCORES


@parameters
class ROCCurveParameters:
    """Parameters of ROCCurve."""

    drop_intermediate: bool = parameter(
        default=True,
        help="Whether to omit points on a straight line between their neighbours.",
    )


CURVE_THRESHOLDS = tuple(i / 20 for i in range(1, 20))
"""0.05 … 0.95, the thresholds of the documented curves."""


_CURVE_THRESHOLDS: Any = parameter(
    default=CURVE_THRESHOLDS,
    help="A prediction counts if its score is at least this; one point for each.",
    non_empty=True,
    distinct=True,
)


@parameters
class PrecisionRecallCurveParameters:
    """Parameters of PrecisionRecallCurve."""

    score_thresholds: tuple[float, ...] = _CURVE_THRESHOLDS
    zero_division: float | None = fields.ZERO_DIVISION


@parameters
class DetailedCurveParameters:
    """Parameters of DetailedPrecisionRecallCurve."""

    score_thresholds: tuple[float, ...] = _CURVE_THRESHOLDS
    max_examples: int = parameter(
        default=1,
        help="Most items named for each count, in the order of their uids.",
        check=Within(0),
        aliases=("pr_curve_max_examples",),
    )


@parameters
class BrierParameters:
    """Parameters of BrierScore."""

    scale_by_half: bool | None = parameter(
        default=None,
        help="Whether the sum over labels is halved, so that two labels give the classical score "
        "of one; null halves it where the label key has two labels or one.",
    )


@parameters
class CalibrationParameters:
    """Parameters of CalibrationError."""

    bins: int = parameter(
        default=15,
        help="Number of equal bins in [0, 1].",
        check=Within(1, 10_000),
        aliases=("number_of_bins", "n_bins"),
    )
    positive: str | int | None = parameter(
        default=None,
        help="Label of which every item's score is compared with the share of items that have it, "
        "as for a binary model; null is the best-scoring label of each item.",
        aliases=("pos_label", "positive_label"),
    )


@parameters
class BestThresholdParameters(ThresholdObjective):
    """Parameters of BestThreshold."""

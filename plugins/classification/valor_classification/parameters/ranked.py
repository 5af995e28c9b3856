"""Parameters of the numbers and curves of how scores rank the items."""

from __future__ import annotations

from typing import Literal

from valor_core.parameters import Within, parameter, parameters


def _bins_of_scores() -> int | None:
    bins: int | None = parameter(
        default=None,
        help="Number of equal bins in [0, 1] that scores are counted in, instead of keeping "
        "every score; null is exact.",
        check=Within(2, 1_000_000),
    )
    return bins


@parameters
class RankParameters:
    """Parameters of ROCAUC."""

    bins: int | None = _bins_of_scores()


@parameters
class MeanRankParameters:
    """Parameters of mROCAUC."""

    average: Literal["macro", "weighted"] = parameter(
        default="macro", help="Plain mean over labels, or the mean by number of ground truths."
    )
    bins: int | None = _bins_of_scores()


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
    bins: int | None = _bins_of_scores()


@parameters
class ROCCurveParameters:
    """Parameters of ROCCurve."""

    drop_intermediate: bool = parameter(
        default=True,
        help="Whether points on a straight line between their neighbours are left out.",
    )

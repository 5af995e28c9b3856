"""Inner loops of the classification metrics: flat arrays in, flat arrays out.

Scores come in two layouts. A *matrix* has one row per datum and one column per label. A
*listing* is flat columns `datums` (ascending, each datum's entries in the order they were
listed), `labels` and `values`. Scores are finite float32 or float64 of any sign. A score is
compared in its own type, so the float32 nearest to 0.35 passes the threshold 0.35 (`in_type`).

Every kernel is there twice, with the same answers to the last bit: compiled, and in NumPy for
where no compiler was. `numeric` says what each is given and finds.
"""

from valor_classification.kernels.library import KERNELS
from valor_classification.kernels.limits import in_type
from valor_classification.kernels.values import (
    UNLISTED_RANK,
    ConfusionCells,
    LabelAreas,
    RankAreas,
    RankCurve,
    ReliabilityBins,
    RowTops,
)

if KERNELS.library is None:
    from valor_classification.kernels.reference import (
        confusion_cells,
        exact_units,
        outside,
        passed,
        rank_curve,
        rank_label,
        rank_matrix,
        ranks_of_truth,
        ranks_of_truth_in_runs,
        reliability,
        scores_in_rows,
        squared_errors,
        threshold_histogram,
        top_cells,
        top_of_rows,
        top_of_runs,
        top_reliability,
    )
else:
    from valor_classification.kernels.compiled import (
        confusion_cells,
        exact_units,
        outside,
        passed,
        rank_curve,
        rank_label,
        rank_matrix,
        ranks_of_truth,
        ranks_of_truth_in_runs,
        reliability,
        scores_in_rows,
        squared_errors,
        threshold_histogram,
        top_cells,
        top_of_rows,
        top_of_runs,
        top_reliability,
    )

__all__ = [
    "KERNELS",
    "UNLISTED_RANK",
    "ConfusionCells",
    "LabelAreas",
    "RankAreas",
    "RankCurve",
    "ReliabilityBins",
    "RowTops",
    "confusion_cells",
    "exact_units",
    "in_type",
    "outside",
    "passed",
    "rank_curve",
    "rank_label",
    "rank_matrix",
    "ranks_of_truth",
    "ranks_of_truth_in_runs",
    "reliability",
    "scores_in_rows",
    "squared_errors",
    "threshold_histogram",
    "top_cells",
    "top_of_rows",
    "top_of_runs",
    "top_reliability",
]

"""The kernels in NumPy; what they find, the compiled ones have to find to the last bit."""

from valor_classification.kernels.reference.best import (
    ranks_of_truth,
    ranks_of_truth_in_runs,
    scores_in_rows,
    top_of_rows,
    top_of_runs,
)
from valor_classification.kernels.reference.confusion import confusion_cells, top_cells
from valor_classification.kernels.reference.ranking import rank_curve, rank_label, rank_matrix
from valor_classification.kernels.reference.reliability import (
    exact_units,
    reliability,
    squared_errors,
    top_reliability,
)
from valor_classification.kernels.reference.thresholds import outside, passed, threshold_histogram

__all__ = [
    "confusion_cells",
    "exact_units",
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

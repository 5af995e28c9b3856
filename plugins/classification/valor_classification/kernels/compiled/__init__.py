"""The kernels in C, called through ctypes: arrays are made and checked here, and worked on there.

Each function answers what the one of its name in `numeric` does.
"""

from valor_classification.kernels.compiled.best import (
    ranks_of_truth,
    ranks_of_truth_in_runs,
    scores_in_rows,
    top_of_rows,
    top_of_runs,
    tops,
)
from valor_classification.kernels.compiled.confusion import confusion_cells, top_cells
from valor_classification.kernels.compiled.ranking import rank_curve, rank_label, rank_matrix
from valor_classification.kernels.compiled.reliability import (
    exact_units,
    reliability,
    squared_errors,
    top_reliability,
)
from valor_classification.kernels.compiled.thresholds import outside, passed, threshold_histogram

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
    "tops",
]

from valor_intervals.comparison import ComparedNumber, Comparison, compare
from valor_intervals.differences import Difference
from valor_intervals.intervals import LEVEL, Interval, mean_interval, wilson_interval
from valor_intervals.paired_rows import Flips
from valor_intervals.resampling import approximate_randomization, paired_bootstrap
from valor_intervals.significance import corrected, mcnemar, smallest_difference
from valor_intervals.student import student_quantile

__all__ = [
    "LEVEL",
    "ComparedNumber",
    "Comparison",
    "Difference",
    "Flips",
    "Interval",
    "approximate_randomization",
    "compare",
    "corrected",
    "mcnemar",
    "mean_interval",
    "paired_bootstrap",
    "smallest_difference",
    "student_quantile",
    "wilson_interval",
]

from valor_intervals.comparison.compare import ComparedNumber, Comparison, compare
from valor_intervals.comparison.leaderboard import Leaderboard, leaderboard, rank_intervals
from valor_intervals.comparison.paired_rows import Flips
from valor_intervals.comparison.resampling import (
    approximate_randomization,
    mean_and_reach,
    paired_bootstrap,
    resampled_numbers,
)
from valor_intervals.comparison.significance import corrected, mcnemar, smallest_difference
from valor_intervals.differences import Difference
from valor_intervals.intervals import LEVEL, Interval, mean_interval, wilson_interval
from valor_intervals.student import student_quantile

__all__ = [
    "LEVEL",
    "ComparedNumber",
    "Comparison",
    "Difference",
    "Flips",
    "Interval",
    "Leaderboard",
    "approximate_randomization",
    "compare",
    "corrected",
    "leaderboard",
    "mcnemar",
    "mean_and_reach",
    "mean_interval",
    "paired_bootstrap",
    "rank_intervals",
    "resampled_numbers",
    "smallest_difference",
    "student_quantile",
    "wilson_interval",
]

from valor_intervals.intervals import LEVEL, Interval, mean_interval, wilson_interval
from valor_intervals.student import student_quantile

__all__ = ["LEVEL", "Interval", "mean_interval", "student_quantile", "wilson_interval"]

from valor_report.comparison.changes import Change
from valor_report.comparison.gates import Gate, check_directions
from valor_report.comparison.several_reports import (
    SUFFIXES_OF_SEVERAL,
    RankedReports,
    rank_reports,
)
from valor_report.comparison.two_reports import SUFFIXES, Comparison, compare

__all__ = [
    "SUFFIXES",
    "SUFFIXES_OF_SEVERAL",
    "Change",
    "Comparison",
    "Gate",
    "RankedReports",
    "check_directions",
    "compare",
    "rank_reports",
]

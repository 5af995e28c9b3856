"""The laws of the metric of one function."""

from exact_match import ITEMS, exact_match
from valor_testing import check_metric

check_metric(exact_match, ITEMS)
print("all laws hold")

"""The report of the metric of one function, as text and as a page."""

from exact_match import ITEMS, exact_match

from valor_core import evaluate

report = evaluate(ITEMS, [exact_match])
report.save("report.html")
print(report)

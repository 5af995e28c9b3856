"""The metric of one function, on a file."""

from exact_match import exact_match

from valor_core import evaluate

report = evaluate("examples/text/summaries.jsonl", [exact_match])
print(report["ExactMatch"].value, report.counts["read"])

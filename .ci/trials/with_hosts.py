"""Two partitions of a table."""

from valor_hosts import evaluate_partitions

tables = [
    [{"label": "cat", "prediction": "cat"}],
    [{"label": "cat", "prediction": "dog"}, {"label": "dog", "prediction": "dog"}],
]
report = evaluate_partitions(tables, [{"name": "F1", "average": "macro"}])
print(report["F1"].value)

"""Module with imports that are not installed."""

import datasets
import evaluate
import no_such_package
from no_such_tree import height  # From: git+https://example.org/tree.git


class Needy(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="A module of what is not installed.",
            citation="",
            inputs_description="",
            features=datasets.Features({"data": datasets.Value("string")}),
        )

    def _compute(self, data):
        return no_such_package.measure(data) + height(data)

"""A module that fails."""

import sys

import datasets
import evaluate


class Failing(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="A module that fails.",
            citation="",
            inputs_description="",
            features=datasets.Features({"data": datasets.Value("string")}),
        )

    def _compute(self, data, how="error"):
        if how == "data":
            raise LookupError(
                "\n****\n  Resource 'punkt' not found.\n  >>> nltk.download('punkt')\n"
            )
        if how == "exit":
            sys.exit(3)
        return {"object": object()} if how == "object" else 1 / (len(data) - len(data))

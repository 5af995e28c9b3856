"""Module that requires a configuration name."""

import datasets
import evaluate


class Chosen(evaluate.Metric):
    def _info(self):
        if self.config_name != "loud":
            raise KeyError("name one of: loud")
        return evaluate.MetricInfo(
            description="A module that has to be told which of its configurations.",
            citation="",
            inputs_description="",
            features=datasets.Features({"data": datasets.Value("string")}),
        )

    def _compute(self, data):
        return 1.0

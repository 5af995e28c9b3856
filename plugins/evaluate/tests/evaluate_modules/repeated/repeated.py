"""Frequency of each value."""

import datasets
import evaluate


class Repeated(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="How often each value occurs.",
            citation="",
            inputs_description="",
            features=[
                datasets.Features({"data": datasets.Value("int32")}),
                datasets.Features({"data": datasets.Value("string")}),
            ],
        )

    def _compute(self, data):
        return {
            "counts": {str(value): data.count(value) for value in sorted(set(data))},
            "of": str(type(data[0])),
        }

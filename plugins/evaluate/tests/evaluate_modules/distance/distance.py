"""Root of the mean squared distance of two numbers."""

import datasets
import evaluate
import numpy as np


class Distance(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="Root of the mean squared distance of two numbers.",
            citation="",
            inputs_description="",
            features=datasets.Features(
                {"predictions": datasets.Value("float"), "references": datasets.Value("float")}
            ),
            format="numpy",
        )

    def _compute(self, predictions, references):
        return {"distance": np.sqrt(np.mean((predictions - references) ** 2))}

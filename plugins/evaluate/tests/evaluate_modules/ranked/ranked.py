"""Share of items with the best score for the true label."""

import datasets
import evaluate
import numpy as np


class Ranked(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="Share of items whose best score is that of the truth.",
            citation="",
            inputs_description="",
            features=datasets.Features(
                {
                    "prediction_scores": datasets.Sequence(datasets.Value("float")),
                    "references": datasets.Sequence(datasets.Value("int32")),
                }
            )
            if self.config_name == "several"
            else datasets.Features(
                {
                    "prediction_scores": datasets.Value("float"),
                    "references": datasets.Value("int32"),
                }
            ),
        )

    def _compute(self, prediction_scores, references):
        if self.config_name == "several":
            pairs = zip(prediction_scores, references, strict=True)
            return float(np.mean([true[int(np.argmax(scores))] for scores, true in pairs]))
        positive = [s for s, true in zip(prediction_scores, references, strict=True) if true == 1]
        negative = [s for s, true in zip(prediction_scores, references, strict=True) if true == 0]
        return float(np.mean([p > n for p in positive for n in negative]))

"""Share of words in the reference, with a bootstrap."""

import random

import datasets
import evaluate
import numpy as np


class SharedWords(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="Share of words that stand in a reference, and a bootstrap of it.",
            citation="",
            inputs_description="",
            features=[
                datasets.Features(
                    {
                        "predictions": datasets.Value("string"),
                        "references": datasets.Sequence(datasets.Value("string")),
                    }
                ),
                datasets.Features(
                    {
                        "predictions": datasets.Value("string"),
                        "references": datasets.Value("string"),
                    }
                ),
            ],
        )

    def _compute(self, predictions, references, samples=20):
        shares = []
        for said, texts in zip(predictions, references, strict=True):
            wanted = {word for text in texts for word in text.split()}
            shares.append(np.mean([word in wanted for word in said.split()] or [0.0]))
        drawn = [np.mean(np.random.choice(shares, len(shares))) for _ in range(samples)]
        return {
            "mean": np.mean(shares),
            "bootstrap": {"mean": np.mean(drawn), "luck": random.random()},
        }

"""Share of words that are in a list in the folder of the script."""

import datasets
import evaluate

from .known import KNOWN


class Folded(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="Share of words that occur beside the script.",
            citation="",
            inputs_description="",
            features=datasets.Features({"data": datasets.Value("string")}),
        )

    def _compute(self, data):
        print("a module may print")
        said = [word for text in data for word in text.split()]
        return sum(word in KNOWN for word in said) / len(said) if said else 0.0

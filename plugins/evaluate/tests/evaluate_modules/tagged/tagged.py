"""Share of words with the correct tag, in total and by tag."""

import datasets
import evaluate


class Tagged(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="Share of words that have the right tag, in all and by tag.",
            citation="",
            inputs_description="",
            features=datasets.Features(
                {
                    "predictions": datasets.Sequence(datasets.Value("string", id="label")),
                    "references": datasets.Sequence(datasets.Value("string", id="label")),
                }
            ),
        )

    def _compute(self, predictions, references):
        pairs = [
            pair
            for both in zip(predictions, references, strict=True)
            for pair in zip(*both, strict=True)
        ]
        found = {}
        for tag in sorted({true for _, true in pairs}):
            own = [predicted == true for predicted, true in pairs if true == tag]
            found[tag] = {"accuracy": sum(own) / len(own), "number": len(own)}
        right = sum(predicted == true for predicted, true in pairs)
        return found | {"accuracy": right / len(pairs) if pairs else 0.0}

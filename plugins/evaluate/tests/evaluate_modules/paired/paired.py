"""Share of items on which two models agree."""

import datasets
import evaluate


class Paired(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="How often two models agree.",
            citation="",
            inputs_description="",
            features=datasets.Features(
                {"predictions1": datasets.Value("int32"), "predictions2": datasets.Value("int32")}
            ),
        )

    def _compute(self, predictions1, predictions2):
        return {
            "agree": sum(a == b for a, b in zip(predictions1, predictions2, strict=True))
            / len(predictions1)
        }

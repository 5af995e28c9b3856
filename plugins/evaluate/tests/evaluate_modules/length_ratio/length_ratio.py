"""Letters of the responses for each letter of the references."""

import datasets
import evaluate


class LengthRatio(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="Letters of the responses for each letter of the references.",
            citation="",
            inputs_description="",
            features=datasets.Features(
                {"predictions": datasets.Value("string"), "references": datasets.Value("string")}
            ),
        )

    def _compute(self, predictions, references):
        said = sum(map(len, predictions))
        wanted = sum(map(len, references))
        return said / wanted if wanted else float("nan")

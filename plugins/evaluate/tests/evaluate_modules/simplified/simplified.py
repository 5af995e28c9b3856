"""Share of words of the sources that the responses lack."""

import datasets
import evaluate


class Simplified(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="Share of the words of the sources that the responses have left out.",
            citation="",
            inputs_description="",
            features=datasets.Features(
                {
                    "predictions": datasets.Value("string"),
                    "references": datasets.Sequence(datasets.Value("string")),
                }
            ),
        )

    def _compute(self, predictions, references, sources):
        kept = sum(
            len(set(p.split()) & set(s.split())) for p, s in zip(predictions, sources, strict=True)
        )
        return 1 - kept / sum(len(set(source.split())) for source in sources)

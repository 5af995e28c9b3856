"""Share of questions with a correct answer, from tables with ids."""

import datasets
import evaluate


class Answered(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="Share of questions whose answer is right, from tables with ids.",
            citation="",
            inputs_description="",
            features=datasets.Features(
                {
                    "predictions": {
                        "id": datasets.Value("string"),
                        "prediction_text": datasets.Value("string"),
                        "doubt": datasets.Value("float"),
                    },
                    "references": {
                        "id": datasets.Value("string"),
                        "answers": datasets.Sequence(
                            {
                                "text": datasets.Value("string"),
                                "answer_start": datasets.Value("int32"),
                            }
                        ),
                    },
                }
            ),
        )

    def _compute(self, predictions, references, most_doubt=1.0):
        answers = {one["id"]: one for one in predictions if one["doubt"] <= most_doubt}
        found = [
            one["id"] in answers and answers[one["id"]]["prediction_text"] in one["answers"]["text"]
            for one in references
        ]
        starts = [start for one in references for start in one["answers"]["answer_start"]]
        return {"exact": 100 * sum(found) / len(found), "begin": starts}

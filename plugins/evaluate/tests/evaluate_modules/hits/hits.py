"""Recall of a class, and the confusion matrix."""

import datasets
import evaluate
import numpy as np


class Hits(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="Share of items of a class that are found, and the matrix of confusions.",
            citation="",
            inputs_description="",
            features=datasets.Features(
                {"predictions": datasets.Value("int32"), "references": datasets.Value("int32")}
            ),
        )

    def _compute(self, predictions, references, pos_label=1, average="binary"):
        size = max([*predictions, *references]) + 1
        matrix = np.zeros((size, size), int)
        for true, predicted in zip(references, predictions, strict=True):
            matrix[true, predicted] += 1
        if average == "none":
            with np.errstate(invalid="ignore"):
                return {"recall": np.diag(matrix) / matrix.sum(axis=1), "matrix": matrix}
        of_class = [p == t for t, p in zip(references, predictions, strict=True) if t == pos_label]
        return {
            "recall": sum(of_class) / len(of_class) if of_class else None,
            "size": len(of_class),
        }

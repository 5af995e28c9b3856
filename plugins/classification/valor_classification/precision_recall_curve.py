"""Precision-recall curve: the binary problem of every label at every score threshold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from valor_classification import label_counts
from valor_classification.label_counts import LabelCounts, ThresholdCounts
from valor_classification.parameters import PrecisionRecallCurveParameters
from valor_core.result import Result, Undefined, ratio
from valor_core.state import StateRequest


def threshold_name(threshold: float) -> str:
    """A threshold as a key of a curve: ``"0.05"``."""
    return repr(threshold)


@frozen
class PrecisionRecallCurve:
    """Counts, accuracy, precision, recall and F1 of every label at every score threshold.

    Every (item, label) pair is a binary problem of its own: all labels that pass the threshold
    are predictions, not only the best-scoring one. True negatives are the other items that take
    part in the label key.

    Parameters
    ----------
    parameters : PrecisionRecallCurveParameters
        Thresholds and the value of 0/0.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import Classification
    >>> items = [Classification("a", "dog", {"dog": 0.75, "cat": 0.25})]
    >>> report = evaluate(items, [{"name": "PrecisionRecallCurve", "score_thresholds": [0.5]}])
    >>> report["PrecisionRecallCurve"].value["dog"]["0.5"]["recall"]
    1.0
    """

    parameters: PrecisionRecallCurveParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Label counts at the thresholds, without hardmax."""
        return (label_counts.request(self.parameters.score_thresholds, hardmax=False),)

    def compute(self, state: LabelCounts) -> Iterator[Result]:
        """One result for each label key: by label and threshold."""
        thresholds = sorted(self.parameters.score_thresholds)
        names = [threshold_name(threshold) for threshold in thresholds]
        for key, part in state.sorted():
            points = [self._points(counts) for counts in part.all_at(tuple(thresholds))]
            labels = part.at(thresholds[0]).labels
            curves = {
                label.value: dict(zip(names, column, strict=True))
                for label, column in zip(labels, zip(*points, strict=True), strict=True)
            }
            yield Result(parameters={"label_key": key}, value=curves)

    def _points(self, counts: ThresholdCounts) -> list[dict[str, Any]]:
        columns = (counts.tp, counts.fp, counts.fn, counts.tn)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return [self._point(*row) for row in rows]

    def _point(self, tp: int, fp: int, fn: int, tn: int) -> dict[str, Any]:
        return {
            "tp": tp,
            "fp": fp,
            "fn": fn,
            "tn": tn,
            "accuracy": self._share(tp + tn, tp + fp + fn + tn),
            "precision": self._share(tp, tp + fp),
            "recall": self._share(tp, tp + fn),
            "f1_score": self._share(2 * tp, 2 * tp + fp + fn),
        }

    def _share(self, numerator: int, denominator: int) -> float | None:
        value = ratio(numerator, denominator, self.parameters.zero_division, "")
        return None if isinstance(value, Undefined) else value

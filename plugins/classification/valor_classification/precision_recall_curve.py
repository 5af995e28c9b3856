"""Precision-recall curve: the binary problem of every label at every score threshold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from valor_classification import label_counts
from valor_classification.label_counts import LabelCounts, ThresholdCounts
from valor_classification.parameters import PrecisionRecallCurveParameters
from valor_core.result import Result, ratios
from valor_core.schemas.arrays import Codes
from valor_core.state import StateRequest

_POINT = ("tp", "fp", "fn", "tn", "accuracy", "precision", "recall", "f1_score")


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
            curves = {
                label.value: dict(zip(names, column, strict=True))
                for label, column in zip(part.labels, zip(*points, strict=True), strict=True)
            }
            yield Result(parameters={"label_key": key}, value=curves)

    def _points(self, counts: ThresholdCounts) -> list[dict[str, Any]]:
        tp, fp, fn, tn = counts.tp, counts.fp, counts.fn, counts.tn
        columns = (
            tp.tolist(),
            fp.tolist(),
            fn.tolist(),
            tn.tolist(),
            self._shares(tp + tn, tp + fp + fn + tn),
            self._shares(tp, tp + fp),
            self._shares(tp, tp + fn),
            self._shares(2 * tp, 2 * tp + fp + fn),
        )
        return [dict(zip(_POINT, row, strict=True)) for row in zip(*columns, strict=True)]

    def _shares(self, numerators: Codes, denominators: Codes) -> list[float | None]:
        return ratios(numerators, denominators, self.parameters.zero_division)

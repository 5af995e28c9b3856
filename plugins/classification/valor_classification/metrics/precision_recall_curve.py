"""Precision-recall curve: the binary problem of every label at every score threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from attrs import frozen

from valor_classification.counting import threshold_counts
from valor_classification.counting.threshold_counts import LabelCounts, ThresholdCounts
from valor_classification.counting.weighted_counts import numbers
from valor_classification.parameters.scored import PrecisionRecallCurveParameters
from valor_core.parameters import changed_parameters
from valor_core.results import LazyValue, Result, ratios
from valor_core.states import StateRequest

_POINT = ("tp", "fp", "fn", "tn", "accuracy", "precision", "recall", "f1_score")


def threshold_name(threshold: float) -> str:
    """A threshold as a key of a curve: ``"0.05"``."""
    return repr(threshold)


@frozen
class PrecisionRecallCurve:
    """Counts, accuracy, precision, recall and F1 of every label at every score threshold.

    Every (item, label) pair is a separate binary problem: all labels that pass the threshold
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
        """Request label counts at the thresholds, without hardmax."""
        return (threshold_counts.request(self.parameters.score_thresholds, hardmax=False),)

    def compute(self, state: LabelCounts) -> Iterator[Result]:
        """Yield one result for each label key: by label and threshold."""
        thresholds = tuple(sorted(self.parameters.score_thresholds))
        for key, part in state.sorted():
            names = [label.value for label in part.labels]
            # Tables of many labels are long, and often unused.
            make = partial(
                _curves, names, thresholds, part.all_at(thresholds), self.parameters.zero_division
            )
            parameters = {"label_key": key} | changed_parameters(self.parameters)
            yield Result(parameters=parameters, value=LazyValue(make))


def _curves(
    names: Sequence[str],
    thresholds: Sequence[float],
    counted: Sequence[ThresholdCounts],
    zero_division: float | None,
) -> dict[str, Any]:
    """Points by label and threshold."""
    points = [_points(counts, zero_division) for counts in counted]
    keys = list(map(threshold_name, thresholds))
    columns = zip(*points, strict=True)
    return {
        name: dict(zip(keys, column, strict=True))
        for name, column in zip(names, columns, strict=True)
    }


def _points(counts: ThresholdCounts, zero_division: float | None) -> list[dict[str, Any]]:
    """Points of all labels at one threshold."""
    tp, fp, fn, tn = numbers(np.stack((counts.tp, counts.fp, counts.fn, counts.tn)))
    columns = (
        tp.tolist(),
        fp.tolist(),
        fn.tolist(),
        tn.tolist(),
        ratios(tp + tn, tp + fp + fn + tn, zero_division),
        ratios(tp, tp + fp, zero_division),
        ratios(tp, tp + fn, zero_division),
        ratios(2 * tp, 2 * tp + fp + fn, zero_division),
    )
    return [dict(zip(_POINT, row, strict=True)) for row in zip(*columns, strict=True)]

"""Average precision: the precision-recall curve of each label in one number."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from valor_labels import LabelValues

from valor_classification.counting import scores
from valor_classification.counting.scores import KeyRanking
from valor_classification.counting.threshold_counts import KeyLabelCounts
from valor_classification.metrics.roc import AreaMetric
from valor_classification.parameters.scored import AveragePrecisionParameters
from valor_core.results import Undefined


@frozen
class AveragePrecision(AreaMetric):
    """Mean of the precisions at the scores of a label's items, weighted by the gain in recall.

    Items that do not list the label rank below all that do, tied with each other. Undefined for
    a label without ground truths. Bins fail where a score is outside [0, 1].

    Parameters
    ----------
    parameters : AveragePrecisionParameters
        Averages, exact or binned.

    Notes
    -----
    Equal to scikit-learn's ``average_precision_score`` of each label against the rest: a sum
    over distinct scores without interpolation.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import ClassificationBatch
    >>> from valor_classification.readers.arrays import from_arrays
    >>> batch = from_arrays([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(evaluate(batch, ["AveragePrecision"])["AveragePrecision", "1"].value, 4)
    0.8333
    """

    parameters: AveragePrecisionParameters

    def areas(self, key: str, part: KeyRanking | KeyLabelCounts) -> LabelValues:
        """Return the average precision of every label."""
        return _areas(key, part, self.parameters.bins)


def _areas(key: str, part: KeyRanking | KeyLabelCounts, bins: int | None) -> LabelValues:
    if isinstance(part, KeyRanking):
        truths, values = part.areas().positives, part.areas().average_precision
    else:
        tp, fp, truths = scores.binned_counts(part, bins or 0)
        gains = np.diff(tp, axis=1, prepend=0)
        predicted = tp + fp
        precisions = tp / np.where(predicted, predicted, 1)
        values = (gains * precisions).sum(axis=1) / np.where(truths, truths, 1)
    labels = part.labels
    return LabelValues(
        key=key,
        labels=labels,
        truths=truths,
        values=[
            value if count else Undefined(f"no ground truths of {str(label)!r}")
            for label, count, value in zip(labels, truths.tolist(), values.tolist(), strict=True)
        ],
    )

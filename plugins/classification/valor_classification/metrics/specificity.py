"""Specificity: share of the items without a label for which it is not predicted."""

from __future__ import annotations

from attrs import frozen

from valor_classification.metrics.precision_recall import LabelQuotient
from valor_classification.parameters.predicted import LabelParameters
from valor_core.results import NumberOrReason, ratio


@frozen
class Specificity(LabelQuotient):
    """Share of the items without a label for which it is not predicted: tn / (tn + fp).

    Parameters
    ----------
    parameters : LabelParameters
        Thresholds, hardmax, averages and the value of 0/0.

    Notes
    -----
    Equal to scikit-learn's ``recall_score`` of the label against the rest, with ``pos_label=0``.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import Classification
    >>> items = [Classification("a", "cat", {"dog": 1.0}), Classification("b", "cat", {"cat": 1.0})]
    >>> evaluate(items, ["Specificity"])["Specificity", "dog"].value
    0.5
    """

    parameters: LabelParameters

    def value(self, tp: int, fp: int, fn: int, tn: int) -> NumberOrReason:
        """The quotient."""
        return ratio(tn, tn + fp, self.parameters.zero_division, "every item has the label")

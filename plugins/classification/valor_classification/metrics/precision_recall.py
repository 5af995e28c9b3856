"""Precision, recall, F and specificity: shares of predictions and of ground truths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import frozen
from valor_labels import LabelValues

from valor_classification.counting import sample_counts, threshold_counts
from valor_classification.counting.sample_counts import KeySampleCounts, SampleCounts, SetSizes
from valor_classification.counting.threshold_counts import (
    LabelCounts,
    ThresholdCounts,
    coordinates,
    limit,
    limits,
)
from valor_classification.counting.weighted_counts import number
from valor_classification.parameters.predicted import FBetaParameters, LabelParameters
from valor_core.parameters import changed_parameters
from valor_core.results import ItemRows, NumberOrReason, Result, Undefined, ratio
from valor_core.states import StateRequest


@frozen(repr=False)
class LabelQuotient:
    """Quotient of counts for each label, and its averages; subclasses define the quotient.

    Parameters
    ----------
    parameters : LabelParameters
        Or others with all of its fields.
    """

    parameters: Any

    def needs(self) -> tuple[StateRequest, ...]:
        """Request label counts at the thresholds, and sample counts for their average."""
        chosen = self.parameters
        states = [
            *([threshold_counts] if set(chosen.average) - {"samples"} else []),
            *([sample_counts] if "samples" in chosen.average else []),
        ]
        least = limits(chosen.score_thresholds)
        return tuple(state.request(least, hardmax=chosen.hardmax) for state in states)

    def compute(self, *states: LabelCounts | SampleCounts) -> Iterator[Result]:
        """Yield one result for each threshold, label key and label, then the averages."""
        thresholds = self.parameters.score_thresholds
        least = limits(thresholds)
        for state in states:
            for key, part in state.sorted():
                is_of_samples = isinstance(part, KeySampleCounts)
                counts = map(part.at, least) if is_of_samples else part.all_at(least)
                for threshold, found in zip(thresholds, counts, strict=True):
                    shaped = self._shaped(threshold)
                    if is_of_samples:
                        yield self._of_samples(key, found, len(part.labels), shaped)
                    else:
                        yield from self._at(key, found, shaped)

    def _of_samples(
        self, key: str, sets: Iterable[SetSizes], labels: int, shaped: dict[str, Any]
    ) -> Result:
        """Return the mean over datums of the value of their labels."""
        total, count = Fraction(0), Fraction(0)
        left_out: dict[str, Any] = {}
        for common, predicted, true, datums in sets:
            united = predicted + true - common
            value = self.value(common, predicted - common, true - common, labels - united)
            if isinstance(value, float):
                total += Fraction(value) * datums
                count += datums
            else:
                reason = value.reason.removesuffix(" of the label")
                left_out[reason] = left_out.get(reason, 0) + datums
        mean = float(total / count) if count else Undefined("no items with a value")
        parameters = {"label_key": key, "average": "samples"} | shaped
        excluded: dict[str, Any] = {reason: number(n) for reason, n in left_out.items()}
        return Result(parameters=parameters, value=mean, left_out=excluded)

    def _at(self, key: str, counts: ThresholdCounts, shaped: dict[str, Any]) -> Iterator[Result]:
        columns = [one.tolist() for one in (counts.tp, counts.fp, counts.fn, counts.tn)]
        rows = zip(*columns, strict=True)
        values = LabelValues(
            key=key,
            labels=counts.labels,
            truths=counts.truths,
            values=[self.value(*row) for row in rows],
            micro=self.value(*map(sum, columns)),
        )
        include = self.parameters.include_prediction_only_labels
        for average in self.parameters.average:
            if average != "samples":
                yield from values.results(average, shaped, include)

    def _shaped(self, threshold: float | None) -> dict[str, Any]:
        return coordinates(threshold, self.parameters.hardmax) | changed_parameters(
            self.parameters, "average", "score_thresholds"
        )

    def item_rows(self, *states: LabelCounts | SampleCounts) -> ItemRows | None:
        """Return the quotient of each item over all labels, if the subclass has `terms`.

        Items with 0/0 have nothing to find and nothing wrong, and get 1.
        """
        terms = getattr(self, "terms", None)
        if terms is None or not isinstance(states[0], LabelCounts):
            return None
        found = states[0].outcomes(limit(self.parameters.score_thresholds[0]))
        if found is None:
            return None
        items, counts = found
        numerators, denominators = terms(*counts.values())
        is_empty = denominators == 0
        values = np.where(is_empty, 1.0, numerators / np.where(is_empty, 1, denominators))
        return items.with_values(values, counts)

    def value(self, tp: int, fp: int, fn: int, tn: int) -> NumberOrReason:
        """Return the quotient."""
        raise NotImplementedError


@frozen(repr=False)
class Precision(LabelQuotient):
    """Share of a label's predictions that are ground truths: tp / (tp + fp).

    Parameters
    ----------
    parameters : LabelParameters
        Thresholds, hardmax, averages and the value of 0/0.

    Notes
    -----
    Equal to scikit-learn's ``precision_score``, but for the macro mean: labels that are only
    predicted are excluded from it, unless `include_prediction_only_labels` is true.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import Classification
    >>> items = [Classification("a", "dog", {"dog": 1.0}), Classification("b", "cat", {"dog": 1.0})]
    >>> evaluate(items, ["Precision"])["Precision", "dog"].value
    0.5
    """

    parameters: LabelParameters

    def value(self, tp: int, fp: int, fn: int, tn: int) -> NumberOrReason:
        """Return the quotient."""
        reason = "no predictions of the label"
        return ratio(*self.terms(tp, fp, fn, tn), self.parameters.zero_division, reason)

    def terms(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        """Return the numerator and the denominator."""
        return tp, tp + fp


@frozen(repr=False)
class Recall(LabelQuotient):
    """Share of a label's ground truths that are predicted: tp / (tp + fn).

    Parameters
    ----------
    parameters : LabelParameters
        Thresholds, hardmax, averages and the value of 0/0.

    Notes
    -----
    Equal to scikit-learn's ``recall_score``, but for the macro mean: labels that are only
    predicted are excluded from it, unless `include_prediction_only_labels` is true.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import Classification
    >>> items = [Classification("a", "dog", {"dog": 1.0}), Classification("b", "dog", {"cat": 1.0})]
    >>> evaluate(items, ["Recall"])["Recall", "dog"].value
    0.5
    """

    parameters: LabelParameters

    def value(self, tp: int, fp: int, fn: int, tn: int) -> NumberOrReason:
        """Return the quotient."""
        reason = "no ground truths of the label"
        return ratio(*self.terms(tp, fp, fn, tn), self.parameters.zero_division, reason)

    def terms(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        """Return the numerator and the denominator."""
        return tp, tp + fn


@frozen(repr=False)
class F1(LabelQuotient):
    """Harmonic mean of precision and recall: 2 tp / (2 tp + fp + fn).

    Parameters
    ----------
    parameters : LabelParameters
        Thresholds, hardmax, averages and the value of 0/0.

    Notes
    -----
    Equal to scikit-learn's ``f1_score``, but for the macro mean: labels that are only
    predicted are excluded from it, unless `include_prediction_only_labels` is true.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import Classification
    >>> items = [Classification("a", "dog", {"dog": 1.0}), Classification("b", "dog", {"cat": 1.0})]
    >>> round(evaluate(items, ["F1"])["F1", "dog"].value, 4)
    0.6667
    """

    parameters: LabelParameters

    def value(self, tp: int, fp: int, fn: int, tn: int) -> NumberOrReason:
        """Return the quotient."""
        reason = "no ground truths and no predictions of the label"
        return ratio(*self.terms(tp, fp, fn, tn), self.parameters.zero_division, reason)

    def terms(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        """Return the numerator and the denominator."""
        return 2 * tp, 2 * tp + fp + fn


@frozen(repr=False)
class FBeta(LabelQuotient):
    """Weighted harmonic mean of precision and recall, recall weighing `beta` times as much.

    Parameters
    ----------
    parameters : FBetaParameters
        Beta, thresholds, hardmax, averages and the value of 0/0.

    Notes
    -----
    Equal to scikit-learn's ``fbeta_score``, but for the macro mean: labels that are only
    predicted are excluded from it, unless `include_prediction_only_labels` is true.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import Classification
    >>> items = [Classification("a", "dog", {"dog": 1.0}), Classification("b", "dog", {"cat": 1.0})]
    >>> round(evaluate(items, [{"name": "FBeta", "beta": 2}])["FBeta", "dog"].value, 4)
    0.5556
    """

    parameters: FBetaParameters

    def value(self, tp: int, fp: int, fn: int, tn: int) -> NumberOrReason:
        """Return the quotient."""
        reason = "no ground truths and no predictions of the label"
        return ratio(*self.terms(tp, fp, fn, tn), self.parameters.zero_division, reason)

    def terms(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        """Return the numerator and the denominator."""
        square = self.parameters.beta**2
        return (1 + square) * tp, (1 + square) * tp + fp + square * fn

    def _shaped(self, threshold: float | None) -> dict[str, Any]:
        return {"beta": self.parameters.beta} | super()._shaped(threshold)


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
        """Return the quotient."""
        reason = "every item has the label"
        return ratio(*self.terms(tp, fp, fn, tn), self.parameters.zero_division, reason)

    def terms(self, tp: Any, fp: Any, fn: Any, tn: Any) -> tuple[Any, Any]:
        """Return the numerator and the denominator."""
        return tn, tn + fp

"""Counts: true and false positives and negatives of every label."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from attrs import frozen
from valor_labels import label_parameters

from valor_classification.counting import threshold_counts
from valor_classification.counting.threshold_counts import LabelCounts, coordinates, limits
from valor_classification.counting.weighted_counts import numbers
from valor_classification.parameters.predicted import CountsParameters
from valor_core.results import ItemRows, Result
from valor_core.states import StateRequest


@frozen
class Counts:
    """Number of items by prediction and ground truth, each label against the rest.

    Parameters
    ----------
    parameters : CountsParameters
        Thresholds and hardmax.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import Classification
    >>> items = [Classification("a", "dog", {"dog": 1.0}), Classification("b", "cat", {"dog": 1.0})]
    >>> evaluate(items, ["Counts"])["Counts", "dog"].value
    {'tp': 1, 'fp': 1, 'fn': 0, 'tn': 0}
    """

    parameters: CountsParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request label counts at the thresholds."""
        chosen = self.parameters
        return (threshold_counts.request(limits(chosen.score_thresholds), hardmax=chosen.hardmax),)

    def item_rows(self, state: LabelCounts) -> ItemRows | None:
        """Return the counts of each item over all labels, at the first threshold."""
        found = state.outcomes(limits(self.parameters.score_thresholds)[0])
        return None if found is None else found[0].with_numbers(found[1])

    def compute(self, state: LabelCounts) -> Iterator[Result]:
        """Yield one result for each threshold, label key and label."""
        thresholds = self.parameters.score_thresholds
        for _, part in state.sorted():
            for threshold, counts in zip(thresholds, part.all_at(limits(thresholds)), strict=True):
                shaped = coordinates(threshold, self.parameters.hardmax)
                columns = numbers(np.stack((counts.tp, counts.fp, counts.fn, counts.tn)))
                rows = zip(*columns.tolist(), strict=True)
                for label, (tp, fp, fn, tn) in zip(counts.labels, rows, strict=True):
                    value = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
                    yield Result(parameters=label_parameters(label) | shaped, value=value)

"""Accuracy: share of items whose prediction is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_classification.counting import label_sets, threshold_counts, truth_ranks
from valor_classification.counting.by_key import StateByKey
from valor_classification.counting.label_sets import Agreement, KeyAgreement
from valor_classification.counting.threshold_counts import (
    KeyLabelCounts,
    LabelCounts,
    coordinates,
    limit,
    limits,
)
from valor_classification.counting.truth_ranks import KeyTopRanks, TopRanks
from valor_classification.parameters.predicted import AccuracyParameters
from valor_core.parameters import changed_parameters
from valor_core.results import (
    Failed,
    ItemRows,
    NumberOrReason,
    Result,
    Undefined,
    macro_mean,
    ratio,
)
from valor_core.schemas import Codes
from valor_core.states import StateRequest

_NO_TRUTH = "no items with ground truth"

Outcome = tuple[NumberOrReason, dict[str, int], dict[str, Any]]
"""Value, excluded labels by reason, and parameters of the result besides its label key."""


@frozen(repr=False)
class Accuracy:
    """Share of items with ground truth whose prediction is right.

    An item with one ground truth is right if that label is predicted. If items of a label key have
    several, or the parameter `multilabel` requires it, the sets of true and predicted labels of
    each item are compared.

    Parameters
    ----------
    parameters : AccuracyParameters
        Thresholds, hardmax, top-k, balance and the rule for several ground truths.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import Classification
    >>> items = [Classification("a", "dog", {"dog": 1.0}), Classification("b", "cat", {"dog": 1.0})]
    >>> evaluate(items, ["Accuracy"])["Accuracy"].value
    0.5
    """

    parameters: AccuracyParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request agreement, ranks or label counts at the thresholds."""
        chosen, least = self.parameters, limits(self.parameters.score_thresholds)
        if chosen.top_k > 1:
            return (truth_ranks.request(least, chosen.top_k),)
        counting = threshold_counts if chosen.balanced else label_sets
        return (counting.request(least, hardmax=chosen.hardmax),)

    def item_rows(self, state: TopRanks | LabelCounts | Agreement) -> ItemRows | None:
        """Return 1 for each item that is right, otherwise 0; for sets of labels their agreement."""
        chosen, threshold = self.parameters, limit(self.parameters.score_thresholds[0])
        if isinstance(state, TopRanks):
            among_top = state.right(chosen.top_k, threshold)
            return None if among_top is None else among_top[0].with_values(among_top[1])
        if (found := state.kept) is None:
            return None
        part, items = found
        items, sizes = items.at(part.thresholds.index(threshold))
        if isinstance(state, LabelCounts):
            kept = np.flatnonzero(sizes["truths"] == 1)
            return items.select(kept).with_values(sizes["common"][kept])
        rule = chosen.multilabel or ("exact" if part.has_several else None)
        if rule is not None:
            return items.with_values(_agreements(sizes, len(part.vocabulary), rule))
        kept = np.flatnonzero(sizes["truths"])
        return items.select(kept).with_values(sizes["common"][kept])

    def compute(self, state: StateByKey) -> Iterator[Result]:
        """Yield one result for each label key and threshold."""
        chosen, accuracy = self.parameters, self._accuracy
        for key, part in state.sorted():
            for threshold in chosen.score_thresholds:
                value, left_out, shaped = accuracy(part, threshold)
                parameters = (
                    {"label_key": key} | shaped | changed_parameters(chosen, "score_thresholds")
                )
                yield Result(parameters=parameters, value=value, left_out=left_out)

    @property
    def _accuracy(self) -> Callable[[Any, float | None], Outcome]:
        if self.parameters.top_k > 1:
            return self._among_top
        return self._balanced if self.parameters.balanced else self._of_sets

    def _among_top(self, part: KeyTopRanks, threshold: float | None) -> Outcome:
        """Share of the ground truths among the best-scoring labels."""
        k = self.parameters.top_k
        shaped = {"top_k": k, "score_threshold": threshold}
        if part.has_several:
            reason = (
                "top_k needs one ground truth for each label key, found several; leave top_k out "
                "and choose multilabel: exact, hamming or jaccard"
            )
            return Failed(reason), {}, shaped
        correct = part.correct(k, limit(threshold))
        return ratio(correct, part.with_truth, None, _NO_TRUTH), {}, shaped

    def _balanced(self, part: KeyLabelCounts, threshold: float | None) -> Outcome:
        """Mean over labels of the share of their ground truths that are predicted."""
        counts = part.at(limit(threshold))
        pairs = zip(counts.tp.tolist(), counts.truths.tolist(), strict=True)
        recalls = [ratio(tp, truths, None, "no ground truths of the label") for tp, truths in pairs]
        shaped = coordinates(threshold, self.parameters.hardmax) | {"balanced": True}
        return *macro_mean(recalls, counts.truths), shaped

    def _of_sets(self, part: KeyAgreement, threshold: float | None) -> Outcome:
        """Share of predicted ground truths, or agreement of the two sets of labels per item."""
        rule, least = self.parameters.multilabel, limit(threshold)
        if rule is None and part.has_several:
            rule = "exact"
        shaped = coordinates(threshold, self.parameters.hardmax)
        if rule is None:
            return ratio(part.correct(least), part.with_truth, None, _NO_TRUTH), {}, shaped
        return _agreement(part, least, rule), {}, shaped | {"multilabel": rule}


def _agreements(sizes: Mapping[str, Codes], labels: int, rule: str) -> NDArray[np.float64]:
    """Return the agreement of the two sets of labels of each item; their mean is `_agreement`."""
    common = sizes["common"]
    united = sizes["truths"] + sizes["predicted"] - common
    if rule == "exact":
        return np.where(common == united, 1.0, 0.0)
    if rule == "jaccard":
        return np.where(united, common / np.maximum(united, 1), 1.0)
    agreements: NDArray[np.float64] = (labels - united + common) / labels
    return agreements


def _agreement(part: KeyAgreement, threshold: float, rule: str) -> NumberOrReason:
    pairs = part.datums * len(part.vocabulary)
    if not pairs:
        return Undefined("no items with labels")
    if rule == "exact":
        return float(part.exact(threshold) / part.datums)
    if rule == "jaccard":
        return float(part.overlap(threshold) / part.datums)
    return float((pairs - part.differing(threshold)) / pairs)

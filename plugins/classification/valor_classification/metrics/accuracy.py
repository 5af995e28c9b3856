"""Accuracy: share of items whose prediction is right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from attrs import field, frozen

from valor_classification.counting import label_sets, threshold_counts, truth_ranks
from valor_classification.counting.by_key import Keyed
from valor_classification.counting.label_sets import AgreementPart
from valor_classification.counting.threshold_counts import LabelCountsPart
from valor_classification.counting.truth_ranks import TopRanksPart
from valor_classification.metrics.thresholds import coordinates, limit, limits
from valor_classification.parameters.predicted import AccuracyParameters
from valor_core.parameters import changed_parameters
from valor_core.results import Failed, NumberOrReason, Result, Undefined, macro, ratio
from valor_core.states import StateRequest

_NO_TRUTH = "no items with ground truth"


Outcome = tuple[NumberOrReason, dict[str, int]]
"""A value, and what it left out."""


class _Rule(Protocol):
    """What makes a prediction right."""

    def request(self, least: tuple[float, ...]) -> StateRequest:
        """The state that it reads."""

    def outcome(self, part: Any, least: float) -> Outcome:
        """The accuracy of one label key at one of the thresholds."""

    def shaped(self, part: Any, threshold: float | None) -> dict[str, Any]:
        """Parameters that the result has besides its label key."""


@frozen(repr=False)
class _AmongTop:
    """The ground truth is among the best-scoring labels."""

    k: int

    def request(self, least: tuple[float, ...]) -> StateRequest:
        return truth_ranks.request(least, self.k)

    def outcome(self, part: TopRanksPart, least: float) -> Outcome:
        if part.has_several:
            reason = (
                "top_k needs one ground truth for each label key, found several; leave top_k out "
                "and choose multilabel: exact, hamming or jaccard"
            )
            return Failed(reason), {}
        return ratio(part.correct(self.k, least), part.with_truth, None, _NO_TRUTH), {}

    def shaped(self, part: TopRanksPart, threshold: float | None) -> dict[str, Any]:
        return {"top_k": self.k, "score_threshold": threshold}


@frozen(repr=False)
class _Balanced:
    """The ground truth is predicted, every label weighing the same."""

    hardmax: bool

    def request(self, least: tuple[float, ...]) -> StateRequest:
        return threshold_counts.request(least, hardmax=self.hardmax)

    def outcome(self, part: LabelCountsPart, least: float) -> Outcome:
        counts = part.at(least)
        pairs = zip(counts.tp.tolist(), counts.truths.tolist(), strict=True)
        recalls = [ratio(tp, truths, None, "no ground truths of the label") for tp, truths in pairs]
        return macro(recalls, counts.truths)

    def shaped(self, part: LabelCountsPart, threshold: float | None) -> dict[str, Any]:
        return coordinates(threshold, self.hardmax) | {"balanced": True}


@frozen(repr=False)
class _Agreeing:
    """The ground truth is predicted, or the two sets of labels agree."""

    hardmax: bool
    multilabel: str | None

    def request(self, least: tuple[float, ...]) -> StateRequest:
        return label_sets.request(least, hardmax=self.hardmax)

    def outcome(self, part: AgreementPart, least: float) -> Outcome:
        rule = self._rule_of_sets(part)
        if rule is not None:
            return _of_sets(part, least, rule), {}
        return ratio(part.correct(least), part.with_truth, None, _NO_TRUTH), {}

    def shaped(self, part: AgreementPart, threshold: float | None) -> dict[str, Any]:
        rule = self._rule_of_sets(part)
        of_sets = {} if rule is None else {"multilabel": rule}
        return coordinates(threshold, self.hardmax) | of_sets

    def _rule_of_sets(self, part: AgreementPart) -> str | None:
        return "exact" if self.multilabel is None and part.has_several else self.multilabel


def _rule(chosen: AccuracyParameters) -> _Rule:
    if chosen.top_k > 1:
        return _AmongTop(chosen.top_k)
    if chosen.balanced:
        return _Balanced(chosen.hardmax)
    return _Agreeing(chosen.hardmax, chosen.multilabel)


@frozen(repr=False)
class Accuracy:
    """Share of items with ground truth whose prediction is right.

    With one ground truth an item is right if that label is predicted. Where items of a label
    key have several, or the parameter `multilabel` says so, every item that takes part is judged
    by its whole set of labels.

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
    _rule: _Rule = field(init=False, repr=False, eq=False)

    @_rule.default
    def _chosen(self) -> _Rule:
        return _rule(self.parameters)

    def needs(self) -> tuple[StateRequest, ...]:
        """Agreement, ranks or label counts at the thresholds."""
        return (self._rule.request(limits(self.parameters.score_thresholds)),)

    def compute(self, state: Keyed) -> Iterator[Result]:
        """One result for each label key and threshold."""
        for key, part in state.sorted():
            for threshold in self.parameters.score_thresholds:
                value, left_out = self._rule.outcome(part, limit(threshold))
                own = self._rule.shaped(part, threshold)
                parameters = (
                    {"label_key": key}
                    | own
                    | changed_parameters(self.parameters, "score_thresholds")
                )
                yield Result(parameters=parameters, value=value, left_out=left_out)


def _of_sets(part: AgreementPart, threshold: float, rule: str) -> NumberOrReason:
    pairs = part.datums * len(part.vocabulary)
    if not pairs:
        return Undefined("no items with labels")
    if rule == "exact":
        return part.exact(threshold) / part.datums
    if rule == "jaccard":
        return float(part.overlap(threshold) / part.datums)
    return (pairs - part.differing(threshold)) / pairs

"""Accuracy: share of items whose prediction is right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from valor_classification import agreement, label_counts, top_ranks
from valor_classification.agreement import AgreementPart
from valor_classification.keyed import Keyed
from valor_classification.label_counts import LabelCountsPart
from valor_classification.parameters import AccuracyParameters
from valor_classification.top_ranks import TopRanksPart
from valor_core import averages
from valor_core.averages import Value
from valor_core.errors import ParameterError
from valor_core.result import Failed, Result, Undefined, ratio
from valor_core.state import StateRequest

_NO_TRUTH = "no items with ground truth"


@frozen
class Accuracy:
    """Share of items with ground truth whose prediction is right.

    With one ground truth an item is right if that label is predicted. Where items of a label
    key have several, every item that takes part is judged by its whole set of labels, as the
    parameter `multilabel` says.

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

    def __attrs_post_init__(self) -> None:
        if self.parameters.top_k > 1 and self.parameters.balanced:
            raise ParameterError(
                f"top_k must be 1 where balanced is true, got {self.parameters.top_k}",
                place="classification.Accuracy: ",
            )

    def needs(self) -> tuple[StateRequest, ...]:
        """Agreement, ranks or label counts at the thresholds."""
        chosen = self.parameters
        if chosen.top_k > 1:
            return (top_ranks.request(chosen.score_thresholds, chosen.top_k),)
        if chosen.balanced:
            return (label_counts.request(chosen.score_thresholds, hardmax=chosen.hardmax),)
        return (agreement.request(chosen.score_thresholds, hardmax=chosen.hardmax),)

    def compute(self, state: Keyed) -> Iterator[Result]:
        """One result for each label key and threshold."""
        chosen = self.parameters
        for key, part in state.sorted():
            for threshold in chosen.score_thresholds:
                left_out: dict[str, int] = {}
                if chosen.top_k > 1:
                    value = _among_top(part, chosen.top_k, threshold)
                elif chosen.balanced:
                    value, left_out = _balanced(part, threshold)
                elif part.has_several:
                    value = _of_sets(part, threshold, chosen.multilabel)
                else:
                    correct = part.correct(threshold)
                    value = ratio(correct, part.with_truth, None, _NO_TRUTH)
                parameters = {"label_key": key} | self._shaped(threshold)
                if isinstance(part, AgreementPart) and part.has_several:
                    parameters["multilabel"] = chosen.multilabel
                yield Result(parameters=parameters, value=value, left_out=left_out)

    def _shaped(self, threshold: float) -> dict[str, Any]:
        chosen = self.parameters
        shaped: dict[str, Any] = {"score_threshold": threshold, "hardmax": chosen.hardmax}
        if chosen.top_k > 1:
            shaped = {"top_k": chosen.top_k, "score_threshold": threshold}
        return shaped | ({"balanced": True} if chosen.balanced else {})


def _among_top(part: TopRanksPart, k: int, threshold: float) -> Value:
    if part.has_several:
        return Failed(
            "top_k needs one ground truth for each label key, found several; leave top_k out and "
            "choose multilabel: exact, hamming or jaccard"
        )
    return ratio(part.correct(k, threshold), part.with_truth, None, _NO_TRUTH)


def _balanced(part: LabelCountsPart, threshold: float) -> tuple[Value, dict[str, int]]:
    counts = part.at(threshold)
    pairs = zip(counts.tp.tolist(), counts.truths.tolist(), strict=True)
    recalls = [ratio(tp, truths, None, "no ground truths of the label") for tp, truths in pairs]
    return averages.macro(recalls, counts.truths)


def _of_sets(part: AgreementPart, threshold: float, rule: str) -> Value:
    if rule == "exact":
        return ratio(part.exact(threshold), part.datums, None, _NO_TRUTH)
    if rule == "jaccard":
        return float(part.overlap(threshold) / part.datums)
    pairs = part.datums * len(part.vocabulary)
    if not pairs:
        return Undefined(_NO_TRUTH)
    return (pairs - part.differing(threshold)) / pairs

"""Proper scores: log loss and Brier score."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from valor_classification.counting import losses
from valor_classification.counting.item_labels import KeptItems
from valor_classification.counting.losses import KeyProbability, Probability
from valor_classification.counting.score_checks import ScorelessPredictions, scores_request
from valor_classification.parameters.scored import BrierParameters
from valor_core.parameters import NoParameters
from valor_core.results import Failed, ItemRows, NumberOrReason, Result, Undefined
from valor_core.states import StateRequest

_NO_TRUTH = Undefined("no items with ground truth")


@frozen
class LogLoss:
    """Mean of minus the natural logarithm of the score that the ground truth was given.

    Scores are clipped to [eps, 1 - eps] with the machine epsilon of their type; a ground truth
    that is not listed has the score 0. An error where an item has several ground truths.

    Parameters
    ----------
    parameters : NoParameters
        There are none.

    Notes
    -----
    Equal to scikit-learn's ``log_loss``.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import Classification
    >>> items = [Classification("a", "dog", {"dog": 0.5, "cat": 0.5})]
    >>> round(evaluate(items, ["LogLoss"])["LogLoss"].value, 4)
    0.6931
    """

    parameters: NoParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the loss."""
        return losses.request("log_loss"), scores_request()

    def item_rows(self, state: Probability, answers: ScorelessPredictions) -> ItemRows | None:
        """Return the loss of each item with ground truth."""
        found = _kept(state, answers)
        if found is None or found[0].several:
            return None
        return found[1].with_values(found[1].rows.numbers["log_loss"].values)

    def compute(self, state: Probability, answers: ScorelessPredictions) -> Iterator[Result]:
        """Yield one result for each label key."""
        for key, part in state.sorted():
            refusal = answers.of(key).refusal
            value = _log_loss(part) if refusal is None else refusal
            warnings = _of_sums(part) if isinstance(value, float) else ()
            yield Result(parameters={"label_key": key}, value=value, warnings=warnings)


def _of_sums(part: KeyProbability) -> tuple[str, ...]:
    """Warn about scores that sum to more than 1."""
    if not part.unnormalized:
        return ()
    items = f"{part.unnormalized:,} item{'' if part.unnormalized == 1 else 's'}"
    return (
        f"LogLoss: the scores of {items} sum to more than 1; give probabilities, such as those of "
        "a softmax",
    )


def _log_loss(part: KeyProbability) -> NumberOrReason:
    if part.refusal is not None:
        return part.refusal
    if part.several:
        return Failed(
            "expected one ground truth of the key for each item, found several on "
            f"{part.several:,} item{'' if part.several == 1 else 's'}; BrierScore takes several"
        )
    return part.log_loss.value / part.with_truth if part.with_truth else _NO_TRUTH


@frozen
class BrierScore:
    """Mean over items of the squared differences between scores and truth, over all labels.

    Labels that an item does not list have the score 0; items without ground truth do not take
    part.

    Parameters
    ----------
    parameters : BrierParameters
        Whether the sum over labels is halved.

    Notes
    -----
    Equal to scikit-learn's ``brier_score_loss``, which also halves the sum for two labels by
    default. Every squared difference is added exactly.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import Classification
    >>> items = [Classification("a", "dog", {"dog": 0.75, "cat": 0.25})]
    >>> evaluate(items, ["BrierScore"])["BrierScore"].value
    0.0625
    """

    parameters: BrierParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the loss."""
        return losses.request("brier"), scores_request()

    def item_rows(self, state: Probability, answers: ScorelessPredictions) -> ItemRows | None:
        """Return the sum of squared differences of each item with ground truth."""
        found = _kept(state, answers)
        if found is None:
            return None
        part, items = found
        losses = items.rows.numbers["brier"].values
        return items.with_values(losses / (2 if self._halves(part) else 1))

    def _halves(self, part: KeyProbability) -> bool:
        half = self.parameters.scale_by_half
        return len(part.vocabulary) <= 2 if half is None else half

    def compute(self, state: Probability, answers: ScorelessPredictions) -> Iterator[Result]:
        """Yield one result for each label key."""
        for key, part in state.sorted():
            half = self._halves(part)
            refusal = answers.of(key).refusal
            value = _brier(part, half) if refusal is None else refusal
            yield Result(parameters={"label_key": key, "scale_by_half": half}, value=value)


def _kept(
    state: Probability, answers: ScorelessPredictions
) -> tuple[KeyProbability, KeptItems] | None:
    """Return the only label key and its kept losses, or None if the scores have no loss."""
    found = state.kept
    if found is None:
        return None
    is_refused = any(answers.of(key).refusal is not None for key, _ in state.sorted())
    return None if is_refused or found[0].refusal is not None else found


def _brier(part: KeyProbability, half: bool) -> NumberOrReason:
    if part.refusal is not None:
        return part.refusal
    if not part.with_truth:
        return _NO_TRUTH
    return part.brier.value / part.with_truth / (2 if half else 1)

"""Checks of scores: predictions without a score, and scores outside [0, 1]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from attrs import define

from valor_classification import kernels
from valor_classification.counting.by_key import KeyState, StateByKey
from valor_classification.counting.key_view import KeyView, views
from valor_core.errors import and_more
from valor_core.results import Failed
from valor_core.schemas import Floats
from valor_core.schemas.classification import ClassificationBatch, ScoreList
from valor_core.states import StateContent, StateRequest, counted

SCORE_NAMES = (
    *("score", "y_score", "y_prob", "y_proba", "probability", "prob", "proba"),
    *("confidence", "conf", "pred_prob", "pred_score"),
)
"""Names of columns that hold scores."""
_SHOWN = 3


@define(slots=False, repr=False)
class KeyScorelessPredictions(KeyState):
    """Predictions of one label key without a score, which metrics of scores cannot use.

    Attributes
    ----------
    predictions : int
        Predictions without a score.
    best_only : int
        Predictions whose score is the only one of their item.
    columns : set of str
        Metadata fields of their items that seem to hold scores.
    """

    predictions: int = counted(int)
    best_only: int = counted(int)
    columns: set[str] = counted(set)

    def update(self, view: KeyView) -> None:
        """Count a view."""
        self.add(view.labels)
        if isinstance(view.scores, ScoreList) and not view.scores.scored:
            self.predictions += len(view.scores.values)
        elif isinstance(view.scores, ScoreList) and view.scores.best_only:
            self.best_only += len(view.scores.values)

    def weigh(self, view: KeyView, weights: Floats) -> None:
        """Count a view; weights do not matter."""
        self.update(view)

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned."""
        # not in states of earlier versions
        super().restore({"columns": [], "best_only": 0, **content})

    @property
    def refusal(self) -> Failed | None:
        """Reason why metrics of the scores of all labels fail, or None."""
        if self.refusal_of_best is not None or not self.best_only:
            return self.refusal_of_best
        column = f", in {min(self.columns)!r}" if self.columns else ""
        names = sorted(label.value for label in self.labels)
        named = ", ".join(f"score_{name}" for name in names[:_SHOWN]) + and_more(
            len(names) - _SHOWN
        )
        other = ""
        if len(names) == 2:
            other = "; the score of the other label of a softmax of two is 1 minus that one"
        return Failed(
            f"expected a score of each label, found only the one of the predicted label{column}; "
            f"write a column of scores for each label: {named}{other}"
        )

    @property
    def refusal_of_best(self) -> Failed | None:
        """Reason why metrics of the predicted labels' scores fail, or None."""
        if not self.predictions:
            return None
        remedy = "give the model's probabilities, not its answers"
        if self.columns:
            remedy = f"read those of {min(self.columns)!r}: set data.score to it"
        return Failed(
            f"expected a score with each prediction, found {self.predictions:,} without; {remedy}"
        )


@define(slots=False, repr=False)
class ScorelessPredictions(StateByKey):
    """`KeyScorelessPredictions` for each label key."""

    part: ClassVar[type[KeyScorelessPredictions]] = KeyScorelessPredictions

    def update(self, batch: ClassificationBatch, weights: Floats | None = None) -> None:
        """Count a batch."""
        super().update(batch, weights)
        columns = {name for name in batch.datums.metadata if name.casefold() in SCORE_NAMES}
        for view in views(batch) if columns else ():
            self.of(view.labels[0].key).columns |= columns


@define(slots=False, repr=False)
class KeyScoreRange(KeyState):
    """Number of scores of one label key outside [0, 1]."""

    outside: int = counted(int)

    def update(self, view: KeyView) -> None:
        """Count a view."""
        self.add(view.labels)
        self.outside += kernels.thresholds.outside(view.scores.values, 0.0, 1.0)

    def weigh(self, view: KeyView, weights: Floats) -> None:
        """Count a view; weights do not matter."""
        self.update(view)

    @property
    def refusal(self) -> Failed | None:
        """Reason why the scores are not probabilities, or None."""
        return not_probabilities(self.outside)


@define(slots=False, repr=False)
class ScoreRange(StateByKey):
    """`KeyScoreRange` for each label key."""

    part: ClassVar[type[KeyScoreRange]] = KeyScoreRange


def not_probabilities(outside: int) -> Failed | None:
    """Return why scores are not probabilities, by the number outside [0, 1], or None."""
    if not outside:
        return None
    return Failed(
        f"expected scores in [0, 1], found {outside:,} outside; put the model's outputs through a "
        "softmax or a sigmoid"
    )


def scores_request() -> StateRequest:
    """Request the number of predictions without a score."""
    return StateRequest(ScorelessPredictions)


def range_request() -> StateRequest:
    """Request the number of scores outside [0, 1]."""
    return StateRequest(ScoreRange)


def refusal(key: str, checks: Iterable[ScorelessPredictions | ScoreRange]) -> Failed | None:
    """Return the first reason why checks refuse the scores of a label key, or None."""
    reasons = (check.of(key).refusal for check in checks)
    return next((reason for reason in reasons if reason is not None), None)

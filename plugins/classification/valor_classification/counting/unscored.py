"""Predictions without a score, which metrics of scores cannot use."""

from __future__ import annotations

from typing import ClassVar

from attrs import define, field

from valor_classification.counting.by_key import Keyed
from valor_classification.counting.key_view import KeyView, views
from valor_core.results import Failed
from valor_core.schemas import Vocabulary
from valor_core.schemas.classification import ClassificationBatch, ScoreList
from valor_core.states import Content, StateRequest, saved_labels, saved_number

SCORE_NAMES = ("score", "y_score", "y_prob", "probability", "prob", "proba", "confidence")
"""Names of columns that hold scores."""


@define(repr=False)
class UnscoredPart:
    """Predictions of one label key that have no score.

    Parameters
    ----------
    vocabulary : Vocabulary
        Labels of the key.
    predictions : int
        Predictions without a score.
    columns : set of str
        Metadata fields of their items that seem to hold scores.
    """

    vocabulary: Vocabulary = field(factory=Vocabulary)
    predictions: int = 0
    columns: set[str] = field(factory=set)

    def update(self, view: KeyView) -> None:
        """Count a view."""
        self.vocabulary.join(view.labels)
        if isinstance(view.scores, ScoreList) and not view.scores.scored:
            self.predictions += len(view.scores.values)

    def merge(self, other: UnscoredPart) -> None:
        """Count what another part counted."""
        self.vocabulary.join(other.vocabulary.labels)
        self.predictions += other.predictions
        self.columns |= other.columns

    def dump(self) -> Content:
        """The count."""
        return {
            "labels": self.vocabulary.labels,
            "predictions": self.predictions,
            "columns": sorted(self.columns),
        }

    def restore(self, content: Content) -> None:
        """The count that `dump` wrote."""
        self.vocabulary = Vocabulary(saved_labels(content, "labels"))
        self.predictions = saved_number(content, "predictions", low=0)
        # states of earlier versions have none
        self.columns = set(map(str, content.get("columns", ())))

    @property
    def refusal(self) -> Failed | None:
        """Why there is nothing to rank or to trust, or None."""
        if not self.predictions:
            return None
        remedy = "give the model's probabilities, not its answers"
        if self.columns:
            remedy = (
                f"read those of {min(self.columns)!r} with the reader lists: set groundtruths, "
                f"predictions and scores: {min(self.columns)}"
            )
        return Failed(
            f"expected a score with each prediction, found {self.predictions:,} without; {remedy}"
        )


@define(slots=False, repr=False)
class Unscored(Keyed):
    """`UnscoredPart` for each label key."""

    part: ClassVar[type[UnscoredPart]] = UnscoredPart

    def update(self, batch: ClassificationBatch) -> None:
        """Count a batch."""
        super().update(batch)
        columns = {name for name in batch.datums.metadata if name.casefold() in SCORE_NAMES}
        for view in views(batch) if columns else ():
            self.of(view.labels[0].key).columns |= columns


def request() -> StateRequest:
    """The number of predictions without a score."""
    return StateRequest(Unscored)

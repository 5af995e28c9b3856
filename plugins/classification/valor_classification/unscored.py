"""Unscored: how many predictions are answers without a score, which rank and promise nothing."""

from __future__ import annotations

from typing import ClassVar

from attrs import define, field

from valor_classification.keyed import Keyed
from valor_classification.views import KeyView
from valor_core.plugin import Content, Failed, StateRequest, saved_labels, saved_number
from valor_core.schemas.classification.scores import ScoreList
from valor_core.schemas.label import Vocabulary


@define
class UnscoredPart:
    """Predictions of one label key that have no score."""

    vocabulary: Vocabulary = field(factory=Vocabulary)
    predictions: int = 0

    def update(self, view: KeyView) -> None:
        """Count a view."""
        self.vocabulary.join(view.labels)
        if isinstance(view.scores, ScoreList) and not view.scores.scored:
            self.predictions += len(view.scores.values)

    def merge(self, other: UnscoredPart) -> None:
        """Count what another part counted."""
        self.vocabulary.join(other.vocabulary.labels)
        self.predictions += other.predictions

    def dump(self) -> Content:
        """The count."""
        return {"labels": self.vocabulary.labels, "predictions": self.predictions}

    def restore(self, content: Content) -> None:
        """The count that `dump` wrote."""
        self.vocabulary = Vocabulary(saved_labels(content, "labels"))
        self.predictions = saved_number(content, "predictions", low=0)

    @property
    def refusal(self) -> Failed | None:
        """Why there is nothing to rank or to trust, or None."""
        if not self.predictions:
            return None
        return Failed(
            f"expected a score with each prediction, found {self.predictions:,} without; give the "
            "model's probabilities, not its answers"
        )


@define(slots=False)
class Unscored(Keyed):
    """`UnscoredPart` for each label key."""

    part: ClassVar[type[UnscoredPart]] = UnscoredPart


def request() -> StateRequest:
    """The number of predictions without a score."""
    return StateRequest(Unscored)

"""Unit interval: how many scores lie outside [0, 1] and are no probabilities."""

from __future__ import annotations

from typing import ClassVar

from attrs import define, field

from valor_classification import kernels
from valor_classification.counting.by_key import Keyed
from valor_classification.counting.key_view import KeyView
from valor_core.results import Failed
from valor_core.schemas import Vocabulary
from valor_core.states import Content, StateRequest, saved_labels, saved_number


@define(repr=False)
class OutsidePart:
    """Scores of one label key that lie outside [0, 1]."""

    vocabulary: Vocabulary = field(factory=Vocabulary)
    outside: int = 0

    def update(self, view: KeyView) -> None:
        """Count a view."""
        self.vocabulary.join(view.labels)
        self.outside += kernels.thresholds.outside(view.scores.values, 0.0, 1.0)

    def merge(self, other: OutsidePart) -> None:
        """Count what another part counted."""
        self.vocabulary.join(other.vocabulary.labels)
        self.outside += other.outside

    def dump(self) -> Content:
        """The count."""
        return {"labels": self.vocabulary.labels, "outside": self.outside}

    def restore(self, content: Content) -> None:
        """The count that `dump` wrote."""
        self.vocabulary = Vocabulary(saved_labels(content, "labels"))
        self.outside = saved_number(content, "outside", low=0)

    @property
    def refusal(self) -> Failed | None:
        """Why the scores are no probabilities, or None."""
        return not_probabilities(self.outside)


def not_probabilities(outside: int) -> Failed | None:
    """Why scores, some number of them outside [0, 1], are no probabilities, or None."""
    if not outside:
        return None
    return Failed(
        f"expected scores in [0, 1], found {outside:,} outside; put the model's outputs through a "
        "softmax or a sigmoid"
    )


@define(slots=False, repr=False)
class Outside(Keyed):
    """`OutsidePart` for each label key."""

    part: ClassVar[type[OutsidePart]] = OutsidePart


def request() -> StateRequest:
    """The number of scores outside."""
    return StateRequest(Outside)

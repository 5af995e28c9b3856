"""Probability losses: log loss and Brier score, summed without rounding."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from valor_classification import kernels
from valor_classification.keyed import Keyed
from valor_classification.views import KeyView
from valor_core.exact import ExactSum
from valor_core.result import Failed
from valor_core.schemas.arrays import Floats
from valor_core.schemas.label import Vocabulary
from valor_core.schemas.scores import ScoreMatrix
from valor_core.state import Content, StateRequest

_BLOCK = 1 << 18


@define
class ProbabilityPart:
    """Sums of the losses over the datums with ground truth.

    Parameters
    ----------
    losses : tuple of str
        Which are asked for: ``"brier"``, ``"log_loss"``.

    Attributes
    ----------
    log_loss, brier : ExactSum
        Sums of minus the logarithm of the truth's probability, and of squared errors over all
        labels.
    with_truth : int
        Datums with a ground truth.
    several, outside : int
        Datums with several ground truths, and scores that are no probability.
    """

    losses: tuple[str, ...]
    vocabulary: Vocabulary = field(factory=Vocabulary)
    log_loss: ExactSum = field(factory=ExactSum)
    brier: ExactSum = field(factory=ExactSum)
    with_truth: int = 0
    several: int = 0
    outside: int = 0

    def update(self, view: KeyView) -> None:
        """Count a view."""
        self.vocabulary.join(view.labels)
        self.with_truth += view.with_truth
        if not view.is_single:
            self.several += int(np.count_nonzero(view.truth_counts > 1))
        outside = kernels.outside(view.scores.values, 0.0, 1.0)
        self.outside += outside
        if outside:
            return
        if "log_loss" in self.losses:
            self.log_loss.add(_log_losses(view.truth_scores))
        if "brier" in self.losses:
            # (p - y)^2 summed over labels is the sum of p^2, less 2p - 1 for every true label.
            self.brier.add(_squares(view)[view.has_truth])
            self.brier.add(1.0 - 2.0 * view.truth_scores.astype(np.float64))

    def merge(self, other: ProbabilityPart) -> None:
        """Count what another part counted."""
        self.vocabulary.join(other.vocabulary.labels)
        self.log_loss.merge(other.log_loss)
        self.brier.merge(other.brier)
        self.with_truth += other.with_truth
        self.several += other.several
        self.outside += other.outside

    def dump(self) -> Content:
        """The sums."""
        return {
            "labels": self.vocabulary.labels,
            "log_loss": self.log_loss.to_text(),
            "brier": self.brier.to_text(),
            "with_truth": self.with_truth,
            "several": self.several,
            "outside": self.outside,
        }

    def restore(self, content: Content) -> None:
        """The sums that `dump` wrote."""
        self.vocabulary = Vocabulary(content["labels"])
        self.log_loss = ExactSum.from_text(content["log_loss"])
        self.brier = ExactSum.from_text(content["brier"])
        self.with_truth, self.several = content["with_truth"], content["several"]
        self.outside = content["outside"]

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


def _log_losses(scores: Floats) -> NDArray[np.float64]:
    limit = np.finfo(scores.dtype).eps
    return -np.log(np.clip(scores, limit, 1 - limit).astype(np.float64))


def _squares(view: KeyView) -> NDArray[np.float64]:
    """Sum of the squared scores of each datum."""
    scores = view.scores
    if not isinstance(scores, ScoreMatrix):
        squares = np.square(scores.values, dtype=np.float64)
        return np.bincount(scores.datums, squares, view.count).astype(np.float64)
    sums = np.empty(view.count)
    step = max(_BLOCK // scores.values.shape[1], 1)
    for start in range(0, view.count, step):
        block = scores.values[start : start + step].astype(np.float64)
        sums[start : start + step] = np.square(block, out=block).sum(axis=1)
    return sums


@define(slots=False)
class Probability(Keyed):
    """`ProbabilityPart` for each label key."""

    part: ClassVar[type[ProbabilityPart]] = ProbabilityPart
    losses: tuple[str, ...] = ()


def request(loss: str) -> StateRequest:
    """One of the losses."""
    return StateRequest(Probability, union={"losses": (loss,)})

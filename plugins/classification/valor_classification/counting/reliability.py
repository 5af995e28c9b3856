"""Reliability: how often the best-scoring label is right, by its score."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from valor_classification.counting.by_key import Keyed
from valor_classification.counting.key_view import KeyView
from valor_classification.counting.unit_interval import not_probabilities
from valor_core.errors import StateError
from valor_core.results import Failed
from valor_core.schemas import Floats, Vocabulary
from valor_core.states import (
    Content,
    ExactSums,
    StateRequest,
    saved_column,
    saved_labels,
    saved_number,
    saved_sums,
)

_MOST = 1 << 48  # items of a bin: sums of all bins stay far below 2**63


@define
class ReliabilityPart:
    """Datums, hits and exact sums of scores in bins of equal width.

    Parameters
    ----------
    bins : int
        Number of bins; bin i holds scores in (i / bins, (i + 1) / bins], the first one 0 too.
    """

    bins: int
    vocabulary: Vocabulary = field(factory=Vocabulary)
    counts: NDArray[np.int64] = field(init=False)
    hits: NDArray[np.int64] = field(init=False)
    scores: ExactSums = field(init=False)
    outside: int = 0

    def __attrs_post_init__(self) -> None:
        self.counts = np.zeros(self.bins, dtype=np.int64)
        self.hits = np.zeros(self.bins, dtype=np.int64)
        self.scores = ExactSums()
        self.scores.grow(self.bins)

    def update(self, view: KeyView) -> None:
        """Count a view."""
        self.vocabulary.join(view.labels)
        found = view.top_reliability(self._limits(view.scores.values.dtype))
        self.outside += found.outside
        if found.outside:
            return
        self.counts = self.counts + found.counts
        self.hits = self.hits + found.hits
        self.scores.merge(ExactSums(found.units))

    def merge(self, other: ReliabilityPart) -> None:
        """Count what another part counted."""
        self.vocabulary.join(other.vocabulary.labels)
        self.counts = self.counts + other.counts
        self.hits = self.hits + other.hits
        self.scores.merge(other.scores)
        self.outside += other.outside

    def dump(self) -> Content:
        """The bins."""
        return {
            "labels": self.vocabulary.labels,
            "counts": self.counts,
            "hits": self.hits,
            "scores": self.scores.to_text(),
            "outside": self.outside,
        }

    def restore(self, content: Content) -> None:
        """The bins that `dump` wrote."""
        self.vocabulary = Vocabulary(saved_labels(content, "labels"))
        self.counts, self.hits = (
            saved_column(content, name, np.int64, shape=(self.bins,), low=0, high=_MOST)
            for name in ("counts", "hits")
        )
        if (self.hits > self.counts).any():
            raise StateError("hits: expected at most as many as counts, found more")
        most = self.counts.astype(np.float64)
        self.scores = saved_sums(content.get("scores"), "scores", most)
        self.outside = saved_number(content, "outside", low=0)

    @property
    def refusal(self) -> Failed | None:
        """Why the scores are no probabilities, or None."""
        return not_probabilities(self.outside)

    def _limits(self, dtype: np.dtype[Any]) -> Floats:
        """What a score reaches where it is above an edge: the next number."""
        edges = (np.arange(1, self.bins) / self.bins).astype(dtype)
        limits: Floats = np.nextafter(edges, dtype.type(np.inf))
        return limits


@define(slots=False)
class Reliability(Keyed):
    """`ReliabilityPart` for each label key."""

    part: ClassVar[type[ReliabilityPart]] = ReliabilityPart
    bins: int = 15


def request(bins: int) -> StateRequest:
    """The reliability in some number of bins."""
    return StateRequest(Reliability, {"bins": bins})

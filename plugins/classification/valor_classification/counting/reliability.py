"""Reliability: hit rate of the best-scoring label, or of one label, by its score."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from attrs import define
from numpy.typing import NDArray

from valor_classification import kernels
from valor_classification.counting.by_key import KeyState, StateByKey
from valor_classification.counting.key_view import NONE, KeyView
from valor_classification.counting.score_checks import not_probabilities
from valor_classification.counting.weighted_counts import weighed
from valor_core.errors import StateError
from valor_core.kernels import thread_count
from valor_core.results import Failed
from valor_core.schemas import Codes, Floats, Label
from valor_core.states import ExactSums, StateContent, StateRequest, counted
from valor_core.states.sums import saved_sums

_MOST = 1 << 48  # items of a bin: sums of all bins stay far below 2**63


def _no_items(state: KeyReliability) -> Codes:
    return np.zeros(state.bins, np.int64)


@define(slots=False, repr=False)
class KeyReliability(KeyState):
    """Datums, hits and exact sums of scores in bins of equal width.

    Parameters
    ----------
    bins : int
        Number of bins; bin i holds scores in (i / bins, (i + 1) / bins], the first one 0 too.
    positive : str, optional
        Label whose scores are counted, of datums with a ground truth that list it. A hit is a datum
        that truly has the label. None for the best-scoring label of each datum.
    """

    bins: int
    positive: str | None = None
    counts: Codes = counted(_no_items, takes_self=True)
    hits: Codes = counted(_no_items, takes_self=True)
    scores: ExactSums = counted(ExactSums)
    outside: int = counted(int)

    def __attrs_post_init__(self) -> None:
        self.scores.grow(self.bins)

    def update(self, view: KeyView) -> None:
        """Count a view."""
        self.add(view.labels)
        limits = self._limits(view.scores.values.dtype)
        if self.positive is None:
            found = view.top_reliability(limits)
        else:
            scores, hits, _ = self._entries(view)
            found = kernels.reliability.reliability(scores, hits, limits, threads=thread_count())
        self.outside += found.outside
        if found.outside:
            return
        self.counts = self.counts + found.counts
        self.hits = self.hits + found.hits
        self.scores.merge(ExactSums(found.units))

    def weigh(self, view: KeyView, weights: Floats) -> None:
        """Count a view whose items have weights."""
        self.add(view.labels)
        scores, hits, datums = self._entries(view)
        weights = weights[datums]
        outside = kernels.thresholds.outside(scores, 0.0, 1.0)
        self.outside += outside
        if outside:
            return
        limits = self._limits(scores.dtype).astype(np.float64)
        bins = kernels.thresholds.passed(scores, limits).astype(np.int64)
        self.counts = self.counts + weighed(bins, weights, self.bins)
        self.hits = self.hits + weighed(bins[hits], weights[hits], self.bins)
        self.scores.add_products(bins, scores.astype(np.float64), weights)

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned."""
        super().restore(content)
        is_weighted = self.counts.dtype == object
        if not is_weighted and self.counts.max(initial=0) > _MOST:
            raise StateError(f"counts: expected at most {_MOST:,}, found {self.counts.max():,}")
        if (self.hits > self.counts).any():
            raise StateError("hits: expected at most as many as counts, found more")
        most = self.counts.astype(np.float64)
        self.scores = saved_sums(content.get("scores"), "scores", most)

    def _entries(self, view: KeyView) -> tuple[Floats, NDArray[np.bool_], Codes]:
        """Return the counted scores of a view, whether they are hits, and their datums."""
        if self.positive is None:
            datums = np.flatnonzero(view.has_truth & (view.top_labels != NONE))
            return view.top_scores[datums], view.top_is_true[datums], datums
        label = Label(view.labels[0].key, self.positive)
        code = view.labels.index(label) if label in view.labels else NONE
        is_true = np.zeros(view.count, bool)
        is_true[view.truth_datums[view.truth_labels == code]] = True
        datums, scores = view.scores_of(code)
        kept = view.has_truth[datums]
        datums = datums[kept]
        return scores[kept], is_true[datums], datums

    @property
    def refusal(self) -> Failed | None:
        """Why the scores are no probabilities, or None."""
        return not_probabilities(self.outside)

    def _limits(self, dtype: np.dtype[Any]) -> Floats:
        """Return the smallest score above each edge of a bin."""
        edges = (np.arange(1, self.bins) / self.bins).astype(dtype)
        limits: Floats = np.nextafter(edges, dtype.type(np.inf))
        return limits


@define(slots=False)
class Reliability(StateByKey):
    """`KeyReliability` for each label key."""

    part: ClassVar[type[KeyReliability]] = KeyReliability
    bins: int = 15
    positive: str | None = None


def request(bins: int, positive: str | None = None) -> StateRequest:
    """Request the reliability in a number of bins, of the best-scoring label or of one label."""
    chosen = {} if positive is None else {"positive": positive}
    return StateRequest(Reliability, {"bins": bins, **chosen})

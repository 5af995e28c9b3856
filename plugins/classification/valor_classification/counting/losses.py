"""Probability losses: log loss and Brier score, summed without rounding."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from attrs import define
from numpy.typing import NDArray

from valor_classification import kernels
from valor_classification.counting.by_key import KeyItems, StateByKey
from valor_classification.counting.key_view import KeyView
from valor_classification.counting.score_checks import not_probabilities
from valor_classification.counting.weighted_counts import total
from valor_core.kernels import thread_count
from valor_core.results import Failed
from valor_core.schemas import Floats
from valor_core.schemas.classification import ScoreMatrix
from valor_core.states import ExactSum, StateContent, StateRequest, counted
from valor_core.states.sums import saved_sums


@define(slots=False, repr=False)
class KeyProbability(KeyItems):
    """Sums of the losses over the datums with ground truth.

    Parameters
    ----------
    losses : tuple of str
        Requested losses: ``"brier"``, ``"log_loss"``.
    rows : tuple of bool
        Not empty to keep the losses of each datum.

    Attributes
    ----------
    log_loss, brier : ExactSum
        Sums of minus the logarithm of the truth's probability, and of squared errors over all
        labels.
    with_truth : int
        Datums with a ground truth.
    several, outside, unnormalized : int
        Datums with several ground truths, scores that are no probability, and datums whose scores
        sum to more than 1; the last only for the log loss.
    """

    losses: tuple[str, ...]
    log_loss: ExactSum = counted(ExactSum)
    brier: ExactSum = counted(ExactSum)
    with_truth: int = counted(int)
    several: int = counted(int)
    outside: int = counted(int)
    unnormalized: int = counted(int)

    def update(self, view: KeyView) -> None:
        """Count a view."""
        self.add(view.labels)
        self.with_truth += view.with_truth
        if not view.is_single:
            self.several += int(np.count_nonzero(view.truth_counts > 1))
        outside = kernels.thresholds.outside(view.scores.values, 0.0, 1.0)
        self.outside += outside
        if outside:
            return
        if "log_loss" in self.losses:
            self.log_loss.add(_log_losses(view.truth_scores))
            self.unnormalized += _unnormalized(view)
        if "brier" in self.losses:
            self.brier.merge(ExactSum(_squared_errors(view)))
        if self.rows:
            kept = np.flatnonzero(view.has_truth)
            losses = {"brier": _brier_losses, "log_loss": _losses_of_truths}
            columns = {name: of(view)[kept] for name, of in losses.items() if name in self.losses}
            self.keep(view, kept, columns)

    def weigh(self, view: KeyView, weights: Floats) -> None:
        """Count a view whose items have weights."""
        self.add(view.labels)
        self.rows = ()
        self.with_truth += total(weights[view.has_truth])
        if not view.is_single:
            self.several += int(np.count_nonzero(view.truth_counts > 1))
        outside = kernels.thresholds.outside(view.scores.values, 0.0, 1.0)
        self.outside += outside
        if outside:
            return
        if "log_loss" in self.losses:
            losses = _log_losses(view.truth_scores)
            self.log_loss.add_products(losses, weights[view.truth_datums])
            self.unnormalized += _unnormalized(view)
        if "brier" in self.losses:
            self.brier.add_products(*_weighted_errors(view, weights))
            self.brier.add(weights[view.truth_datums[~view.truth_is_listed]])

    def restore(self, content: StateContent) -> None:
        """Set a new state to the content that `dump` returned."""
        super().restore({"unnormalized": 0, **content})  # not in states of earlier versions
        for name in ("log_loss", "brier"):
            saved_sums(content.get(name), name, np.array([np.inf]))

    @property
    def refusal(self) -> Failed | None:
        """Why the scores are no probabilities, or None."""
        return not_probabilities(self.outside)


def _log_losses(scores: Floats) -> NDArray[np.float64]:
    limit = np.finfo(scores.dtype).eps
    return -np.log(np.clip(scores, limit, 1 - limit).astype(np.float64))


def _losses_of_truths(view: KeyView) -> NDArray[np.float64]:
    """Log loss of each datum; of the last ground truth, if it has several."""
    losses = np.zeros(view.count)
    losses[view.truth_datums] = _log_losses(view.truth_scores)
    return losses


def _brier_losses(view: KeyView) -> NDArray[np.float64]:
    """Sum of the squared errors of each datum, added in ascending order of the errors.

    So the bits do not depend on the order of labels, nor on labels without a score.
    """
    listed, scores = view.truth_is_listed, view.scores
    errors = scores.values.astype(np.float64)
    if isinstance(scores, ScoreMatrix):
        errors[view.truth_datums[listed], view.truth_columns[listed]] -= 1.0
        squares = np.square(errors)
        if listed.all():
            squares.sort(axis=1)
            sums: NDArray[np.float64] = np.cumsum(squares, axis=1)[:, -1]
            return sums
        datums, squares = np.indices(squares.shape)[0].ravel(), squares.ravel()
    else:
        errors[view.truth_entries[listed]] -= 1.0
        datums, squares = scores.datums, np.square(errors)
    datums = np.append(datums, view.truth_datums[~listed])
    squares = np.append(squares, np.ones(int(np.count_nonzero(~listed))))
    order = np.lexsort((squares, datums))
    found = np.bincount(datums[order], squares[order], minlength=view.count)
    return found.astype(np.float64, copy=False)


def _unnormalized(view: KeyView) -> int:
    """Datums whose scores sum to more than 1, beyond what rounding to two digits does.

    They may sum to less: a list may lack labels, and labels that a label map makes one keep the
    greatest of their scores.
    """
    scores = view.scores
    if isinstance(scores, ScoreMatrix):
        rows, width = scores.values, scores.values.shape[1]
        limit = 1 + _rounding(width)
        if width < 2 or not len(rows):
            return 0
        # The product is fast, but its last bits depend on the number of rows.
        odd = np.flatnonzero(rows @ np.ones(width, rows.dtype) > limit - 1e-4)
        return int(np.count_nonzero(rows[odd].sum(axis=1, dtype=np.float64) > limit))
    listed, total = np.bincount(scores.datums), np.bincount(scores.datums, scores.values)
    return int(np.count_nonzero((total > 1 + _rounding(2)) & (listed > 1)))


def _rounding(width: int) -> float:
    """Most that rounded scores of some labels differ from a sum of 1."""
    return min(max(0.005 * width, 0.01), 0.1) + 0.001


def _squared_errors(view: KeyView) -> int:
    """Sum of squared differences between scores and truth, of datums with a ground truth.

    In units of 2**-1074, as an `ExactSum` has it.
    """
    listed, scores = view.truth_is_listed, view.scores
    unlisted = int(np.count_nonzero(~listed)) << 1074
    if isinstance(scores, ScoreMatrix):
        return unlisted + kernels.reliability.squared_errors(
            *(scores.values, view.truth_datums, view.truth_columns), threads=thread_count()
        )
    errors = scores.values.astype(np.float64)
    errors[view.truth_entries[listed]] -= 1.0
    return unlisted + kernels.reliability.exact_units(
        np.square(errors[view.has_truth[scores.datums]])
    )


def _weighted_errors(view: KeyView, weights: Floats) -> tuple[Floats, Floats]:
    """Return the squared errors of the listed labels of datums with a ground truth, and weights."""
    listed, scores = view.truth_is_listed, view.scores
    errors = scores.values.astype(np.float64)
    if isinstance(scores, ScoreMatrix):
        errors[view.truth_datums[listed], view.truth_columns[listed]] -= 1.0
        kept = errors[view.has_truth]
        return np.square(kept), np.broadcast_to(weights[view.has_truth][:, None], kept.shape)
    errors[view.truth_entries[listed]] -= 1.0
    is_kept = view.has_truth[scores.datums]
    return np.square(errors[is_kept]), weights[scores.datums[is_kept]]


@define(slots=False)
class Probability(StateByKey):
    """`KeyProbability` for each label key."""

    part: ClassVar[type[KeyProbability]] = KeyProbability
    keeps_rows: ClassVar[bool] = True
    losses: tuple[str, ...] = ()
    rows: tuple[bool, ...] = ()


def request(loss: str) -> StateRequest:
    """Request one of the losses."""
    return StateRequest(Probability, union={"losses": (loss,)})

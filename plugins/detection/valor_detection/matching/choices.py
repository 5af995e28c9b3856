"""Choices of a ground truth for each prediction."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from attrs import frozen

from valor_core.schemas import Codes, Floats
from valor_detection.kernels import matching as kernels
from valor_detection.kernels.columns import Bits, PairColumns

Matches = tuple[Bits, Bits, Codes]
"""Bit sets of each prediction with pairs (matched, and matched to an ignored ground truth), and its
matched pair at the lowest IoU limit, -1 without one."""


class Choice:
    """Choice of a ground truth for each prediction."""

    needs_pairs: ClassVar[bool] = False
    """True if pairs below the IoU limits can change matches."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def without_limits(self, columns: PairColumns, scores: Floats) -> Codes | None:
        """Return the matched pair of each prediction if no IoU limit can change it, else None."""
        return None

    def at_limits(self, columns: PairColumns, chosen: Codes | None, limits: Floats) -> Matches:
        """Match predictions in turn at up to 64 IoU limits.

        Parameters
        ----------
        columns : PairColumns
            Pairs in the order of matching.
        chosen : ndarray of int64, optional
            Result of `without_limits`.
        limits : ndarray of float64
            Ascending.
        """
        raise NotImplementedError


class BestFree(Choice):
    """Best unmatched ground truth at each IoU limit, counted ones before ignored ones."""

    def at_limits(self, columns: PairColumns, chosen: Codes | None, limits: Floats) -> Matches:
        """Match predictions in turn at up to 64 IoU limits."""
        return kernels.match_coco(columns, limits)


@frozen
class Best(Choice):
    """Best ground truth only, whether matched already or not: then the prediction is false.

    Parameters
    ----------
    prefers_counted : bool
        If True, a prediction can match an ignored ground truth only at IoU limits that it reaches
        with no counted one.
    """

    prefers_counted: bool = False

    def at_limits(self, columns: PairColumns, chosen: Codes | None, limits: Floats) -> Matches:
        """Match predictions in turn at up to 64 IoU limits."""
        return kernels.match_best(columns, limits, prefers_counted=self.prefers_counted)


class BestThenCrowd(Choice):
    """Best ground truth, or else the best crowd, whose first match counts if crowds do."""

    def at_limits(self, columns: PairColumns, chosen: Codes | None, limits: Floats) -> Matches:
        """Match predictions in turn at up to 64 IoU limits."""
        return kernels.match_best_then_crowd(columns, limits)


class GreedyPairs(Choice):
    """Pairs by descending score and overlap, if both objects are unmatched."""

    needs_pairs: ClassVar[bool] = True

    def without_limits(self, columns: PairColumns, scores: Floats) -> Codes | None:
        """Return the matched pair of each prediction, -1 without one."""
        return kernels.match_ranked(
            columns.starts, columns.truths, columns.ious, scores, columns.crowd
        )

    def at_limits(self, columns: PairColumns, chosen: Codes | None, limits: Floats) -> Matches:
        """Apply the limits to the matched pairs."""
        assert chosen is not None
        truths, ious, ignored = columns.truths, columns.ious, columns.ignored
        has = np.flatnonzero(chosen >= 0)
        passed = np.searchsorted(limits, ious[chosen[has]], side="right")
        # Limits are ascending, so the limits passed are the lowest bits.
        full = np.append(np.uint64(0), np.cumsum(np.uint64(1) << np.arange(64, dtype=np.uint64)))
        matched = np.zeros(len(chosen), np.uint64)
        matched[has] = full[passed]
        with_ignored = np.zeros_like(matched)
        rows = has[ignored[truths[chosen[has]]]]
        with_ignored[rows] = matched[rows]
        return matched, with_ignored, np.where(matched != 0, chosen, -1)

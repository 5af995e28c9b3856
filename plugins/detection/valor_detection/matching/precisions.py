"""Recalls at which average precision reads the precision."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from attrs import frozen

from valor_core.schemas import Codes, Floats
from valor_core.states import ExactSums
from valor_detection.kernels import matching as kernels
from valor_detection.kernels.columns import Flags, GroupedMatches, RankedMatches, Ranks

ALMOST_ONE = 1 - 1e-10
"""Greatest IoU that pycocotools requires."""


class PrecisionCurves(Protocol):
    """Interpolated curves of all labels."""

    @property
    def precisions(self) -> Floats:
        """Precision at each point, shape (t, points, k)."""

    @property
    def terms(self) -> Floats:
        """Numbers whose mean is average precision, shape (t, n_terms, k)."""


@frozen
class At:
    """Greatest precision at each of some recalls or a higher one; average precision is the mean.

    Parameters
    ----------
    points : int
        Number of recalls, equally spaced from 0 to 1.
    rounded : bool
        If True, recalls are the doubles of ``numpy.linspace`` and quotients are rounded, as in
        pycocotools and PASCAL VOC's development kit, which needs one more true positive at some of
        them. Otherwise the comparison is exact.
    epsilon : bool
        If True, the denominator of a precision has the epsilon of pycocotools, which changes only
        the quotient 1/1.
    """

    points: int = 101
    rounded: bool = False
    epsilon: bool = False

    @property
    def recalls(self) -> list[float]:
        """Recalls as decimals."""
        return [i / (self.points - 1) for i in range(self.points)]

    def needed(self, positives: Codes) -> Codes:
        """Return the true positives needed for each recall, by group.

        Parameters
        ----------
        positives : ndarray of int64, shape (k,)
            Ground truths of each group.

        Returns
        -------
        ndarray of int64, shape (k, points)
            Ascending. Column 0 is 0.

        Examples
        --------
        >>> positives = np.array([100])
        >>> At().needed(positives)[0, 35], At(rounded=True).needed(positives)[0, 35]
        (np.int64(35), np.int64(36))
        """
        recalls = np.linspace(0, 1, self.points)
        if self.points == 101:  # COCO's, compiled
            return kernels.needed(positives, recalls if self.rounded else None)
        if self.rounded:
            return reaching(positives, recalls)
        last = self.points - 1
        return -(-np.arange(self.points) * np.maximum(positives, 1)[:, None] // last)

    def quotients(self, precisions: Floats) -> Floats:
        """Return the precisions of the kernels, without their epsilon if the value has none."""
        return precisions if self.epsilon else np.where(precisions > ALMOST_ONE, 1.0, precisions)

    def terms(self, matches: RankedMatches, positives: Codes) -> Floats:
        """Return the numbers whose mean is average precision, at least 0.

        Parameters
        ----------
        matches : RankedMatches
            Matched predictions, at t thresholds.
        positives : ndarray of int64, shape (k,)
            Counted ground truths by label.

        Returns
        -------
        ndarray of float64, shape (t, n_terms, k)
            0 for labels without ground truths.
        """
        found, *_ = kernels.interpolated(matches, self.needed(positives), positives)
        return self.quotients(np.maximum(found, 0.0))

    def weighted_terms(self, matches: GroupedMatches, weights: Ranks, positives: Codes) -> Floats:
        """Return the terms of predictions that count as often as the weight of their group.

        Parameters
        ----------
        matches : GroupedMatches
            Matched predictions and the groups of their images.
        weights : ndarray of int32, shape (n_groups,)
            Weight of each group.
        positives : ndarray of int64, shape (k,)
            Weighted ground truths by label.
        """
        found, _ = kernels.interpolated_weighted(
            matches, weights, self.needed(positives), positives
        )
        return self.quotients(np.maximum(found, 0.0))

    def perfect_terms(self, found: Codes, positives: Codes) -> Floats:
        """Return the terms of labels with true positives only, shape (n_terms, k).

        Parameters
        ----------
        found, positives : ndarray of int64, shape (k,)
            True positives and counted ground truths by label.
        """
        return np.where(np.maximum(self.needed(positives), 1) <= found[:, None], 1.0, 0.0).T

    def terms_of_curves(self, curves: PrecisionCurves) -> Floats:
        """Return the terms of curves, as `terms`."""
        return curves.precisions


@frozen
class EveryPoint(At):
    """Area under the interpolated precision-recall curve; curves are drawn at the points."""

    def terms(self, matches: RankedMatches, positives: Codes) -> Floats:
        """Return the areas of all labels as the only terms."""
        return np.maximum(areas(matches, positives), 0.0)[:, None]

    def weighted_terms(self, matches: GroupedMatches, weights: Ranks, positives: Codes) -> Floats:
        """Return the areas of weighted predictions."""
        return np.maximum(areas_weighted(matches, weights, positives), 0.0)[:, None]

    def perfect_terms(self, found: Codes, positives: Codes) -> Floats:
        """Return the areas of labels with true positives only."""
        quotients: Floats = found / np.maximum(positives, 1)
        return quotients[None]

    def terms_of_curves(self, curves: PrecisionCurves) -> Floats:
        """Return the areas under curves."""
        return curves.terms


@frozen
class Nearest(At):
    """Greatest precision at the true positive nearest to each of some recalls, or at a later one.

    The curve has a point for each of these true positives and for the last one. No two recalls
    share a true positive, so labels with fewer ground truths than recalls have fewer points, and
    the remaining terms are 0. Precision-recall curves of reports are those of `At`.

    Parameters
    ----------
    skipped : int
        Number of recalls, from 0 on, that average precision excludes.

    Examples
    --------
    The true positives near recalls of 0, 1/4, 1/2, 3/4 and 1, of 10 and of 3 ground truths:

    >>> Nearest(points=5).nearest(np.array([10, 3])).tolist()
    [[1, 2, 5, 7, 10], [1, 2, 3, 4, 5]]

    References
    ----------
    KITTI's development kit of the object benchmark, ``getThresholds``.
    """

    skipped: int = 0

    def nearest(self, positives: Codes) -> Codes:
        """Return the number of true positives at each recall if all ground truths match, by group.

        Parameters
        ----------
        positives : ndarray of int64, shape (k,)
            Ground truths of each group.

        Returns
        -------
        ndarray of int64, shape (k, points)
            Strictly ascending; more than the size of the group for points that it lacks.
        """
        count = np.maximum(positives, 1)
        found = np.empty((len(count), self.points), np.int64)
        last, recall, step = np.zeros_like(count), 0.0, 1 / (self.points - 1)
        for point in range(self.points):
            # Rounding, as in the development kit, shifts the half-way point by at most one.
            number = np.maximum(np.ceil(count * recall - 0.5).astype(np.int64) - 1, last + 1)
            for _ in range(2):
                number += (number + 1) / count - recall < recall - number / count
            found[:, point] = last = number
            recall += step
        return found

    def terms(self, matches: RankedMatches, positives: Codes) -> Floats:
        """Return the precisions at the true positives, without those of skipped recalls."""
        weights = np.ones(len(matches.at))
        return self._terms(matches, weights, matches.false_before.astype(np.float64), positives)

    def weighted_terms(self, matches: GroupedMatches, weights: Ranks, positives: Codes) -> Floats:
        """Return the precisions at weighted true positives."""
        return self._terms(matches.ranked, *weighted_rows(matches, weights), positives)

    def perfect_terms(self, found: Codes, positives: Codes) -> Floats:
        """Return 1 for each true positive near a recall."""
        return self._is_reached(self.nearest(positives), found[:, None])[:, self.skipped :].T * 1.0

    def terms_of_curves(self, curves: PrecisionCurves) -> Floats:
        """Return the precisions at the true positives."""
        return curves.terms

    def _is_reached(self, nearest: Codes, found: Codes) -> Flags:
        """Return True for points with a true positive: the nearest, or the last before it."""
        before = np.concatenate([np.zeros_like(nearest[..., :1]), nearest[..., :-1]], axis=-1)
        return before < found

    def _terms(
        self, matches: RankedMatches, weights: Floats, before: Floats, positives: Codes
    ) -> Floats:
        thresholds, rows = matches.threshold_count, len(matches.at)
        bits = np.arange(thresholds, dtype=np.uint64)[:, None]
        is_matched = (matches.matched >> bits & np.uint64(1)).astype(bool)
        is_hit = is_matched & ~(matches.ignored_match >> bits & np.uint64(1)).astype(bool)
        # Thresholds after each other, so that one cumulative sum serves all of them.
        starts = matches.starts[:-1] + rows * np.arange(thresholds)[:, None]
        hits = np.append(0.0, np.cumsum(is_hit * weights))
        misses = np.append(0.0, np.cumsum((matches.counted & ~is_matched) * weights))
        sums = hits[starts + np.diff(matches.starts)] - hits[starts]
        found = sums.astype(np.int64)[..., None]
        nearest = self.nearest(positives)
        wanted = np.maximum(np.minimum(nearest, found), 1)
        at = np.searchsorted(hits[1:], hits[starts][..., None] + wanted)
        is_reached = self._is_reached(np.broadcast_to(nearest, at.shape), found)
        at = np.where(is_reached, at, 0)
        true = np.append(hits, 0.0)[at + 1] - hits[starts][..., None]
        false = np.append(misses, 0.0)[at + 1] - misses[starts][..., None]
        false += np.append(before, 0.0)[at % max(rows, 1)]
        values = np.where(is_reached, true / np.where(is_reached, true + false, 1.0), 0.0)
        values = np.maximum.accumulate(values[..., ::-1], axis=-1)[..., ::-1]
        return np.swapaxes(values[..., self.skipped :], -1, -2)


def areas(matches: RankedMatches, positives: Codes) -> Floats:
    """Return the area under the interpolated precision-recall curve of each label.

    The mean over ground truths of the greatest precision at the recall of each or a higher one, and
    0 for those without a match.

    Parameters
    ----------
    matches : RankedMatches
        Matched predictions, at t thresholds.
    positives : ndarray of int64, shape (k,)
        Counted ground truths by label.

    Returns
    -------
    ndarray of float64, shape (t, k)
        -1 for labels without ground truths.

    References
    ----------
    PASCAL VOC development kit of 2012, ``VOCap``.
    """
    weights = np.ones(len(matches.at))
    return _areas(matches, weights, matches.false_before.astype(np.float64), positives)


def areas_weighted(matches: GroupedMatches, weights: Ranks, positives: Codes) -> Floats:
    """Return the areas of predictions that count as often as the weight of their group.

    Parameters
    ----------
    matches : GroupedMatches
        Matched predictions and the groups of their images.
    weights : ndarray of int32, shape (n_groups,)
        Weight of each group.
    positives : ndarray of int64, shape (k,)
        Weighted ground truths by label.
    """
    return _areas(matches.ranked, *weighted_rows(matches, weights), positives)


def weighted_rows(matches: GroupedMatches, weights: Ranks) -> tuple[Floats, Floats]:
    """Return the weight of each matched prediction, and the false positives ranked before it.

    Parameters
    ----------
    matches : GroupedMatches
        Matched predictions and the groups of their images.
    weights : ndarray of int32, shape (n_groups,)
        Weight of each group.
    """
    ranked = matches.ranked
    false = np.append(0.0, np.cumsum(weights[matches.false_groups], dtype=np.float64))
    first = np.repeat(matches.false_starts[:-1], np.diff(ranked.starts))
    before: Floats = false[first + ranked.false_before] - false[first]
    return weights[matches.groups].astype(np.float64), before


def _areas(matches: RankedMatches, weights: Floats, before: Floats, positives: Codes) -> Floats:
    found = kernels.envelopes(matches, weights, before)
    thresholds, count = len(found), len(positives)
    labels = np.repeat(np.arange(count), np.diff(matches.starts))
    codes = np.arange(thresholds)[:, None] * count + labels
    sums = ExactSums()
    sums.grow(thresholds * count)
    sums.add_products(codes.ravel(), found.ravel(), np.tile(weights, thresholds))
    values = np.array(sums.values).reshape(thresholds, count)
    return np.where(positives > 0, values / np.maximum(positives, 1), -1.0)


def reaching(positives: Codes, recalls: Floats) -> Codes:
    """Return the true positives needed for given recalls, by group, as pycocotools counts them.

    Parameters
    ----------
    positives : ndarray of int64, shape (k,)
        Ground truths of each group.
    recalls : ndarray of float64, shape (r,)
        Recalls, compared with rounded quotients.

    Returns
    -------
    ndarray of int64, shape (k, r)
        More than the size of the group for recalls above 1.

    Examples
    --------
    >>> reaching(np.array([3]), np.array([0.0, 0.5, 1.5])).tolist()
    [[0, 2, 5]]
    """
    count = np.maximum(positives, 1.0)[:, None]
    least = np.ceil(recalls * count)
    least -= (least - 1) / count >= recalls  # rounding shifts them by at most one
    least += least / count < recalls
    return np.maximum(least, 0.0).astype(np.int64)

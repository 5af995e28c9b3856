"""Counts and scores of single images, for the rows of items in reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.results import ItemRows, Numbers, Undefined
from valor_core.results.detail_columns import DetailColumns
from valor_core.results.item_rows import SINGLE
from valor_core.schemas import Codes
from valor_core.states.memo import memoized
from valor_detection.kernels import matching as kernels
from valor_detection.matching.settings import Selection
from valor_detection.matching.table import Flags, Table

NO_TRUTHS = Undefined("no ground truths in the image")


@frozen(eq=False)
class ImageCounts:
    """Counts of each image at one IoU threshold, over all labels.

    Parameters
    ----------
    tp, fp, fn : ndarray of int64, shape (n_images,)
        True positives, false positives and unmatched ground truths.
    """

    tp: Codes
    fp: Codes
    fn: Codes

    @property
    def columns(self) -> dict[str, Codes]:
        """Counts by name."""
        return {"tp": self.tp, "fp": self.fp, "fn": self.fn}

    def rows(self, table: Table, values: Numbers) -> ItemRows:
        """Return rows with a number for each image, and the counts as details."""
        details = DetailColumns(self.columns, np.arange(len(values)))
        return ItemRows(table.objects.uids, {SINGLE: values}, details)

    def named(self, table: Table) -> ItemRows:
        """Return rows with the counts of each image by name."""
        zeros = np.zeros(len(self.tp), np.uint8)
        numbers = {name: Numbers(one.astype(float), zeros) for name, one in self.columns.items()}
        return ItemRows(table.objects.uids, numbers)


def image_counts(
    table: Table, chosen: Selection, iou_threshold: float, score_threshold: float
) -> ImageCounts:
    """Return the counts of each image, which add up to those of `tally` over all labels.

    Parameters
    ----------
    table : Table
        Objects and pairs.
    chosen : Selection
        Counted objects and matching rule.
    iou_threshold : float
        IoU threshold of the table.
    score_threshold : float
        Minimum score of counted predictions.

    Examples
    --------
    >>> from valor_detection.matching.candidate_pairs import Overlaps
    >>> from valor_detection.parameters.averages import APParameters
    >>> from valor_detection.matching.settings import selections
    >>> chosen = next(selections(APParameters()))
    >>> image_counts(Overlaps(None, (0.5,), (0.5,), ("label",)).table, chosen, 0.5, 0.25).tp
    array([], dtype=int64)
    """
    return _image_counts(table, chosen, iou_threshold, score_threshold)


@memoized
def _image_counts(
    table: Table, chosen: Selection, iou_threshold: float, score_threshold: float
) -> ImageCounts:
    objects, matched = table.objects, chosen.matching(table)
    is_true, is_false = _outcomes(table, chosen, iou_threshold)
    passes = objects.scores >= score_threshold
    counted = objects.true_datums[~matched.ignored]
    tp, fp, positives = (
        np.bincount(datums, minlength=len(objects.uids))
        for datums in (objects.datums[is_true & passes], objects.datums[is_false & passes], counted)
    )
    return ImageCounts(tp, fp, positives - tp)


def _outcomes(table: Table, chosen: Selection, iou_threshold: float) -> tuple[Flags, Flags]:
    """Return True for predictions that are true positives, and for false positives."""
    matched, counts = chosen.matching(table), chosen.counts(table)
    is_matched, is_ignored = matched.at(iou_threshold)
    return is_matched & ~is_ignored & counts, ~is_matched & matched.in_range & counts


def shares(numerators: Codes, denominators: Codes) -> Numbers:
    """Return quotients; images with 0/0 have nothing to find and nothing wrong, and get 1.

    Examples
    --------
    >>> shares(np.array([1, 0]), np.array([2, 0])).values
    array([0.5, 1. ])
    """
    quotients = np.where(denominators > 0, numerators / np.maximum(denominators, 1), 1.0)
    return Numbers(quotients, np.zeros(len(quotients), np.uint8))


def recall_rows(
    table: Table, chosen: Selection, iou_thresholds: Sequence[float], score_threshold: float
) -> ItemRows:
    """Return the mean recall of each image, over all labels.

    Parameters
    ----------
    table : Table
        Objects and pairs.
    chosen : Selection
        Counted objects and matching rule.
    iou_thresholds : sequence of float
        IoU thresholds of the table; details have the counts at the first.
    score_threshold : float
        Minimum score of counted predictions.

    Returns
    -------
    ItemRows
        From 0 to 1; undefined for images without ground truths.
    """
    counts = [image_counts(table, chosen, each, score_threshold) for each in iou_thresholds]
    found = sum(each.tp for each in counts)
    return counts[0].rows(table, _of_truths(found, counts[0], len(counts)))


def precision_rows(table: Table, chosen: Selection, iou_thresholds: Sequence[float]) -> ItemRows:
    """Return the average precision of each image, as a mean over IoU thresholds.

    Predictions of all labels of an image are ranked together by descending score. The average
    precision is the mean over ground truths of the precision at their match, 0 without a match.

    Parameters
    ----------
    table : Table
        Objects and pairs.
    chosen : Selection
        Counted objects and matching rule.
    iou_thresholds : sequence of float
        IoU thresholds of the table; details have the counts at the first.

    Returns
    -------
    ItemRows
        From 0 to 1; undefined for images without ground truths.
    """
    objects = table.objects
    order = kernels.score_order(objects.datums, objects.scores, len(objects.uids))
    sums = sum(_precision_sums(table, chosen, each, order) for each in iou_thresholds)
    counts = image_counts(table, chosen, iou_thresholds[0], -math.inf)
    return counts.rows(table, _of_truths(sums, counts, len(iou_thresholds)))


def _precision_sums(
    table: Table, chosen: Selection, iou_threshold: float, order: Codes
) -> NDArray[np.float64]:
    """Return the sum over matches of each image of the precision at the match."""
    is_true, is_false = _outcomes(table, chosen, iou_threshold)
    order = order[(is_true | is_false)[order]]
    datums, hits = table.objects.datums[order], is_true[order]
    first = np.searchsorted(datums, datums)
    found = np.cumsum(hits) - np.append(0, np.cumsum(hits))[first]
    precisions = found / (np.arange(len(order)) - first + 1)
    images = len(table.objects.uids)
    sums = np.bincount(datums[hits], precisions[hits], minlength=images)
    return sums.astype(np.float64, copy=False)


def _of_truths(sums: Any, counts: ImageCounts, times: int) -> Numbers:
    """Divide sums over the ground truths of each image, of which each is in the sum `times`."""
    truths = counts.tp + counts.fn
    values = np.where(truths > 0, sums / (np.maximum(truths, 1) * times), 0.0)
    return Numbers(values, (truths == 0).astype(np.uint8), (NO_TRUTHS,))

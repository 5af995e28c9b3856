"""Counts and scores of single images, for the rows of items in reports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from valor_labels import LabelSets, error_counts, label_counts, numbers_or_none

from valor_core.results import ItemRows, Numbers, Undefined
from valor_core.results.detail_columns import DetailColumns
from valor_core.results.item_rows import SINGLE
from valor_core.schemas import Codes
from valor_core.schemas.columns import object_column
from valor_core.states.memo import cached, memoized
from valor_detection.kernels import matching as kernels
from valor_detection.matching.class_agnostic import Outcomes
from valor_detection.matching.settings import Selection
from valor_detection.matching.table import Flags, Table

_ALMOST_ONE = 1 - 1e-10
"""Greatest IoU threshold, as in pycocotools."""

NO_TRUTHS = Undefined("no ground truths in the image")


@frozen(eq=False, slots=False)
class ImageCounts:
    """Counts of each image at one IoU threshold, over all labels.

    Parameters
    ----------
    table : Table
        Objects.
    is_true, is_false, wanted : ndarray of bool
        True for predictions that are true positives, for false positives, and for ground truths
        that count.
    iou_threshold : float
        IoU threshold.
    """

    table: Table
    is_true: Flags
    is_false: Flags
    wanted: Flags
    iou_threshold: float

    @cached
    def tp(self) -> Codes:
        """True positives of each image."""
        return self._of_images(self.is_true)

    @cached
    def fp(self) -> Codes:
        """False positives of each image."""
        return self._of_images(self.is_false)

    @cached
    def fn(self) -> Codes:
        """Unmatched ground truths of each image."""
        truths = self.table.objects.true_datums[self.wanted]
        return np.bincount(truths, minlength=len(self.table.objects.uids)) - self.tp

    def _of_images(self, chosen: Flags) -> Codes:
        objects = self.table.objects
        return np.bincount(objects.datums[chosen], minlength=len(objects.uids))

    @cached
    def details(self) -> dict[str, NDArray[Any]]:
        """Counted objects by label, greatest score of a false positive, and errors."""
        objects, labels, images = (
            self.table.objects,
            self.table.labels,
            len(self.table.objects.uids),
        )
        counted, is_false = self.is_true | self.is_false, self.is_false
        true, predicted = (
            label_counts(datums[chosen], codes[chosen], images, labels)
            for datums, codes, chosen in (
                (objects.true_datums, objects.true_labels, self.wanted),
                (objects.datums, objects.labels, counted),
            )
        )
        scores = np.full(images, -np.inf)
        np.maximum.at(scores, objects.datums[is_false], objects.scores[is_false])
        duplicates = self._of_images(is_false & self._overlap)
        errors = {"missed": self.fn, "false": self.fp - duplicates, "duplicated": duplicates}
        return {
            "truth": true,
            "prediction": predicted,
            "score": numbers_or_none(np.where(np.isinf(scores), np.nan, scores)),
            "wrong": error_counts(errors),
        }

    @property
    def _overlap(self) -> Flags:
        """True for predictions that overlap a counted ground truth of their label enough."""
        objects = self.table.objects
        owners = np.repeat(np.arange(len(objects.scores)), np.diff(objects.starts))
        truths = objects.truths
        is_same = objects.true_labels[truths] == objects.labels[owners]
        is_same &= self.wanted[truths] & (objects.ious >= min(self.iou_threshold, _ALMOST_ONE))
        found: Flags = np.zeros(len(objects.scores), bool)
        found[owners[is_same]] = True
        return found

    @property
    def columns(self) -> dict[str, Codes]:
        """Counts by name."""
        return {"tp": self.tp, "fp": self.fp, "fn": self.fn}

    def rows(self, values: Numbers) -> ItemRows:
        """Return rows with a number for each image, and the counts in the details."""
        return self._rows({SINGLE: values}, self.details | self.columns)

    def count_rows(self) -> ItemRows:
        """Return rows with the counts of each image by name."""
        zeros = np.zeros(len(self.tp), np.uint8)
        numbers = {name: Numbers(one.astype(float), zeros) for name, one in self.columns.items()}
        return self._rows(numbers, self.details)

    def _rows(
        self, numbers: Mapping[str, Numbers], details: Mapping[str, NDArray[Any]]
    ) -> ItemRows:
        columns = DetailColumns(details, np.arange(len(self.tp)))
        return ItemRows(self.table.objects.uids, numbers, columns)


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
    return ImageCounts(table, is_true & passes, is_false & passes, ~matched.ignored, iou_threshold)


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
    return counts[0].rows(_of_truths(found, counts[0], len(counts)))


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
    return counts.rows(_of_truths(sums, counts, len(iou_thresholds)))


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


def confusion_rows(table: Table, found: Outcomes) -> ItemRows:
    """Return the numbers of right, confused, missed and false objects of each image.

    Parameters
    ----------
    table : Table
        Objects.
    found : Outcomes
        Matches of objects of any labels.
    """
    objects, images = table.objects, len(table.objects.uids)
    rows, truths = found.rows, found.truths
    is_matched = truths >= 0
    datums, predicted = objects.datums[rows], objects.labels[rows]
    true = np.append(objects.true_labels, -1)[truths]
    is_confused = is_matched & (true != predicted)
    counts = {
        "right": datums[is_matched & ~is_confused],
        "confused": datums[is_confused],
        "missed": objects.true_datums[found.missed],
        "false": datums[~is_matched],
    }
    zeros = np.zeros(images, np.uint8)
    numbers = {
        name: Numbers(np.bincount(one, minlength=images).astype(float), zeros)
        for name, one in counts.items()
    }
    is_wrong = ~is_matched | is_confused
    scores = np.full(images, -np.inf)
    np.maximum.at(scores, datums[is_wrong], objects.scores[rows[is_wrong]])
    counted = np.concatenate([truths[is_matched], found.missed])
    pairs = true[is_confused], predicted[is_confused]
    details = {
        "truth": label_counts(
            objects.true_datums[counted], objects.true_labels[counted], images, table.labels
        ),
        "prediction": label_counts(datums, predicted, images, table.labels),
        "score": numbers_or_none(np.where(np.isinf(scores), np.nan, scores)),
        "wrong": _confusion_texts(table, counts, *pairs),
    }
    return ItemRows(objects.uids, numbers, DetailColumns(details, np.arange(images)))


def _confusion_texts(
    table: Table, datums: Mapping[str, Codes], true: Codes, predicted: Codes
) -> NDArray[np.object_]:
    """Describe the errors of each image, such as ``1 cat as dog, 2 missed``."""
    width = len(table.labels)
    missed, false = width * width, width * width + 1
    codes: dict[str, Any] = {"confused": true * width + predicted, "missed": missed, "false": false}
    entries = np.concatenate([datums[name] * (false + 1) + code for name, code in codes.items()])
    kinds, times = np.unique(entries, return_counts=True)
    most = int(times.max(initial=0)) + 1
    images, kinds = np.divmod(kinds, false + 1)
    sets = LabelSets.of(images, kinds * most + times, len(table.objects.uids))
    numbers, distinct = sets.distinct()
    names = list(map(str, table.labels))

    def text(code: int) -> str:
        kind, count = divmod(code, most)
        if kind >= missed:
            return f"{count:,} {'missed' if kind == missed else 'false'}"
        return f"{count:,} {names[kind // width]} as {names[kind % width]}"

    return object_column(", ".join(map(text, each)) for each in distinct)[numbers]

"""Pairs of boxes, greedy matching and accumulation, in NumPy.

A *pair* is a ground truth and a prediction that overlap. Pairs are ragged: the pairs of the i-th
prediction are rows ``starts[i]`` to ``starts[i + 1]``. Sets of IoU thresholds are bits of a 64-bit
integer, with the lowest threshold in the lowest bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise, product

import numpy as np

from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry.shapes import ends
from valor_detection.kernels.columns import (
    Bits,
    Flags,
    GroupedMatches,
    PairColumns,
    RankedColumns,
    RankedMatches,
    Ranks,
)
from valor_detection.kernels.row_errors import check_predictions


def box_pairs(
    true_datums: Codes,
    true_groups: Codes,
    true_boxes: Floats,
    crowd: Flags,
    datums: Codes,
    groups: Codes,
    boxes: Floats,
    lowest: float,
) -> tuple[Codes, Codes, Floats]:
    """Find pairs of boxes of one image and group with a positive IoU of at least `lowest`.

    Parameters
    ----------
    true_datums, datums : ndarray of int64, shapes (g,) and (d,)
        Image of each ground truth and prediction, ascending.
    true_groups, groups : ndarray of int64
        Group of each box, from 0: its label or its label key.
    true_boxes, boxes : ndarray of float64, shapes (g, 4) and (d, 4)
        x, y, width and height.
    crowd : ndarray of bool, shape (g,)
        True for crowds, whose IoU is the share of the prediction inside.
    lowest : float
        Minimum IoU.

    Returns
    -------
    starts : ndarray of int64, shape (d + 1,)
        Offsets of the pairs of each prediction.
    truths : ndarray of int64, shape (n,)
        Rows of the ground truths, ascending within a prediction.
    ious : ndarray of float64, shape (n,)
        IoUs, equal to pycocotools bit by bit.

    Examples
    --------
    >>> zero = np.zeros(1, np.int64)
    >>> true, predicted = np.array([[0.0, 0, 2, 2]]), np.array([[1.0, 0, 2, 2]])
    >>> box_pairs(zero, zero, true, np.array([False]), zero, zero, predicted, 0.25)
    (array([0, 1]), array([0]), array([0.33333333]))
    """
    pairs = [
        (row, truth)
        for row, (datum, group) in enumerate(zip(datums, groups, strict=True))
        for truth in range(*np.searchsorted(true_datums, (datum, datum + 1)))
        if true_groups[truth] == group
    ]
    rows, truths = np.array(pairs, np.int64).reshape(-1, 2).T
    ious = _ious(boxes[rows], true_boxes[truths], crowd[truths])
    kept = (ious > 0) & (ious >= lowest)
    starts = ends(np.bincount(rows[kept], minlength=len(datums)))
    return starts, truths[kept], ious[kept]


def _ious(boxes: Floats, truths: Floats, crowd: Flags) -> Floats:
    x, y, width, height = boxes.T
    true_x, true_y, true_width, true_height = truths.T
    across = np.minimum(width + x, true_width + true_x) - np.maximum(x, true_x)
    down = np.minimum(height + y, true_height + true_y) - np.maximum(y, true_y)
    shared = across * down
    area = width * height
    union = np.where(crowd, area, area + true_width * true_height - shared)
    ious = np.zeros(len(boxes))
    np.divide(shared, union, out=ious, where=(across > 0) & (down > 0))
    return ious


def score_order(groups: Codes, scores: Floats, count: int) -> Codes:
    """Sort rows by group and descending score, equal scores by row.

    Parameters
    ----------
    groups : ndarray of int64, shape (n,)
        Group of each row, from 0 to `count` - 1.
    scores : ndarray of float64, shape (n,)
        Scores.
    count : int
        Number of groups.

    Raises
    ------
    SchemaError
        If there are more than 2 ** 31 - 1 rows.

    Examples
    --------
    >>> score_order(np.array([1, 0, 1]), np.array([0.5, 0.25, 0.75]), 2)
    array([1, 2, 0])
    """
    check_predictions(len(groups))
    return np.lexsort((-scores, groups))


def grouped_order(groups: Codes, count: int) -> Codes:
    """Sort rows by group, stably.

    Parameters
    ----------
    groups : ndarray of int64, shape (n,)
        Group of each row, below `count`.
    count : int
        Number of groups.

    Examples
    --------
    >>> grouped_order(np.array([1, 0, 1]), 2)
    array([1, 0, 2])
    """
    return np.argsort(groups, kind="stable")


def ranks(order: Codes, groups: Codes, datums: Codes) -> Ranks:
    """Rank each row among the rows of its group and image, from 0.

    Parameters
    ----------
    order : ndarray of int64, shape (n,)
        Rows in the order of `score_order`.
    groups, datums : ndarray of int64, shape (n,)
        Group and image of each row.

    Returns
    -------
    ndarray of int32, shape (n,)
        Ranks by row, not by position in `order`.

    Examples
    --------
    >>> ranks(np.array([1, 0]), np.array([0, 0]), np.array([0, 0]))
    array([1, 0], dtype=int32)
    """
    found, seen = np.empty(len(order), np.int32), Counter[tuple[int, int]]()
    for row in order.tolist():
        cell = int(groups[row]), int(datums[row])
        found[row] = seen[cell]
        seen[cell] += 1
    return found


def chosen_pairs(
    order: Codes,
    starts: Codes,
    truths: Codes,
    ious: Floats,
    groups: Codes,
    true_groups: Codes,
) -> tuple[Codes, Codes, Codes, Floats]:
    """Select the pairs within a group, of predictions in a given order.

    Parameters
    ----------
    order : ndarray of int64, shape (m,)
        Rows of the predictions.
    starts, truths, ious : ndarray
        Pairs of all predictions, as returned by `box_pairs`.
    groups, true_groups : ndarray of int64, shapes (d,) and (g,)
        Group of each prediction and ground truth.

    Returns
    -------
    rows : ndarray of int64, shape (p,)
        Rows of `order` with pairs.
    starts, truths, ious : ndarray
        Pairs of these rows.

    Examples
    --------
    >>> starts, truths, ious = np.array([0, 1, 3]), np.array([0, 0, 1]), np.array([0.5, 0.75, 1.0])
    >>> groups = np.array([3, 4])
    >>> chosen_pairs(np.array([1, 0]), starts, truths, ious, groups, groups)
    (array([1, 0]), array([0, 1, 2]), array([1, 0]), array([1. , 0.5]))
    """
    found = [
        (row, [pair for pair in _pairs(starts, row) if true_groups[truths[pair]] == groups[row]])
        for row in order.tolist()
    ]
    found = [(row, own) for row, own in found if own]
    pairs = np.array([pair for _, own in found for pair in own], np.int64)
    rows = np.array([row for row, _ in found], np.int64)
    return rows, ends([len(own) for _, own in found]), truths[pairs], ious[pairs]


def _pairs(starts: Codes, row: int) -> range:
    """Return the range of a prediction's pairs."""
    return range(int(starts[row]), int(starts[row + 1]))


def match_coco(pairs: PairColumns, thresholds: Floats) -> tuple[Bits, Bits, Codes]:
    """Match by COCO's rule at several IoU thresholds.

    Predictions match in turn. At every threshold, each matches the unmatched ground truth with the
    greatest IoU, the last one of equals. Ignored ground truths match only if no counted one does.
    Crowds can match any number of predictions.

    Parameters
    ----------
    pairs : PairColumns
        Pairs of p predictions.
    thresholds : ndarray of float64, shape (t,)
        Ascending, at most 64.

    Returns
    -------
    matched : ndarray of uint64, shape (p,)
        Thresholds at which a prediction has a match.
    ignored_match : ndarray of uint64, shape (p,)
        Thresholds at which the match is an ignored ground truth.
    matched_pair : ndarray of int64, shape (p,)
        Index of the pair matched at the lowest matched threshold, -1 without one.

    References
    ----------
    pycocotools, ``COCOeval.evaluateImg``.
    """
    truths, ious, ignored = pairs.truths, pairs.ious, pairs.ignored

    def best(own: range, is_free: list[bool], threshold: float) -> int | None:
        reaching = [e for e in own if is_free[truths[e]] and ious[e] >= threshold]
        return max(reaching, key=lambda e: (not ignored[truths[e]], ious[e], e), default=None)

    return _matched(best, pairs, thresholds)


def _matched(
    best: Callable[[range, list[bool], float], int | None], pairs: PairColumns, thresholds: Floats
) -> tuple[Bits, Bits, Codes]:
    """Match each prediction in turn, separately at every threshold."""
    count = len(pairs.starts) - 1
    matched, ignored_match = np.zeros(count, np.uint64), np.zeros(count, np.uint64)
    matched_pair = np.full(count, -1, np.int64)
    for number, threshold in enumerate(thresholds.tolist()):
        bit = np.uint64(1 << number)
        is_free = [True] * len(pairs.crowd)
        for row in range(count):
            pair = best(_pairs(pairs.starts, row), is_free, threshold)
            if pair is None:
                continue
            truth = pairs.truths[pair]
            is_free[truth] = bool(pairs.crowd[truth])
            if not matched[row]:
                matched_pair[row] = pair
            matched[row] |= bit
            if pairs.ignored[truth]:
                ignored_match[row] |= bit
    return matched, ignored_match, matched_pair


def match_best(
    pairs: PairColumns, thresholds: Floats, *, prefers_counted: bool = False
) -> tuple[Bits, Bits, Codes]:
    """Match every prediction only to its best ground truth, as PASCAL VOC does.

    The best ground truth has the greatest IoU, and is the first one of equals. A prediction has no
    match if its best ground truth is matched already. Results are those of `match_coco`.

    Parameters
    ----------
    pairs, thresholds
        As for `match_coco`.
    prefers_counted : bool
        If True, ignored ground truths are candidates only at thresholds that no counted one
        reaches.
    """
    truths, ious, ignored = pairs.truths, pairs.ious, pairs.ignored

    def best(own: range, is_free: list[bool], threshold: float) -> int | None:
        counted = [e for e in own if not ignored[truths[e]] and ious[e] >= threshold]
        candidates = counted if prefers_counted and counted else own
        only = max(candidates, key=ious.__getitem__, default=None)
        if only is None or not is_free[truths[only]] or ious[only] < threshold:
            return None
        return only

    return _matched(best, pairs, thresholds)


def match_best_then_crowd(pairs: PairColumns, thresholds: Floats) -> tuple[Bits, Bits, Codes]:
    """Match every prediction to its best ground truth, else to its best crowd.

    The best ground truth and the best crowd have the greatest IoU, and are the first ones of
    equals. A prediction matches its best ground truth if that is ignored or not matched already,
    and else its best crowd. The first match of a counted crowd is a true positive, the others are
    ignored. Parameters and results are those of `match_coco`.

    References
    ----------
    TensorFlow object detection API, ``PerImageEvaluation``.
    """
    truths, ious, crowd, ignored = pairs.truths, pairs.ious, pairs.crowd, pairs.ignored
    count = len(pairs.starts) - 1
    matched, ignored_match = np.zeros(count, np.uint64), np.zeros(count, np.uint64)
    matched_pair = np.full(count, -1, np.int64)
    for number, threshold in enumerate(thresholds.tolist()):
        bit = np.uint64(1 << number)
        is_free = [True] * len(crowd)
        for row in range(count):
            own = _pairs(pairs.starts, row)
            single = [pair for pair in own if not crowd[truths[pair]]]
            groups = [pair for pair in own if crowd[truths[pair]]]
            best, best_crowd = (
                max(each, key=ious.__getitem__, default=None) for each in (single, groups)
            )
            if best is not None and ious[best] < threshold:
                best = None
            if best is not None and not ignored[truths[best]] and not is_free[truths[best]]:
                best = None
            if best is None and best_crowd is not None and ious[best_crowd] >= threshold:
                best = best_crowd
            if best is None:
                continue
            truth = truths[best]
            if not matched[row]:
                matched_pair[row] = best
            matched[row] |= bit
            if ignored[truth] or not is_free[truth]:
                ignored_match[row] |= bit
            is_free[truth] = False
    return matched, ignored_match, matched_pair


def match_ranked(
    starts: Codes,
    truths: Codes,
    ious: Floats,
    scores: Floats,
    crowd: Flags,
) -> Codes:
    """Match by score, then IoU, independent of IoU thresholds.

    Pairs are visited by descending score of the prediction, then by descending IoU, then by row. A
    pair is a match if neither side is matched already. Crowds can match any number of predictions.

    Parameters
    ----------
    starts, truths, ious, crowd
        As in `PairColumns`.
    scores : ndarray of float64, shape (p,)
        Score of each prediction.

    Returns
    -------
    ndarray of int64, shape (p,)
        Index in `truths` of each prediction's match, -1 without one.
    """
    rows, order = ranked_order(starts, truths, ious, scores)
    matches = np.full(len(starts) - 1, -1, np.int64)
    is_free = [True] * len(crowd)
    for pair in order.tolist():
        row, truth = rows[pair], truths[pair]
        if matches[row] < 0 and is_free[truth]:
            matches[row] = pair
            is_free[truth] = bool(crowd[truth])
    return matches


def ranked_order(starts: Codes, truths: Codes, ious: Floats, scores: Floats) -> tuple[Codes, Codes]:
    """Return the row of each pair, and the pairs in the order of `match_ranked`."""
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return rows, np.lexsort((truths, rows, -ious, -scores[rows]))


def ranked_matches(ranked: RankedColumns, threshold_count: int) -> RankedMatches:
    """Select predictions with a match at any threshold, and count false positives before each.

    Parameters
    ----------
    ranked : RankedColumns
        Predictions and their matches.
    threshold_count : int
        Number of thresholds.
    """
    starts, positions = ranked.starts, ranked.positions
    matched = _of_rows(ranked.matched, positions)
    ignored_match = _of_rows(ranked.ignored_match, positions)
    is_matched = ranked.counts & (matched != 0)
    is_counted = ranked.counts & ranked.in_range[ranked.order]
    is_false = is_counted & ~is_matched
    at = np.flatnonzero(is_matched)
    before = [np.cumsum(is_false[slice(*own)], dtype=np.int32) for own in pairwise(starts.tolist())]
    return RankedMatches(
        np.searchsorted(at, starts),
        at,
        np.concatenate([np.empty(0, np.int32), *before])[at],
        *(is_counted[at], matched[at], ignored_match[at], threshold_count),
    )


def _of_rows(bits: Bits, positions: Ranks) -> Bits:
    """Return the bits at each index, 0 for -1."""
    return np.append(bits, np.uint64(0))[positions]


def _is_at(bits: Bits, threshold: int) -> Flags:
    """Return True for rows whose bit of a threshold is set."""
    found: Flags = bits >> np.uint64(threshold) & np.uint64(1) == 1
    return found


def positives(
    labels: Codes, areas: Floats, crowd: Flags, area_range: tuple[float, float], count: int
) -> Codes:
    """Count ground truths by label, without crowds and areas out of range.

    Parameters
    ----------
    labels : ndarray of int64, shape (g,)
        Label of each object.
    areas : ndarray of float64, shape (g,)
        Areas.
    crowd : ndarray of bool, shape (g,)
        True for crowds.
    area_range : (float, float)
        Minimum and maximum area.
    count : int
        Number of labels.

    Examples
    --------
    >>> areas, crowd = np.array([1.0, 9.0, 9.0]), np.array([False, False, True])
    >>> positives(np.array([0, 1, 1]), areas, crowd, (4.0, 9.0), 2)
    array([0, 1])
    """
    low, high = area_range
    counts = ~(crowd | (areas < low) | (areas > high))
    return np.bincount(labels[counts], minlength=count)


def ranked(columns: RankedColumns, bit: int) -> tuple[Codes, Codes, Flags, Flags, Flags]:
    """Select the true and false positives at one threshold.

    Parameters
    ----------
    columns : RankedColumns
        Predictions and their matches.
    bit : int
        Index of the threshold.

    Returns
    -------
    ranked_starts : ndarray of int64, shape (k + 1,)
        Offsets of the groups in `rows`.
    rows : ndarray of int64, shape (n,)
        Rows of the selected predictions, in the given order.
    is_true : ndarray of bool, shape (n,)
        True for true positives.
    right, wrong : ndarray of bool, shape (d,)
        True for true and for false positives, by row.
    """
    order, counts = columns.order, columns.counts
    is_matched = _is_at(_of_rows(columns.matched, columns.positions), bit)
    is_ignored = _is_at(_of_rows(columns.ignored_match, columns.positions), bit)
    is_true = counts & is_matched & ~is_ignored
    is_false = counts & ~is_matched & columns.in_range[order]
    right, wrong = np.empty_like(is_true), np.empty_like(is_true)
    right[order], wrong[order] = is_true, is_false
    at = np.flatnonzero(is_true | is_false)
    return np.searchsorted(at, columns.starts), order[at], is_true[at], right, wrong


def true_positives(columns: RankedColumns, threshold_count: int) -> Codes:
    """Count the true positives of each group at each threshold.

    Parameters
    ----------
    columns : RankedColumns
        Predictions and their matches.
    threshold_count : int
        Number t of thresholds.

    Returns
    -------
    ndarray of int64, shape (t, k)
    """
    bits = _of_rows(columns.matched & ~columns.ignored_match, columns.positions)
    found = [
        [np.count_nonzero(hits[slice(*own)]) for own in pairwise(columns.starts.tolist())]
        for hits in (columns.counts & _is_at(bits, number) for number in range(threshold_count))
    ]
    return np.array(found, np.int64).reshape(threshold_count, len(columns.starts) - 1)


def needed(positives: Codes, recalls: Floats | None) -> Codes:
    """Return the true positives needed for the recalls 0, 0.01 … 1, by group.

    Parameters
    ----------
    positives : ndarray of int64, shape (k,)
        Counted ground truths of each group; 0 is treated as 1.
    recalls : ndarray of float64, shape (101,), optional
        Recalls to compare with rounded quotients. By default, quotients are exact.

    Returns
    -------
    ndarray of int64, shape (k, 101)
        Ascending.
    """
    count = np.maximum(positives, 1.0)[:, None]
    least = np.ceil(np.arange(101.0) * count / 100)  # quotients that are integers are exact
    if recalls is not None:  # rounding is monotonic and moves them by at most one
        least -= (least - 1) / count >= recalls
        least += least / count < recalls
    return least.astype(np.int64)


def interpolated(
    matches: RankedMatches, needed: Codes, positives: Codes, *, with_rows: bool = False
) -> tuple[Floats, Codes, Ranks]:
    """Interpolate precision at numbers of true positives, as in PASCAL VOC and COCO.

    Parameters
    ----------
    matches : RankedMatches
        Matched predictions, at t thresholds.
    needed : ndarray of int64, shape (k, r)
        True positives needed for each recall, ascending.
    positives : ndarray of int64, shape (k,)
        Counted ground truths of each group. The precisions of a group without any are -1.
    with_rows : bool
        If True, compute `reached_by`, which is empty otherwise.

    Returns
    -------
    precisions : ndarray of float64, shape (t, r, k)
        Greatest precision at each recall or a higher one; 0 for recalls that are not reached.
    true_positives : ndarray of int64, shape (t, k)
        Number of true positives of all rows.
    reached_by : ndarray of int32, shape (t, r, k)
        Row that reaches the recall; -1 for recalls that are not reached.

    References
    ----------
    pycocotools, ``COCOeval.accumulate``.
    """
    count, points = needed.shape
    precisions = np.zeros((matches.threshold_count, points, count))
    precisions[:, :, positives == 0] = -1
    reached_by = np.full((matches.threshold_count, points, count if with_rows else 0), -1, np.int32)
    found = np.zeros((matches.threshold_count, count), np.int64)
    for number, group in np.ndindex(found.shape):
        rows = slice(*matches.starts[group : group + 2].tolist())
        is_matched = _is_at(matches.matched[rows], number)
        hits = np.flatnonzero(is_matched & ~_is_at(matches.ignored_match[rows], number))
        found[number, group] = len(hits)
        if positives[group] == 0:
            continue
        false = (matches.false_before[rows] + np.cumsum(matches.counted[rows] & ~is_matched))[hits]
        true = np.arange(1.0, len(hits) + 1)
        precision = true / (false + true + np.spacing(1))
        greatest = np.maximum.accumulate(precision[::-1])[::-1]
        at = np.maximum(needed[group], 1) - 1
        is_reached = at < len(hits)
        at = at[is_reached]
        precisions[number, is_reached, group] = greatest[at]
        if with_rows:
            reached_by[number, is_reached, group] = rows.start + hits[at]
    return precisions, found, reached_by


def envelopes(matches: RankedMatches, weights: Floats, false_before: Floats) -> Floats:
    """Return the greatest precision at the recall of each true positive or a higher one.

    Parameters
    ----------
    matches : RankedMatches
        Matched predictions, at t thresholds.
    weights : ndarray of float64, shape (n,)
        How often each row counts, a whole number.
    false_before : ndarray of float64, shape (n,)
        Number of predictions that rank before each row and are never matched, with their weights.

    Returns
    -------
    ndarray of float64, shape (t, n)
        0 for rows that are no true positives, or have a weight of 0.
    """
    found = np.zeros((matches.threshold_count, len(matches.at)))
    spans = list(pairwise(matches.starts.tolist()))
    for number, (first, last) in product(range(len(found)), spans):
        rows = slice(first, last)
        is_matched = _is_at(matches.matched[rows], number)
        is_hit = is_matched & ~_is_at(matches.ignored_match[rows], number)
        true = np.cumsum(weights[rows] * is_hit)
        false = np.cumsum(weights[rows] * (matches.counted[rows] & ~is_matched))
        hits = np.flatnonzero(is_hit & (weights[rows] > 0))
        precision = true[hits] / (false_before[rows][hits] + false[hits] + true[hits])
        found[number, first + hits] = np.maximum.accumulate(precision[::-1])[::-1]
    return found


def interpolated_weighted(
    matches: GroupedMatches, weights: Ranks, needed: Codes, positives: Codes
) -> tuple[Floats, Codes]:
    """Interpolate precision of predictions that count as often as the weight of their group.

    Parameters
    ----------
    matches : GroupedMatches
        Matched predictions and the groups of their images.
    weights : ndarray of int32, shape (n_groups,)
        Weight of each group.
    needed, positives
        As for `interpolated`, of the weighted ground truths.

    Returns
    -------
    precisions : ndarray of float64, shape (t, r, k)
        As `interpolated` gives for images that are repeated as often as their weight.
    true_positives : ndarray of int64, shape (t, k)
        Number of true positives of all rows.
    """
    ranked = matches.ranked
    count, points = needed.shape
    precisions = np.zeros((ranked.threshold_count, points, count))
    precisions[:, :, positives == 0] = -1
    found = np.zeros((ranked.threshold_count, count), np.int64)
    for number, group in np.ndindex(found.shape):
        rows = slice(*ranked.starts[group : group + 2].tolist())
        wrong = slice(*matches.false_starts[group : group + 2].tolist())
        missed = np.append(0, np.cumsum(weights[matches.false_groups[wrong]].astype(np.int64)))
        of_rows = weights[matches.groups[rows]].astype(np.int64)
        is_matched = _is_at(ranked.matched[rows], number)
        is_hit = is_matched & ~_is_at(ranked.ignored_match[rows], number)
        is_miss = ranked.counted[rows] & ~is_matched
        hits = np.flatnonzero(is_hit & (of_rows > 0))
        true = np.cumsum(of_rows * is_hit)[hits].astype(np.float64)
        found[number, group] = (of_rows * is_hit).sum()
        if positives[group] == 0:
            continue
        false = (missed[ranked.false_before[rows]] + np.cumsum(of_rows * is_miss))[hits]
        precision = true / (false + true + np.spacing(1))
        greatest = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
        least = np.maximum(needed[group], 1)
        precisions[number, :, group] = greatest[np.searchsorted(true, least)]
    return precisions, found

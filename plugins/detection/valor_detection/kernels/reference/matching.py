"""Pairs of boxes, greedy matching and accumulation, in NumPy.

A *pair* is a ground truth and a prediction that overlap. Pairs are ragged: the pairs of the i-th
prediction are rows ``starts[i]`` to ``starts[i + 1]``. Sets of IoU thresholds are bits of a 64-bit
integer, with the lowest threshold in the lowest bit.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry import ends, gathered
from valor_detection.kernels.row_errors import check_predictions

Bits = NDArray[np.uint64]
Flags = NDArray[np.bool_]
Ranks = NDArray[np.int32]


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
    >>> true, seen = np.array([[0.0, 0, 2, 2]]), np.array([[1.0, 0, 2, 2]])
    >>> box_pairs(zero, zero, true, np.array([False]), zero, zero, seen, 0.25)
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
    owners = _rows(starts)
    same = groups[owners] == true_groups[truths]
    starts = ends(np.bincount(owners[same], minlength=len(starts) - 1))
    rows = order[(np.diff(starts) > 0)[order]]
    chosen, chosen_starts = gathered(starts, rows)
    return rows, chosen_starts, truths[same][chosen], ious[same][chosen]


def match_coco(
    starts: Codes,
    truths: Codes,
    ious: Floats,
    crowd: Flags,
    ignored: Flags,
    thresholds: Floats,
) -> tuple[Bits, Bits, Codes]:
    """Match by COCO's rule at several IoU thresholds.

    Predictions match in turn. At every threshold, each matches the unmatched ground truth with the
    greatest IoU, the last one of equals. Ignored ground truths match only if no counted one does.
    Crowds can match any number of predictions.

    Parameters
    ----------
    starts : ndarray of int64, shape (p + 1,)
        Offsets of the pairs of each prediction, in the order of matching.
    truths, ious : ndarray of int64 and of float64, shape (n,)
        Row of the ground truth, ascending within a prediction, and IoU of each pair.
    crowd, ignored : ndarray of bool, shape (g,)
        Flags of ground truths: crowds, and ground truths that are not counted.
    thresholds : ndarray of float64, shape (t,)
        Ascending, at most 64.

    Returns
    -------
    matched : ndarray of uint64, shape (p,)
        Thresholds at which a prediction has a match.
    excused : ndarray of uint64, shape (p,)
        Thresholds at which the match is an ignored ground truth.
    taken : ndarray of int64, shape (p,)
        Index in `truths` of the match at the lowest matched threshold, -1 without one.

    References
    ----------
    pycocotools, ``COCOeval.evaluateImg``.
    """
    found = _no_matches(starts)
    rows = _rows(starts)
    # Of equal ones a row prefers the last.
    order = np.lexsort((-np.arange(len(rows)), -ious, ignored[truths], rows))
    _walk(order, rows, truths, ious, crowd, ignored, thresholds, found)
    return found


def _walk(
    order: Codes,
    rows: Codes,
    truths: Codes,
    ious: Floats,
    crowd: Flags,
    ignored: Flags,
    thresholds: Floats,
    into: tuple[Bits, Bits, Codes],
) -> None:
    """Walk over pairs in the given order at each threshold, and write down who takes what."""
    matched, excused, taken = into
    rows, truths, ious = rows[order], truths[order], ious[order]
    for bit, threshold in enumerate(thresholds):
        passing = np.flatnonzero(ious >= threshold)
        edges = passing[_greedy(rows[passing], truths[passing], crowd)]
        first = edges[matched[rows[edges]] == 0]
        taken[rows[first]] = order[first]
        matched[rows[edges]] |= np.uint64(1 << bit)
        edges = edges[ignored[truths[edges]]]
        excused[rows[edges]] |= np.uint64(1 << bit)


def match_best(
    starts: Codes,
    truths: Codes,
    ious: Floats,
    crowd: Flags,
    ignored: Flags,
    thresholds: Floats,
) -> tuple[Bits, Bits, Codes]:
    """Match every prediction only to its best ground truth, as earlier Valor programs did.

    The best ground truth has the greatest IoU, and is the first one of equals. A prediction has no
    match if its best ground truth is matched already. Parameters and results are those of
    `match_coco`.
    """
    found = _no_matches(starts)
    rows, best = _best(starts, ious)
    _walk(best, rows, truths, ious, crowd, ignored, thresholds, found)
    return found


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
        As for `match_coco`.
    scores : ndarray of float64, shape (p,)
        Score of each prediction.

    Returns
    -------
    ndarray of int64, shape (p,)
        Index in `truths` of each prediction's match, -1 without one.
    """
    rows, order = ranked_order(starts, truths, ious, scores)
    edges = order[_greedy(rows[order], truths[order], crowd)]
    return _chosen(starts, rows, edges)


def ranked_order(starts: Codes, truths: Codes, ious: Floats, scores: Floats) -> tuple[Codes, Codes]:
    """Return the row of each pair, and the pairs in the order of `match_ranked`."""
    rows = _rows(starts)
    return rows, np.lexsort((truths, rows, -ious, -scores[rows]))


def _chosen(starts: Codes, rows: Codes, edges: Codes) -> Codes:
    places = np.full(len(starts) - 1, -1, np.int64)
    places[rows[edges]] = edges
    return places


def _rows(starts: Codes) -> Codes:
    """Row of each pair."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def _no_matches(starts: Codes) -> tuple[Bits, Bits, Codes]:
    count = len(starts) - 1
    return np.zeros(count, np.uint64), np.zeros(count, np.uint64), np.full(count, -1, np.int64)


def _best(starts: Codes, ious: Floats) -> tuple[Codes, Codes]:
    """Row of each pair, and the pair of greatest IoU of each prediction that has any.

    Of equal ones it is the first; the sort is stable.
    """
    rows = _rows(starts)
    order = np.lexsort((-ious, rows))
    _, first = np.unique(rows[order], return_index=True)
    return rows, order[first]


def _greedy(rows: Codes, truths: Codes, crowd: Flags) -> Codes:
    """Places of the pairs of which both sides are free when it is their turn."""
    chosen = []
    matched: set[int] = set()
    is_free = [True] * len(crowd)
    for place, (row, truth) in enumerate(zip(rows.tolist(), truths.tolist(), strict=True)):
        if row not in matched and is_free[truth]:
            chosen.append(place)
            matched.add(row)
            is_free[truth] = bool(crowd[truth])
    return np.array(chosen, np.int64)


def standings(
    starts: Codes,
    order: Codes,
    places: Ranks,
    counts: Flags,
    in_range: Flags,
    matched: Bits,
    excused: Bits,
) -> tuple[Codes, Codes, Ranks, Flags, Bits, Bits]:
    """Select predictions with a match at any threshold, and count false positives before each.

    Parameters
    ----------
    starts : ndarray of int64, shape (k + 1,)
        Offsets of the groups in `order`.
    order : ndarray of int64, shape (d,)
        Rows of predictions by group and descending score.
    places : ndarray of int32, shape (d,)
        Index of each prediction of `order` among those with pairs, -1 without pairs.
    counts : ndarray of bool, shape (d,)
        True for predictions of `order` within the limit per label and image.
    in_range : ndarray of bool, shape (d,)
        True for rows that are false positives if unmatched.
    matched, excused : ndarray of uint64, shape (p,)
        Bits as returned by `match_coco`.

    Returns
    -------
    standing_starts : ndarray of int64, shape (k + 1,)
        Offsets of the groups in the selection.
    at : ndarray of int64, shape (n,)
        Index of each selected prediction in `order`.
    false_before : ndarray of int32, shape (n,)
        Number of false positives of the group that rank before each and never match.
    counted, matched, excused : ndarray of bool and of uint64, shape (n,)
        `in_range`, `matched` and `excused` of each.
    """
    counted = in_range[order] & counts
    at = np.flatnonzero((places >= 0) & counts)
    at = at[matched[places[at]] != 0]
    is_counted = counted[at]
    counted[at] = False
    standing_starts = np.searchsorted(at, starts)
    before = np.zeros(len(order) + 1, np.int32)
    np.cumsum(counted, dtype=np.int32, out=before[1:])
    false_before = before[at] - np.repeat(before[starts[:-1]], np.diff(standing_starts))
    own = places[at]
    return standing_starts, at, false_before, is_counted, matched[own], excused[own]


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


def ranked(
    starts: Codes,
    order: Codes,
    places: Ranks,
    counts: Flags,
    in_range: Flags,
    matched: Bits,
    excused: Bits,
    bit: int,
) -> tuple[Codes, Codes, Flags, Flags, Flags]:
    """Select the true and false positives at one threshold.

    Parameters
    ----------
    starts, order, places, counts, in_range, matched, excused
        As for `standings`.
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
    is_matched, is_excused = (
        np.append(bits & np.uint64(1 << bit) != 0, False)[places] for bits in (matched, excused)
    )
    is_true = counts & is_matched & ~is_excused
    is_false = counts & ~is_matched & in_range[order]
    right, wrong = np.empty_like(is_true), np.empty_like(is_true)
    right[order], wrong[order] = is_true, is_false
    at = np.flatnonzero(is_true | is_false)
    return np.searchsorted(at, starts), order[at], is_true[at], right, wrong


def true_positives(
    starts: Codes,
    places: Ranks,
    counts: Flags,
    matched: Bits,
    excused: Bits,
    threshold_count: int,
) -> Codes:
    """Count the true positives of each group at each threshold.

    Parameters
    ----------
    starts, places, counts, matched, excused
        As for `standings`.
    threshold_count : int
        Number t of thresholds.

    Returns
    -------
    ndarray of int64, shape (t, k)
    """
    at = np.flatnonzero((places >= 0) & counts)
    bits = (matched & ~excused)[places[at]]
    groups = np.repeat(np.arange(len(starts) - 1), np.diff(starts))[at]
    found = np.empty((threshold_count, len(starts) - 1), np.int64)
    for t in range(threshold_count):
        hits = bits & np.uint64(1 << t) != 0
        found[t] = np.bincount(groups[hits], minlength=len(starts) - 1)
    return found


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
    least = np.ceil(np.arange(101.0) * count / 100)  # a quotient of whole numbers is exact if whole
    if recalls is not None:  # rounding is monotonic: it moves them by at most one
        least -= (least - 1) / count >= recalls
        least += least / count < recalls
    return least.astype(np.int64)


def interpolated(
    starts: Codes,
    false_before: Ranks,
    counted: Flags,
    matched: Bits,
    excused: Bits,
    threshold_count: int,
    needed: Codes,
    positives: Codes,
    *,
    with_rows: bool = False,
) -> tuple[Floats, Codes, Ranks]:
    """Interpolate precision at numbers of true positives, as in PASCAL VOC and COCO.

    Rows are predictions with a match at any threshold, by group and descending score.

    Parameters
    ----------
    starts : ndarray of int64, shape (k + 1,)
        Offsets of the groups.
    false_before : ndarray of int32, shape (n,)
        Number of false positives of the group that rank before each row and never match.
    counted : ndarray of bool, shape (n,)
        True for rows that are false positives at thresholds without a match.
    matched, excused : ndarray of uint64, shape (n,)
        Bits as returned by `match_coco`.
    threshold_count : int
        Number t of IoU thresholds.
    needed : ndarray of int64, shape (k, r)
        True positives needed for each recall, ascending.
    positives : ndarray of int64, shape (k,)
        Counted ground truths of each group. The precisions of a group without any are -1.
    with_rows : bool
        Whether to compute `reached_by`, which is empty otherwise.

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
    shape = (threshold_count, points, count)
    precisions = np.empty(shape)
    reached_by = np.empty((*shape[:2], count if with_rows else 0), np.int32)
    found = np.zeros((threshold_count, count), np.int64)
    groups = np.repeat(np.arange(count), np.diff(starts))
    least = np.maximum(needed, 1)
    for t in range(threshold_count):
        is_matched = (matched >> np.uint64(t)) & np.uint64(1) == 1
        hits = np.flatnonzero(is_matched & ((excused >> np.uint64(t)) & np.uint64(1) == 0))
        hit_groups = groups[hits]
        found[t] = np.bincount(hit_groups, minlength=count)
        if not points:
            continue
        begins = ends(found[t])
        true = np.arange(len(hits)) - begins[hit_groups] + 1.0
        extra = np.append(0, np.cumsum(~is_matched & counted))
        false = false_before[hits] + extra[hits] - extra[starts[hit_groups]]
        values = true / (false + true + np.spacing(1))
        at = np.where(least <= found[t][:, None], begins[:-1, None] + least - 1, -1)
        precisions[t] = _greatest_beyond(np.append(values, 0.0), at, begins).T
        if with_rows:
            reached_by[t] = np.where(positives == 0, -1, np.append(hits, -1)[at].T)
    precisions[:, :, positives == 0] = -1
    return precisions, found, reached_by


def _greatest_beyond(values: Floats, at: Codes, starts: Codes) -> Floats:
    """Greatest of a group's values from some places on, 0 where a place is -1."""
    # An end behind each group keeps its last stretch from running into the next group.
    stops = np.column_stack([np.where(at < 0, starts[1:, None], at), starts[1:]])
    best: Any = np.maximum.reduceat(values, stops.reshape(-1)).reshape(stops.shape)[:, :-1]
    best[at < 0] = 0.0
    return np.maximum.accumulate(best[:, ::-1], axis=1)[:, ::-1]

"""Pairs of boxes, greedy matching and accumulation, compiled.

The functions are documented in `valor_detection.kernels.reference.matching`.
"""

from __future__ import annotations

from ctypes import Structure
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from valor_core.kernels import in_threads, thread_count
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry.shapes import ends
from valor_detection.kernels import KERNELS
from valor_detection.kernels.columns import (
    Bits,
    Flags,
    GroupedMatches,
    PairColumns,
    RankedColumns,
    RankedMatches,
    Ranks,
)
from valor_detection.kernels.reference import matching as reference
from valor_detection.kernels.row_errors import check_predictions

_HIT_BYTES = KERNELS.constant("hit_bytes")
_WEIGHTED_ROW_BYTES = KERNELS.constant("weighted_row_bytes")
_WEIGHTED_HIT_BYTES = KERNELS.constant("weighted_hit_bytes")
_LEAST_ROOM = 1 << 12  # least number of pairs to allocate
_THREAD_ROWS = 1 << 13  # minimum number of predictions per thread

_box_pairs = KERNELS.function("box_pairs")
_score_order = KERNELS.function("score_order")
_grouped_order = KERNELS.function("grouped_order")
_ranks = KERNELS.function("ranks")
_chosen_pairs = KERNELS.function("chosen_pairs")
_match_coco = KERNELS.function("match_coco")
_match_best = KERNELS.function("match_best")
_match_best_then_crowd = KERNELS.function("match_best_then_crowd")
_match_walk = KERNELS.function("match_walk")
_ranked_matches = KERNELS.function("ranked_matches")
_positives = KERNELS.function("positives")
_ranked = KERNELS.function("ranked")
_true_positives = KERNELS.function("true_positives")
_needed = KERNELS.function("needed", optional=("recalls",))
_interpolated = KERNELS.function("interpolated")
_envelopes = KERNELS.function("envelopes")
_interpolated_weighted = KERNELS.function("interpolated_weighted")


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
    """See `reference.matching.box_pairs`."""
    truths_before = ends(np.bincount(true_datums, minlength=int(datums.max(initial=-1)) + 1))
    sizes = np.zeros(len(datums), np.int64)
    true_side = KERNELS.struct(
        "Boxes", count=len(true_datums), datums=true_datums, groups=true_groups, boxes=true_boxes
    )
    side = KERNELS.struct("Boxes", count=len(datums), datums=datums, groups=groups, boxes=boxes)

    def find(first: int, last: int) -> tuple[list[Codes], list[Floats]]:
        row, true_row = np.array([first]), np.zeros(1, np.int64)
        if first < last:
            true_row[0] = truths_before[datums[first]]
        capacity = max(last - first, int(np.diff(truths_before).max(initial=0)), _LEAST_ROOM)
        truths: list[Codes] = []
        ious: list[Floats] = []
        while row[0] < last:
            some_truths, some_ious = np.empty(capacity, np.int64), np.empty(capacity)
            written = _box_pairs(
                *(true_side, crowd, side, last, lowest, capacity),
                *(row, true_row, sizes, some_truths, some_ious),
            )
            truths.append(some_truths[:written])
            ious.append(some_ious[:written])
        return truths, ious

    parts = in_threads([partial(find, *span) for span in image_spans(datums)])
    truths = joined([found for part in parts for found in part[0]], np.int64)
    overlaps = joined([found for part in parts for found in part[1]], np.float64)
    return ends(sizes), truths, overlaps


def image_spans(datums: Codes) -> list[tuple[int, int]]:
    """Return spans of rows for threads, divided between images."""
    count = max(1, min(thread_count(), len(datums) // _THREAD_ROWS))
    cuts = np.searchsorted(datums, datums[[len(datums) * i // count for i in range(1, count)]])
    return list(pairwise([0, *cuts.tolist(), len(datums)]))


def joined(parts: list[Any], dtype: Any) -> Any:
    """Concatenate parts to an array without unused memory."""
    if not parts:
        return np.empty(0, dtype)
    return parts[0].copy() if len(parts) == 1 else np.concatenate(parts)


def score_order(groups: Codes, scores: Floats, count: int) -> Codes:
    """See `reference.matching.score_order`."""
    check_predictions(len(groups))
    order = np.empty(len(groups), np.int64)
    starts = np.empty(count + 1, np.int64)
    if _score_order(len(groups), groups, scores, count, starts, order):
        raise MemoryError(f"order of {len(groups):,} scores")
    return order


def grouped_order(groups: Codes, count: int) -> Codes:
    """See `reference.matching.grouped_order`."""
    order = np.empty(len(groups), np.int64)
    _grouped_order(len(groups), groups, count, np.zeros(count + 1, np.int64), order)
    return order


def ranks(order: Codes, groups: Codes, datums: Codes) -> Ranks:
    """See `reference.matching.ranks`."""
    count = int(datums.max(initial=-1)) + 1
    found = np.empty(len(order), np.int32)
    seen, tallies = np.full(count, -1), np.zeros(count, np.int32)
    _ranks(len(order), order, groups, datums, seen, tallies, found)
    return found


def chosen_pairs(
    order: Codes,
    starts: Codes,
    truths: Codes,
    ious: Floats,
    groups: Codes,
    true_groups: Codes,
) -> tuple[Codes, Codes, Codes, Floats]:
    """See `reference.matching.chosen_pairs`."""
    rows, chosen_starts = np.empty(len(order), np.int64), np.empty(len(order) + 1, np.int64)
    chosen_truths, chosen_ious = np.empty(len(truths), np.int64), np.empty(len(truths))
    count = _chosen_pairs(
        *(len(order), order, starts, truths, ious, groups, true_groups),
        *(rows, chosen_starts, chosen_truths, chosen_ious),
    )
    written = int(chosen_starts[count])
    return (
        rows[:count],
        chosen_starts[: count + 1],
        chosen_truths[:written],
        chosen_ious[:written],
    )


def match_coco(pairs: PairColumns, thresholds: Floats) -> tuple[Bits, Bits, Codes]:
    """See `reference.matching.match_coco`."""
    return _matched(_match_coco, pairs, thresholds)


def match_best(
    pairs: PairColumns, thresholds: Floats, *, prefers_counted: bool = False
) -> tuple[Bits, Bits, Codes]:
    """See `reference.matching.match_best`."""
    return _matched(_match_best, pairs, thresholds, prefers_counted)


def match_best_then_crowd(pairs: PairColumns, thresholds: Floats) -> tuple[Bits, Bits, Codes]:
    """See `reference.matching.match_best_then_crowd`."""
    return _matched(_match_best_then_crowd, pairs, thresholds)


def _matched(
    kernel: Any, pairs: PairColumns, thresholds: Floats, *options: bool
) -> tuple[Bits, Bits, Codes]:
    count = len(pairs.starts) - 1
    matched, ignored_match = np.empty(count, np.uint64), np.empty(count, np.uint64)
    matched_pair = np.empty(count, np.int64)
    kernel(
        *(_struct(pairs), len(thresholds), thresholds, *options),
        *(np.zeros(len(pairs.crowd), np.uint64), matched, ignored_match, matched_pair),
    )
    return matched, ignored_match, matched_pair


def _struct(columns: PairColumns | RankedColumns | RankedMatches) -> Structure:
    """Return the struct of the same name."""
    count = len(columns.starts) - 1
    return KERNELS.struct(type(columns).__name__, count=count, **columns._asdict())


def match_ranked(
    starts: Codes,
    truths: Codes,
    ious: Floats,
    scores: Floats,
    crowd: Flags,
) -> Codes:
    """See `reference.matching.match_ranked`."""
    rows, order = reference.ranked_order(starts, truths, ious, scores)
    matches, is_matched = np.full(len(starts) - 1, -1, np.int64), np.zeros(len(crowd), np.bool_)
    _match_walk(len(order), order, rows, truths, crowd, is_matched, matches)
    return matches


def ranked_matches(ranked: RankedColumns, threshold_count: int) -> RankedMatches:
    """See `reference.matching.ranked_matches`."""
    most = int(np.count_nonzero(ranked.positions >= 0)) + 1
    found = RankedMatches.empty(len(ranked.starts), most, threshold_count)
    return found.head(_ranked_matches(_struct(ranked), *found.columns))


def positives(
    labels: Codes, areas: Floats, crowd: Flags, area_range: tuple[float, float], count: int
) -> Codes:
    """See `reference.matching.positives`."""
    found = np.zeros(count, np.int64)
    _positives(len(labels), labels, areas, crowd, *area_range, found)
    return found


def ranked(columns: RankedColumns, bit: int) -> tuple[Codes, Codes, Flags, Flags, Flags]:
    """See `reference.matching.ranked`."""
    ranked_starts, rows = np.empty_like(columns.starts), np.empty_like(columns.order)
    is_true, right, wrong = (np.empty(len(rows), np.bool_) for _ in range(3))
    count = _ranked(_struct(columns), bit, ranked_starts, rows, is_true, right, wrong)
    return ranked_starts, rows[:count], is_true[:count], right, wrong


def true_positives(columns: RankedColumns, threshold_count: int) -> Codes:
    """See `reference.matching.true_positives`."""
    found = np.zeros((threshold_count, len(columns.starts) - 1), np.int64)
    _true_positives(_struct(columns), threshold_count, found)
    return found


def needed(positives: Codes, recalls: Floats | None) -> Codes:
    """See `reference.matching.needed`."""
    least = np.empty((len(positives), 101), np.int64)
    _needed(len(positives), positives, 101, recalls, least)
    return least


def interpolated(
    matches: RankedMatches, needed: Codes, positives: Codes, *, with_rows: bool = False
) -> tuple[Floats, Codes, Ranks]:
    """See `reference.matching.interpolated`."""
    count, points = needed.shape
    thresholds = matches.threshold_count
    precisions = np.empty((thresholds, points, count))
    reached_by = np.empty((thresholds, points, count if with_rows else 0), np.int32)
    found = np.empty((thresholds, count), np.int64)
    hits = int(np.diff(matches.starts).max(initial=0)) + 1
    _interpolated(
        *(_struct(matches), points, needed, positives, with_rows),
        *(np.empty(_HIT_BYTES * hits, np.uint8), np.empty(hits)),
        *(precisions, reached_by, found),
    )
    return precisions, found, reached_by


def envelopes(matches: RankedMatches, weights: Floats, false_before: Floats) -> Floats:
    """See `reference.matching.envelopes`."""
    found = np.empty((matches.threshold_count, len(matches.at)))
    _envelopes(_struct(matches), weights, false_before, found)
    return found


def interpolated_weighted(
    matches: GroupedMatches, weights: Ranks, needed: Codes, positives: Codes
) -> tuple[Floats, Codes]:
    """See `reference.matching.interpolated_weighted`."""
    count, points = needed.shape
    ranked = matches.ranked
    precisions = np.empty((ranked.threshold_count, points, count))
    found = np.empty((ranked.threshold_count, count), np.int64)
    rows = int(np.diff(ranked.starts).max(initial=0)) + 1
    _interpolated_weighted(
        *(_struct(ranked), matches.groups, matches.false_starts, matches.false_groups),
        *(weights, points, needed, positives),
        np.empty((_WEIGHTED_ROW_BYTES + _WEIGHTED_HIT_BYTES) * rows, np.uint8),
        *(precisions, found),
    )
    return precisions, found

"""Matching of predictions to ground truths under a protocol."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats
from valor_core.states.memo import cached, memoized
from valor_detection.kernels import matching as kernels
from valor_detection.kernels.columns import Bits, Flags, PairColumns, RankedColumns
from valor_detection.matching.choices import Matches
from valor_detection.matching.protocols import EVERYTHING, AreaRange, Protocol
from valor_detection.matching.table import KEY, LABEL, Pairs, Table

Positions = NDArray[np.int32]

_WORD = 64  # number of thresholds in a word of bits


def matching(
    table: Table, protocol: Protocol, scope: str = LABEL, area_range: AreaRange = EVERYTHING
) -> Matching:
    """Return the matching of a table's objects, computed once for all metrics.

    Parameters
    ----------
    table : Table
        Objects and pairs.
    protocol : Protocol
        Protocol of the matching.
    scope : str
        `LABEL`: objects of one label match. `KEY`: objects of one label key match; an annotation
        with several labels matches once, and crowds and ignored objects match only predictions of
        their label.
    area_range : (float, float)
        Ground truths and unmatched predictions with areas outside are ignored.

    Examples
    --------
    >>> from valor_detection.matching.candidate_pairs import request
    >>> from valor_detection.matching.protocols import COCO
    >>> matching(request((0.5,), COCO).open().table, COCO).truths(0.5)
    array([], dtype=int64)
    """
    low, high = max(area_range[0], protocol.least_area), area_range[1]
    if table.largest_area <= high:  # the same matching as without an upper bound
        high = math.inf
    area_range = low, high
    return _matching(table, protocol, scope, area_range)


@memoized
def _matching(table: Table, protocol: Protocol, scope: str, area_range: AreaRange) -> Matching:
    return Matching(table, protocol, scope, area_range)


@frozen(slots=False, eq=False, repr=False)
class Matching:
    """Matches at each IoU threshold of a table.

    Parameters
    ----------
    table, protocol, scope, area_range
        As for `matching`.
    """

    table: Table
    protocol: Protocol
    scope: str
    area_range: AreaRange

    @property
    def pairs(self) -> Pairs:
        """Pairs with the predictions in the order of matching."""
        return _pairs(self.table, self.protocol, self.scope)

    @property
    def positions(self) -> Positions:
        """Position in `threshold_bits` of each prediction, -1 without pairs."""
        return _positions(self.table, self.protocol, self.scope)

    @cached
    def _whole(self) -> Matching | None:
        """Matching of the table with more images, or None without one."""
        whole = self.table.whole
        return (
            None if whole is None else matching(whole, self.protocol, self.scope, self.area_range)
        )

    @property
    def order(self) -> Codes:
        """Predictions by label and descending score.

        Equal scores are in the order of the protocol's `ties`.
        """
        return _order(self.table, self.protocol, self.scope)

    @property
    def ranks(self) -> NDArray[np.int32]:
        """Rank of each prediction among those that share its limit on detections, from 0.

        They are those of its label and image, or of its image. Equal scores rank as in `order`,
        which decides what a limit on detections excludes.
        """
        return _ranks(self.table, self.protocol, self.scope)

    def counts(self, max_detections: int | None) -> Flags:
        """Return True for each prediction of `order` within the limit of detections."""
        if max_detections is None or max_detections >= self.table.most_predictions:
            return np.ones(len(self.order), dtype=bool)
        return _counts(self.table, self.protocol, self.scope, max_detections)

    @property
    def ranked_positions(self) -> Positions:
        """`positions` of the predictions of `order`."""
        return _ranked_positions(self.table, self.protocol, self.scope)

    @cached
    def ignored(self) -> Flags:
        """True for ground truths that are not counted: crowds, ignored ones, areas out of range."""
        low, high = self.area_range
        areas = self.table.objects.true_areas
        ignored: Flags = self.uncounted | (areas < low) | (areas > high)
        return ignored

    @property
    def uncounted(self) -> Flags:
        """True for ground truths that are never positives: ignored ones, and uncounted crowds."""
        return self.protocol.uncounted(self.table.objects)

    @cached
    def in_range(self) -> Flags:
        """True for predictions that are false positives if unmatched."""
        low, high = self.area_range
        areas, searched = self.table.objects.areas, self.table.objects.searched
        in_range: Flags = (areas >= low) & (areas <= high)
        return in_range if self.protocol.counts_unsearched else in_range & searched

    @cached
    def positives(self) -> Codes:
        """Number of counted ground truths by label."""
        if self.table.weights is not None:
            return self.table.weights.positives(self.area_range, self.protocol.counts_crowds)
        chunk, count = self.table.objects, len(self.table.labels)
        return kernels.positives(
            chunk.true_labels, chunk.true_areas, self.uncounted, self.area_range, count
        )

    @property
    def limits(self) -> Floats:
        """Value that IoUs are compared with at each threshold of the table."""
        return self.protocol.limits(self.table.iou_thresholds)

    @cached
    def threshold_bits(self) -> tuple[tuple[Bits, Bits], ...]:
        """Bit sets per 64 IoU thresholds: matched, and matched to an ignored ground truth.

        Selected images share those of the table of more images, at other `positions`.
        """
        if self._whole is not None:
            return self._whole.threshold_bits
        return tuple((matched, ignored) for matched, ignored, _ in self._matchings)

    @cached
    def _matchings(self) -> tuple[Matches, ...]:
        limits = self.limits
        return tuple(
            self._matched(limits[first : first + _WORD]) for first in range(0, len(limits), _WORD)
        )

    def ranked_columns(self, max_detections: int | None, bits: Sequence[Bits]) -> RankedColumns:
        """Return the predictions of `order` and one of `threshold_bits`."""
        counts = self.counts(max_detections)
        columns = self.table.label_starts, self.order, self.ranked_positions, counts, self.in_range
        return RankedColumns(*columns, *bits)

    def prepare(self) -> None:
        """Compute the properties that curves use."""
        _ = self.threshold_bits, self.ranked_positions, self.in_range, self.positives

    @property
    def word_sizes(self) -> list[int]:
        """Number of thresholds of each of `threshold_bits`."""
        count = len(self.table.iou_thresholds)
        return [min(_WORD, count - first) for first in range(0, count, _WORD)]

    @memoized
    def at(self, iou_threshold: float) -> tuple[Flags, Flags]:
        """Return True for matched predictions, and for those with an ignored match."""
        if self._whole is not None:
            rows = self.table.selection.rows
            matched, ignored = self._whole.at(iou_threshold)
            return matched[rows], ignored[rows]
        *words, bit = self.bits(iou_threshold)
        matched, ignored = (np.append(word & np.uint64(1 << bit) != 0, False) for word in words)
        return matched[self.positions], ignored[self.positions]

    def bits(self, iou_threshold: float) -> tuple[Bits, Bits, int]:
        """Return both bit sets of a threshold's word, and the position of its bit."""
        word, bit = divmod(self.table.iou_thresholds.index(iou_threshold), _WORD)
        return *self.threshold_bits[word], bit

    @memoized
    def truths(self, iou_threshold: float) -> Codes:
        """Return the row of each prediction's match, counted or ignored, -1 without one."""
        if self._whole is not None:
            selection = self.table.selection
            truths = self._whole.truths(iou_threshold)[selection.rows]
            return selection.true_rows_of(truths, selection.datums)
        matched = self._matched_pairs(iou_threshold)
        truths = np.full(len(self.table.objects.scores), -1, np.int64)
        has = matched >= 0
        truths[self.pairs.rows[has]] = self.pairs.truths[matched[has]]
        top_rows = self.table.top_label_rows if self.scope == KEY else None
        # All labels of an annotation have the match of its best-scoring label of the key.
        return truths if top_rows is None else truths[top_rows]

    def ious(self, iou_threshold: float) -> Floats:
        """Return the IoU of each prediction with its match, NaN without one."""
        matched = self._matched_pairs(iou_threshold)
        ious = np.full(len(self.table.objects.scores), np.nan)
        has = matched >= 0
        ious[self.pairs.rows[has]] = self.pairs.ious[matched[has]]
        return ious

    def _matched_pairs(self, iou_threshold: float) -> Codes:
        """Return the matched pair of each prediction with pairs, -1 without one."""
        position = self.table.iou_thresholds.index(iou_threshold)
        if self.scope == LABEL and position % _WORD == 0:  # computed for curves already
            matched, _, pairs = self._matchings[position // _WORD]
            return np.where(matched & np.uint64(1), pairs, -1)
        return self._matched(self.limits[position : position + 1])[2]

    def _matched(self, limits: Floats) -> Matches:
        """Match at up to 64 limits."""
        pairs = self.pairs
        reusable = _reusable(self.table, self.protocol)
        columns = PairColumns(pairs.starts, pairs.truths, pairs.ious, reusable, self.ignored)
        chosen = _without_limits(self.table, self.protocol, self.scope)
        return self.protocol.choice.at_limits(columns, chosen, limits)


@memoized
def _pairs(table: Table, protocol: Protocol, scope: str) -> Pairs:
    pairs = table.pairs(scope)
    if scope == KEY:
        pairs = _without_extra_labels(table, protocol, pairs)
    if protocol.least_area > 0:
        pairs = _without_small(table, pairs, protocol.least_area)
    return protocol.ties.in_matching(pairs, table.objects.scores)


def _without_extra_labels(table: Table, protocol: Protocol, pairs: Pairs) -> Pairs:
    """Exclude pairs of an annotation's further labels, and pairs of two labels that cannot count.

    Objects that count neither way, and predictions of labels that nobody searched for, match only
    objects of their label.
    """
    chunk, top_rows = table.objects, table.top_label_rows
    wanted = np.ones(len(pairs.truths), dtype=bool)
    if top_rows is not None:
        wanted = top_rows[pairs.owners] == pairs.owners
    limited = np.zeros(len(pairs.truths), dtype=bool)
    if chunk.uncounted.any():
        limited |= chunk.uncounted[pairs.truths]
    if not (protocol.counts_unsearched or chunk.searched.all()):
        limited |= ~chunk.searched[pairs.owners]
    rows = np.flatnonzero(limited)
    is_same = chunk.labels[pairs.owners[rows]] == chunk.true_labels[pairs.truths[rows]]
    wanted[rows[~is_same]] = False
    return pairs if wanted.all() else pairs.filter(wanted)


def _without_small(table: Table, pairs: Pairs, least: float) -> Pairs:
    """Exclude pairs of objects with a smaller area."""
    areas, true_areas = table.objects.areas, table.objects.true_areas
    if min(areas.min(initial=least), true_areas.min(initial=least)) >= least:
        return pairs
    return pairs.filter((areas[pairs.owners] >= least) & (true_areas[pairs.truths] >= least))


@memoized
def _positions(table: Table, protocol: Protocol, scope: str) -> Positions:
    if table.whole is not None:
        return _positions(table.whole, protocol, scope)[table.selection.rows]
    rows = _pairs(table, protocol, scope).rows
    positions = np.full(len(table.objects.scores), -1, np.int32)
    positions[rows] = np.arange(len(rows), dtype=np.int32)
    return positions


@memoized
def _order(table: Table, protocol: Protocol, scope: str) -> Codes:
    overlaps = _tied_overlaps(table, protocol, scope)
    if overlaps is None:
        return table.order
    # The sort is stable: equal keys stay in the order of the images.
    return np.lexsort((-overlaps, -table.objects.scores, table.objects.labels))


@memoized
def _tied_overlaps(table: Table, protocol: Protocol, scope: str) -> Floats | None:
    """Return the overlap by which equal scores of predictions descend, None for data order."""
    if not protocol.ties.needs_pairs:
        return None
    pairs = _pairs(table, protocol, scope)

    def matched() -> Codes:
        chosen = _without_limits(table, protocol, scope)
        assert chosen is not None
        return chosen

    of_pairs = protocol.ties.overlaps(pairs, matched)
    if of_pairs is None:
        return None
    overlaps = np.zeros(len(table.objects.scores))
    overlaps[pairs.rows] = of_pairs
    return overlaps


@memoized
def _ranks(table: Table, protocol: Protocol, scope: str) -> NDArray[np.int32]:
    objects = table.objects
    if protocol.limits_images:
        keys, overlaps = table.key_codes(objects.labels), _tied_overlaps(table, protocol, scope)
        columns = -objects.scores, objects.datums, keys
        order = np.lexsort(columns if overlaps is None else (-overlaps, *columns))
        return kernels.ranks(order, keys, objects.datums)
    order = _order(table, protocol, scope)
    if order is table.order:
        return table.ranks
    return kernels.ranks(order, objects.labels, objects.datums)


@memoized
def _counts(table: Table, protocol: Protocol, scope: str, max_detections: int) -> Flags:
    counts: Flags = (_ranks(table, protocol, scope) < max_detections)[
        _order(table, protocol, scope)
    ]
    return counts


@memoized
def _ranked_positions(table: Table, protocol: Protocol, scope: str) -> Positions:
    positions: Positions = _positions(table, protocol, scope)[_order(table, protocol, scope)]
    return positions


@memoized
def _without_limits(table: Table, protocol: Protocol, scope: str) -> Codes | None:
    """Return the matched pairs under a protocol whose matches depend on no IoU limit."""
    pairs, chunk = _pairs(table, protocol, scope), table.objects
    reusable = _reusable(table, protocol)
    uncounted = protocol.uncounted(chunk)
    columns = PairColumns(pairs.starts, pairs.truths, pairs.ious, reusable, uncounted)
    return protocol.choice.without_limits(columns, chunk.scores[pairs.rows])


def _reusable(table: Table, protocol: Protocol) -> Flags:
    """Return True for ground truths that any number of predictions can match."""
    objects = table.objects
    return objects.uncounted if protocol.many_to_ignored else objects.crowd

"""Matching: which predictions found a true object, under a named rule."""

from __future__ import annotations

import math

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats
from valor_detection.kernels import matching as kernels
from valor_detection.matching.once import once
from valor_detection.matching.protocols import EVERYTHING, AreaRange, iou_limits
from valor_detection.matching.table import KEY, LABEL, Pairs, Table
from valor_detection.parameters.fields import Rule

Bits = NDArray[np.uint64]
Flags = NDArray[np.bool_]
Places = NDArray[np.int32]

_WORD = 64  # thresholds that fit in the bits of a number


def matching(
    table: Table, rule: Rule, scope: str = LABEL, area_range: AreaRange = EVERYTHING
) -> Matching:
    """The matching of a table's objects, made once for all metrics.

    Parameters
    ----------
    table : Table
        The objects.
    rule : str
        ``coco``: predictions choose by score, at every IoU threshold anew, among the true
        objects that are left. ``ranked``: pairs are gone through by score and IoU, whatever the
        threshold. ``valor``: a prediction has its one best true object or none.
    scope : str
        `LABEL`: only objects of one label match; `KEY`: those of one label key, where an
        annotation with several labels chooses once and a crowd is there for its own label alone.
    area_range : (float, float)
        True objects with an area outside are ignored, and so are unmatched predictions.

    Examples
    --------
    >>> from valor_detection.matching.candidate_pairs import Overlaps
    >>> state = Overlaps(None, (0.5,), (0.5,), (LABEL,))
    >>> matching(state.table, "coco").truths(0.5)
    array([], dtype=int64)
    """
    low, high = area_range
    if table.largest_area <= high:  # an end that nothing reaches is none, and asks for no other
        area_range = (low, math.inf)
    found: Matching = table.kept(
        ("matching", rule, scope, area_range), lambda: Matching(table, rule, scope, area_range)
    )
    return found


@frozen(slots=False, eq=False, repr=False)
class Matching:
    """Which predictions found a true object at each IoU threshold of the table.

    Parameters
    ----------
    table, rule, scope, area_range
        As for `matching`.
    """

    table: Table
    rule: Rule
    scope: str
    area_range: AreaRange

    @property
    def pairs(self) -> Pairs:
        """The pairs, predictions in the order in which they choose."""
        pairs: Pairs = self.table.kept(("chosen pairs", self.rule, self.scope), self._pairs)
        return pairs

    def _pairs(self) -> Pairs:
        pairs = self.table.pairs(self.scope)
        if self.scope == KEY:
            pairs = self._of_key(pairs)
        if self.rule != "valor":
            return pairs
        best = np.maximum.reduceat(pairs.ious, pairs.starts[:-1]) if len(pairs.rows) else pairs.ious
        scores = self.table.chunk.scores[pairs.rows]
        return pairs.take(np.lexsort((pairs.rows, -best, -scores)))

    @property
    def places(self) -> Places:
        """Place in `words` of each prediction, -1 for one that overlaps nothing."""
        places: Places = self.table.kept(("places", self.rule, self.scope), self._places)
        return places

    def _places(self) -> Places:
        part = self.table.part
        if part is not None and self._whole is not None:
            return self._whole.places[part.rows]
        rows = self.pairs.rows
        places = np.full(len(self.table.chunk.scores), -1, np.int32)
        places[rows] = np.arange(len(rows), dtype=np.int32)
        return places

    @once
    def _whole(self) -> Matching | None:
        """The matching of the larger table, which each image takes part in for itself."""
        part = self.table.part
        if part is None:
            return None
        return matching(part.whole, self.rule, self.scope, self.area_range)

    @once
    def order(self) -> Codes:
        """Predictions by label and descending score, ties in the order of the rule.

        ``coco`` puts them in the order of the data; under the others the greater overlap comes
        first: with the best true object, or with the one that was found.
        """
        table = self.table
        if self.rule == "coco":
            return table.order
        ious = np.zeros(len(table.chunk.scores))
        pairs = self.pairs
        if self.rule == "valor" and len(pairs.rows):
            ious[pairs.rows] = np.maximum.reduceat(pairs.ious, pairs.starts[:-1])
        elif self.rule == "ranked":
            has = self._ranked >= 0
            ious[pairs.rows[has]] = pairs.ious[self._ranked[has]]
        # Stable: equal ones stay in the order of the images.
        return np.lexsort((-ious, -table.chunk.scores, table.chunk.labels))

    @property
    def ranks(self) -> NDArray[np.int32]:
        """How many predictions of its label and image rank before each prediction, as in `order`.

        Of equal scores, a limit on detections cuts off those that the rule puts last.
        """
        table, chunk = self.table, self.table.chunk
        if self.rule == "coco":
            return table.ranks
        ranks: NDArray[np.int32] = table.kept(
            ("ranks", self.rule, self.scope),
            lambda: kernels.ranks(self.order, chunk.labels, chunk.datums),
        )
        return ranks

    def counts(self, max_detections: int | None) -> Flags:
        """Whether each prediction of `order` is among the most that count in its image."""
        if max_detections is None:
            return np.ones(len(self.order), dtype=bool)
        counts: Flags = self.table.kept(
            ("counts", self.rule, self.scope, max_detections),
            lambda: (self.ranks < max_detections)[self.order],
        )
        return counts

    @property
    def standing(self) -> Places:
        """`places` of the predictions of `order`."""
        standing: Places = self.table.kept(
            ("standing", self.rule, self.scope), lambda: self.places[self.order]
        )
        return standing

    @once
    def ignored(self) -> Flags:
        """Whether a true object counts neither as found nor as missed: crowds, other sizes."""
        low, high = self.area_range
        areas = self.table.chunk.true_areas
        ignored: Flags = self.table.chunk.crowd | (areas < low) | (areas > high)
        return ignored

    @once
    def in_range(self) -> Flags:
        """Whether a prediction counts as false where it is not matched."""
        low, high = self.area_range
        areas = self.table.chunk.areas
        in_range: Flags = (areas >= low) & (areas <= high)
        return in_range

    @once
    def positives(self) -> Codes:
        """True objects to be found, by label."""
        chunk, count = self.table.chunk, len(self.table.labels)
        return kernels.positives(
            chunk.true_labels, chunk.true_areas, chunk.crowd, self.area_range, count
        )

    @property
    def limits(self) -> Floats:
        """What IoUs are compared with at each threshold of the table."""
        return iou_limits(self.table.iou_thresholds, self.rule)

    @once
    def words(self) -> tuple[tuple[Bits, Bits], ...]:
        """For every 64 thresholds: those at which a prediction is matched, and excused.

        Some images have those of the larger table, in which `places` says where theirs are.
        """
        if self._whole is not None:
            return self._whole.words
        return tuple((matched, excused) for matched, excused, _ in self._matchings)

    @once
    def _matchings(self) -> tuple[tuple[Bits, Bits, Codes], ...]:
        limits = self.limits
        return tuple(
            self._matched(limits[first : first + _WORD]) for first in range(0, len(limits), _WORD)
        )

    def prepare(self) -> None:
        """Make what curves read of it."""
        _ = self.words, self.standing, self.in_range, self.positives

    @property
    def word_sizes(self) -> list[int]:
        """How many thresholds each of `words` has."""
        count = len(self.table.iou_thresholds)
        return [min(_WORD, count - first) for first in range(0, count, _WORD)]

    def at(self, iou_threshold: float) -> tuple[Flags, Flags]:
        """Whether each prediction is matched, and whether with an ignored object."""
        found: tuple[Flags, Flags] = self.table.kept(
            ("matched", self.rule, self.scope, self.area_range, iou_threshold),
            lambda: self._at(iou_threshold),
        )
        return found

    def _at(self, iou_threshold: float) -> tuple[Flags, Flags]:
        part = self.table.part
        if part is not None and self._whole is not None:
            matched, excused = self._whole.at(iou_threshold)
            return matched[part.rows], excused[part.rows]
        *words, bit = self.bits(iou_threshold)
        matched, excused = (np.append(word & np.uint64(1 << bit) != 0, False) for word in words)
        return matched[self.places], excused[self.places]

    def bits(self, iou_threshold: float) -> tuple[Bits, Bits, int]:
        """The two `words` of a threshold, and its bit in them."""
        word, bit = divmod(self.table.iou_thresholds.index(iou_threshold), _WORD)
        return *self.words[word], bit

    def truths(self, iou_threshold: float) -> Codes:
        """Row of the true object that each prediction found, -1 for none; ignored ones too."""
        found: Codes = self.table.kept(
            ("truths", self.rule, self.scope, self.area_range, iou_threshold),
            lambda: self._truths(iou_threshold),
        )
        return found

    def ious(self, iou_threshold: float) -> Floats:
        """Overlap of each prediction with what it found, nan for none."""
        places = self._taken(iou_threshold)
        ious = np.full(len(self.table.chunk.scores), np.nan)
        has = places >= 0
        ious[self.pairs.rows[has]] = self.pairs.ious[places[has]]
        return ious

    def _of_key(self, pairs: Pairs) -> Pairs:
        """The pairs without those of an annotation's further labels, and of others' crowds."""
        chunk, leaders = self.table.chunk, self.table.leaders
        wanted = np.ones(len(pairs.truths), dtype=bool)
        if leaders is not None:
            wanted = leaders[pairs.owners] == pairs.owners
        if chunk.crowd.any():
            crowd = np.flatnonzero(chunk.crowd[pairs.truths])
            own = chunk.labels[pairs.owners[crowd]] == chunk.true_labels[pairs.truths[crowd]]
            wanted[crowd[~own]] = False
        return pairs if wanted.all() else pairs.those(wanted)

    def _truths(self, iou_threshold: float) -> Codes:
        part = self.table.part
        if part is not None and self._whole is not None:
            return part.true_places(self._whole.truths(iou_threshold)[part.rows])
        places = self._taken(iou_threshold)
        truths = np.full(len(self.table.chunk.scores), -1, np.int64)
        has = places >= 0
        truths[self.pairs.rows[has]] = self.pairs.truths[places[has]]
        leaders = self.table.leaders if self.scope == KEY else None
        # The labels of an annotation find what the best-scoring one of a key found.
        return truths if leaders is None else truths[leaders]

    def _taken(self, iou_threshold: float) -> Codes:
        """Place in the pairs of what each of their predictions found, -1 for none."""
        place = self.table.iou_thresholds.index(iou_threshold)
        if self.scope == LABEL and place % _WORD == 0:  # made for the curves of all thresholds
            matched, _, taken = self._matchings[place // _WORD]
            return np.where(matched & np.uint64(1), taken, -1)
        return self._matched(self.limits[place : place + 1])[2]

    def _matched(self, limits: Floats) -> tuple[Bits, Bits, Codes]:
        """At which of up to 64 limits each prediction of the pairs is matched, and excused.

        And the place in the pairs of its match at the lowest of them, -1 for none.
        """
        pairs, crowd = self.pairs, self.table.chunk.crowd
        if self.rule == "ranked":
            return _reaching(self._ranked, pairs, self.ignored, limits)
        match = kernels.match_coco if self.rule == "coco" else kernels.match_best
        return match(pairs.starts, pairs.truths, pairs.ious, crowd, self.ignored, limits)

    @once
    def _ranked(self) -> Codes:
        pairs, chunk = self.pairs, self.table.chunk
        return kernels.match_ranked(
            pairs.starts, pairs.truths, pairs.ious, chunk.scores[pairs.rows], chunk.crowd
        )


def _reaching(
    places: Codes, pairs: Pairs, ignored: Flags, limits: Floats
) -> tuple[Bits, Bits, Codes]:
    """What a matching that knows no threshold is at some limits."""
    has = np.flatnonzero(places >= 0)
    passed = np.searchsorted(limits, pairs.ious[places[has]], side="right")
    # limits are ascending, so that those passed are the lowest bits
    full = np.append(np.uint64(0), np.cumsum(np.uint64(1) << np.arange(64, dtype=np.uint64)))
    matched = np.zeros(len(places), np.uint64)
    matched[has] = full[passed]
    excused = np.zeros_like(matched)
    excusing = has[ignored[pairs.truths[places[has]]]]
    excused[excusing] = matched[excusing]
    return matched, excused, np.where(matched != 0, places, -1)

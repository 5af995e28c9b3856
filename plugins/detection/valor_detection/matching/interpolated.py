"""Precision at recall points, for all labels and IoU thresholds at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats
from valor_core.states.memo import memoized
from valor_detection.kernels import matching as kernels
from valor_detection.kernels.columns import GroupedMatches, RankedMatches, Ranks
from valor_detection.matching.matches import Matching, matching
from valor_detection.matching.protocols import AreaRange, Protocol
from valor_detection.matching.table import LABEL, ImageGroups, ImageWeights, Table


@frozen(kw_only=True, eq=False, slots=False, repr=False)
class Curves:
    """Interpolated precision-recall curves as defined by COCO.

    Parameters
    ----------
    precisions : ndarray of float64, shape (n_ious, n_points, n_labels)
        Greatest precision at each recall or a higher one, or 0 if the recall is not reached. -1 for
        labels without ground truths. COCO has 101 recalls, 0, 0.01 … 1.
    found : ndarray of int64, shape (n_ious, n_labels)
        Matched ground truths of all counted predictions.
    positives : ndarray of int64, shape (n_labels,)
        Counted ground truths.
    """

    precisions: Floats
    found: Codes
    positives: Codes
    _scores: Callable[[], Floats]
    _terms: Callable[[], Floats]

    @cached_property
    def scores(self) -> Floats:
        """Score at which each recall is reached, in the shape of the precisions."""
        return self._scores()

    @cached_property
    def terms(self) -> Floats:
        """Terms of average precision under the protocol, shape (n_ious, n_terms, n_labels)."""
        return self._terms()

    @property
    def recalls(self) -> Floats:
        """Recall of all counted predictions, shape (n_ious, n_labels); -1 without ground truths."""
        return recalls(self.found, self.positives)


def recalls(found: Codes, positives: Codes) -> Floats:
    """Return the share of matched ground truths by label; -1 without ground truths."""
    return np.where(positives > 0, found / np.maximum(positives, 1), -1.0)


@memoized
def curves(
    table: Table, protocol: Protocol, area_range: AreaRange, max_detections: int | None
) -> Curves:
    """Return the curves of all labels at all IoU thresholds of a table.

    Parameters
    ----------
    table : Table
        Objects and pairs.
    protocol : Protocol
        Protocol of the matching.
    area_range : (float, float)
        Range of counted areas, in square pixels.
    max_detections : int, optional
        Maximum number of counted predictions of a label in an image.

    References
    ----------
    Lin et al., "Microsoft COCO", ECCV 2014; pycocotools, ``COCOeval.accumulate``.
    """
    matched = matching(table, protocol, LABEL, area_range)
    least = protocol.precision.needed(matched.positives)
    if table.weights is not None:
        return _resampled(matched, table.weights, max_detections, least)
    return interpolate(matched, max_detections, least)


def found(
    table: Table, protocol: Protocol, area_range: AreaRange, max_detections: int | None
) -> Codes:
    """Return the matched ground truths of all counted predictions, shape (n_ious, n_labels)."""
    matched = matching(table, protocol, LABEL, area_range)
    if table.weights is not None:
        nothing = np.empty((len(table.labels), 0), np.int64)
        return _resampled(matched, table.weights, max_detections, nothing).found
    return _joined(
        [
            kernels.true_positives(matched.ranked_columns(max_detections, bits), count)
            for bits, count in zip(matched.threshold_bits, matched.word_sizes, strict=True)
        ]
    )


def interpolate(matched: Matching, max_detections: int | None, needed: Codes) -> Curves:
    """Compute the curves of a matching at any recalls.

    Parameters
    ----------
    matched : Matching
        Matched predictions.
    max_detections : int, optional
        Maximum number of counted predictions of a label in an image.
    needed : ndarray of int64, shape (n_labels, n_recalls)
        True positives needed for each recall, ascending.
    """
    ranked_matches = _ranked_matches(matched, max_detections)
    parts = [kernels.interpolated(each, needed, matched.positives)[:2] for each in ranked_matches]
    scores = partial(_scores, matched, max_detections, needed, ranked_matches)
    return _curves(matched, parts, scores, partial(_terms, matched, ranked_matches))


def _terms(matched: Matching, ranked_matches: Sequence[RankedMatches]) -> Floats:
    terms = matched.protocol.precision.terms
    return _joined([terms(each, matched.positives) for each in ranked_matches])


def _weighted_terms(matched: Matching, grouped: Sequence[GroupedMatches], weights: Ranks) -> Floats:
    terms = matched.protocol.precision.weighted_terms
    return _joined([terms(each, weights, matched.positives) for each in grouped])


def _curves(
    matched: Matching,
    parts: Sequence[tuple[Floats, Codes]],
    scores: Callable[[], Floats],
    terms: Callable[[], Floats],
) -> Curves:
    precisions, hits = (_joined(part) for part in zip(*parts, strict=True))
    precisions = matched.protocol.precision.quotients(precisions)
    return Curves(
        precisions=precisions,
        found=hits,
        positives=matched.positives,
        scores=scores,
        terms=terms,
    )


def _resampled(
    matched: Matching, images: ImageWeights, max_detections: int | None, needed: Codes
) -> Curves:
    """Compute the curves of weighted images from the matching of all images."""
    grouped = _grouped(images.groups, matched.protocol, matched.area_range, max_detections)
    weights, positives = images.weights.astype(np.int32), matched.positives
    parts = [kernels.interpolated_weighted(each, weights, needed, positives) for each in grouped]
    scores = partial(_scores_of_images, matched, max_detections, needed)
    return _curves(matched, parts, scores, partial(_weighted_terms, matched, grouped, weights))


def _scores_of_images(matched: Matching, max_detections: int | None, needed: Codes) -> Floats:
    return interpolate(matched, max_detections, needed).scores


@memoized
def _grouped(
    groups: ImageGroups, protocol: Protocol, area_range: AreaRange, max_detections: int | None
) -> list[GroupedMatches]:
    """Return the matched predictions at every 64 thresholds, with the groups of their images."""
    table = groups.table
    matched = matching(table, protocol, LABEL, area_range)
    of_ranked = groups.codes[table.objects.datums[matched.order]]
    is_counted = matched.counts(max_detections) & matched.in_range[matched.order]
    found = []
    for each in _ranked_matches(matched, max_detections):
        is_false = is_counted.copy()
        is_false[each.at] = False
        at = np.flatnonzero(is_false)
        starts = np.searchsorted(at, table.label_starts)
        found.append(GroupedMatches(each, of_ranked[each.at], starts, of_ranked[at]))
    return found


def _ranked_matches(matched: Matching, max_detections: int | None) -> list[RankedMatches]:
    """Return the matched predictions at every 64 thresholds."""
    return [
        kernels.ranked_matches(matched.ranked_columns(max_detections, bits), count)
        for bits, count in zip(matched.threshold_bits, matched.word_sizes, strict=True)
    ]


def _scores(
    matched: Matching,
    max_detections: int | None,
    needed: Codes,
    ranked_matches: Sequence[RankedMatches],
) -> Floats:
    """Return the score at which each recall is reached; recall 0 has the highest score."""
    table, parts = matched.table, []
    for each in ranked_matches:
        reached = np.append(table.objects.scores[matched.order[each.at]], 0.0)
        _, _, reached_by = kernels.interpolated(each, needed, matched.positives, with_rows=True)
        parts.append(reached[reached_by])
    scores = _joined(parts)
    counted = np.flatnonzero(matched.counts(max_detections))
    start, end = np.searchsorted(counted, [table.label_starts[:-1], table.label_starts[1:]])
    has_any = end > start
    first = np.zeros(len(has_any))
    first[has_any] = table.objects.scores[matched.order[counted[start[has_any]]]]
    scores = np.where(needed.T == 0, first, scores)
    scores[:, :, matched.positives == 0] = -1.0
    return scores


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)

"""Precision at recall points, for all labels and IoU thresholds at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas import Codes, Floats
from valor_detection.kernels import matching as kernels
from valor_detection.matching.matches import Bits, Matching, matching
from valor_detection.matching.protocols import ALMOST_ONE, AreaRange, needed
from valor_detection.matching.table import LABEL, Flags, Table
from valor_detection.parameters.fields import Rule

Ranks = NDArray[np.int32]


@frozen(eq=False, repr=False)
class Standings:
    """The predictions that are matched at some threshold, by label and descending score.

    Parameters
    ----------
    starts : ndarray of int64, shape (n_labels + 1,)
        Where each label begins.
    at : ndarray of int64, shape (n,)
        Place of each in the ranking of all predictions.
    false_before : ndarray of int32, shape (n,)
        False positives of the label that rank before each and are matched at no threshold.
    counted : ndarray of bool, shape (n,)
        Whether each is a false positive at the thresholds where it is not matched.
    matched, excused : ndarray of uint64, shape (n,)
        Thresholds, as bits, at which each has a true object, and at which that is ignored.
    threshold_count : int
        Number of thresholds.
    """

    starts: Codes
    at: Codes
    false_before: Ranks
    counted: Flags
    matched: Bits
    excused: Bits
    threshold_count: int

    def interpolated(self, needed: Codes, positives: Codes) -> tuple[Floats, Codes]:
        """Interpolated precisions, and true positives, at each threshold.

        Parameters
        ----------
        needed : ndarray of int64, shape (n_labels, n_recalls)
            True positives that each recall takes, ascending.
        positives : ndarray of int64, shape (n_labels,)
            True objects that count; the precisions of a label without any are -1.

        Returns
        -------
        precisions : ndarray of float64, shape (n_thresholds, n_recalls, n_labels)
        true_positives : ndarray of int64, shape (n_thresholds, n_labels)
        """
        return kernels.interpolated(*self._columns, needed, positives)[:2]

    def reached_by(self, needed: Codes, positives: Codes) -> Ranks:
        """Which one reaches each recall, in the shape of the precisions; -1 for none."""
        return kernels.interpolated(*self._columns, needed, positives, with_rows=True)[2]

    @property
    def _columns(self) -> tuple[Codes, Ranks, Flags, Bits, Bits, int]:
        return (
            self.starts,
            self.false_before,
            self.counted,
            self.matched,
            self.excused,
            self.threshold_count,
        )


@frozen(kw_only=True, eq=False, slots=False, repr=False)
class Curves:
    """Interpolated precision-recall curves, as COCO draws them.

    Parameters
    ----------
    precisions : ndarray of float64, shape (n_ious, 101, n_labels)
        Greatest precision at a recall of 0, 0.01 … 1 or more, 0 where it is not reached; -1 for
        a label without ground truths.
    found : ndarray of int64, shape (n_ious, n_labels)
        Ground truths found by all predictions that count.
    positives : ndarray of int64, shape (n_labels,)
        Ground truths that count.
    """

    precisions: Floats
    found: Codes
    positives: Codes
    _scores: Callable[[], Floats]

    @cached_property
    def scores(self) -> Floats:
        """Score at which each recall is reached, in the shape of the precisions."""
        return self._scores()

    @property
    def recalls(self) -> Floats:
        """Share of the ground truths that are found, shape (n_ious, n_labels); -1 without any."""
        return recalls(self.found, self.positives)


def recalls(found: Codes, positives: Codes) -> Floats:
    """Share of the ground truths that are found, by label; -1 where there are none."""
    return np.where(positives > 0, found / np.maximum(positives, 1), -1.0)


def curves(table: Table, rule: Rule, area_range: AreaRange, max_detections: int | None) -> Curves:
    """The curves of all labels at all IoU thresholds of a table.

    Parameters
    ----------
    table : Table
        The objects.
    rule : str
        Rule of the matching; under ``coco`` every number has the bits of pycocotools.
    area_range : (float, float)
        Sizes that count, in square pixels.
    max_detections : int, optional
        Most predictions of a label that count in an image.

    References
    ----------
    Lin et al., "Microsoft COCO", ECCV 2014; pycocotools, ``COCOeval.accumulate``.
    """
    found: Curves = table.kept(
        ("curves", rule, area_range, max_detections),
        lambda: _curves(table, rule, area_range, max_detections),
    )
    return found


def found(table: Table, rule: Rule, area_range: AreaRange, max_detections: int | None) -> Codes:
    """Ground truths found by all predictions that count, shape (n_ious, n_labels)."""
    matched = matching(table, rule, LABEL, area_range)
    counts = matched.counts(max_detections)
    return _joined(
        [
            kernels.true_positives(
                table.label_starts, matched.standing, counts, bits, excused, count
            )
            for (bits, excused), count in zip(matched.words, matched.word_sizes, strict=True)
        ]
    )


def _curves(table: Table, rule: Rule, area_range: AreaRange, max_detections: int | None) -> Curves:
    matched = matching(table, rule, LABEL, area_range)
    return drawn(matched, max_detections, needed(matched.positives, rule))


def drawn(matched: Matching, max_detections: int | None, needed: Codes) -> Curves:
    """The curves of a matching, at any recalls.

    Parameters
    ----------
    matched : Matching
        Which predictions found a true object.
    max_detections : int, optional
        Most predictions of a label that count in an image.
    needed : ndarray of int64, shape (n_labels, n_recalls)
        True positives that each recall takes, ascending.
    """
    standings = _standings(matched, max_detections)
    parts = [each.interpolated(needed, matched.positives) for each in standings]
    precisions, hits = (_joined(part) for part in zip(*parts, strict=True))
    if matched.rule != "coco":
        # pycocotools divides by a count and a bit more, which shows in 1/1 alone.
        precisions = np.where(precisions > ALMOST_ONE, 1.0, precisions)
    return Curves(
        precisions=precisions,
        found=hits,
        positives=matched.positives,
        scores=partial(_scores, matched, max_detections, needed, standings),
    )


def _standings(matched: Matching, max_detections: int | None) -> list[Standings]:
    """How predictions stand at every 64 thresholds."""
    table = matched.table
    return [
        Standings(
            *kernels.standings(
                table.label_starts,
                matched.order,
                matched.standing,
                matched.counts(max_detections),
                matched.in_range,
                bits,
                excused,
            ),
            count,
        )
        for (bits, excused), count in zip(matched.words, matched.word_sizes, strict=True)
    ]


def _scores(
    matched: Matching,
    max_detections: int | None,
    needed: Codes,
    standings: Sequence[Standings],
) -> Floats:
    """Score at which each recall is reached; a recall of 0 is by the first prediction."""
    table, parts = matched.table, []
    for each in standings:
        reached = np.append(table.chunk.scores[matched.order[each.at]], 0.0)
        parts.append(reached[each.reached_by(needed, matched.positives)])
    scores = _joined(parts)
    has_any = np.diff(table.label_starts) > 0
    if max_detections == 0:
        has_any[:] = False
    first = np.zeros(len(has_any))
    first[has_any] = table.chunk.scores[matched.order[table.label_starts[:-1][has_any]]]
    scores = np.where(needed.T == 0, first, scores)
    scores[:, :, matched.positives == 0] = -1.0
    return scores


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)

"""Curves: precision at every recall, for all labels and IoU thresholds at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core.schemas.arrays import Codes, Floats
from valor_detection.kernels import matching as kernels
from valor_detection.matching import AreaRange, Matching, matching
from valor_detection.parameters import Rule
from valor_detection.rules import ALMOST_ONE, needed
from valor_detection.table import LABEL, Table

COCO_MAX_DETECTIONS = 100

_ALL = 1 << 40  # more detections than an image has


@frozen(kw_only=True, eq=False)
class Curves:
    """Interpolated precision-recall curves, as COCO draws them.

    Parameters
    ----------
    precisions : ndarray of float64, shape (n_ious, 101, n_labels)
        Greatest precision at a recall of 0, 0.01 … 1 or more, 0 where it is not reached; -1 for
        a label without ground truths.
    scores : ndarray of float64, shape (n_ious, 101, n_labels)
        Score at which the recall is reached.
    found : ndarray of int64, shape (n_ious, n_labels)
        Ground truths found by all predictions that count.
    positives : ndarray of int64, shape (n_labels,)
        Ground truths that count.
    """

    precisions: Floats
    scores: Floats
    found: Codes
    positives: Codes

    @property
    def recalls(self) -> Floats:
        """Share of the ground truths that are found, shape (n_ious, n_labels); -1 without any."""
        return recalls(self.found, self.positives)


def recalls(found: Codes, positives: Codes) -> Floats:
    """Share of the ground truths that are found, by label; -1 where there are none."""
    return np.where(positives > 0, found / np.maximum(positives, 1), -1.0)


def limit(max_detections: int | None, rule: Rule) -> int | None:
    """The detections that count where a parameter leaves it to the rule."""
    return COCO_MAX_DETECTIONS if max_detections is None and rule == "coco" else max_detections


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
    return drawn(matched, max_detections, np.empty((len(matched.positives), 0), np.int64)).found


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
    table = matched.table
    parts = [
        kernels.interpolated(
            matched.order,
            table.label_starts,
            table.chunk.scores,
            matched.ranks,
            _ALL if max_detections is None else max_detections,
            matched.places,
            matched.in_range,
            bits,
            excused,
            thresholds,
            needed,
            matched.positives,
        )
        for (bits, excused), thresholds in zip(matched.words, matched.word_sizes, strict=True)
    ]
    precisions, scores, hits = zip(*parts, strict=True)
    heights = _joined(precisions, axis=1).transpose(1, 2, 0)
    if matched.rule != "coco":
        # pycocotools divides by a count and a bit more, which shows in 1/1 alone.
        heights = np.where(heights > ALMOST_ONE, 1.0, heights)
    return Curves(
        precisions=heights,
        scores=_joined(scores, axis=1).transpose(1, 2, 0),
        found=_joined(hits, axis=0),
        positives=matched.positives,
    )


def _joined(parts: Sequence[NDArray[Any]], axis: int) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=axis)

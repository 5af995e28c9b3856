"""Accumulation: precisions, scores and recalls of all settings, in pycocotools' arrays."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from attrs import frozen

from valor_core.kernels import in_threads
from valor_core.schemas import Codes, Floats
from valor_detection.coco.comparison import Comparison
from valor_detection.coco.settings import Params
from valor_detection.matching.interpolated import drawn
from valor_detection.matching.matches import Matching
from valor_detection.matching.protocols import reaching
from valor_detection.matching.table import LABEL


@frozen(eq=False)
class Accumulated:
    """Curves of every area range and number of detections.

    Parameters
    ----------
    precision, scores : ndarray of float64
        Of shape (IoU thresholds, recalls, categories, area ranges, max detections).
    recall : ndarray of float64
        The same without recalls.
    """

    precision: Floats
    scores: Floats
    recall: Floats

    @classmethod
    def of(cls, comparison: Comparison, chosen: Params) -> Accumulated:
        """The curves of a comparison at the thresholds and recalls of parameters."""
        matchings = [comparison.matching((float(low), float(high))) for low, high in chosen.areaRng]
        comparison.table.pairs(LABEL)  # what all of them read is made before
        _ = comparison.table.ranks
        in_threads([each.prepare for each in matchings])
        found = cls._empty(comparison, chosen)
        in_threads(
            [
                partial(found._fill, (area, place), matched, int(most), chosen)
                for area, matched in enumerate(matchings)
                for place, most in enumerate(chosen.maxDets)
            ]
        )
        return found

    @classmethod
    def _empty(cls, comparison: Comparison, chosen: Params) -> Accumulated:
        """Room for all curves, those of one setting side by side in memory."""
        settings = len(chosen.areaRng), len(chosen.maxDets)
        ious, recalls = np.size(chosen.iouThrs), np.size(chosen.recThrs)
        shape = *settings, ious, recalls, len(comparison.categories)
        recall = np.empty((*settings, ious, len(comparison.categories)))
        precision, scores = (np.empty(shape).transpose(2, 3, 4, 0, 1) for _ in range(2))
        return cls(precision, scores, recall.transpose(2, 3, 0, 1))

    def _fill(self, setting: tuple[int, int], matched: Matching, most: int, chosen: Params) -> None:
        """Write down the curves of one setting, which are large and not kept."""
        ascending = np.sort(np.asarray(chosen.recThrs, np.float64))
        curves = drawn(matched, most, reaching(matched.positives, ascending))
        ious, recalls = places(chosen.iouThrs), places(chosen.recThrs)
        self.precision[:, :, :, *setting] = curves.precisions[np.ix_(ious, recalls)]
        self.scores[:, :, :, *setting] = curves.scores[np.ix_(ious, recalls)]
        self.recall[:, :, *setting] = curves.recalls[ious]


def places(thresholds: Any) -> Codes:
    """Place of each threshold among the ascending ones.

    Examples
    --------
    >>> places([0.75, 0.5])
    array([1, 0])
    """
    return np.argsort(np.argsort(np.asarray(thresholds), kind="stable"), kind="stable")

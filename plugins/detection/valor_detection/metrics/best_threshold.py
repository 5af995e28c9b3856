"""Best threshold: the score from which on predictions of a label count, and the numbers there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen
from valor_labels import (
    OBJECTIVE_PARAMETERS,
    POINT_NUMBERS,
    AppliedThresholds,
    CandidateThresholds,
    OperatingPoints,
    applied_thresholds,
    best_points,
    label_parameters,
)

from valor_core.results import Failed, Result, Undefined
from valor_core.schemas import Codes, Floats
from valor_core.states import StateRequest
from valor_detection.matching import settings
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.settings import Selection, selections
from valor_detection.matching.table import Flags, Table
from valor_detection.parameters.counts import BestThresholdParameters


@frozen(eq=False)
class _Predictions:
    """Counted predictions at one IoU threshold, and ground truths of each label."""

    labels: Codes
    scores: Floats
    is_true: Flags
    positives: Codes

    @classmethod
    def of(cls, table: Table, chosen: Selection, iou_threshold: float) -> _Predictions:
        matched = chosen.matching(table)
        is_matched, is_ignored = matched.at(iou_threshold)
        is_true = is_matched & ~is_ignored
        rows = np.flatnonzero((is_true | (matched.in_range & ~is_matched)) & chosen.counts(table))
        objects = table.objects
        return cls(objects.labels[rows], objects.scores[rows], is_true[rows], matched.positives)

    def grouped(self, groups: Sequence[Sequence[int]]) -> _Predictions:
        """Return the predictions with the labels of each group replaced by one."""
        group_of = np.full(len(self.positives), -1)
        for group, codes in enumerate(groups):
            group_of[list(codes)] = group
        labels = group_of[self.labels]
        kept = labels >= 0
        has_group = group_of >= 0
        positives = np.bincount(
            group_of[has_group], self.positives[has_group], minlength=len(groups)
        ).astype(np.int64)
        return _Predictions(labels[kept], self.scores[kept], self.is_true[kept], positives)

    def at(self, thresholds: Sequence[float | Undefined | Failed]) -> OperatingPoints:
        """Return the counts at a threshold per label."""
        limits = np.array([one if isinstance(one, float) else np.inf for one in thresholds])
        passes = self.scores >= limits[self.labels]
        count = len(limits)
        tp = np.bincount(self.labels[passes & self.is_true], minlength=count)
        fp = np.bincount(self.labels[passes & ~self.is_true], minlength=count)
        return OperatingPoints.at(thresholds, tp=tp, fp=fp, fn=self.positives - tp)

    def best(self, objective: Mapping[str, Any], names: Sequence[str]) -> OperatingPoints:
        """Return the best threshold of each label, and the counts there."""
        columns = self.labels, self.scores, self.is_true, self.positives
        return best_points(CandidateThresholds.of_predictions(*columns), objective, names)


@frozen
class BestThreshold:
    """Score threshold of each label that is best by an objective, and the numbers there.

    Predictions below the threshold are discarded; those at or above it match as in `Precision` and
    `Recall`. The value holds ``threshold``, ``precision``, ``recall``, ``f1``, the counts ``tp``,
    ``fp`` and ``fn``, and if it is none of these, the objective: ``f_beta`` or ``cost``.

    Thresholds are scores of true positives, since no other is better. Of equal optima the highest
    is chosen, except among thresholds of equal precision, where the one with the greatest recall
    is. Undefined for labels without ground truths, or for which no threshold reaches the minimum.

    With `apply`, thresholds are those of a saved report, such as one of validation images, and the
    numbers are those of the evaluated images.

    Parameters
    ----------
    parameters : BestThresholdParameters
        Objective, averages, report with thresholds to apply, IoU thresholds, and matching.

    Notes
    -----
    Numbers at a threshold that was found on the same images are too good. Apply it to other images
    to get valid ones, which also have intervals.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> boxes = [Box(0, 0, 4, 4), Box(5, 0, 9, 4), Box(0, 6, 4, 9)]
    >>> scores = [0.9, 0.6, 0.3]
    >>> predicted = [PredictedObject({"dog": s}, box) for s, box in zip(scores, boxes)]
    >>> item = Detection("a", [TrueObject("dog", box) for box in boxes[:2]], predicted)
    >>> value = evaluate([item], ["BestThreshold"])["BestThreshold"].find(label="dog").value
    >>> value["threshold"], value["precision"], value["recall"]
    (0.6, 1.0, 1.0)
    """

    parameters: BestThresholdParameters
    applied: Mapping[Any, AppliedThresholds] = field(init=False, repr=False)

    @applied.default
    def _read(self) -> dict[Any, AppliedThresholds]:
        if self.parameters.apply is None:
            return {}
        return {
            (chosen.area_range, iou): applied_thresholds(
                "detection.BestThreshold", self.parameters, _place(chosen, iou)
            )
            for chosen in selections(self.parameters)
            for iou in self.parameters.iou_thresholds
        }

    @property
    def no_interval(self) -> Mapping[str, str]:
        """Reasons why numbers at the best threshold of the same images have no interval."""
        if not self.applied:
            return dict.fromkeys(POINT_NUMBERS, "the place of a maximum")
        return {"threshold": "found on other data"}

    def needs(self) -> tuple[StateRequest, ...]:
        """Request overlaps of objects with one label."""
        return (settings.request(self.parameters, self.parameters.iou_thresholds),)

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """Yield a result for each area range, IoU threshold and label, and for all labels."""
        table = state.table
        for chosen in selections(self.parameters):
            for iou in self.parameters.iou_thresholds:
                predictions = _Predictions.of(table, chosen, iou)
                applied = self.applied.get((chosen.area_range, iou))
                objective, at = self.parameters.settings, _place(chosen, iou)
                shaped = at | objective
                if applied is not None:
                    objective = dict(applied.settings)
                    shaped = at | objective | {"applied": True}
                for average in self.parameters.average:
                    yield from _results(predictions, table, average, applied, objective, shaped)


def _place(chosen: Selection, iou_threshold: float) -> dict[str, Any]:
    """Return the parameters of results besides their label and objective."""
    others = (*OBJECTIVE_PARAMETERS, "apply")
    coordinates = {k: v for k, v in chosen.coordinates.items() if k not in others}
    return {"iou_threshold": iou_threshold} | coordinates


def _results(
    predictions: _Predictions,
    table: Table,
    average: str,
    applied: AppliedThresholds | None,
    objective: Mapping[str, Any],
    shaped: Mapping[str, Any],
) -> Iterator[Result]:
    """Yield the results of all labels, or of all labels of each key together."""
    if average == "micro":
        keys = list(table.seen)
        predictions = predictions.grouped([table.seen[key] for key in keys])
        names = ["any label"] * len(keys)
        places: list[dict[str, Any]] = [{"label_key": key, "average": "micro"} for key in keys]
        found = [applied.of_all(key) for key in keys] if applied else []
    else:
        labels = [table.labels[code] for codes in table.seen.values() for code in codes]
        predictions = predictions.grouped([[c] for codes in table.seen.values() for c in codes])
        names, places = [repr(str(label)) for label in labels], list(map(label_parameters, labels))
        found = [applied.of(label) for label in labels] if applied else []
    points = predictions.at(found) if applied else predictions.best(objective, names)
    for place, value in zip(places, points.values(objective), strict=True):
        yield Result(parameters=place | dict(shaped), value=value)

"""Precision-recall curve of every label, by score threshold or by recall."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen

from valor_core.parameters import changed_parameters
from valor_core.results import Result, ratios
from valor_core.states import StateRequest
from valor_detection.matching import settings
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.settings import Selection, selections
from valor_detection.matching.table import Table
from valor_detection.matching.threshold_counts import EvaluationState, tally
from valor_detection.parameters.counts import PrecisionRecallCurveParameters

_POINT = ("tp", "fp", "fn", "precision", "recall", "f1_score")


@frozen
class PrecisionRecallCurve:
    """Counts, precision, recall and F1 of every label at every score threshold.

    In the form ``interpolated`` it is the curve whose mean is average precision: for 101 recalls
    from 0 to 1, the greatest precision at that recall or a higher one, and the score at which the
    recall is reached. By default it counts all predictions and sizes.

    Parameters
    ----------
    parameters : PrecisionRecallCurveParameters
        Form, thresholds, the value of 0/0, the protocol, and limits.

    Returns
    -------
    Result of dict
        By label, then by score threshold: ``tp``, ``fp``, ``fn``, ``precision``, ``recall`` and
        ``f1_score``. In the form ``interpolated``, by label: lists of 101 ``recalls``,
        ``precisions`` and ``scores``. Both are 0 at recalls that are not reached. Labels without
        ground truths are excluded, and their number is in the result.

    References
    ----------
    .. [1] Striveworks Valor, metrics documentation of 2024, "Precision-Recall Curves".
    .. [2] pycocotools, ``COCOeval.accumulate``.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 4, 4))
    >>> predicted = PredictedObject({"dog": 1}, Box(0, 0, 4, 3))
    >>> report = evaluate([Detection("a", [true], [predicted])], ["PrecisionRecallCurve"])
    >>> report["PrecisionRecallCurve"].value["dog"]["0.5"]["recall"]
    1.0
    """

    parameters: PrecisionRecallCurveParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request overlaps of objects with one label."""
        return (settings.request(self.parameters, (self.parameters.iou_threshold,)),)

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """Yield a result for each area range and label key."""
        table, threshold = state.table, self.parameters.iou_threshold
        result_of = self._thresholds if self.parameters.form == "thresholds" else self._interpolated
        for chosen in selections(self.parameters):
            for key, codes in table.seen.items():
                at = {"label_key": key, "iou_threshold": threshold, **chosen.coordinates}
                at |= changed_parameters(self.parameters, "area_ranges", "form")
                yield result_of(table, chosen, codes, at)

    def _thresholds(
        self, table: Table, chosen: Selection, codes: Sequence[int], at: dict[str, Any]
    ) -> Result:
        counts = tally(
            table, chosen, self.parameters.iou_threshold, self.parameters.score_thresholds
        )
        names = [repr(threshold) for threshold in counts.score_thresholds]
        curves = {
            table.labels[code].value: dict(zip(names, self._points(counts, code), strict=True))
            for code in codes
        }
        return Result(parameters=at, value=curves)

    def _points(self, counts: EvaluationState, code: int) -> list[dict[str, Any]]:
        tp, fp, fn = counts.tp[:, code], counts.fp[:, code], counts.fn[:, code]
        zero_division = self.parameters.zero_division
        columns = (
            tp.tolist(),
            fp.tolist(),
            fn.tolist(),
            ratios(tp, tp + fp, zero_division),
            ratios(tp, tp + fn, zero_division),
            ratios(2 * tp, 2 * tp + fp + fn, zero_division),
        )
        return [dict(zip(_POINT, row, strict=True)) for row in zip(*columns, strict=True)]

    def _interpolated(
        self, table: Table, chosen: Selection, codes: Sequence[int], at: dict[str, Any]
    ) -> Result:
        found = chosen.curves(table)
        row = table.iou_thresholds.index(self.parameters.iou_threshold)
        with_truth = [code for code in codes if found.positives[code]]
        curves = {
            table.labels[code].value: {
                "recalls": chosen.protocol.precision.recalls,
                "precisions": found.precisions[row, :, code].tolist(),
                "scores": found.scores[row, :, code].tolist(),
            }
            for code in with_truth
        }
        without = len(codes) - len(with_truth)
        return Result(
            parameters={**at, "form": "interpolated"},
            value=curves,
            left_out={"no ground truths of the label": without} if without else {},
        )

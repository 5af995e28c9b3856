"""Best threshold: the score from which on a label is predicted, and the numbers it gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import field, frozen
from valor_labels import (
    POINT_NUMBERS,
    AppliedThresholds,
    OperatingPoints,
    applied_thresholds,
    best_points,
    label_parameters,
)

from valor_classification.counting import applied_counts, scores
from valor_classification.counting.applied_counts import KeyAppliedCounts
from valor_classification.counting.by_key import StateByKey
from valor_classification.counting.candidate_thresholds import (
    candidates_by_label,
    candidates_of_all,
)
from valor_classification.counting.score_checks import ScorelessPredictions, scores_request
from valor_classification.counting.scores import KeyRanking
from valor_classification.parameters.scored import BestThresholdParameters
from valor_core.results import Result
from valor_core.states import StateRequest


@frozen
class BestThreshold:
    """Score threshold of each label that is best by an objective, and the numbers there.

    Every (item, label) pair is a separate binary problem, as in `PrecisionRecallCurve`: a label is
    predicted if its score is at least the threshold. The value holds ``threshold``, ``precision``,
    ``recall``, ``f1``, ``specificity``, the counts ``tp``, ``fp``, ``fn`` and ``tn``, and if it is
    none of these, the objective: ``f_beta``, ``youden`` or ``cost``.

    Thresholds are scores of true positives, since no other is better. Of equal optima the highest
    is chosen, except among thresholds of equal precision, where the one with the greatest recall
    is. Undefined for labels without ground truths, or for which no threshold reaches the minimum.

    With `apply`, thresholds are those of a saved report, such as one of validation data, and the
    numbers are those of the evaluated data.

    Parameters
    ----------
    parameters : BestThresholdParameters
        Objective, averages, and the report with thresholds to apply.

    Notes
    -----
    Numbers at a threshold that was found on the same data are too good. Apply it to other data to
    get valid ones, which also have intervals.

    Predictions and thresholds equal those of scikit-learn's ``precision_recall_curve``,
    ``roc_curve`` and ``TunedThresholdClassifierCV`` if the latter tries every score.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_classification.readers.arrays import from_arrays
    >>> batch = from_arrays([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> value = evaluate(batch, ["BestThreshold"])["BestThreshold", "1"].value
    >>> value["threshold"], value["precision"], value["recall"]
    (0.35, 0.6666666666666666, 1.0)
    """

    parameters: BestThresholdParameters
    applied: AppliedThresholds | None = field(init=False)

    @applied.default
    def _read(self) -> AppliedThresholds | None:
        if self.parameters.apply is None:
            return None
        return applied_thresholds("classification.BestThreshold", self.parameters)

    @property
    def no_interval(self) -> Mapping[str, str]:
        """Reasons why numbers at the best threshold of the same data have no interval."""
        if self.applied is None:
            return dict.fromkeys(POINT_NUMBERS, "the place of a maximum")
        return {"threshold": "found on other data"}

    def needs(self) -> tuple[StateRequest, ...]:
        """Request all scores, or the counts at given thresholds."""
        if self.applied is None:
            return scores.request(), scores_request()
        return applied_counts.request(self.applied), scores_request()

    def compute(self, state: StateByKey, answers: ScorelessPredictions) -> Iterator[Result]:
        """Yield one result for each label, and one for all labels together."""
        settings, shaped = self.parameters.settings, {}
        if self.applied is not None:
            settings, shaped = dict(self.applied.settings), {"applied": True}
        for key, part in state.sorted():
            refusal = answers.of(key).refusal
            for average in self.parameters.average:
                at: list[dict[str, Any]] = [{"label_key": key, "average": average}]
                if average == "none":
                    at = [label_parameters(label) for label in part.labels]
                points = self._points(key, part, average, settings)
                for place, value in zip(at, points.values(settings), strict=True):
                    parameters = place | settings | shaped
                    yield Result(parameters=parameters, value=value if refusal is None else refusal)

    def _points(
        self,
        key: str,
        part: KeyRanking | KeyAppliedCounts,
        average: str,
        settings: Mapping[str, Any],
    ) -> OperatingPoints:
        if isinstance(part, KeyAppliedCounts):
            assert self.applied is not None
            if average == "micro":
                return part.point_of_all(key, self.applied)
            return part.points(self.applied)
        if average == "micro":
            return best_points(candidates_of_all(part), settings, ["any label"])
        names = [repr(str(label)) for label in part.labels]
        return best_points(candidates_by_label(part), settings, names)

"""Localization recall precision (LRP) error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from attrs import frozen
from valor_labels import label_parameters

from valor_core.parameters import changed_parameters
from valor_core.results import MetricDetails, Result, Undefined, mean_of_defined
from valor_core.schemas import Codes, Floats
from valor_core.schemas.geometry.shapes import ends
from valor_core.states import ExactSums, StateRequest
from valor_detection.matching import candidate_pairs
from valor_detection.matching.candidate_pairs import Overlaps
from valor_detection.matching.protocols import protocol_of
from valor_detection.matching.ranked import ranking
from valor_detection.matching.table import Flags, Table
from valor_detection.matching.threshold_counts import threshold_details
from valor_detection.parameters.errors import LRPParameters, OptimalLRPParameters

Parameters = LRPParameters | OptimalLRPParameters
Value = dict[str, float | None] | Undefined

_UNIT = 2.0**38  # sums of up to 2**25 errors, each a whole number of 1 / _UNIT, fit in an int64


@frozen
class LRP:
    """Localization recall precision error of each label at a score threshold, and their mean.

    The mean error of all objects: an unmatched prediction or ground truth counts 1, a match
    (1 - IoU) / (1 - IoU threshold). 0 is perfect, 1 is without any match. The value has ``lrp`` and
    its components, each in [0, 1], and null if undefined: ``localization``, the mean of 1 - IoU
    over matches; ``false_positive``, the share of unmatched predictions; ``false_negative``, the
    share of unmatched ground truths. Undefined for labels with neither ground truths nor
    predictions.

    Parameters
    ----------
    parameters : LRPParameters
        Thresholds and protocol.

    Notes
    -----
    Results without a label are means over the labels with ground truths for which the component is
    defined.

    References
    ----------
    .. [1] Oksuz et al., "One Metric to Measure Them All: Localisation Recall Precision (LRP) for
       Evaluating Visual Detection Tasks", TPAMI 2021, section 4.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 8, 8))
    >>> predicted = PredictedObject({"dog": 0.75}, Box(0, 0, 8, 6))
    >>> report = evaluate([Detection("a", [true], [predicted])], ["LRP"])
    >>> report["LRP"].find(label="dog").value["lrp"]
    0.5
    """

    parameters: LRPParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request overlaps of objects with one label."""
        return (_request(self.parameters),)

    def details(self, state: Overlaps, resources: object) -> MetricDetails:
        """Return warnings for score thresholds that change nothing."""
        return threshold_details(state.table, self.parameters.score_thresholds)

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """Yield a result for each score threshold and label, and their mean for each key."""
        table, chosen = state.table, self.parameters
        errors = _Errors.of(table, chosen)
        for threshold in chosen.score_thresholds:
            values = errors.at(np.full(len(table.labels), threshold))
            at = {"score_threshold": threshold}
            for value in values:
                if isinstance(value, dict):
                    del value["score_threshold"]
            yield from _results(table, chosen, errors.positives, values, at)


@frozen
class OptimalLRP:
    """Least localization recall precision error over all score thresholds (oLRP).

    The value is that of `LRP` at the ``score_threshold`` with the least error, the highest one of
    equal ones. Labels without any match have an error of 1 and no threshold.

    Parameters
    ----------
    parameters : OptimalLRPParameters
        IoU threshold and protocol.

    Notes
    -----
    Thresholds are the scores in the data. Programs that try 0, 0.01 … 1 give the same or a higher
    error.
    Results without a label are means over the labels with ground truths.

    References
    ----------
    .. [1] Oksuz et al., "One Metric to Measure Them All: Localisation Recall Precision (LRP) for
       Evaluating Visual Detection Tasks", TPAMI 2021, section 5, Optimal LRP.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.detection import Detection, PredictedObject, TrueObject
    >>> from valor_core.schemas.geometry import Box
    >>> true = TrueObject("dog", Box(0, 0, 8, 8))
    >>> predicted = PredictedObject({"dog": 0.75}, Box(0, 0, 8, 6))
    >>> report = evaluate([Detection("a", [true], [predicted])], ["OptimalLRP"])
    >>> report["OptimalLRP"].find(label="dog").value["score_threshold"]
    0.75
    """

    no_interval: ClassVar[Mapping[str, str]] = {"score_threshold": "the place of a minimum"}

    parameters: OptimalLRPParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request overlaps of objects with one label."""
        return (_request(self.parameters),)

    def compute(self, state: Overlaps) -> Iterator[Result]:
        """Yield a result for each label, and their mean for each key."""
        table, chosen = state.table, self.parameters
        errors = _Errors.of(table, chosen)
        values = errors.at(errors.best_thresholds())
        yield from _results(table, chosen, errors.positives, values, {})


@frozen(eq=False)
class _Errors:
    """Counted predictions, by label and descending score.

    Parameters
    ----------
    iou_threshold : float
        Minimum IoU of a match.
    labels : ndarray of int64, shape (n,)
        Labels.
    scores : ndarray of float64, shape (n,)
        Scores.
    is_true : ndarray of bool, shape (n,)
        True for matched predictions.
    gaps : ndarray of float64, shape (n,)
        1 - IoU of the match, 0 without a match.
    positives : ndarray of int64, shape (n_labels,)
        Counted ground truths.
    """

    iou_threshold: float
    labels: Codes
    scores: Floats
    is_true: Flags
    gaps: Floats
    positives: Codes

    @classmethod
    def of(cls, table: Table, chosen: Parameters) -> _Errors:
        """Create the counted predictions of a table."""
        ranked = ranking(table, chosen)
        gaps = np.zeros(len(ranked.rows))
        is_true = ranked.is_true
        ious = ranked.matched.ious(chosen.iou_threshold)[ranked.rows[is_true]]
        # Rounding makes some IoUs of masks or of boxes far from the origin exceed 1.
        gaps[is_true] = np.maximum(1 - ious, 0.0)
        positives = ranked.matched.positives
        return cls(chosen.iou_threshold, ranked.labels, ranked.scores, is_true, gaps, positives)

    def best_thresholds(self) -> Floats:
        """Return the score of each label with the least error.

        Infinity for labels without matches, which excludes all predictions. Minus infinity for
        labels without ground truths, whose error is 1 at any threshold with predictions.
        """
        count = len(self.positives)
        best = np.where(self.positives > 0, np.inf, -np.inf)
        if not len(self.labels):
            return best
        starts = ends(np.bincount(self.labels, minlength=count))
        errors, first = self._errors_so_far(starts), starts[:-1][starts[1:] > starts[:-1]]
        least = np.repeat(np.minimum.reduceat(errors, first), np.diff([*first, len(errors)]))
        optima = np.flatnonzero(errors == least)
        labels, of_label = np.unique(self.labels[optima], return_index=True)
        has_hit = np.bincount(self.labels[self.is_true], minlength=count)[labels] > 0
        best[labels[has_hit]] = self.scores[optima[of_label[has_hit]]]
        return best

    def _errors_so_far(self, starts: Codes) -> Floats:
        """Return the error up to each prediction of a label; infinity between equal scores."""
        before = starts[self.labels]

        def so_far(values: Codes) -> Codes:
            totals = ends(values)
            return totals[1:] - totals[before]

        true = so_far(self.is_true.astype(np.int64))
        gaps = so_far(np.rint(self.gaps * _UNIT).astype(np.int64)) / _UNIT
        predictions = np.arange(1, len(self.labels) + 1) - before
        positives = self.positives[self.labels]
        wrong = predictions + positives - 2 * true
        errors: Floats = (gaps / (1 - self.iou_threshold) + wrong) / (wrong + true)
        is_between = (np.diff(self.scores) == 0) & (np.diff(self.labels) == 0)
        errors[:-1][is_between] = np.inf
        return errors

    def at(self, thresholds: Floats) -> list[Value]:
        """Return the error of each label and its components at a score threshold per label."""
        count = len(self.positives)
        passes = self.scores >= thresholds[self.labels]
        predictions = np.bincount(self.labels[passes], minlength=count).tolist()
        hits = passes & self.is_true
        found = np.bincount(self.labels[hits], minlength=count).tolist()
        sums = ExactSums()
        sums.grow(count)
        sums.add(self.labels[hits], self.gaps[hits])
        columns = (
            predictions,
            found,
            self.positives.tolist(),
            list(sums.values),
            thresholds.tolist(),
        )
        return [self._value(*row) for row in zip(*columns, strict=True)]

    def _value(
        self, predictions: int, found: int, positives: int, gaps: float, threshold: float
    ) -> Value:
        total = predictions + positives - found
        if not total:
            return Undefined("neither ground truths nor predictions that count")
        wrong = total - found
        return {
            "lrp": (gaps / (1 - self.iou_threshold) + wrong) / total,
            "localization": gaps / found if found else None,
            "false_positive": (predictions - found) / predictions if predictions else None,
            "false_negative": (positives - found) / positives if positives else None,
            "score_threshold": threshold if np.isfinite(threshold) else None,
        }


def _request(chosen: Parameters) -> StateRequest:
    return candidate_pairs.request((chosen.iou_threshold,), protocol_of(chosen))


def _results(
    table: Table,
    chosen: Parameters,
    positives: Codes,
    values: Sequence[Value],
    at: dict[str, Any],
) -> Iterator[Result]:
    shared = (
        {"iou_threshold": chosen.iou_threshold}
        | at
        | changed_parameters(chosen, "score_thresholds")
    )
    for key, codes in table.seen.items():
        for code in codes:
            yield Result(
                parameters=label_parameters(table.labels[code]) | shared, value=values[code]
            )
        yield _mean(
            [
                values[code]
                if positives[code] or chosen.include_prediction_only_labels
                else Undefined("label only in predictions")
                for code in codes
            ],
            {"label_key": key} | shared,
        )


def _mean(values: Sequence[Value], parameters: dict[str, Any]) -> Result:
    """Return the mean of every component over the labels for which it is defined."""
    defined = [value for value in values if isinstance(value, dict)]
    main, left_out = mean_of_defined(
        [value if isinstance(value, Undefined) else value["lrp"] or 0.0 for value in values],
        "labels",
    )
    if isinstance(main, Undefined):
        return Result(parameters=parameters, value=main, left_out=left_out)
    means: dict[str, float | None] = {}
    for name in defined[0]:
        numbers = [value[name] for value in defined]
        part, _ = mean_of_defined([number for number in numbers if number is not None], "labels")
        means[name] = None if isinstance(part, Undefined) else part
    means.pop("score_threshold", None)
    return Result(parameters=parameters, value=means, left_out=left_out)

"""ROC curves of each label, and the areas under them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray
from valor_labels import LabelValues

from valor_classification import kernels
from valor_classification.counting import scores
from valor_classification.counting.by_key import StateByKey
from valor_classification.counting.score_checks import (
    ScorelessPredictions,
    ScoreRange,
    refusal,
    scores_request,
)
from valor_classification.counting.scores import KeyRanking, LabelScores, Ranking
from valor_classification.counting.threshold_counts import KeyLabelCounts
from valor_classification.counting.weighted_scores import WeightedScores
from valor_classification.parameters.scored import (
    MeanRankParameters,
    RankParameters,
    ROCCurveParameters,
)
from valor_core.kernels import thread_count
from valor_core.parameters import changed_parameters
from valor_core.results import LazyValue, NumberOrReason, Result, Undefined
from valor_core.schemas import Label
from valor_core.states import StateRequest

Curve = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
_THREAD_DATUMS = 1 << 14  # scores of a label that are worth a thread


def _areas(key: str, part: KeyRanking | KeyLabelCounts, bins: int | None) -> LabelValues:
    """Return the area under the ROC curve of every label."""
    if isinstance(part, KeyRanking):
        areas = part.areas()
        positives, negatives, values = areas.positives, areas.negatives, areas.auc
    else:
        tp, fp, positives = scores.binned_counts(part, bins or 0)
        negatives = fp[:, -1]
        steps = np.diff(fp, axis=1, prepend=0) * (
            tp + np.roll(tp, 1, axis=1) * (np.arange(tp.shape[1]) > 0)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            values = steps.sum(axis=1) / 2 / (positives * negatives)
    rows = (part.labels, positives.tolist(), negatives.tolist(), values.tolist())
    return LabelValues(
        key=key,
        labels=part.labels,
        truths=positives,
        values=[_area(*row) for row in zip(*rows, strict=True)],
    )


def _area(label: Label, positives: int, negatives: int, value: float) -> NumberOrReason:
    if not positives:
        return Undefined(f"no ground truths of {str(label)!r}")
    return value if negatives else Undefined(f"no items without ground truth {str(label)!r}")


@frozen(repr=False)
class AreaMetric:
    """Metric of the areas under a curve of each label, and their averages."""

    parameters: Any

    def needs(self) -> tuple[StateRequest, ...]:
        """Request all scores, or their histogram."""
        return scores.area_requests(self.parameters.bins)

    def areas(self, key: str, part: KeyRanking | KeyLabelCounts) -> LabelValues:
        """Return the area of every label of a key."""
        raise NotImplementedError

    def compute(
        self, state: StateByKey, *checks: ScorelessPredictions | ScoreRange
    ) -> Iterator[Result]:
        """Yield the results of the labels of each key, or averages over them."""
        chosen = getattr(self.parameters, "average", "none")
        settings = changed_parameters(self.parameters, "average")
        for key, part in state.sorted():
            areas = evolve(self.areas(key, part), refusal=refusal(key, checks))
            for average in (chosen,) if isinstance(chosen, str) else chosen:
                yield from areas.results(average, settings)


@frozen(repr=False)
class ROCAUC(AreaMetric):
    """Chance that a random item of the label scores higher than one of the rest.

    The area under the ROC curve, one label against the rest, with ties counting one half. Items
    that do not list the label rank below all that do, tied with each other. Undefined for a
    label without ground truths or without other items. Bins fail where a score is outside [0, 1].

    Parameters
    ----------
    parameters : RankParameters
        Exact, or binned.

    Notes
    -----
    Equal to scikit-learn's ``roc_auc_score`` of each label against the rest; the quotient of
    exact counts is rounded once.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import ClassificationBatch
    >>> from valor_classification.readers.arrays import from_arrays
    >>> batch = from_arrays([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> evaluate(batch, ["ROCAUC"])["ROCAUC", "1"].value
    0.75
    """

    parameters: RankParameters

    def areas(self, key: str, part: KeyRanking | KeyLabelCounts) -> LabelValues:
        """Return the area under the ROC curve of every label."""
        return _areas(key, part, self.parameters.bins)


@frozen(repr=False)
class MeanROCAUC(AreaMetric):
    """Mean of `ROCAUC` over the labels of a key. Labels without a value are excluded and counted.

    Parameters
    ----------
    parameters : MeanRankParameters
        Plain or weighted mean, exact or binned.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import ClassificationBatch
    >>> from valor_classification.readers.arrays import from_arrays
    >>> batch = from_arrays([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> evaluate(batch, ["mROCAUC"])["mROCAUC"].value
    0.75
    """

    parameters: MeanRankParameters

    def areas(self, key: str, part: KeyRanking | KeyLabelCounts) -> LabelValues:
        """Return the area under the ROC curve of every label."""
        return _areas(key, part, self.parameters.bins)


@frozen(repr=False)
class ROCCurve:
    """False and true positive rates at every distinct score, each label against the rest.

    The curve starts at (0, 0), where nothing is predicted and the threshold is null, and ends at
    (1, 1). A last threshold of null represents items that do not list the label.

    Parameters
    ----------
    parameters : ROCCurveParameters
        Whether to omit points on straight lines.

    Notes
    -----
    Equal to scikit-learn's ``roc_curve``, whose first threshold is infinite.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import ClassificationBatch
    >>> from valor_classification.readers.arrays import from_arrays
    >>> batch = from_arrays([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> evaluate(batch, ["ROCCurve"])["ROCCurve"].value["1"]["thresholds"]
    [None, 0.8, 0.4, 0.35, 0.1]
    """

    parameters: ROCCurveParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request all scores."""
        return scores.request(), scores_request()

    def compute(self, state: Ranking, answers: ScorelessPredictions) -> Iterator[Result]:
        """Yield one result for each label key, a curve or a reason by label."""
        for key, part in state.sorted():
            parameters = {"label_key": key} | changed_parameters(self.parameters)
            refusal = answers.of(key).refusal
            deferred = LazyValue(partial(_read, dict(self._curves(part))))
            value = deferred if refusal is None else refusal
            yield Result(parameters=parameters, value=value)

    def _curves(self, part: KeyRanking) -> Iterator[tuple[str, Curve | str]]:
        """Curves by label, some labels at a time in threads where it pays."""
        labels: Iterator[LabelScores | WeightedScores] = (
            part.of_weighted_labels() if part.is_weighted else part.of_labels()
        )
        threads = thread_count()
        if threads == 1 or part.datums < _THREAD_DATUMS:
            yield from ((one.label.value, self._curve(one)) for one in labels)
            return
        with ThreadPoolExecutor(threads) as pool:
            while batch := list(islice(labels, threads)):
                names = [one.label.value for one in batch]
                yield from zip(names, pool.map(self._curve, batch), strict=True)

    def _curve(self, one: LabelScores | WeightedScores) -> Curve | str:
        """False positives, true positives and thresholds, or why there is no curve."""
        if isinstance(one, WeightedScores):
            curve = one.curve(bends=self.parameters.drop_intermediate)
        else:
            curve = kernels.ranking.rank_curve(
                one.scores,
                one.positive_scores,
                unlisted_positives=one.unlisted_positives,
                unlisted_negatives=one.unlisted_negatives,
                bends=self.parameters.drop_intermediate,
            )
        tp, fp = curve.true_positives, curve.false_positives
        if not tp[-1]:
            return f"no ground truths of {str(one.label)!r}"
        if not fp[-1]:
            return f"no items without ground truth {str(one.label)!r}"
        return fp.copy(), tp.copy(), curve.thresholds.copy()


def _read(curves: Mapping[str, Curve | str]) -> dict[str, dict[str, Any]]:
    """Curves by label as a report has them: from the point that no score reaches."""
    return {label: _points(curve) for label, curve in curves.items()}


def _points(curve: Curve | str) -> dict[str, Any]:
    if isinstance(curve, str):
        return {"undefined": curve}
    fp, tp, thresholds = curve
    listed: list[float | None] = [None, *thresholds.tolist()]
    if thresholds[-1] == -np.inf:  # items that do not list the label
        listed[-1] = None
    return {"fpr": _shares(fp), "tpr": _shares(tp), "thresholds": listed}


def _shares(counts: NDArray[np.signedinteger[Any]]) -> list[float]:
    """Ascending counts as shares of the last one, after a first one of 0."""
    shares: list[float] = (counts / counts[-1]).tolist()
    return [0.0, *shares]

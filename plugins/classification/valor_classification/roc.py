"""ROC: how well the scores of each label rank its items above the others."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_classification import kernels, label_counts, ranking
from valor_classification.keyed import Keyed
from valor_classification.label_counts import LabelCountsPart
from valor_classification.parameters import (
    MeanRankParameters,
    RankParameters,
    ROCCurveParameters,
)
from valor_classification.ranking import LabelScores, Ranking, RankingPart
from valor_core import averages
from valor_core.averages import Value
from valor_core.result import Deferred, Nullable, Result, Undefined
from valor_core.schemas.arrays import Codes
from valor_core.schemas.label import Label
from valor_core.state import StateRequest
from valor_core.threads import thread_count

_THREAD_DATUMS = 1 << 14  # scores of a label that are worth a thread


@frozen(kw_only=True, eq=False)
class LabelValues:
    """A value for each label of a key, sorted, with its number of ground truths."""

    labels: tuple[Label, ...]
    truths: Codes
    values: list[Value]


def bin_edges(bins: int) -> tuple[float, ...]:
    """Lower edges of equal bins in [0, 1], the thresholds of a binned ranking."""
    return tuple(i / bins for i in range(bins))


def rank_request(bins: int | None) -> StateRequest:
    """The state behind an exact or a binned area."""
    if bins is None:
        return ranking.request()
    return label_counts.request(bin_edges(bins), hardmax=False)


def binned_counts(part: LabelCountsPart, bins: int) -> tuple[NDArray[Any], NDArray[Any], Codes]:
    """True and false positives at every lower edge from the highest, and everything last.

    Returns
    -------
    tp, fp : ndarray of int64, shape (n_labels, bins + 1)
        The last column is all datums, listed or not.
    truths : ndarray of int64, shape (n_labels,)
        Ground truths of each label.
    """
    counts = part.all_at(bin_edges(bins)[::-1])
    truths = counts[0].truths
    tp = np.stack([*(one.tp for one in counts), truths], axis=1)
    fp = np.stack([*(one.fp for one in counts), part.datums - truths], axis=1)
    return tp, fp, truths


def roc_areas(part: RankingPart | LabelCountsPart, bins: int | None) -> LabelValues:
    """Area under the ROC curve of every label."""
    if isinstance(part, RankingPart):
        areas = part.areas()
        positives, negatives, values = areas.positives, areas.negatives, areas.auc
        labels = part.labels
    else:
        tp, fp, positives = binned_counts(part, bins or 0)
        negatives = part.datums - positives
        labels = part.at(0.0).labels
        steps = np.diff(fp, axis=1, prepend=0) * (
            tp + np.roll(tp, 1, axis=1) * (np.arange(tp.shape[1]) > 0)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            values = steps.sum(axis=1) / 2 / (positives * negatives)
    return LabelValues(
        labels=labels,
        truths=positives,
        values=[
            _area(label, *row)
            for label, *row in zip(
                labels, positives.tolist(), negatives.tolist(), values.tolist(), strict=True
            )
        ],
    )


def _area(label: Label, positives: int, negatives: int, value: float) -> Value:
    if not positives:
        return Undefined(f"no ground truths of {str(label)!r}")
    return value if negatives else Undefined(f"no items without ground truth {str(label)!r}")


def _shaped(bins: int | None) -> dict[str, Any]:
    return {} if bins is None else {"bins": bins}


@frozen
class ROCAUC:
    """Chance that a random item of the label scores higher than one of the rest.

    The area under the ROC curve, one label against the rest, with ties counting one half. Items
    that do not list the label rank below all that do, tied with each other. Undefined for a
    label without ground truths or without other items.

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
    >>> batch = ClassificationBatch.from_arrays([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> evaluate(batch, ["ROCAUC"])["ROCAUC", "1"].value
    0.75
    """

    parameters: RankParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """All scores, or their histogram."""
        return (rank_request(self.parameters.bins),)

    def compute(self, state: Keyed) -> Iterator[Result]:
        """One result for each label."""
        for _, part in state.sorted():
            areas = roc_areas(part, self.parameters.bins)
            for label, value in zip(areas.labels, areas.values, strict=True):
                parameters = averages.coordinates(label) | _shaped(self.parameters.bins)
                yield Result(parameters=parameters, value=value)


@frozen
class MeanROCAUC:
    """Mean of `ROCAUC` over the labels of a key; labels without a value are left out and counted.

    Parameters
    ----------
    parameters : MeanRankParameters
        Plain or weighted mean, exact or binned.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import ClassificationBatch
    >>> batch = ClassificationBatch.from_arrays([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> evaluate(batch, ["mROCAUC"])["mROCAUC"].value
    0.75
    """

    parameters: MeanRankParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """All scores, or their histogram."""
        return (rank_request(self.parameters.bins),)

    def compute(self, state: Keyed) -> Iterator[Result]:
        """One result for each label key."""
        chosen = self.parameters
        for key, part in state.sorted():
            areas = roc_areas(part, chosen.bins)
            average = averages.macro if chosen.average == "macro" else averages.weighted
            value, left_out = average(areas.values, areas.truths)
            parameters = {"label_key": key, "average": chosen.average} | _shaped(chosen.bins)
            yield Result(parameters=parameters, value=value, left_out=left_out)


@frozen
class ROCCurve:
    """False and true positive rates at every distinct score, each label against the rest.

    The curve starts at (0, 0), where nothing is predicted and the threshold is null, and ends at
    (1, 1). A last threshold of null stands for items that do not list the label.

    Parameters
    ----------
    parameters : ROCCurveParameters
        Whether points on straight lines are left out.

    Notes
    -----
    Equal to scikit-learn's ``roc_curve``, whose first threshold is infinite.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import ClassificationBatch
    >>> batch = ClassificationBatch.from_arrays([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> evaluate(batch, ["ROCCurve"])["ROCCurve"].value["1"]["thresholds"]
    [None, 0.8, 0.4, 0.35, 0.1]
    """

    parameters: ROCCurveParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """All scores."""
        return (ranking.request(),)

    def compute(self, state: Ranking) -> Iterator[Result]:
        """One result for each label key, a curve or a reason by label."""
        for key, part in state.sorted():
            yield Result(parameters={"label_key": key}, value=Deferred(dict(self._curves(part))))

    def _curves(self, part: RankingPart) -> Iterator[tuple[str, dict[str, Any]]]:
        """Curves by label, some labels at a time in threads where it pays."""
        labels = part.of_labels()
        threads = thread_count()
        if threads == 1 or part.datums < _THREAD_DATUMS:
            yield from ((one.label.value, self._curve(one)) for one in labels)
            return
        with ThreadPoolExecutor(threads) as pool:
            while some := list(islice(labels, 2 * threads)):
                names = [one.label.value for one in some]
                yield from zip(names, pool.map(self._curve, some), strict=True)

    def _curve(self, one: LabelScores) -> dict[str, Any]:
        curve = kernels.rank_curve(
            one.scores,
            one.positive_scores,
            unlisted_positives=one.unlisted_positives,
            unlisted_negatives=one.unlisted_negatives,
            bends=self.parameters.drop_intermediate,
        )
        tp, fp = curve.true_positives, curve.false_positives
        if not tp[-1]:
            return {"undefined": f"no ground truths of {str(one.label)!r}"}
        if not fp[-1]:
            return {"undefined": f"no items without ground truth {str(one.label)!r}"}
        nothing = np.array([np.inf], curve.thresholds.dtype)
        return {
            "fpr": _shares(fp),
            "tpr": _shares(tp),
            "thresholds": Nullable(np.concatenate([nothing, curve.thresholds])),
        }


def _shares(counts: Codes) -> NDArray[np.float64]:
    """Ascending counts as shares of the last one, after a first one of 0."""
    shares = np.zeros(len(counts) + 1)
    np.divide(counts, counts[-1], out=shares[1:])
    return shares

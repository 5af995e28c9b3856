"""Detailed precision-recall curve: counts by kind of hit or error, with example items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_classification.counting import items
from valor_classification.counting.items import Items, Listing
from valor_classification.counting.weighted_counts import number, total
from valor_classification.metrics.precision_recall_curve import threshold_name
from valor_classification.parameters.scored import DetailedCurveParameters
from valor_core.parameters import changed_parameters
from valor_core.results import Result
from valor_core.schemas import Codes
from valor_core.states import StateRequest

_NEAR = 1 << 10  # items that are searched first for a few true negatives


@frozen(eq=False)
class _Spans:
    """Items of one label that belong to a kind over a span of thresholds.

    Parameters
    ----------
    datums : ndarray of int64
        Items, ascending.
    first, last : ndarray of int64
        Positions of the thresholds at which each belongs: first <= position < last.
    """

    datums: Codes
    first: Codes
    last: Codes

    def at(self, index: int) -> Codes:
        """Items that belong at one threshold."""
        return self.datums[(self.first <= index) & (index < self.last)]


@frozen(kw_only=True, eq=False)
class _OneLabel:
    """Items of one label by kind of hit or error.

    Parameters
    ----------
    kinds : dict of str to _Spans
        Items by kind of hit or error.
    limits : ndarray of unsigned integers, shape (n_datums,)
        Number of lowest thresholds at which each item is not a true negative.
    """

    kinds: dict[str, _Spans]
    limits: NDArray[np.unsignedinteger[Any]]

    def negatives(self, index: int, most: int) -> Codes:
        """Return the first true negatives at a threshold; most are near the beginning."""
        size = _NEAR
        while True:
            found = np.flatnonzero(self.limits[:size] <= index)
            if len(found) >= most or size >= len(self.limits):
                return found[:most]
            size *= 16


@frozen
class DetailedPrecisionRecallCurve:
    """Counts of every label at every threshold, by kind of hit or error, with examples.

    True positives and negatives are ``all`` of one kind. A false positive is a
    ``misclassifications`` where the item has a ground truth of the key, and one of the
    ``hallucinations`` where it has none. A false negative is a ``misclassifications`` where another
    value of the key passes the threshold, and one of ``no_predictions`` (also called
    missed detections) where none does.

    Parameters
    ----------
    parameters : DetailedCurveParameters
        Thresholds and the number of examples.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import Classification
    >>> items = [Classification("a", "dog", {"dog": 0.25, "cat": 0.75})]
    >>> report = evaluate(items, ["DetailedPrecisionRecallCurve"])
    >>> point = report["DetailedPrecisionRecallCurve"].value["dog"]["0.5"]
    >>> point["fn"]["observations"]["misclassifications"]
    {'count': 1, 'examples': ['a']}
    """

    parameters: DetailedCurveParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the listing at the thresholds."""
        return (items.request(self.parameters.score_thresholds, hardmax=False),)

    def compute(self, state: Listing) -> Iterator[Result]:
        """Yield one result for each label key: by label, threshold and kind."""
        thresholds = tuple(sorted(self.parameters.score_thresholds))
        for key, part in state.sorted():
            table = part.table(thresholds)
            names = [threshold_name(threshold) for threshold in thresholds]
            size = _size(table, np.arange(len(table.uids)))
            curves = {
                label.value: {
                    name: self._point(table, size, one, i) for i, name in enumerate(names)
                }
                for label, one in zip(
                    table.labels, _each_label(table, len(thresholds)), strict=True
                )
            }
            parameters = {"label_key": key, "max_examples": self.parameters.max_examples}
            yield Result(parameters=parameters | changed_parameters(self.parameters), value=curves)

    def _point(self, table: Items, size: Any, one: _OneLabel, index: int) -> dict[str, Any]:
        at = {kind: self._observed(table, spans.at(index)) for kind, spans in one.kinds.items()}
        negatives = size - sum(observed["count"] for observed in at.values())
        examples = one.negatives(index, self.parameters.max_examples).tolist()
        return {
            "tp": _total(all=at["hits"]),
            "fp": _total(misclassifications=at["mistaken"], hallucinations=at["hallucinated"]),
            "fn": _total(misclassifications=at["taken_for_another"], no_predictions=at["missed"]),
            "tn": _total(
                all={"count": negatives, "examples": [table.uids[datum] for datum in examples]}
            ),
        }

    def _observed(self, table: Items, datums: Codes) -> dict[str, Any]:
        shown = datums[: self.parameters.max_examples]
        return {"count": _size(table, datums), "examples": [table.uids[datum] for datum in shown]}


def _size(table: Items, datums: Codes) -> Any:
    """Return the number of some items, or the sum of their weights."""
    return len(datums) if table.weights is None else total(table.weights[datums])


def _total(**observations: dict[str, Any]) -> dict[str, Any]:
    size = sum(observed["count"] for observed in observations.values())
    shown = {
        kind: {**observed, "count": number(observed["count"])}
        for kind, observed in observations.items()
    }
    return {"total": number(size), "observations": shown}


def _best_bins(table: Items) -> tuple[Codes, Codes]:
    """Thresholds that each item's best and second-best prediction pass."""
    best = np.zeros(len(table.uids), dtype=np.int64)
    np.maximum.at(best, table.datums, table.bins)
    order = np.lexsort((-table.bins, table.datums))
    datums = table.datums[order]
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = np.diff(datums) != 0
    rest = order[~is_first]
    second = np.zeros_like(best)
    np.maximum.at(second, table.datums[rest], table.bins[rest])
    return best, second


def _each_label(table: Items, thresholds: int) -> Iterator[_OneLabel]:
    """Yield the items of each label, sorted."""
    count = len(table.labels)
    best, second = _best_bins(table)
    has_truth = np.zeros(len(table.uids), dtype=bool)
    has_truth[table.truth_datums] = True
    predicted = _rows_by_label(table.labels_of, count)
    true = _rows_by_label(table.truth_labels, count)
    for predicted_rows, true_rows in zip(predicted, true, strict=True):
        datums, bins, is_true = (
            table.datums[predicted_rows],
            table.bins[predicted_rows],
            table.is_true[predicted_rows],
        )
        truths, truth_bins = table.truth_datums[true_rows], table.truth_bins[true_rows]
        # Where the item's best prediction is this label, the best other one is the second.
        best_other = np.where(best[truths] > truth_bins, best[truths], second[truths])
        start, end = np.zeros_like(bins), np.full_like(truth_bins, thresholds)
        mistaken, hallucinated = ~is_true & has_truth[datums], ~is_true & ~has_truth[datums]
        limits = np.zeros(len(table.uids), dtype=np.min_scalar_type(thresholds))
        limits[datums] = bins
        limits[truths] = thresholds
        kinds = {
            "hits": _Spans(datums[is_true], start[is_true], bins[is_true]),
            "mistaken": _Spans(datums[mistaken], start[mistaken], bins[mistaken]),
            "hallucinated": _Spans(datums[hallucinated], start[hallucinated], bins[hallucinated]),
            "taken_for_another": _Spans(truths, truth_bins, best_other),
            "missed": _Spans(truths, np.maximum(truth_bins, best_other), end),
        }
        yield _OneLabel(kinds=kinds, limits=limits)


def _rows_by_label(labels: Codes, count: int) -> list[Codes]:
    """Rows of each label, ascending."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.searchsorted(labels[order], np.arange(1, count)))

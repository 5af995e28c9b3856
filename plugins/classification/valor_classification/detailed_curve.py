"""Detailed precision-recall curve: what kind of right and wrong, with items to look at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import frozen

from valor_classification import listing
from valor_classification.listing import Listing, Table
from valor_classification.parameters import DetailedCurveParameters
from valor_classification.precision_recall_curve import threshold_name
from valor_core.result import Result
from valor_core.schemas.arrays import Codes
from valor_core.state import StateRequest


@frozen(eq=False)
class _Spans:
    """Items of one label that belong to a category over a span of thresholds.

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

    def at(self, place: int) -> Codes:
        """Items that belong at one threshold."""
        return self.datums[(self.first <= place) & (place < self.last)]


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
        """The listing at the thresholds."""
        return (listing.request(self.parameters.score_thresholds),)

    def compute(self, state: Listing) -> Iterator[Result]:
        """One result for each label key: by label, threshold and kind."""
        thresholds = tuple(sorted(self.parameters.score_thresholds))
        for key, part in state.sorted():
            table = part.table(thresholds)
            best, second = _best_bins(table)
            curves = {}
            for code, label in enumerate(table.labels):
                kinds = _kinds(table, code, best, second, len(thresholds))
                curves[label.value] = {
                    threshold_name(threshold): self._point(table, kinds, place)
                    for place, threshold in enumerate(thresholds)
                }
            yield Result(
                parameters={"label_key": key, "max_examples": self.parameters.max_examples},
                value=curves,
            )

    def _point(self, table: Table, kinds: dict[str, _Spans], place: int) -> dict[str, Any]:
        at = {kind: spans.at(place) for kind, spans in kinds.items()}
        not_negative = np.union1d(at["truths"], at["passing"])
        negatives = len(table.uids) - len(not_negative)
        wanted = min(self.parameters.max_examples, negatives)
        first = np.arange(min(len(table.uids), wanted + len(not_negative)))
        tn = np.setdiff1d(first, not_negative, assume_unique=True)[:wanted]
        return {
            "tp": _total(all=self._observed(table, at["hits"])),
            "fp": _total(
                misclassifications=self._observed(table, at["mistaken"]),
                hallucinations=self._observed(table, at["hallucinated"]),
            ),
            "fn": _total(
                misclassifications=self._observed(table, at["taken_for_another"]),
                no_predictions=self._observed(table, at["missed"]),
            ),
            "tn": _total(all={"count": negatives, "examples": [table.uids[datum] for datum in tn]}),
        }

    def _observed(self, table: Table, datums: Codes) -> dict[str, Any]:
        shown = datums[: self.parameters.max_examples]
        return {"count": len(datums), "examples": [table.uids[datum] for datum in shown]}


def _total(**observations: dict[str, Any]) -> dict[str, Any]:
    total = sum(observed["count"] for observed in observations.values())
    return {"total": total, "observations": observations}


def _best_bins(table: Table) -> tuple[Codes, Codes]:
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


def _kinds(
    table: Table, code: int, best: Codes, second: Codes, thresholds: int
) -> dict[str, _Spans]:
    """Items of one label by kind."""
    own = table.labels_of == code
    datums, bins, is_true = table.datums[own], table.bins[own], table.is_true[own]
    has_truth = np.zeros(len(table.uids), dtype=bool)
    has_truth[table.truth_datums] = True
    start = np.zeros_like(bins)
    true_rows = table.truth_labels == code
    truths, truth_bins = table.truth_datums[true_rows], table.truth_bins[true_rows]
    order = np.argsort(truths, kind="stable")
    truths, truth_bins = truths[order], truth_bins[order]
    # Where the item's best prediction is this label, the best other one is the second.
    others = np.where(best[truths] > truth_bins, best[truths], second[truths])
    end = np.full_like(truth_bins, thresholds)
    mistaken, hallucinated = ~is_true & has_truth[datums], ~is_true & ~has_truth[datums]
    return {
        "truths": _Spans(truths, np.zeros_like(truth_bins), end),
        "passing": _Spans(datums, start, bins),
        "hits": _Spans(datums[is_true], start[is_true], bins[is_true]),
        "mistaken": _Spans(datums[mistaken], start[mistaken], bins[mistaken]),
        "hallucinated": _Spans(datums[hallucinated], start[hallucinated], bins[hallucinated]),
        "taken_for_another": _Spans(truths, truth_bins, others),
        "missed": _Spans(truths, np.maximum(truth_bins, others), end),
    }

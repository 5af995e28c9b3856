"""Confusion matrix: which label was taken for which."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_classification import confusion, listing
from valor_classification.confusion import Confusion, ConfusionPart, Matrix
from valor_classification.listing import Items, Listing
from valor_classification.parameters.items import ConfusionMatrixParameters
from valor_classification.thresholds import coordinates, limit, limits
from valor_classification.views import NONE
from valor_core.plugin import Deferred, Result, StateRequest, nondefault
from valor_core.schemas.columns import Codes

_UNMATCHED = ("unmatched_ground_truths", "unmatched_predictions")


@frozen
class ConfusionMatrix:
    """Items by ground truth and prediction, with those that have only one of the two.

    The value holds ``confusion_matrix`` by ground truth and prediction,
    ``unmatched_ground_truths`` of items without a prediction that passes the threshold, and
    ``unmatched_predictions`` of items without a ground truth. Without hardmax an item can stand in
    several cells.

    Parameters
    ----------
    parameters : ConfusionMatrixParameters
        Thresholds, hardmax, shares and the number of examples.

    Notes
    -----
    An item with several ground truths of a key has no place in a matrix; `Counts` treats every
    label on its own.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import Classification
    >>> items = [Classification("a", "dog", {"dog": 1.0}), Classification("b", "cat", {"dog": 1.0})]
    >>> evaluate(items, ["ConfusionMatrix"])["ConfusionMatrix"].value["confusion_matrix"]
    {'cat': {'cat': 0, 'dog': 1}, 'dog': {'cat': 0, 'dog': 1}}
    """

    parameters: ConfusionMatrixParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """The confusion at the thresholds, and the listing if items are to be named."""
        chosen = self.parameters
        least = limits(chosen.score_thresholds)
        counted = confusion.request(least, hardmax=chosen.hardmax)
        if not chosen.max_examples:
            return (counted,)
        return counted, listing.request(least, hardmax=chosen.hardmax)

    def compute(self, state: Confusion, named: Listing | None = None) -> Iterator[Result]:
        """One result for each label key and threshold."""
        chosen = self.parameters
        for key, part in state.sorted():
            for threshold in chosen.score_thresholds:
                own = {"label_key": key} | coordinates(threshold, chosen.hardmax)
                value = part.refusal or self._value(key, part, limit(threshold), named)
                yield Result(parameters=own | nondefault(chosen, "score_thresholds"), value=value)

    def _value(self, key: str, part: ConfusionPart, least: float, named: Listing | None) -> Any:
        matrix = part.at(least)
        names = [label.value for label in matrix.labels]
        make = partial(_tables, names, *self._shares(matrix))
        if named is None:
            return Deferred(make)
        return self._with_examples(make(), named.of(key).table((least,)))

    def _shares(self, matrix: Matrix) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        counts, truths = matrix.counts, matrix.unmatched_truths
        predictions = matrix.unmatched_predictions
        by_truth = counts.sum(axis=1) + truths
        by_prediction = counts.sum(axis=0) + predictions
        total = by_truth.sum() + predictions.sum()
        if self.parameters.normalize == "truth":
            each = np.maximum(by_truth, 1)
            return counts / each[:, None], truths / each, predictions / max(predictions.sum(), 1)
        if self.parameters.normalize == "prediction":
            each = np.maximum(by_prediction, 1)
            return counts / each, truths / max(truths.sum(), 1), predictions / each
        if self.parameters.normalize == "all":
            whole = max(total, 1)
            return counts / whole, truths / whole, predictions / whole
        return counts, truths, predictions

    def _with_examples(self, value: dict[str, Any], table: Items) -> dict[str, Any]:
        """The value with a count and items in every cell."""
        matrix = {
            truth: {prediction: _cell(count) for prediction, count in row.items()}
            for truth, row in value["confusion_matrix"].items()
        }
        unmatched = {
            side: {label: _cell(count) for label, count in value[side].items()}
            for side in _UNMATCHED
        }
        names = [label.value for label in table.labels]
        truths = np.full(len(table.uids), NONE)
        truths[table.truth_datums] = table.truth_labels
        most = self.parameters.max_examples
        cells = truths[table.datums] * len(names) + table.labels_of
        for row in first_of_each(cells, most).tolist():
            datum, prediction = table.datums[row], names[table.labels_of[row]]
            example = {"datum_id": table.uids[datum], "score": float(table.values[row])}
            if truths[datum] == NONE:
                unmatched["unmatched_predictions"][prediction]["examples"].append(example)
            else:
                matrix[names[truths[datum]]][prediction]["examples"].append(example)
        missed = np.setdiff1d(table.truth_datums, table.datums)
        for datum in missed[first_of_each(truths[missed], most)].tolist():
            cell = unmatched["unmatched_ground_truths"][names[truths[datum]]]
            cell["examples"].append({"datum_id": table.uids[datum]})
        return {"confusion_matrix": matrix} | unmatched


def _tables(
    names: list[str], counts: NDArray[Any], truths: NDArray[Any], predictions: NDArray[Any]
) -> dict[str, Any]:
    """The value without examples."""
    rows = [dict(zip(names, row, strict=True)) for row in counts.tolist()]
    return {
        "confusion_matrix": dict(zip(names, rows, strict=True)),
        "unmatched_ground_truths": dict(zip(names, truths.tolist(), strict=True)),
        "unmatched_predictions": dict(zip(names, predictions.tolist(), strict=True)),
    }


def _cell(count: Any) -> dict[str, Any]:
    return {"count": count, "examples": []}


def first_of_each(codes: Codes, most: int) -> Codes:
    """Positions, ascending, of the first entries with each code, at most so many of one.

    Examples
    --------
    >>> first_of_each(np.array([7, 3, 7, 7, 3]), 2)
    array([0, 1, 2, 4])
    """
    order = np.argsort(codes, kind="stable")
    ascending = codes[order]
    before = np.arange(len(codes)) - np.searchsorted(ascending, ascending)
    return np.sort(order[before < most])

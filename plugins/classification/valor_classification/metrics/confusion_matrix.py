"""Confusion matrix: items by ground truth and predicted label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_classification.counting import confusion, items
from valor_classification.counting.confusion import Confusion, KeyConfusion
from valor_classification.counting.items import Items, Listing
from valor_classification.counting.key_view import NONE
from valor_classification.counting.threshold_counts import coordinates, limit, limits
from valor_classification.counting.weighted_counts import numbers
from valor_classification.parameters.items import ConfusionMatrixParameters
from valor_core.parameters import changed_parameters
from valor_core.results import ConfusionTable, ItemRows, Result
from valor_core.schemas import Codes
from valor_core.states import StateRequest


@frozen
class ConfusionMatrix:
    """Items by ground truth and prediction, with those that have only one of the two.

    The value holds ``confusion_matrix`` by ground truth and prediction,
    ``unmatched_ground_truths`` of items without a prediction that passes the threshold, and
    ``unmatched_predictions`` of items without a ground truth. Without hardmax an item can count in
    several cells.

    Parameters
    ----------
    parameters : ConfusionMatrixParameters
        Thresholds, hardmax, shares and the number of examples.

    Notes
    -----
    An item with several ground truths of a key does not fit a matrix; `Counts` treats every
    label separately.

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
        """Request the confusion at the thresholds, and the listing for examples."""
        chosen = self.parameters
        least = limits(chosen.score_thresholds)
        counted = confusion.request(least, hardmax=chosen.hardmax)
        if not chosen.max_examples:
            return (counted,)
        return counted, items.request(least, hardmax=chosen.hardmax)

    def item_rows(self, state: Confusion, named: Listing | None = None) -> ItemRows | None:
        """Return whether each item is right at the first threshold, and its labels."""
        return state.item_rows_at(limit(self.parameters.score_thresholds[0]))

    def compute(self, state: Confusion, named: Listing | None = None) -> Iterator[Result]:
        """Yield one result for each label key and threshold."""
        chosen = self.parameters
        for key, part in state.sorted():
            for threshold in chosen.score_thresholds:
                result_coordinates = {"label_key": key} | coordinates(threshold, chosen.hardmax)
                refusal = part.refusal
                value = (
                    self._value(key, part, limit(threshold), named) if refusal is None else refusal
                )
                yield Result(
                    parameters=result_coordinates | changed_parameters(chosen, "score_thresholds"),
                    value=value,
                )

    def _value(
        self, key: str, part: KeyConfusion, least: float, named: Listing | None
    ) -> ConfusionTable:
        rows, columns, counts = part.at(least)
        labels = [label.value for label in part.labels]
        return ConfusionTable(
            labels=labels,
            rows=rows,
            columns=columns,
            numbers=self._shares(rows, columns, counts),
            examples=None
            if named is None
            else self._examples(labels, named.of(key).table((least,))),
        )

    def _shares(self, rows: Codes, columns: Codes, counts: Codes) -> NDArray[Any]:
        normalize = self.parameters.normalize
        counts = numbers(counts)
        if normalize not in ("truth", "prediction", "all"):
            return counts
        side = {"truth": rows, "prediction": columns, "all": np.zeros_like(rows)}[normalize]
        shares: NDArray[np.float64] = counts / np.bincount(side, counts)[side]
        return shares

    def _examples(self, labels: list[str], table: Items) -> dict[tuple[int, int], list[Any]]:
        """Examples of items of each cell, up to a maximum."""
        examples: dict[tuple[int, int], list[Any]] = defaultdict(list)
        index_of = {label: number for number, label in enumerate(labels)}
        indices = [index_of[label.value] for label in table.labels]
        truths = np.full(len(table.uids), NONE)
        truths[table.truth_datums] = table.truth_labels
        most = self.parameters.max_examples
        cells = truths[table.datums] * len(indices) + table.labels_of
        for row in first_of_each(cells, most).tolist():
            datum, prediction = table.datums[row], indices[table.labels_of[row]]
            truth = len(labels) if truths[datum] == NONE else indices[truths[datum]]
            examples[truth, prediction].append(
                {"datum_id": table.uids[datum], "score": float(table.values[row])}
            )
        missed = np.setdiff1d(table.truth_datums, table.datums)
        for datum in missed[first_of_each(truths[missed], most)].tolist():
            examples[indices[truths[datum]], len(labels)].append({"datum_id": table.uids[datum]})
        return examples


def first_of_each(codes: Codes, most: int) -> Codes:
    """Positions, ascending, of the first entries with each code, up to a maximum per code.

    Examples
    --------
    >>> first_of_each(np.array([7, 3, 7, 7, 3]), 2)
    array([0, 1, 2, 4])
    """
    order = np.argsort(codes, kind="stable")
    ascending = codes[order]
    before = np.arange(len(codes)) - np.searchsorted(ascending, ascending)
    return np.sort(order[before < most])

"""Examples: hits and errors of each item."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from attrs import frozen

from valor_classification.counting import items
from valor_classification.counting.items import Items, Listing
from valor_classification.counting.threshold_counts import coordinates, limit, limits
from valor_classification.parameters.items import ExamplesParameters
from valor_core.parameters import changed_parameters
from valor_core.results import Result
from valor_core.schemas import Codes
from valor_core.states import StateRequest


@frozen
class Examples:
    """True positives, false positives and false negatives of each item, in the order of uids.

    Parameters
    ----------
    parameters : ExamplesParameters
        Thresholds, hardmax, and which items to list.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.classification import Classification
    >>> items = [Classification("b", "cat", {"dog": 1.0})]
    >>> evaluate(items, ["Examples"])["Examples"].value[0]["false_positives"]
    ['dog']
    """

    parameters: ExamplesParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the listing at the thresholds."""
        chosen = self.parameters
        return (items.request(limits(chosen.score_thresholds), hardmax=chosen.hardmax),)

    def compute(self, state: Listing) -> Iterator[Result]:
        """Yield one result for each label key and threshold: a list of items."""
        chosen = self.parameters
        for key, part in state.sorted():
            for threshold in chosen.score_thresholds:
                table = part.table((limit(threshold),))
                result_coordinates = {"label_key": key} | coordinates(threshold, chosen.hardmax)
                parameters = result_coordinates | changed_parameters(chosen, "score_thresholds")
                yield Result(parameters=parameters, value=self._items(table))

    def _items(self, table: Items) -> list[dict[str, Any]]:
        chosen = self.parameters
        missed = table.truth_bins == 0
        columns = {
            "true_positives": (table.datums[table.is_true], table.labels_of[table.is_true]),
            "false_positives": (table.datums[~table.is_true], table.labels_of[~table.is_true]),
            "false_negatives": (table.truth_datums[missed], table.truth_labels[missed]),
        }
        wanted = np.arange(len(table.uids))
        if chosen.errors_only:
            errors = (columns["false_positives"][0], columns["false_negatives"][0])
            wanted = np.unique(np.concatenate(errors))
        last = None if chosen.limit is None else chosen.offset + chosen.limit
        wanted = wanted[chosen.offset : last]
        names = [label.value for label in table.labels]
        listed = {side: _by_datum(*column, wanted, names) for side, column in columns.items()}
        return [
            {"datum_id": table.uids[datum]} | {side: listed[side][row] for side in columns}
            for row, datum in enumerate(wanted.tolist())
        ]


def _by_datum(datums: Codes, labels: Codes, wanted: Codes, names: list[str]) -> list[list[str]]:
    """Sorted label values of each wanted datum."""
    order = np.lexsort((labels, datums))
    datums = datums[order]
    values = [names[label] for label in labels[order].tolist()]
    first = np.searchsorted(datums, wanted, side="left").tolist()
    last = np.searchsorted(datums, wanted, side="right").tolist()
    return [values[start:stop] for start, stop in zip(first, last, strict=True)]

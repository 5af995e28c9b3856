"""Sums over all items of a corpus, and metrics that are a formula over such sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import numpy as np
from attrs import define, frozen

from valor_core.parameters import parameter_values
from valor_core.results import Result, Undefined
from valor_core.schemas.columns import natural
from valor_core.schemas.text import TextBatch
from valor_core.states import DerivedState, StateContent, StateRequest, counted
from valor_text.counting.pairs import paired_items
from valor_text.counting.preparation import FAULTS, Codes, warnings

Faulty = set[tuple[int | str, ...]]
"""Faults of preparation, each with the uid of the first item that has it."""

NO_ITEMS = Undefined("no items with a response and references")


@define
class CorpusSums(DerivedState):
    """State with sums over the items that have a response and references.

    Subclasses declare further `counted` fields, and add the items of a batch to them in `add`.

    Attributes
    ----------
    left_out : Counter of str
        Number of excluded items by reason.
    """

    left_out: Counter[str] = counted(Counter)

    def update(self, batch: TextBatch) -> None:
        """Count the items of a batch."""
        items, left_out = paired_items(batch)
        self.left_out.update(left_out)
        self.note_faults(items, self.add(items))

    def add(self, items: TextBatch) -> Codes | None:
        """Count items with a response and references, and return their faults of preparation."""
        raise NotImplementedError

    def note_faults(self, items: TextBatch, codes: Codes | None) -> None:
        """Do nothing: only `PreparedSums` counts faults."""

    def warnings_of(self, metric: str, parameters: Any) -> tuple[str, ...]:
        """Return the warnings for a metric that reads this state."""
        return ()


@define
class PreparedSums(CorpusSums):
    """Sums that also count faults of preparation, for warnings.

    Attributes
    ----------
    faults : Counter of str
        Number of items with each fault.
    faulty : set of (str, uid)
        First item with each fault.
    """

    faults: Counter[str] = counted(Counter)
    faulty: Faulty = counted(set)

    def note_faults(self, items: TextBatch, codes: Codes | None) -> None:
        """Count the faults of items."""
        if codes is None:
            return
        for code in np.unique(codes[codes > 0]).tolist():
            rows = np.flatnonzero(codes == code)
            self.faults[FAULTS[code - 1]] += len(rows)
            uids = items.datums.uids[rows].tolist()
            self.faulty.add((FAULTS[code - 1], min(map(_as_text, uids), key=natural)))
        self._keep_first()

    def merge(self, other: Any) -> None:
        """Add the sums of another state."""
        super().merge(other)
        self._keep_first()

    def restore(self, content: StateContent) -> None:
        """Set the sums that `dump` returned; states saved by version 0.1.0 have no faults."""
        super().restore({"faults": {}, "faulty": []} | dict(content))

    def warnings_of(self, metric: str, parameters: Any) -> tuple[str, ...]:
        """Return one sentence for each fault."""
        first = dict(cast("set[tuple[str, int | str]]", self.faulty))
        return tuple(warnings(metric, parameters, self.faults, first))

    def _keep_first(self) -> None:
        if len(self.faulty) > len(self.faults):
            first: dict[Any, Any] = {}
            for fault, uid in cast("set[tuple[str, int | str]]", self.faulty):
                first[fault] = min(first.get(fault, uid), uid, key=natural)
            self.faulty.intersection_update(first.items())


def _as_text(uid: Any) -> int | str:
    return uid.decode("ascii") if isinstance(uid, bytes) else cast("int | str", uid)


Formula = Callable[[Any, Any], "float | Undefined"]
"""Function of sums and parameters."""


def corpus_metric(
    name: str,
    state: type[CorpusSums],
    settings: Callable[[Any], Mapping[str, Any]],
    union: Mapping[str, Any] | None = None,
) -> Callable[[Formula], type[Any]]:
    """Make a metric of a formula over the sums of all items.

    Parameters
    ----------
    name : str
        Name of the metric, for its warnings.
    state : type of CorpusSums
        Class of the sums.
    settings : callable
        Function from the parameters to the settings of the state.
    union : mapping, optional
        Settings of the state that requests of several metrics combine.

    Returns
    -------
    callable
        Decorator of the formula, which returns the class of the metric.
    """

    def metric_of(formula: Formula) -> type[Any]:
        @frozen
        class CorpusMetric:
            parameters: Any

            def needs(self) -> tuple[StateRequest, ...]:
                return (StateRequest(state, settings(self.parameters), union or {}),)

            def compute(self, sums: CorpusSums) -> Iterator[Result]:
                yield Result(
                    parameters=parameter_values(self.parameters),
                    value=formula(sums, self.parameters),
                    left_out=dict(sums.left_out),
                    warnings=sums.warnings_of(f"text.{name}", self.parameters),
                )

        CorpusMetric.__doc__ = formula.__doc__
        CorpusMetric.__module__ = formula.__module__
        CorpusMetric.__name__ = CorpusMetric.__qualname__ = formula.__name__
        return CorpusMetric

    return metric_of

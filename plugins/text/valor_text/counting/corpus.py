"""Sums over all items of a corpus, and metrics that are a formula over such sums.

A report with rows of items has the counts of each item. They add up to the sums, so the metric of
any selection of the items is the formula of the sums of their rows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from valor_core.parameters import parameter_values
from valor_core.results import ItemRows, Result, Undefined
from valor_core.results.detail_columns import with_details
from valor_core.schemas.columns import natural
from valor_core.schemas.text import TextBatch
from valor_core.states import DerivedState, ExactSum, StateContent, StateRequest, counted
from valor_text.counting.pairs import paired_items
from valor_text.counting.preparation import FAULTS, Codes, as_numbers, warnings

Faulty = set[tuple[int | str, ...]]
"""Faults of preparation, each with the uid of the first item that has it."""

NO_ITEMS = Undefined("no items with a response and references")


@define
class CorpusSums(DerivedState):
    """State with sums over the items that have a response and references.

    Subclasses declare further `counted` fields, and return a column for each in `count`.

    Parameters
    ----------
    rows : tuple of bool
        Not empty to keep the row of each item.

    Attributes
    ----------
    left_out : Counter of str
        Number of excluded items by reason.
    items : int
        Number of items.
    """

    keeps_rows: ClassVar[bool] = True
    adds_fields: ClassVar[bool] = True
    """True if numbers depend on the sums of fields alone, so that intervals may weigh them."""

    rows: tuple[bool, ...] = ()
    left_out: Counter[str] = counted(Counter)
    items: int = counted(int)
    _rows: list[ItemRows] = field(factory=list, init=False)

    def update(self, batch: TextBatch) -> None:
        """Count the items of a batch."""
        items, left_out = paired_items(batch)
        self.left_out.update(left_out)
        counts, faults = self.count(items)
        self.items += len(items)
        for name, column in counts.items():
            total = getattr(self, name)
            if isinstance(total, ExactSum):
                total.add(column)
            else:
                added = total + column.sum(0)
                setattr(self, name, added if column.ndim > 1 else int(added))
        if self.rows and len(items):
            columns = {
                key: as_numbers(one)
                for name, column in counts.items()
                for key, one in zip(
                    self.column_names(name), column.reshape(len(items), -1).T, strict=True
                )
            }
            columns_of_items = {**items.item_details(), **self.errors(counts)}
            details = with_details({}, columns_of_items, len(items))
            self._rows.append(ItemRows(items.datums.uids.copy(), columns, details))
        self.note_faults(items, faults)

    def count(self, items: TextBatch) -> tuple[Mapping[str, NDArray[Any]], Codes | None]:
        """Return the counts of items by field, and their faults of preparation.

        Parameters
        ----------
        items : TextBatch
            Items with a response and references.

        Returns
        -------
        counts : mapping of str to ndarray of int64 or float64, shape (items, ...)
            One row per item for each counted field that is a sum over items.
        faults : ndarray of uint8, optional
            Faults of preparation.
        """
        raise NotImplementedError

    def column_names(self, name: str) -> Sequence[str]:
        """Return the names of the columns of a field in the rows of items."""
        total = getattr(self, name)
        if not isinstance(total, np.ndarray):
            return (name,)
        return [f"{name}_{i + 1}" for i in range(total.size)]

    def errors(self, counts: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return further details of items from their counts, such as the column ``wrong``."""
        return {}

    def tables(self, columns: Mapping[str, NDArray[np.float64]] | None = None) -> SimpleNamespace:
        """Return the sums by field, with a row for each value of the columns.

        Parameters
        ----------
        columns : mapping of str to ndarray of float64, shape (rows,)
            Sums by the names of columns. Defaults to one row with those of this state.
        """
        found = SimpleNamespace()
        for name in self._counted():
            total = getattr(self, name)
            total = total.value if isinstance(total, ExactSum) else total
            if not isinstance(total, (int, float, np.ndarray)):
                continue
            if columns is None:
                table = np.array([total])
            elif columns.keys() >= set(names := self.column_names(name)):
                table = np.stack([columns[key] for key in names], axis=1)
                table = table.reshape(-1, *np.shape(total))
            else:
                continue
            setattr(found, name, table)
        return found

    def merge(self, other: Any) -> None:
        """Add the sums and the rows of another state."""
        super().merge(other)
        self.rows = self.rows if other.rows else ()
        self._rows += other._rows

    def dump(self) -> StateContent:
        """Return the sums and the rows."""
        kept = {"item_rows": ItemRows.joined(self._rows).dump()} if self.rows else {}
        return super().dump() | kept

    def restore(self, content: StateContent) -> None:
        """Set the content that `dump` returned; a state saved without rows has none."""
        super().restore({"items": 0} | dict(content))
        if "items" not in content:
            # 0.1.0 counted no items for some metrics, which need to know only if there are any.
            sums = self.tables().__dict__.values()
            self.items = int(any(np.any(one) for one in sums))
        self.rows = self.rows if "item_rows" in content else ()
        self._rows = [ItemRows.restored(content["item_rows"])] if self.rows else []

    @property
    def item_rows(self) -> ItemRows | None:
        """Counts of each item by name, which add up to those of the state; sorted by uid."""
        return ItemRows.joined(self._rows).sorted() if self.rows else None

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


Formula = Callable[[Any, Any], "NDArray[np.float64]"]
"""Function of sums, one row per value in each field, and parameters; NaN is undefined."""


def corpus_metric(
    name: str,
    state: type[CorpusSums],
    settings: Callable[[Any], Mapping[str, Any]],
    union: Mapping[str, Any] | None = None,
    undefined: Callable[[Any, int], Undefined] = lambda parameters, items: NO_ITEMS,
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
    undefined : callable, optional
        Function from the parameters and the number of items to the reason for no value.

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
                value = math.nan
                if sums.items:
                    value = float(formula(sums.tables(), self.parameters)[0])
                is_undefined = math.isnan(value)
                yield Result(
                    parameters=parameter_values(self.parameters),
                    value=undefined(self.parameters, sums.items) if is_undefined else value,
                    left_out=dict(sums.left_out),
                    warnings=sums.warnings_of(f"text.{name}", self.parameters),
                )

            def of_sums(self, sums: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
                (request,) = self.needs()
                return formula(request.open().tables(sums), self.parameters)

        CorpusMetric.__doc__ = formula.__doc__
        CorpusMetric.__module__ = formula.__module__
        CorpusMetric.__name__ = CorpusMetric.__qualname__ = formula.__name__
        return CorpusMetric

    return metric_of

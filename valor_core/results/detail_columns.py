"""Details of items as columns, converted to mappings on access."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, short_repr
from valor_core.schemas.columns import Codes, is_ascending

Details = Mapping[int, Mapping[str, Any]]
"""Details of items by position."""


def _columns(columns: Mapping[str, Any]) -> Mapping[str, NDArray[Any]]:
    return {name: _array(name, column) for name, column in columns.items()}


def _array(name: str, column: Any) -> NDArray[Any]:
    if not isinstance(column, np.ndarray) or not column.ndim:
        raise SchemaError(f"details[{name!r}]: expected an array, got {short_repr(column)}")
    return column


@frozen(eq=False, repr=False)
class DetailColumns(Mapping[int, Mapping[str, Any]]):
    """Details of items, one column per name.

    Parameters
    ----------
    columns : mapping of str to ndarray
        Value of each item by name: numbers, strings, lists (rows of several dimensions), or arrays
        of objects for other JSON values.
    positions : ndarray of int64
        Ascending positions of the items.

    Raises
    ------
    SchemaError
        If a column is not an array or has another length, or positions do not ascend.

    Examples
    --------
    >>> details = DetailColumns({"edits": np.array([2, 0])}, np.array([0, 3]))
    >>> details[3], len(details), 1 in details
    ({'edits': 0}, 2, False)
    """

    columns: Mapping[str, NDArray[Any]] = field(converter=_columns)
    positions: Codes

    def __attrs_post_init__(self) -> None:
        for name, column in self.columns.items():
            if len(column) != len(self.positions):
                raise SchemaError(
                    f"details[{name!r}]: expected {len(self.positions):,} rows, got {len(column):,}"
                )
        if not is_ascending(self.positions, strictly=True):
            raise SchemaError("details: expected ascending positions without duplicates")

    def __getitem__(self, position: int) -> Mapping[str, Any]:
        row = int(np.searchsorted(self.positions, position))
        if row == len(self.positions) or self.positions[row] != position:
            raise KeyError(position)
        return {name: _cell(column[row]) for name, column in self.columns.items()}

    def __iter__(self) -> Iterator[int]:
        return iter(self.positions.tolist())

    def __len__(self) -> int:
        return len(self.positions)

    def select(self, positions: Codes) -> DetailColumns:
        """Return the details of the items at the given positions, renumbered from 0."""
        at = np.searchsorted(self.positions, positions)
        kept = np.flatnonzero(at < len(self.positions))
        kept = kept[self.positions[at[kept]] == positions[kept]]
        columns = {name: column[at[kept]] for name, column in self.columns.items()}
        return DetailColumns(columns, kept)


def _cell(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


def selected(details: Details, positions: Codes) -> Details:
    """Return the details of the items at the given positions, renumbered from 0.

    Examples
    --------
    >>> selected({0: {"edits": 2}, 3: {"edits": 0}}, np.array([3, 1]))
    {0: {'edits': 0}}
    """
    if not details:
        return {}
    if isinstance(details, DetailColumns):
        return details.select(positions)
    renumbered = enumerate(positions.tolist())
    return {new: details[old] for new, old in renumbered if old in details}


def with_details(details: Details, columns: Mapping[str, NDArray[Any]], count: int) -> Details:
    """Return the details of all items with more columns; existing details have precedence.

    Parameters
    ----------
    details : mapping
        Details by position.
    columns : mapping of str to ndarray, shape (count,)
        Further details of each item by name.
    count : int
        Number of items.

    Examples
    --------
    >>> with_details({1: {"edits": 2}}, {"site": np.array(["a", "b"])}, 2)
    {0: {'site': 'a'}, 1: {'edits': 2, 'site': 'b'}}
    """
    if not columns:
        return details
    if not details or (isinstance(details, DetailColumns) and len(details) == count):
        columns_of = dict(details.columns) if isinstance(details, DetailColumns) else {}
        return DetailColumns({**columns_of, **columns, **columns_of}, np.arange(count))
    more = DetailColumns(columns, np.arange(count))
    empty: Mapping[str, Any] = {}
    return {at: {**(held := details.get(at, empty)), **more[at], **held} for at in range(count)}


def joined(parts: Sequence[Details], starts: Sequence[int]) -> Details:
    """Concatenate the details of parts.

    Parameters
    ----------
    parts : sequence of mapping
        Details by position in each part.
    starts : sequence of int
        Position of each part's first item.

    Examples
    --------
    >>> joined([{1: {"edits": 2}}, {0: {"edits": 0}}], [0, 5])
    {1: {'edits': 2}, 5: {'edits': 0}}
    """
    present = [(part, start) for part, start in zip(parts, starts, strict=True) if part]
    columns = [
        evolve(part, positions=part.positions + start)
        for part, start in present
        if isinstance(part, DetailColumns)
    ]
    if columns and len(columns) == len(present) and _are_alike(columns):
        return DetailColumns(
            {
                name: np.concatenate([part.columns[name] for part in columns])
                for name in columns[0].columns
            },
            np.concatenate([part.positions for part in columns]),
        )
    return {start + position: one for part, start in present for position, one in part.items()}


def _are_alike(parts: Sequence[DetailColumns]) -> bool:
    """Return whether columns can be concatenated without changing the type of a value."""
    kinds = [{name: _kind(column) for name, column in part.columns.items()} for part in parts]
    return all(kind == kinds[0] for kind in kinds)


def _kind(column: NDArray[Any]) -> Any:
    return column.dtype.kind, column.shape[1:]

"""Detail columns: what a metric has to say about items, as columns that become tables when read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, shown
from valor_core.schemas.columns import Codes, is_ascending

Details = Mapping[int, Mapping[str, Any]]
"""What a metric has to say about the items at some positions."""


def _columns(columns: Mapping[str, Any]) -> Mapping[str, NDArray[Any]]:
    return {name: _array(name, column) for name, column in columns.items()}


def _array(name: str, column: Any) -> NDArray[Any]:
    if not isinstance(column, np.ndarray) or not column.ndim:
        raise SchemaError(f"details[{name!r}]: expected an array, got {shown(column)}")
    return column


@frozen(eq=False, repr=False)
class DetailColumns(Mapping[int, Mapping[str, Any]]):
    """Details of some items, a column for each name.

    Parameters
    ----------
    columns : mapping of str to ndarray
        What is said of each of the items, by name: a number, a text, a list (a row of several
        dimensions), or an array of objects for what else JSON has.
    positions : ndarray of int64
        The items' positions, ascending.

    Raises
    ------
    SchemaError
        If a column is no array or has another length, or the positions do not ascend.

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
            raise SchemaError("details: expected positions in ascending order, each once")

    def __getitem__(self, place: int) -> Mapping[str, Any]:
        at = int(np.searchsorted(self.positions, place))
        if at == len(self.positions) or self.positions[at] != place:
            raise KeyError(place)
        return {name: _cell(column[at]) for name, column in self.columns.items()}

    def __iter__(self) -> Iterator[int]:
        return iter(self.positions.tolist())

    def __len__(self) -> int:
        return len(self.positions)

    def select(self, positions: Codes) -> DetailColumns:
        """The details of the items at some positions, which become the first, second and so on."""
        at = np.searchsorted(self.positions, positions)
        kept = np.flatnonzero(at < len(self.positions))
        kept = kept[self.positions[at[kept]] == positions[kept]]
        columns = {name: column[at[kept]] for name, column in self.columns.items()}
        return DetailColumns(columns, kept)


def _cell(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


def selected(details: Details, positions: Codes) -> Details:
    """The details of the items at some positions, which become the first, second and so on.

    Examples
    --------
    >>> selected({0: {"edits": 2}, 3: {"edits": 0}}, np.array([3, 1]))
    {0: {'edits': 0}}
    """
    if not details:
        return {}
    if isinstance(details, DetailColumns):
        return details.select(positions)
    places = enumerate(positions.tolist())
    return {new: details[old] for new, old in places if old in details}


def joined(parts: Sequence[Details], starts: Sequence[int]) -> Details:
    """Details of the items of some parts, which stand one behind the other.

    Parameters
    ----------
    parts : sequence of mapping
        Details by position in the part.
    starts : sequence of int
        For each part, the position of its first item.

    Examples
    --------
    >>> joined([{1: {"edits": 2}}, {0: {"edits": 0}}], [0, 5])
    {1: {'edits': 2}, 5: {'edits': 0}}
    """
    told = [(part, start) for part, start in zip(parts, starts, strict=True) if part]
    columns = [
        evolve(part, positions=part.positions + start)
        for part, start in told
        if isinstance(part, DetailColumns)
    ]
    if columns and len(columns) == len(told) and _are_alike(columns):
        return DetailColumns(
            {
                name: np.concatenate([part.columns[name] for part in columns])
                for name in columns[0].columns
            },
            np.concatenate([part.positions for part in columns]),
        )
    return {start + place: one for part, start in told for place, one in part.items()}


def _are_alike(parts: Sequence[DetailColumns]) -> bool:
    """Whether the columns of all parts can be one array each, without a value changing its type."""
    kinds = [{name: _kind(column) for name, column in part.columns.items()} for part in parts]
    return all(kind == kinds[0] for kind in kinds)


def _kind(column: NDArray[Any]) -> Any:
    return column.dtype.kind, column.shape[1:]

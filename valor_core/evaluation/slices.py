"""Slices by metadata: one state per combination of values, merged for each reported slice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from attrs import field, frozen

from valor_core.errors import ConfigError
from valor_core.schemas import Batch
from valor_core.schemas.columns import Codes, numbers
from valor_core.schemas.slice_values import Truth, python_values, slice_to_json, slice_value

SliceChoice = str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]]
"""Metadata field, table about one, or a list of these to combine."""

SliceKey = tuple[Any, ...]
"""Values of the sliced fields in order: None for a missing value, `Truth` for a bool."""

_TEXTS = frozenset({str, type(None)})  # types that need no conversion by `slice_value`


class Grouping(Protocol):
    """Division of the items into groups that are counted separately, for intervals."""

    def codes(self, batch: Batch) -> Codes:
        """Return the group of each item, the same in every batch."""

    def describe(self) -> dict[str, Any]:
        """Return the parameters for reports and saved states."""

    def with_intervals(
        self,
        results: Sequence[Any],
        parts: Mapping[int, Sequence[Any]],
        evaluation: Any,
        where: Any,
        items: int | None = None,
    ) -> list[Any]:
        """Return results with intervals, from the states of each group by its code."""


def slice_from_json(values: Iterable[Any]) -> SliceKey:
    """Convert the output of `slice_to_json` back to a slice key.

    Examples
    --------
    >>> slice_from_json(["rain", True, None])
    ('rain', Truth(value=True), None)
    """
    return tuple(Truth(value) if isinstance(value, bool) else value for value in values)


def _fields(slices: str | Iterable[str | Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    listed = (slices,) if isinstance(slices, str) else slices
    wanted = [(name,) if isinstance(name, str) else tuple(name) for name in listed]
    for position, names in enumerate(wanted):
        if not names:
            raise ConfigError(
                f"slices[{position}]: expected at least one field, found none",
                "Remove it, or name metadata fields: ['weather', 'camera']",
            )
        if len(set(names)) < len(names):
            raise ConfigError(
                f"slices[{position}]: expected each field once, found {', '.join(names)}",
                f"Write it as: {[*dict.fromkeys(names)]}",
            )
    return tuple(dict.fromkeys(wanted))


@frozen(repr=False)
class Slices:
    """Metadata fields, and combinations of fields, to report separately.

    Parameters
    ----------
    wanted : sequence of str or of list of str
        Fields, or lists of fields whose combinations are reported.
    grouping : Grouping, optional
        Groups of items. Their codes are the last value of each slice key.
    at_most : int
        Maximum number of combinations of values. Bounds memory: each has its own states.
    place : str
        Prefix of errors, such as ``"config.yaml: "``.

    Examples
    --------
    >>> Slices(["weather", ["weather", "city"]]).fields
    ('weather', 'city')
    """

    wanted: tuple[tuple[str, ...], ...] = field(default=(), converter=_fields)
    grouping: Grouping | None = None
    at_most: int = 1000
    place: str = field(default="", eq=False)

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields in the order of first mention."""
        return tuple(dict.fromkeys(name for names in self.wanted for name in names))

    @property
    def width(self) -> int:
        """Number of values of a slice key."""
        return len(self.fields) + (self.grouping is not None)

    def describe(self) -> Any:
        """Return the dimensions and options for reports and saved states."""
        return [list(names) for names in self.wanted]

    def decided(self, evaluation: Any, reader: Any) -> Slices:
        """Return the slices of a run, which may depend on all its data."""
        return self

    def completed(self, slices: list[Any], state: Any, evaluation: Any) -> list[Any]:
        """Return the computed slices, possibly with more results, or more slices."""
        return slices

    def warnings(self, sizes: Mapping[SliceKey, int]) -> list[str]:
        """Return warnings about slices that are not reported."""
        return []

    def split(self, batch: Batch) -> Iterator[tuple[SliceKey, Codes]]:
        """Yield the combinations of values in a batch with the positions of their datums."""
        if not self.width:
            yield (), numbers(len(batch))
        if not self.width or len(batch) == 0:
            return
        codes, keys = self._numbered(batch)
        order = np.argsort(codes, kind="stable")
        bounds = np.searchsorted(codes[order], np.arange(len(keys) + 1))
        for code, key in enumerate(keys):
            yield key, order[bounds[code] : bounds[code + 1]]

    def check(self, keys: Iterable[SliceKey]) -> None:
        """Raise a `ConfigError` if there are more combinations than allowed."""
        count = len({key[: len(self.fields)] for key in keys})
        if count > self.at_most:
            raise ConfigError(
                f"{self.place}slices: expected at most {self.at_most:,} combinations of "
                f"{', '.join(self.fields)}, found {count:,} so far",
                "Slice by fields with fewer values.",
            )

    def groups(
        self, sizes: Mapping[SliceKey, int]
    ) -> Iterator[tuple[dict[str, Any], list[SliceKey]]]:
        """Yield each reported slice with its combinations, sorted by values.

        Parameters
        ----------
        sizes : mapping of slice key to int
            Number of items of each combination.
        """
        keys = list(sizes)
        for names in self.wanted:
            positions = [self.fields.index(name) for name in names]
            members: dict[SliceKey, list[SliceKey]] = {}
            for key in keys:
                members.setdefault(tuple(key[i] for i in positions), []).append(key)
            for values in sorted(members, key=_sortable):
                yield dict(zip(names, slice_to_json(values), strict=True)), members[values]

    def _numbered(self, batch: Batch) -> tuple[Codes, list[SliceKey]]:
        """Return a code per datum, and the combination of values for each code."""
        codes, keys = np.zeros(len(batch), np.int64), [()]
        # One mixed-radix code per combination; `np.unique` keeps the codes small.
        for name in self.fields:
            column, values = self.column(batch, name)
            both, codes = np.unique(codes * len(values) + column, return_inverse=True)
            pairs = (divmod(code, len(values)) for code in both.tolist())
            keys = [(*keys[before], values[value]) for before, value in pairs]
        if self.grouping is not None:
            groups, column = np.unique(self.grouping.codes(batch), return_inverse=True)
            both, codes = np.unique(codes * len(groups) + column, return_inverse=True)
            pairs = (divmod(code, len(groups)) for code in both.tolist())
            keys = [(*keys[before], int(groups[group])) for before, group in pairs]
        return codes, keys

    def column(self, batch: Batch, name: str) -> tuple[Codes, list[Any]]:
        """Return a code per datum, and the value for each code."""
        metadata: Mapping[str, Any] = batch.datums.metadata
        if name not in metadata:
            return np.zeros(len(batch), np.int64), [None]
        values = python_values(metadata[name])
        if _TEXTS.issuperset(map(type, values)):
            distinct = dict.fromkeys(values)
            converted = list(map(slice_value, distinct))
        else:
            values = list(map(slice_value, values))
            distinct = dict.fromkeys(values)
            converted = list(distinct)
        codes = {value: code for code, value in enumerate(distinct)}
        return np.fromiter(map(codes.__getitem__, values), np.int64, len(values)), converted


def _sortable(values: SliceKey) -> tuple[tuple[str, Any], ...]:
    """Return a sort key for values of mixed types: numbers, text, bools, then missing values."""
    return tuple(
        ("z", "")
        if value is None
        else ("number", value)
        if isinstance(value, (int, float))
        else ("truth", value.value)
        if isinstance(value, Truth)
        else ("text", str(value))
        for value in values
    )

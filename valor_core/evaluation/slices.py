"""Slices: one state per combination of metadata values, from which all reports are merges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from attrs import field, frozen

from valor_core.errors import ConfigError
from valor_core.schemas import Batch
from valor_core.schemas.columns import Codes, numbers
from valor_core.schemas.slice_values import Truth, python_values, slice_to_json, slice_value

SliceKey = tuple[Any, ...]
"""Values of the sliced fields, in their order; None where one is missing, `Truth` for a bool."""

_TEXTS = frozenset({str, type(None)})  # of these, equal values are the same value


def slice_from_json(values: Iterable[Any]) -> SliceKey:
    """The slice key that `slice_to_json` wrote.

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
            raise ConfigError(f"slices[{position}]: expected at least one field, found none")
        if len(set(names)) < len(names):
            raise ConfigError(
                f"slices[{position}]: expected each field once, found {', '.join(names)}"
            )
    return tuple(dict.fromkeys(wanted))


@frozen(repr=False)
class Slices:
    """Which metadata fields, and which combinations of them, are reported on their own.

    Parameters
    ----------
    wanted : sequence of str or of list of str
        Each entry is a field, or a list of fields whose combinations are reported.
    at_most : int
        Limit on the number of combinations of values.
    place : str
        Where they were chosen, for errors: ``"config.yaml: "``.

    Examples
    --------
    >>> Slices(["weather", ["weather", "city"]]).fields
    ('weather', 'city')
    """

    wanted: tuple[tuple[str, ...], ...] = field(default=(), converter=_fields)
    at_most: int = 1000
    place: str = field(default="", eq=False)

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields that take part, in the order of first mention."""
        return tuple(dict.fromkeys(name for names in self.wanted for name in names))

    def split(self, batch: Batch) -> Iterator[tuple[SliceKey, Codes]]:
        """Positions of the datums with each combination of values in a batch, ascending."""
        if not self.wanted:
            yield (), numbers(len(batch))
        if not self.wanted or len(batch) == 0:
            return
        codes, keys = self._numbered(batch)
        order = np.argsort(codes, kind="stable")
        bounds = np.searchsorted(codes[order], np.arange(len(keys) + 1))
        for code, key in enumerate(keys):
            yield key, order[bounds[code] : bounds[code + 1]]

    def check(self, keys: Iterable[SliceKey]) -> None:
        """Raise a `ConfigError` if there are more combinations than allowed."""
        count = len(set(keys))
        if count > self.at_most:
            raise ConfigError(
                f"{self.place}slices: expected at most {self.at_most:,} combinations of "
                f"{', '.join(self.fields)}, found {count:,} so far",
                "Slice by fields with fewer values.",
            )

    def groups(self, keys: Iterable[SliceKey]) -> Iterator[tuple[dict[str, Any], list[SliceKey]]]:
        """Every reported slice with the combinations that belong to it, sorted by its values."""
        keys = list(keys)
        for names in self.wanted:
            places = [self.fields.index(name) for name in names]
            members: dict[SliceKey, list[SliceKey]] = {}
            for key in keys:
                members.setdefault(tuple(key[place] for place in places), []).append(key)
            for values in sorted(members, key=_sortable):
                yield dict(zip(names, slice_to_json(values), strict=True)), members[values]

    def _numbered(self, batch: Batch) -> tuple[Codes, list[SliceKey]]:
        """The combinations of values in a batch, and the number of each datum's."""
        codes, keys = np.zeros(len(batch), np.int64), [()]
        for name in self.fields:
            own, values = self._column(batch, name)
            both, codes = np.unique(codes * len(values) + own, return_inverse=True)
            places = (divmod(code, len(values)) for code in both.tolist())
            keys = [(*keys[before], values[place]) for before, place in places]
        return codes, keys

    def _column(self, batch: Batch, name: str) -> tuple[Codes, list[Any]]:
        """The number of each datum's value, and the values."""
        metadata: Mapping[str, Any] = batch.datums.metadata
        if name not in metadata:
            return np.zeros(len(batch), np.int64), [None]
        values = python_values(metadata[name])
        if _TEXTS.issuperset(map(type, values)):
            distinct = dict.fromkeys(values)
            plain = list(map(slice_value, distinct))
        else:
            values = list(map(slice_value, values))
            distinct = dict.fromkeys(values)
            plain = list(distinct)
        places = {value: number for number, value in enumerate(distinct)}
        return np.fromiter(map(places.__getitem__, values), np.int64, len(values)), plain


def _sortable(values: SliceKey) -> tuple[tuple[str, Any], ...]:
    """A sort key for values of mixed types: numbers, text, truths, and missing last."""
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

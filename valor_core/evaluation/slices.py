"""Slices: one state per combination of metadata values, from which all reports are merges."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from valor_core.errors import ConfigError
from valor_core.schemas import Batch
from valor_core.schemas.characters import check_unicode
from valor_core.schemas.columns import Codes, numbers

SliceKey = tuple[Any, ...]
"""Values of the sliced fields, in their order; None where one is missing, `Truth` for a bool."""

_TEXTS = frozenset({str, type(None)})  # of these, equal values are the same value
_FINE = frozenset({"ns", "ps", "fs", "as"})  # units that Python's timestamps do not have
_WHOLE = 2**53  # below it every whole number is a float of its own


@frozen
class Truth:
    """A true or false in a slice key, where Python would take True and 1 for the same value."""

    value: bool


def slice_to_json(key: Iterable[Any]) -> list[Any]:
    """A slice key as JSON has it.

    Examples
    --------
    >>> slice_to_json(("rain", Truth(True), None))
    ['rain', True, None]
    """
    return [value.value if isinstance(value, Truth) else value for value in key]


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
        values = _listed(metadata[name])
        if _TEXTS.issuperset(map(type, values)):
            distinct = dict.fromkeys(values)
            plain = list(map(_plain, distinct))
        else:
            values = list(map(_plain, values))
            distinct = dict.fromkeys(values)
            plain = list(distinct)
        places = {value: number for number, value in enumerate(distinct)}
        return np.fromiter(map(places.__getitem__, values), np.int64, len(values)), plain


def _listed(column: NDArray[Any]) -> list[Any]:
    """The values of a column as Python's own; NumPy has whole numbers for fine times."""
    if column.dtype.kind == "M" and np.datetime_data(column.dtype)[0] in _FINE:
        column = column.astype("datetime64[us]")
    values: list[Any] = column.tolist()
    return values


def plain_values(column: NDArray[Any]) -> NDArray[Any]:
    """The values of a column of metadata as JSON has them.

    Examples
    --------
    >>> plain_values(np.array([2.0, np.nan]))
    array([2, None], dtype=object)
    """
    values = slice_to_json(map(_plain, _listed(column)))
    return np.fromiter(values, dtype=np.object_, count=len(values))


def _plain(value: Any) -> Any:
    """The value as slice keys have it; NaN is a missing one, what is no number or truth is text.

    A column with gaps may hold 2020.0 where another batch has 2020. They are one slice, and which
    of them names it must not depend on the order of arrival.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return Truth(value)
    if isinstance(value, str):
        check_unicode(value, "metadata")
    if value is None or isinstance(value, (int, str)):
        return value
    if isinstance(value, date) and value != value:  # pandas has one that is none
        return None
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return int(value) if value.is_integer() and abs(value) < _WHOLE else value


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

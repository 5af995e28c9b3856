"""Datums: uids and metadata of items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import Any, TypeVar

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, and_more, short_repr
from valor_core.schemas.columns import (
    BY_CONTENT,
    Codes,
    check_length,
    check_name,
    check_name_column,
    check_names,
    numbers,
    object_column,
    plain_text,
    read_only,
    with_columns,
    with_copies,
)

_T = TypeVar("_T")
Uid = str | int
"""Unique name of a datum."""
Uids = NDArray[Any]
"""Column of uids, all int64 or all strings."""


def as_uid(value: Any) -> Any:
    """Convert a uid to a built-in string or integer; other types are left to validation.

    Examples
    --------
    >>> as_uid(np.str_("img_7")), as_uid(np.int64(7))
    ('img_7', 7)
    """
    if isinstance(value, str):
        return plain_text(value)
    return int(value) if isinstance(value, np.integer) else value


def _uid(item: Any, attribute: Any, value: Any) -> None:
    name = type(item).__name__
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise SchemaError(
            f"{name}: uid must be a string or a whole number, got {short_repr(value)}"
        )
    if isinstance(value, str):
        check_name(value, f"{name}: uid")


def _metadata(item: Any, attribute: Any, value: Any) -> None:
    if type(value) is not dict and not isinstance(value, Mapping):  # slow for an ABC
        name = type(item).__name__
        raise SchemaError(f"{name}: metadata must be a mapping, got {short_repr(value)}")


def _none_as_empty(metadata: Any) -> Any:
    return {} if metadata is None else metadata


def uid_field() -> Any:
    """Declare the attrs field of a uid: a string or an integer."""
    return field(converter=as_uid, validator=_uid)


def metadata_field() -> Any:
    """Declare the attrs field of the metadata, used for slices and filters."""
    return field(factory=dict, converter=_none_as_empty, validator=_metadata)


@frozen
class Datum:
    """Uid and metadata of an item.

    Parameters
    ----------
    uid : str or int
        Unique name in a data set.
    metadata : mapping of str to value, optional
        Fields for slices and filters, such as ``{"weather": "rain"}``.

    Examples
    --------
    >>> Datum("img_7", {"weather": "rain"}).uid
    'img_7'
    """

    uid: Uid = uid_field()
    metadata: Mapping[str, Any] = metadata_field()


def _uid_column(uids: Any) -> Uids:
    array = np.asarray(uids)
    if array.size == 0 and array.dtype.kind != "U":
        return read_only(np.empty(0, np.int64))
    if array.dtype.kind == "O":
        array = _uids_of_objects(array)
    elif isinstance(uids, (list, tuple)) and array.dtype.kind == "U":
        _check_all_strings(uids)
        check_names(uids, "uids")
    too_great = array.dtype.kind == "u" and array.size and array.max() > np.iinfo(np.int64).max
    if array.ndim != 1 or array.dtype.kind not in "iuU" or too_great:
        raise SchemaError(f"uids: expected strings or whole numbers, got {short_repr(array)}")
    check_name_column(array, "uids")
    return read_only(array.astype(np.int64, copy=False) if array.dtype.kind in "iu" else array)


def _uids_of_objects(array: NDArray[Any]) -> Uids:
    values = array.tolist()
    if set(map(type, values)) == {str} or all(isinstance(value, str) for value in values):
        check_names(values, "uids")
        return np.array(values, dtype=np.str_)
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        try:
            return np.array(values, dtype=np.int64)
        except OverflowError as error:
            greatest = max(values, key=abs)
            raise SchemaError(f"uids: expected 64-bit whole numbers, got {greatest}") from error
    _check_all_strings(values)
    return array


def _check_all_strings(values: Sequence[Any]) -> None:
    """Raise a `SchemaError` for ``["a", 1]``, which NumPy silently converts to two strings."""
    for position, value in enumerate(values):
        if not isinstance(value, str):
            raise SchemaError(
                f"uids[{position}]: expected all strings or all whole numbers, "
                f"got {short_repr(value)} among strings"
            )


@define(eq=False, repr=False)
class LazyColumns(Mapping[str, NDArray[Any]]):
    """Metadata columns that are computed on first access.

    Parameters
    ----------
    names : tuple of str
        Names of the columns.
    make : callable
        Function that returns the column of a name. Must be picklable.

    Examples
    --------
    >>> columns = LazyColumns(("weather",), lambda name: np.array(["sun"]))
    >>> list(columns), columns["weather"]
    (['weather'], array(['sun'], dtype='<U3'))
    """

    names: tuple[str, ...]
    make: Callable[[str], NDArray[Any]]
    _cache: dict[str, NDArray[Any]] = field(factory=dict, init=False, repr=False)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self:
            raise KeyError(name)
        if name not in self._cache:
            self._cache[name] = read_only(self.make(name))
        return self._cache[name]

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def select(self, positions: Codes) -> LazyColumns:
        """Return the columns at the given positions, still lazy."""
        return LazyColumns(self.names, partial(self._selected, positions))

    def _selected(self, positions: Codes, name: str) -> NDArray[Any]:
        return self[name][positions]


def _metadata_columns(columns: Any) -> Mapping[str, NDArray[Any]]:
    if isinstance(columns, LazyColumns):
        return columns
    if columns is None:
        return {}
    if not callable(getattr(columns, "items", None)):
        raise SchemaError(
            f"metadata: expected a mapping of field names to columns, got {short_repr(columns)}",
            'Pass one column per field: metadata={"weather": ["sun", "rain", …]}.',
        )
    return {
        str(name): read_only(_metadata_column(str(name), column))
        for name, column in columns.items()
    }


def _metadata_column(name: str, column: Any) -> NDArray[Any]:
    if isinstance(column, np.ndarray) and column.ndim == 1:
        return column
    is_single = isinstance(column, (str, bytes, Mapping, Set)) or getattr(column, "ndim", 1) == 0
    if is_single or not isinstance(column, Iterable):
        raise SchemaError(
            f"metadata field {name!r}: expected a value for each item, got {short_repr(column)}"
        )
    values = list(column)
    if hasattr(column, "isna"):  # pandas has several markers of missing values
        pairs = zip(values, column.isna(), strict=True)
        values = [None if is_missing else value for value, is_missing in pairs]
    return object_column(values)


@frozen(repr=False)
class Datums:
    """Uids and metadata of a batch, as columns.

    Parameters
    ----------
    uids : sequence or ndarray
        All strings or all integers, without duplicates.
    metadata : mapping of str to sequence, optional
        One value per datum and field; None if missing.
    numbered : bool
        Whether the uids are positions because the data has no uids.

    Raises
    ------
    SchemaError
        If a uid occurs twice, strings and integers are mixed, or a column has another length.

    Examples
    --------
    >>> Datums(["a", "b"], {"weather": ["sun", None]}).metadata["weather"]
    array(['sun', None], dtype=object)
    >>> Datums(["a", "b", "a"])
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: item 'a': expected each uid once, found it 2 times
    """

    uids: Uids = field(eq=BY_CONTENT, converter=_uid_column)
    metadata: Mapping[str, NDArray[Any]] = field(
        factory=dict, converter=_metadata_columns, eq=False
    )
    numbered: bool = False

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.metadata, LazyColumns):
            for name, column in self.metadata.items():
                check_length(column, f"metadata field {name!r}", len(self.uids))
        if not self.numbered:
            check_unique(self.uids)

    def __len__(self) -> int:
        return len(self.uids)

    @property
    def from_zero(self) -> bool:
        """True if the uids are the positions of the datums."""
        if len(self) == 0:
            return self.numbered
        # Numbered uids ascend by one, so the first and the last determine the rest.
        return self.numbered and bool(self.uids[0] == 0 and self.uids[-1] == len(self) - 1)

    @classmethod
    def numbers(cls, count: int, metadata: Mapping[str, Any] | None = None) -> Datums:
        """Return datums named by position, for data without uids."""
        return cls(numbers(count), metadata, numbered=True)

    def renumber(self, start: int) -> Datums:
        """Return the same datums, named by their positions counted from `start`."""
        return Datums(np.arange(start, start + len(self)), self.metadata, numbered=True)

    @classmethod
    def of(cls, datums: Iterable[Datum]) -> Datums:
        """Convert objects to columns; a missing metadata field becomes None."""
        datums = list(datums)
        names = dict.fromkeys(name for datum in datums for name in datum.metadata)
        columns = {name: [datum.metadata.get(name) for datum in datums] for name in names}
        return cls([datum.uid for datum in datums], columns)

    def select(self, positions: Codes) -> Datums:
        """Return the datums at the given positions."""
        if isinstance(self.metadata, LazyColumns):
            return Datums(self.uids[positions], self.metadata.select(positions), self.numbered)
        columns = {name: column[positions] for name, column in self.metadata.items()}
        return Datums(self.uids[positions], columns, self.numbered)

    def joins(self, other: Datums) -> bool:
        """Return whether `joined` can concatenate both: neither has metadata."""
        return (
            not self.metadata
            and not other.metadata
            and self.numbered == other.numbered
            and self.uids.dtype.kind == other.uids.dtype.kind
        )

    @classmethod
    def joined(cls, parts: Sequence[Datums]) -> Datums:
        """Concatenate datums for which `joins` is true; datums without uids get new numbers.

        Does not check for uids that occur in two parts.
        """
        if parts[0].numbered:
            return cls.numbers(sum(map(len, parts)))
        return with_columns(parts[0], uids=read_only(np.concatenate([part.uids for part in parts])))

    def detached(self) -> Datums:
        """Return the same datums with a copy of the uids."""
        return self if self.numbered else with_copies(self, "uids")

    def name(self, position: int) -> str:
        """Return the name of a datum for error messages: ``item 'img_7'``."""
        return f"item {self.uids[position].item()!r}"

    def facts(self) -> Iterator[dict[str, Any]]:
        """Yield the metadata of each datum."""
        if not self.metadata:
            return ({} for _ in range(len(self)))
        rows = zip(*self.metadata.values(), strict=True)
        return (dict(zip(self.metadata, row, strict=True)) for row in rows)

    def at(self, position: int) -> Datum:
        """Return one datum as an object."""
        facts = {name: column[position] for name, column in self.metadata.items()}
        return Datum(self.uids[position].item(), facts)


def listed(items: Any, cls: type[_T]) -> list[_T]:
    """Return items as a list after checking that each is an instance of `cls`.

    Raises
    ------
    SchemaError
        If the items are not iterable, or an item has another type; names its position.
    """
    if isinstance(items, cls):
        raise SchemaError(
            f"data: expected a list of {cls.__name__}, got {short_repr(items)}",
            "Pass one item in a list: [item].",
        )
    if isinstance(items, (str, bytes, Mapping)) or not isinstance(items, Iterable):
        raise SchemaError(
            f"data: expected {cls.__name__} items or a batch, got {short_repr(items)}"
        )
    found = list(items)
    for position, item in enumerate(found):
        if not isinstance(item, cls):
            make = f"Create one from its fields: {cls.__name__}(uid, …)"
            raise SchemaError(
                f"data[{position}]: expected a {cls.__name__}, got {short_repr(item)}",
                make if isinstance(item, Mapping) else None,
            )
    return found


def compact(uids: Uids) -> Uids:
    """Convert strings of ASCII to bytes, which take a quarter of the memory; others unchanged.

    Examples
    --------
    >>> compact(np.array(["img_1", "img_2"])).dtype
    dtype('S5')
    """
    if uids.dtype.kind != "U" or uids.size == 0:
        return uids
    characters = np.ascontiguousarray(uids).view(np.uint32).reshape(len(uids), -1)
    if characters.max(initial=0) > 127:
        return uids
    narrow = characters.astype(np.uint8).view(f"S{characters.shape[1]}")
    return narrow.reshape(len(uids))


def are_unique(uids: Uids) -> bool:
    """Return whether no uid occurs twice.

    Examples
    --------
    >>> are_unique(np.array(["b", "a"])), are_unique(np.array([1, 2, 1]))
    (True, False)
    """
    if len(uids) < 2 or bool(np.all(uids[1:] > uids[:-1])):
        return True
    # Sorting needs less memory than a set, which takes a hundred bytes per uid. The stable sort
    # merges ascending parts in one pass, whatever their order.
    ordered = np.sort(compact(uids), kind="stable")
    return bool(np.all(ordered[1:] != ordered[:-1]))


def check_unique(uids: Uids) -> None:
    """Raise a `SchemaError` for a uid that occurs twice."""
    if are_unique(uids):
        return
    names = uids.astype(np.str_) if uids.dtype.kind == "S" else uids
    values, counts = np.unique(names, return_counts=True)
    twice = np.flatnonzero(counts > 1)
    raise SchemaError(
        f"item {values[twice[0]].item()!r}: expected each uid once, "
        f"found it {counts[twice[0]]} times{and_more(len(twice) - 1)}"
    )

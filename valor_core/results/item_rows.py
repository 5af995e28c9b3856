"""Scores of items as columns, converted to objects on access."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Self, overload

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import SchemaError, StateError, short_repr
from valor_core.results.detail_columns import Details, joined, selected
from valor_core.results.result import Failed, NoScore, NotRun, Undefined
from valor_core.schemas.columns import Codes, Floats, natural_order
from valor_core.schemas.datum import Uids, compact
from valor_core.states.saved_columns import check_same_length, saved_column, saved_offsets

SINGLE = ""
"""Name of the only number of a metric with one number per item."""

WEIGHT = "weight"
"""Name of the metadata with the weights of items."""

_ABSENT = Undefined("no number of this name")
_KINDS: Mapping[str, type[NoScore]] = {"undefined": Undefined, "error": Failed, "not_run": NotRun}

RowValue = float | NoScore | Mapping[str, float | NoScore]


@frozen
class ItemRow:
    """Score of one item.

    Parameters
    ----------
    uid : str or int
        Uid of the item.
    value : float, Undefined, Failed, NotRun, or mapping of str to these
        Score, scores by name, or the reason why there is none.
    details : mapping
        Details from the metric.
    metadata : mapping
        Metadata of the item requested by another metric.
    """

    uid: str | int
    value: RowValue
    details: Mapping[str, Any] = field(factory=dict)
    metadata: Mapping[str, Any] = field(factory=dict)

    @property
    def is_final(self) -> bool:
        """True if scoring the item again cannot change the score."""
        values = self.value.values() if isinstance(self.value, Mapping) else [self.value]
        return not any(map(_may_change, values))

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON values."""
        record = {"uid": self.uid} | _entry(self.value)
        return record | ({"details": dict(self.details)} if self.details else {})

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> ItemRow:
        """Return the row that `to_dict` wrote.

        Raises
        ------
        KeyError, TypeError
            If the record is not a row.
        """
        uid, details = record["uid"], record.get("details", {})
        if isinstance(uid, bool) or not isinstance(uid, (str, int)):
            raise TypeError(f"uid: expected text or a whole number, found {short_repr(uid)}")
        if not isinstance(details, Mapping):
            raise TypeError(f"details: expected a table, found {short_repr(details)}")
        return cls(uid, _value_of(record), details)


def _entry(value: RowValue) -> dict[str, Any]:
    """Convert a value to JSON: null with a separate reason if there is no number."""
    if isinstance(value, Mapping):
        entries = {name: _entry(one) for name, one in value.items()}
        reasons = {name: entry for name, entry in entries.items() if entry["value"] is None}
        numbers = {name: entry["value"] for name, entry in entries.items()}
        return {"value": numbers} | ({"reasons": reasons} if reasons else {})
    for kind, cls in _KINDS.items():
        if isinstance(value, cls):
            retry = {"retry": True} if isinstance(value, Failed) and value.retry else {}
            return {"value": None, kind: value.reason} | retry
    return {"value": value}


def _value_of(record: Mapping[str, Any]) -> RowValue:
    value = record["value"]
    if isinstance(value, Mapping):
        reasons = record.get("reasons", {})
        return {
            name: _single(reasons.get(name, {"value": number})) for name, number in value.items()
        }
    return _single(record)


def _single(record: Mapping[str, Any]) -> float | NoScore:
    for kind, cls in _KINDS.items():
        if kind in record:
            if not isinstance(record[kind], str):
                raise TypeError(f"{kind}: expected text, found {short_repr(record[kind])}")
            retry = {"retry": True} if cls is Failed and record.get("retry") is True else {}
            return cls(record[kind], **retry)
    value = record["value"]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise TypeError(f"value: expected a finite number, found {short_repr(value)}")
    return float(value)


def _may_change(value: float | NoScore) -> bool:
    return isinstance(value, NotRun) or (isinstance(value, Failed) and value.retry)


@frozen(eq=False, repr=False)
class Numbers:
    """One number per item, or the reason why it is missing.

    Parameters
    ----------
    values : ndarray of float64
        Numbers; 0 if missing.
    codes : ndarray of unsigned integers
        0 for a number, otherwise 1 + the position of the reason in `gaps`.
    gaps : tuple of Undefined, Failed or NotRun
        Distinct reasons.
    """

    values: NDArray[np.float64]
    codes: NDArray[np.unsignedinteger[Any]]
    gaps: tuple[NoScore, ...] = ()

    @classmethod
    def of(cls, values: Iterable[float | NoScore]) -> Numbers:
        """Convert values to a column.

        Examples
        --------
        >>> Numbers.of([0.5, Undefined("no references")]).codes
        array([0, 1], dtype=uint8)
        """
        values = list(values)
        reasons: dict[NoScore, int] = {}
        numbers, codes = np.zeros(len(values)), np.zeros(len(values), np.int64)
        for position, value in enumerate(values):
            if isinstance(value, (Undefined, Failed, NotRun)):
                codes[position] = reasons.setdefault(value, len(reasons) + 1)
            else:
                numbers[position] = value
        return cls(numbers, _narrow(codes, len(reasons)), tuple(reasons))

    @classmethod
    def absent(cls, count: int) -> Numbers:
        """Return a column for items without this number."""
        return cls(np.zeros(count), np.ones(count, np.uint8), (_ABSENT,))

    def __len__(self) -> int:
        return len(self.values)

    def at(self, position: int) -> float | NoScore:
        """Return the number at a position, or the reason why it is missing."""
        code = int(self.codes[position])
        return self.gaps[code - 1] if code else float(self.values[position])

    @property
    def present(self) -> NDArray[np.float64]:
        """Numbers of the items that have one."""
        numbers: NDArray[np.float64] = self.values[self.codes == 0]
        return numbers

    def gap_counts(self) -> Counter[NoScore]:
        """Count the items without a number by reason."""
        counts = np.bincount(self.codes, minlength=len(self.gaps) + 1)[1:].tolist()
        return Counter({gap: count for gap, count in zip(self.gaps, counts, strict=True) if count})

    def have(self, kind: type[NoScore]) -> NDArray[np.bool_]:
        """Return a mask of the items without a number for a reason of the given kind."""
        marks = np.array([False, *(isinstance(gap, kind) for gap in self.gaps)])
        found: NDArray[np.bool_] = marks[self.codes]
        return found

    def select(self, positions: Codes) -> Numbers:
        """Return the numbers at the given positions."""
        return evolve(self, values=self.values[positions], codes=self.codes[positions])

    def lacking(self, unnamed: Numbers) -> Numbers:
        """Return the column with the reasons of items that lack all numbers filled in."""
        # Concatenated only to give the reasons of both the same codes.
        both = Numbers.joined([self, unnamed])
        codes, unnamed_codes = both.codes[: len(self)], both.codes[len(self) :]
        is_missing = (unnamed.codes > 0) & ~unnamed.is_absent
        return Numbers(self.values, np.where(is_missing, unnamed_codes, codes), both.gaps)

    @property
    def is_absent(self) -> NDArray[np.bool_]:
        """Mask of the items with neither a number of this name nor a reason."""
        marks = np.array([False, *(gap == _ABSENT for gap in self.gaps)])
        found: NDArray[np.bool_] = marks[self.codes]
        return found

    @classmethod
    def joined(cls, parts: Sequence[Numbers]) -> Numbers:
        """Concatenate columns."""
        reasons: dict[NoScore, int] = {}
        codes = []
        for part in parts:
            # Maps the part's code of a reason to its code among all reasons.
            new = [0, *(reasons.setdefault(gap, len(reasons) + 1) for gap in part.gaps)]
            codes.append(np.array(new)[part.codes] if part.gaps else part.codes)
        return cls(
            np.concatenate([part.values for part in parts]),
            _narrow(np.concatenate(codes), len(reasons)),
            tuple(reasons),
        )


def _narrow(codes: NDArray[Any], greatest: int) -> NDArray[Any]:
    """Convert codes to the smallest type that holds them, usually one byte."""
    return codes.astype(np.min_scalar_type(greatest), copy=False)


@frozen(eq=False)
class ItemRows(Sequence[ItemRow]):
    """Rows of items as columns; a row becomes an object when it is read.

    Parameters
    ----------
    uids : ndarray
        Uids of the items; ASCII strings as bytes.
    numbers : mapping of str to Numbers
        Numbers by name. The only number, and reasons for lacking all numbers, have the name ``""``.
    details : mapping of int to mapping
        Details by position of the item, as `DetailColumns` if items have the same names.
    metadata : mapping of str to ndarray of object
        Metadata of the items requested by another metric.

    Examples
    --------
    >>> rows = ItemRows.of([ItemRow("q1", 0.5), ItemRow("q2", Undefined("no references"))])
    >>> rows[1].value, rows.numbers[""].present
    (Undefined(reason='no references'), array([0.5]))
    """

    uids: Uids
    numbers: Mapping[str, Numbers]
    details: Details = field(factory=dict)
    metadata: Mapping[str, NDArray[Any]] = field(factory=dict)

    @classmethod
    def of(cls, rows: Iterable[ItemRow], uids: Uids | None = None) -> ItemRows:
        """Convert rows to columns.

        Parameters
        ----------
        rows : iterable of ItemRow
            Rows to convert.
        uids : ndarray, optional
            Column of their uids, if available.
        """
        rows = list(rows)
        values = [row.value for row in rows]
        names = dict.fromkeys(name for value in values for name in _names(value)) or {SINGLE: None}
        numbers = {name: Numbers.of(_named(value, name) for value in values) for name in names}
        details = {position: row.details for position, row in enumerate(rows) if row.details}
        if uids is None:
            uids = np.array([row.uid for row in rows]) if rows else np.empty(0, np.int64)
        return cls(compact(uids), numbers, details)

    def columns(self) -> dict[str, Numbers]:
        """Return the numbers sorted by name, with reasons for all missing ones."""
        # In a slice, names may have no numbers at all.
        named = {name: column for name, column in self.numbers.items() if name != SINGLE}
        names = sorted(name for name, column in named.items() if not column.is_absent.all())
        if not names:
            return {SINGLE: self.numbers.get(SINGLE, Numbers.absent(len(self)))}
        if SINGLE not in self.numbers:
            return {name: named[name] for name in names}
        return {name: named[name].lacking(self.numbers[SINGLE]) for name in names}

    @property
    def weights(self) -> Floats | None:
        """Weights of the items, or None if all count equally."""
        weights = self.metadata.get(WEIGHT)
        return None if weights is None or (weights == 1).all() else weights.astype(np.float64)

    @property
    def are_final(self) -> bool:
        """True if scoring the items again cannot change a score."""
        return not any(map(_may_change, self.reasons()))

    def reasons(self) -> Iterator[NoScore]:
        """Yield the reasons why items lack a number; a reason may repeat."""
        for column in self.numbers.values():
            if column.gaps:
                yield from column.gap_counts()

    def have(self, kind: type[NoScore]) -> NDArray[np.bool_]:
        """Return a mask of the items without a number for a reason of the given kind."""
        marks = np.zeros(len(self), bool)
        for numbers in self.numbers.values():
            if numbers.gaps:
                marks |= numbers.have(kind)
        return marks

    def __len__(self) -> int:
        return len(self.uids)

    @overload
    def __getitem__(self, position: int) -> ItemRow: ...
    @overload
    def __getitem__(self, position: slice) -> Self: ...
    def __getitem__(self, position: int | slice) -> ItemRow | Self:
        if isinstance(position, slice):
            return self.select(np.arange(len(self))[position])
        row = range(len(self))[position]
        metadata = {name: column[row] for name, column in self.metadata.items()}
        return ItemRow(self._uid(row), self._value(row), self.details.get(row, {}), metadata)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ItemRows) and list(self) == list(other)

    def __iter__(self) -> Iterator[ItemRow]:
        return map(self.__getitem__, range(len(self)))

    def _uid(self, position: int) -> str | int:
        uid = self.uids[position].item()
        return uid.decode("ascii") if isinstance(uid, bytes) else uid

    def _value(self, position: int) -> RowValue:
        values = {name: column.at(position) for name, column in self.numbers.items()}
        only = values.pop(SINGLE, _ABSENT)
        if only != _ABSENT:
            return only
        return {name: value for name, value in values.items() if value != _ABSENT}

    def select(self, positions: Codes) -> Self:
        """Return the rows at the given positions."""
        return evolve(
            self,
            uids=self.uids[positions],
            numbers={name: column.select(positions) for name, column in self.numbers.items()},
            details=selected(self.details, positions),
            metadata={name: column[positions] for name, column in self.metadata.items()},
        )

    def sorted(self) -> Self:
        """Return the rows sorted by uid."""
        uids = self.uids.astype("U") if self.uids.dtype.kind == "S" else self.uids
        return self.select(natural_order(uids))

    @classmethod
    def joined(cls, parts: Sequence[ItemRows]) -> ItemRows:
        """Concatenate rows.

        Raises
        ------
        SchemaError
            If uids mix strings and integers.
        """
        parts = [part for part in parts if len(part)] or list(parts[:1])
        if not parts:
            return cls.of(())
        if len({part.uids.dtype.kind in "US" for part in parts}) > 1:
            raise SchemaError("uids: expected all strings or all whole numbers, found both")
        names = dict.fromkeys(name for part in parts for name in part.numbers)
        numbers = {name: Numbers.joined([_column(part, name) for part in parts]) for name in names}
        starts = list(accumulate(map(len, parts[:-1]), initial=0))
        details = joined([part.details for part in parts], starts)
        metadata = {
            name: np.concatenate([part.metadata[name] for part in parts])
            for name in parts[0].metadata
        }
        return cls(np.concatenate([part.uids for part in parts]), numbers, details, metadata)

    def dump(self) -> dict[str, Any]:
        """Return the content of the rows for a state file, which `restored` reads."""
        positions = sorted(self.details)
        texts = [json.dumps(dict(self.details[position])).encode() for position in positions]
        return {
            "uids": self.uids,
            "names": list(self.numbers),
            "values": [column.values for column in self.numbers.values()],
            "codes": [column.codes for column in self.numbers.values()],
            "gaps": [[_entry(gap) for gap in column.gaps] for column in self.numbers.values()],
            "details_at": np.array(positions, np.int64),
            "details_start": np.cumsum([0, *map(len, texts)]).astype(np.int64),
            "details": np.frombuffer(b"".join(texts), np.uint8),
            "metadata": {name: list(column) for name, column in self.metadata.items()},
        }

    @classmethod
    def restored(cls, content: Mapping[str, Any]) -> ItemRows:
        """Return the rows that `dump` wrote.

        Raises
        ------
        StateError
            If the content is damaged.
        """
        uids = content["uids"]
        kind = uids.dtype.kind if isinstance(uids, np.ndarray) else ""
        uids = saved_column(content, "uids", kind if kind in ("U", "S") else np.int64)
        columns = [content[name] for name in ("names", "values", "codes", "gaps")]
        check_same_length(dict(zip(("names", "values", "codes", "gaps"), columns, strict=True)))
        numbers = {
            str(name): _restored(len(uids), values, codes, gaps)
            for name, values, codes, gaps in zip(*columns, strict=True)
        }
        metadata = {
            name: _objects(values, len(uids)) for name, values in content["metadata"].items()
        }
        return cls(uids, numbers, _restored_details(content, len(uids)), metadata)


def _names(value: RowValue) -> Iterable[str]:
    return value if isinstance(value, Mapping) else (SINGLE,)


def _named(value: RowValue, name: str) -> float | NoScore:
    if isinstance(value, Mapping):
        return value.get(name, _ABSENT)
    return value if name == SINGLE else _ABSENT


def _column(rows: ItemRows, name: str) -> Numbers:
    return rows.numbers[name] if name in rows.numbers else Numbers.absent(len(rows))


def _restored(count: int, values: Any, codes: Any, gaps: Any) -> Numbers:
    reasons = tuple(_single(record) for record in gaps)
    if any(isinstance(reason, float) for reason in reasons):
        raise StateError("gaps: expected reasons, found a number")
    content = {"values": values, "codes": codes}
    kind = np.min_scalar_type(len(reasons))
    return Numbers(
        saved_column(content, "values", np.float64, shape=(count,)),
        saved_column(content, "codes", kind, shape=(count,), high=len(reasons)),
        reasons,  # type: ignore[arg-type]
    )


def _restored_details(content: Mapping[str, Any], count: int) -> dict[int, Mapping[str, Any]]:
    positions = saved_column(content, "details_at", np.int64, low=0, high=count - 1)
    text = saved_column(content, "details", np.uint8)
    starts = saved_offsets(content, "details_start", len(positions), len(text)).tolist()
    raw = text.tobytes()
    found: dict[int, Mapping[str, Any]] = {}
    for position, start, end in zip(positions.tolist(), starts[:-1], starts[1:], strict=True):
        details = json.loads(raw[start:end])
        if not isinstance(details, dict):
            raise StateError(f"details: expected a table, found {short_repr(details)}")
        found[position] = details
    return found


def _objects(values: Any, count: int) -> NDArray[Any]:
    if not isinstance(values, list) or len(values) != count:
        raise StateError(f"metadata: expected {count:,} values")
    return np.fromiter(values, dtype=np.object_, count=count)

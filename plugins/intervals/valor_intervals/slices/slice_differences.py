"""Differences between slices, and between a slice and all other items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from valor_core.results import Result, Slice
from valor_core.results.entries import CONFIDENCE, Entry, entries_of
from valor_core.results.result import detail_rows, is_number
from valor_intervals.comparison.significance import corrected
from valor_intervals.differences import Pair, decoded, differences, encoded

REST = "rest"
"""Table of details that compares a slice with all other items."""

DIFFERENCE = "difference"
"""Table of details with both numbers of a difference between slices."""


@frozen
class Side:
    """Results of some items.

    Parameters
    ----------
    results : sequence of Result
        Results.
    groups : sequence of int
        Codes of the groups of these items, ascending; empty without intervals.
    items : int, optional
        Number of items.
    """

    results: Sequence[Result]
    groups: Sequence[int] = ()
    items: int | None = None


def with_rest(part: Side, rest: Side, level: float | None) -> Iterator[Result]:
    """Yield the results of a slice with a table ``rest`` among their details.

    Parameters
    ----------
    part, rest : Side
        Results of the slice and of all other items.
    level : float, optional
        Confidence level of the differences; None without intervals.
    """
    for result, found in _pairs(part, rest, level):
        rows = [
            {**one.name, "value": one.second.value, "difference": one.value, **one.interval}
            for one in found
        ]
        yield _detailed(result, {REST: rows})


def difference(one: Side, other: Side, level: float | None) -> Slice:
    """Return the differences of the numbers of two slices as a slice, first minus second.

    Parameters
    ----------
    one, other : Side
        Results of slices of the same fields.
    level : float, optional
        Confidence level of the differences; None without intervals.
    """
    pairs = zip(one.results[0].slice.items(), other.results[0].slice.values(), strict=True)
    where = {
        name: first if first == second else f"{_word(first)} minus {_word(second)}"
        for (name, first), second in pairs
    }
    results = []
    for result, found in _pairs(one, other, level):
        if not found:
            continue
        values = {each.first.part: each.value for each in found}
        rows = [
            {
                **each.name,
                "first": each.first.value,
                "second": each.second.value,
                **({"p": each.interval["p"]} if each.interval else {}),
            }
            for each in found
        ]
        intervals = [
            {
                **each.name,
                "interval": each.interval["interval"],
                "method": each.interval["method"],
            }
            for each in found
            if each.interval
        ]
        made = evolve(result, value=values.get("", values), left_out={}, slice=where, details={})
        results.append(_detailed(made, {DIFFERENCE: rows, CONFIDENCE: intervals}))
    items = None if one.items is None or other.items is None else one.items + other.items
    return Slice(results, items)


def with_correction(parts: Sequence[Slice], table: str) -> list[Slice]:
    """Correct the p-values of a number for all its slices, by Holm's method.

    Parameters
    ----------
    parts : sequence of Slice
        Slices with p-values in a table of details.
    table : str
        Name of the table, `REST` or `DIFFERENCE`.
    """
    found: dict[tuple[Any, ...], list[float]] = {}
    for part in parts:
        for result in part:
            for row in _p_rows(result, table):
                found.setdefault((*_key(result), row.get("number")), []).append(row["p"])
    values = {key: iter(corrected(ps, "holm")) for key, ps in found.items()}

    def changed(result: Result) -> Result:
        rows = _p_rows(result, table)
        if not rows:
            return result
        new = [{**row, "p": next(values[(*_key(result), row.get("number"))])} for row in rows]
        others = [row for row in detail_rows(result.details[table]) if row.get("p") is None]
        return _detailed(result, {table: [*new, *others]})

    return [evolve(part, results=map(changed, part)) for part in parts]


def _p_rows(result: Result, table: str) -> list[Any]:
    rows = detail_rows(result.details.get(table, []))
    return [row for row in rows if row.get("p") is not None]


@frozen
class _NumberPair:
    """A number of both sides.

    Parameters
    ----------
    first, second : Entry
        Numbers.
    interval : mapping
        Interval and p-value of the difference, empty without intervals.
    """

    first: Entry
    second: Entry
    interval: Mapping[str, Any]

    @property
    def name(self) -> dict[str, str]:
        """Name of the number in tables of details, empty if it is the only one."""
        return {"number": self.first.part} if self.first.part else {}

    @property
    def value(self) -> float:
        """Difference, first minus second."""
        return float(self.first.value - self.second.value)


def _pairs(
    one: Side, other: Side, level: float | None
) -> Iterator[tuple[Result, list[_NumberPair]]]:
    """Yield the results of one side with the numbers that the other side has too."""
    by_key = {_key(result): result for result in other.results}
    for result in one.results:
        match = by_key.get(_key(result))
        numbers = {two.part: two for two in entries_of([] if match is None else [match])}
        yield (
            result,
            [
                _NumberPair(first, second, _interval(first, second, one, other, level))
                for first in entries_of([result])
                if (second := numbers.get(first.part)) is not None
                and is_number(first.value)
                and is_number(second.value)
            ],
        )


def _key(result: Result) -> tuple[str, str]:
    return result.metric, str(sorted(result.parameters.items(), key=str))


def _interval(
    first: Entry, second: Entry, one: Side, other: Side, level: float | None
) -> dict[str, Any]:
    if level is None or first.confidence is None or second.confidence is None:
        return {}
    # Both sides leave out the same groups. A group without items of a side does not change it.
    groups = sorted({*one.groups, *other.groups})
    pair = Pair(
        second.value,
        first.value,
        _row(second, other.groups, groups),
        _row(first, one.groups, groups),
    )
    (found,) = differences([pair], level)
    if found is None:
        return {"interval": None, "p": None, "method": "no interval: too few groups of items"}
    return {
        "interval": [found.low, found.high],
        "p": found.p,
        "method": f"paired by groups, {found.method}",
    }


def _row(entry: Entry, present: Sequence[int], groups: Sequence[int]) -> dict[str, Any]:
    """Return the row of an interval with a number without each of some groups."""
    row = dict(entry.confidence or {})
    if "without" in row:
        without = dict(zip(present, decoded(row["without"]).tolist(), strict=True))
        row["without"] = encoded([without.get(group, entry.value) for group in groups])
    return row


def _detailed(result: Result, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> Result:
    """Add tables to the details of a result; the only number of a result has a single row."""
    found = {
        name: list(rows) if "number" in rows[0] else rows[0]
        for name, rows in tables.items()
        if rows
    }
    return evolve(result, details={**result.details, **found})


def _word(value: Any) -> str:
    return "missing" if value is None else str(value)

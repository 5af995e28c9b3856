"""Numbers of two reports, paired by metric, parameters and slice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Literal

import numpy as np
from attrs import Attribute, evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import RegistryError, ReportError
from valor_core.results import ConfusionTable, Failed, Report, Result, Undefined
from valor_core.results.entries import Entry, entries_of
from valor_core.results.result import is_number
from valor_core.specs import Registry
from valor_report.tables.pivot import with_asked
from valor_report.tables.slice_tables import DIFFERENCE

Verdict = Literal["better", "worse", "unclear", "different", "appeared", "vanished", "same"]


@frozen
class Change:
    """Number that is in both reports.

    Parameters
    ----------
    entry : Entry
        Entry of the second report.
    a, b : float or None
        Values in the first and second report; None if undefined or failed.
    a_reason, b_reason : str or None
        Reason for a missing value.
    verdict : str
        ``"same"`` within the tolerances; ``"better"`` or ``"worse"``, or ``"different"`` if the
        metric has no direction; ``"appeared"`` or ``"vanished"`` if one value is missing. With
        intervals, ``"unclear"`` if the difference may be chance.
    interval : (float, float), optional
        Interval of the difference, if both reports have intervals.
    p : float, optional
        Probability of such a difference by chance, corrected for the number of comparisons.
    method : str, optional
        Test of the difference, such as ``"McNemar"``. Captions of tables name all methods.
    smallest : float, optional
        Smallest difference that the test finds with a probability of 80 %.
    higher_is_better : bool, optional
        Direction of the metric; None without one, or if the metric is not installed.
    items : int, optional
        Number of items of the slice in the second report; None for all items.
    """

    entry: Entry
    a: float | None
    b: float | None
    a_reason: str | None
    b_reason: str | None
    verdict: Verdict
    interval: tuple[float, float] | None = None
    p: float | None = None
    method: str | None = None
    smallest: float | None = None
    higher_is_better: bool | None = None
    items: int | None = None

    @property
    def is_tested(self) -> bool:
        """True if the difference has a test."""
        return self.p is not None

    @property
    def shown_verdict(self) -> str:
        """Verdict in words, which say if a number is better or worse without a test."""
        is_directed = self.verdict in ("better", "worse")
        return f"{self.verdict}, no test" if is_directed and not self.is_tested else self.verdict

    @property
    def title(self) -> str:
        """Metric with its requested name, and the name of the number if it has several."""
        result = self.entry.result
        return f"{with_asked(result, result.type)} {self.entry.part}".rstrip()

    @property
    def difference(self) -> float | None:
        """Second value minus the first; None if one is missing."""
        return None if self.a is None or self.b is None else self.b - self.a

    def to_dict(self) -> dict[str, Any]:
        """Convert the change to a JSON object."""
        record = named(self.entry.result)
        if self.entry.part:
            record["part"] = self.entry.part
        if self.items is not None:
            record["items"] = self.items
        record |= {"a": self.a, "b": self.b, "difference": self.difference}
        if self.interval is not None:
            record |= {"interval": list(self.interval), "p": self.p, "method": self.method}
            record["smallest_difference"] = self.smallest
        if self.a_reason is not None:
            record["a_reason"] = self.a_reason
        if self.b_reason is not None:
            record["b_reason"] = self.b_reason
        return record | {"verdict": self.verdict}


def _at_least_0(instance: object, attribute: Attribute[float], value: float) -> None:
    if not value >= 0:
        raise ReportError(f"compare: {attribute.name} must be at least 0, got {value}")


@frozen
class Tolerances:
    """Maximum differences of equal values."""

    tolerance: float = field(validator=_at_least_0)
    relative_tolerance: float = field(validator=_at_least_0)

    def allow(self, a: Any, b: Any) -> bool:
        """Return True if two numbers, or nested lists and mappings of numbers, are equal."""
        if is_number(a) and is_number(b):
            return bool(abs(b - a) <= max(self.tolerance, self.relative_tolerance * abs(a)))
        if isinstance(a, ConfusionTable) and isinstance(b, ConfusionTable):
            pair = a.aligned(b)
            return pair is not None and self._allow_all(*pair)
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            return a.keys() == b.keys() and all(self.allow(a[name], b[name]) for name in a)
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            return len(a) == len(b) and all(map(self.allow, a, b))
        return bool(a == b)

    def _allow_all(self, a: NDArray[Any], b: NDArray[Any]) -> bool:
        most = np.maximum(self.tolerance, self.relative_tolerance * np.abs(a))
        return bool((np.abs(b - a) <= most).all())


Identity = tuple[str, str, str]
"""Metric without version, slice and parameters."""


def by_identity(report: Report) -> dict[Identity, Result]:
    """Return the results of all items and of slices by what pairs them."""
    return {identity_of(one): one for one in chain(report, *report.slices)}


def identity_of(result: Result) -> Identity:
    """Return what pairs a result with that of another report."""
    return plain_name(result), text_of_values(result.slice), text_of_values(result.parameters)


def metric_direction(result: Result, registry: Registry | None) -> bool | None:
    """Return whether a higher number is better, or None if that is unknown."""
    direction = name_direction(plain_name(result), result.parameters, registry)
    return None if DIFFERENCE in result.details else direction  # of two slices


def name_direction(
    metric: str, parameters: Mapping[str, Any], registry: Registry | None
) -> bool | None:
    """Return whether a higher number of a metric is better, or None if that is unknown."""
    direction = _direction(metric.partition("@")[0], registry)
    return parameters.get("higher_is_better") if direction is None else direction


def text_of_values(values: Mapping[str, Any]) -> str:
    """Return parameters or the values of a slice as comparable text."""
    return json.dumps(values, sort_keys=True, default=str)


def plain_name(result: Result) -> str:
    """Return the name of the metric of a result without its version."""
    return (result.metric or result.type).partition("@")[0]


def paired_changes(
    ours: Mapping[Identity, Result],
    theirs: Mapping[Identity, Result],
    tolerances: Tolerances,
    registry: Registry | None,
    sizes: Mapping[str, int],
) -> tuple[list[Change], list[Result]]:
    """Pair the numbers of results, and return the other values that differ.

    Parameters
    ----------
    ours, theirs : mapping
        Results of both reports, from `by_identity`.
    tolerances : Tolerances
        Largest differences of equal numbers.
    registry : Registry, optional
        Registry with the directions of metrics.
    sizes : mapping of str to int
        Numbers of items of slices, from `slice_sizes`.

    Returns
    -------
    list of Change, list of Result
        Numbers in both reports, and curves and matrices of the second report that differ.
    """
    shared = [identity for identity in ours if identity in theirs]
    changes: list[Change] = []
    structures: list[Result] = []
    for identity in shared:
        mine, other = ours[identity], theirs[identity]
        direction = metric_direction(other, registry)
        size = sizes.get(identity[1]) if other.slice else None
        for one, two in _numbers(mine, other):
            changes.append(_change(one, two, direction, tolerances, size))
        if not tolerances.allow(_rest(mine), _rest(other)):
            structures.append(other)
    return changes, structures


def slice_sizes(report: Report) -> dict[str, int]:
    """Return the number of items of each slice that counts them, by its values as text."""
    return {
        text_of_values(part[0].slice): part.items
        for part in report.slices
        if part.items is not None
    }


def _numbers(ours: Result, theirs: Result) -> Iterable[tuple[Entry, Entry]]:
    """Pairs of numbers by part; a missing one gets the reason of the result without a part."""
    mine = {entry.part: entry for entry in entries_of([ours])}
    other = {entry.part: entry for entry in entries_of([theirs])}
    for part in dict.fromkeys([*mine, *other]):
        if not part and len(mine | other) > 1:
            continue
        one = mine.get(part) or _missing_part(mine, ours, part)
        two = other.get(part) or _missing_part(other, theirs, part)
        yield one, two


def _missing_part(entries: Mapping[str, Entry], result: Result, part: str) -> Entry:
    whole = entries.get("")
    return Entry(result, part, None if whole is None else whole.value)


def _rest(result: Result) -> Any:
    """Value of a result without the numbers that `entries_of` yields."""
    named = {entry.part for entry in entries_of([result])}
    if "" in named:
        return None
    content = result.content
    if isinstance(content, Mapping) and not isinstance(content, ConfusionTable):
        return {key: value for key, value in content.items() if str(key) not in named}
    return content


def _change(
    one: Entry,
    two: Entry,
    higher_is_better: bool | None,
    tolerances: Tolerances,
    items: int | None,
) -> Change:
    a, b = number_of(one.value), number_of(two.value)
    return Change(
        two,
        a,
        b,
        _reason(one.value),
        _reason(two.value),
        _verdict(a, b, higher_is_better, tolerances),
        higher_is_better=higher_is_better,
        items=items,
    )


def with_tests(changes: Iterable[Change], tested: Any) -> Iterable[Change]:
    """Add the tests of a comparison by `valor_intervals`."""
    by_key = {one.key: one.test for one in tested.numbers}
    for change in changes:
        result = change.entry.result
        yield _clear(change, by_key.get((*identity_of(result), change.entry.part)))


def _clear(change: Change, difference: Any) -> Change:
    if difference is None:
        return change
    is_unclear = change.verdict in ("better", "worse", "different") and not difference.is_clear
    return evolve(
        change,
        verdict="unclear" if is_unclear else change.verdict,
        interval=(difference.low, difference.high),
        p=difference.p,
        method=difference.method,
        smallest=difference.smallest,
    )


def number_of(value: Any) -> float | None:
    """Return a value if it is a number."""
    return value if isinstance(value, (int, float)) else None


def _reason(value: Any) -> str | None:
    return value.reason if isinstance(value, (Undefined, Failed)) else None


def _verdict(
    a: float | None, b: float | None, higher_is_better: bool | None, tolerances: Tolerances
) -> Verdict:
    if a is None or b is None:
        return "same" if a is b else "appeared" if a is None else "vanished"
    if tolerances.allow(a, b):
        return "same"
    if higher_is_better is None:
        return "different"
    return "better" if (b > a) is higher_is_better else "worse"


def _direction(name: str, registry: Registry | None) -> bool | None:
    if registry is None or "." not in name:
        return None
    try:
        return registry.metric(name).higher_is_better
    except RegistryError:
        return None


def named(one: Result) -> dict[str, Any]:
    """Return the type, metric, slice and parameters of a result as JSON values."""
    sliced = {"slice": dict(one.slice)} if one.slice else {}
    record = {"type": one.type, "metric": plain_name(one)}
    return record | sliced | {"parameters": dict(one.parameters)}

"""Rows of items of two reports, paired by uid: tests, and items that got better or worse."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Literal

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from valor_core import Evaluator, Registry, Report
from valor_core.errors import ValorError, short_repr
from valor_core.results import ItemRows, Numbers
from valor_intervals.comparison.resampling import (
    Floats,
    Values,
    approximate_randomization,
    means,
    paired_bootstrap,
)
from valor_intervals.comparison.significance import mcnemar
from valor_intervals.differences import Difference
from valor_intervals.student import share_within, student_quantile

Test = Literal["auto", "jackknife", "randomization", "bootstrap", "sacrebleu"]
"""Test of a difference: of groups of items, or of items; ``auto`` takes what reports have."""

Uid = str | int
_MOST_SWAPPED = 10_000
"""Most items of a mean that are swapped at random; Student's test of more has equal p-values."""


@frozen
class Flips:
    """Items that one of two models does better.

    Parameters
    ----------
    metric, part : str
        Name of the metric without version, and of its number if it has several.
    parameters : mapping
        Parameters of the metric.
    better, worse : tuple of str or int
        Uids of items that are right in the second report only, and in the first report only. If
        items have other numbers than 0 and 1, uids of items with a better and a worse number, by
        descending difference.
    wrong : tuple of str or int, optional
        Uids of items that both models have wrong; None if items have other numbers than 0 and 1.
    items : int
        Number of items with a number in both reports.
    """

    metric: str
    part: str
    parameters: Mapping[str, Any]
    better: tuple[Uid, ...]
    worse: tuple[Uid, ...]
    wrong: tuple[Uid, ...] | None
    items: int

    def to_dict(self) -> dict[str, Any]:
        """Return the uids as JSON values."""
        part = {"part": self.part} if self.part else {}
        return {
            "metric": self.metric,
            **part,
            "parameters": dict(self.parameters),
            "items": self.items,
            "better": list(self.better),
            "worse": list(self.worse),
            **({} if self.wrong is None else {"wrong": list(self.wrong)}),
        }


@frozen(eq=False)
class PairedRows:
    """Rows of the same items of a metric in two reports.

    Parameters
    ----------
    metric : str
        Name without version.
    parameters : mapping
        Parameters of the metric.
    uids : ndarray
        Uids of the items.
    first, second : mapping of str to Numbers
        Numbers of the items by name.
    values : callable, optional
        Function from sums of the columns of all names to the number of the metric.
    higher_is_better : bool, optional
        Direction of the metric; None if it has none.
    """

    metric: str
    parameters: Mapping[str, Any]
    uids: NDArray[Any]
    first: Mapping[str, Numbers]
    second: Mapping[str, Numbers]
    values: Values | None = None
    higher_is_better: bool | None = None

    def test(
        self, part: str, a: float, b: float, test: Test, level: float, seed: int
    ) -> Difference | None:
        """Return the test of a number, or None if it is not that of these rows.

        Parameters
        ----------
        part : str
            Name of the number if the value is a table, otherwise empty.
        a, b : float
            Number of the first and of the second report.
        test : str
            As in `compare`.
        level : float
            Confidence level.
        seed : int
            Seed of the random numbers.
        """
        if self.values is not None:
            first, second = self._sums(self.first), self._sums(self.second)
            values, is_sum = self.values, True
        else:
            columns = self._scores(part)
            if columns is None:
                return None
            first, second = (np.stack([one, np.ones(len(one))], axis=1) for one in columns)
            values, is_sum = means, False
        count = len(first)
        both = [float(values(one.sum(0)[None])[0]) for one in (first, second)] if count else []
        if count < 2 or (first == second).all():
            return None
        if not (_are_close(both[0], a) and _are_close(both[1], b)):
            return None  # a number with another formula, such as a corrected mean
        others: dict[str, Any] = {"items": count}
        if is_sum or test == "bootstrap":
            found = paired_bootstrap(first, second, values, seed=seed)
            interval, error, p = found.interval(level), found.error, found.p
        else:
            change = second[:, 0] - first[:, 0]
            error = float(np.std(change, ddof=1)) / math.sqrt(count)
            reach, middle = student_quantile(level, count - 1) * error, float(change.mean())
            interval, p = (middle - reach, middle + reach), 1.0
        if test == "bootstrap":
            method = "bootstrap"
        elif not is_sum and test == "auto" and _are_right_or_wrong(first, second):
            method, differing = "McNemar", second[:, 0] - first[:, 0]
            p = mcnemar(int(np.sum(differing < 0)), int(np.sum(differing > 0)))
        elif not is_sum and test == "auto" and count > _MOST_SWAPPED and error:
            method, change = "Student", second[:, 0] - first[:, 0]
            p = 1 - share_within(abs(float(change.mean())) / error, count - 1)
        else:
            method = "randomization"
            if a != b:
                p = approximate_randomization(
                    first, second, values, seed=seed, strict=test == "sacrebleu"
                )
        p = p if a != b else 1.0
        return Difference.of(interval, p, error, level, method=method, **others)

    def flips(self) -> Iterator[Flips]:
        """Yield the items that are better in one report, for each number of the rows.

        Without a direction, only the items of an unnamed number of 0 or 1 are right or wrong.
        """
        lower_is_better = self.higher_is_better is False
        for part in self.first if self.values is None else [""]:
            found = self._numbers_of_items(part)
            if found is None:
                continue
            uids, first, second = found
            is_right = _are_right_or_wrong(first[:, None], second[:, None])
            if self.higher_is_better is None and (part or not is_right):
                continue
            gain = first - second if lower_is_better else second - first
            is_wrong = (first == lower_is_better) & (second == lower_is_better)
            largest = np.arange(len(gain)) if is_right else np.argsort(-np.abs(gain), kind="stable")
            yield Flips(
                self.metric,
                part,
                self.parameters,
                better=_uids(uids[largest][gain[largest] > 0]),
                worse=_uids(uids[largest][gain[largest] < 0]),
                wrong=_uids(uids[is_wrong]) if is_right else None,
                items=len(gain),
            )

    def _numbers_of_items(self, part: str) -> tuple[NDArray[Any], Floats, Floats] | None:
        """Return the uids and both numbers of the items that have a number in both reports."""
        if self.values is None:
            columns = self._scores(part)
            return None if columns is None else (self.uids[self._have_scores(part)], *columns)
        first, second = (self.values(self._sums(one)) for one in (self.first, self.second))
        mask = np.isfinite(first) & np.isfinite(second)
        return self.uids[mask], first[mask], second[mask]

    def _have_scores(self, part: str) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = (self.first[part].codes == 0) & (self.second[part].codes == 0)
        return found

    def _scores(self, part: str) -> tuple[Floats, Floats] | None:
        """Return the scores of the items that have one in both reports."""
        if part not in self.first or part not in self.second:
            return None
        mask = self._have_scores(part)
        return self.first[part].values[mask], self.second[part].values[mask]

    def _sums(self, numbers: Mapping[str, Numbers]) -> Floats:
        return np.stack([numbers[name].values for name in self.first], axis=1)


def _are_close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def _are_right_or_wrong(first: Floats, second: Floats) -> bool:
    both = np.concatenate([first[:, 0], second[:, 0]])
    return len(both) > 0 and bool(((both == 0) | (both == 1)).all())


def _uids(column: NDArray[Any]) -> tuple[Uid, ...]:
    return tuple(one.decode("ascii") if isinstance(one, bytes) else one for one in column.tolist())


def paired_rows(
    a: Report, b: Report, registry: Registry
) -> tuple[dict[tuple[str, str], PairedRows], list[str]]:
    """Return the rows of both reports by metric and parameters, and why others are not paired."""
    others = {_table_key(table): table for table in b.items}
    found: dict[tuple[str, str], PairedRows] = {}
    reasons: list[str] = []
    for table in a.items:
        other = others.get(key := _table_key(table))
        if other is None or other.metric != table.metric:
            continue
        first, second = table.rows.sorted(), other.rows.sorted()
        if not _are_same(first, second):
            reasons.append(_other_uids(first, second))
            continue
        columns = first.columns(), second.columns()
        values = None
        if columns[0].keys() == columns[1].keys() and "" not in columns[0]:
            values = _values(*key, tuple(columns[0]), table.parameters, registry)
        direction = direction_of(key[0], table.parameters, registry)
        found[key] = PairedRows(key[0], table.parameters, first.uids, *columns, values, direction)
    return found, reasons


def direction_of(metric: str, parameters: Mapping[str, Any], registry: Registry) -> bool | None:
    """Return whether a higher number of a metric is better, or None if that is unknown."""
    found = None
    if "." in metric:
        with suppress(ValorError):
            found = registry.metric(metric).higher_is_better
    given = parameters.get("higher_is_better") if found is None else found
    return given if isinstance(given, bool) else None


def _table_key(table: Any) -> tuple[str, str]:
    return table.metric.partition("@")[0], text_of(table.parameters)


def _are_same(first: ItemRows, second: ItemRows) -> bool:
    kinds = [rows.uids.dtype.kind in "US" for rows in (first, second)]
    if len(first) != len(second) or kinds[0] != kinds[1]:
        return False
    uids = [rows.uids.astype("U") if kinds[0] else rows.uids for rows in (first, second)]
    return bool((uids[0] == uids[1]).all())


def _other_uids(first: ItemRows, second: ItemRows) -> str:
    ours, theirs = (set(_uids(rows.uids)) for rows in (first, second))
    counts = [
        f"{len(one):,} only in the {side}"
        for one, side in ((ours - theirs, "first"), (theirs - ours, "second"))
        if one
    ]
    listed = sorted(map(str, ours ^ theirs))
    return f"data: uids of rows: {', '.join(counts)}, such as {short_repr(listed[0])}"


def _values(
    metric: str,
    key: str,
    names: Sequence[str],
    parameters: Mapping[str, Any],
    registry: Registry,
) -> Values | None:
    """Return the function from sums of the rows of a metric to its number, if it has one."""
    try:
        evaluator = Evaluator([{"name": metric, **parameters}], registry=registry)
        (bound,) = evaluator.evaluation.plan.metrics
        of_sums: Callable[..., Floats] | None = getattr(bound.make(), "of_sums", None)
    except ValorError:  # not installed, or with other parameters
        return None
    return None if of_sums is None else partial(_of_columns, of_sums, names)


def _of_columns(
    of_sums: Callable[[Mapping[str, Floats]], Floats], names: Sequence[str], sums: Floats
) -> Floats:
    return of_sums(dict(zip(names, sums.T, strict=True)))


def text_of(values: Mapping[str, Any]) -> str:
    """Return parameters or values of a slice as comparable text."""
    return json.dumps(values, sort_keys=True, default=str)

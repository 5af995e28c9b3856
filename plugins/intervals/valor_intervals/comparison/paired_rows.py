"""Rows of items of two reports, paired by uid: tests, and items that only one model has right."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    """Items that only one of two models has right.

    Parameters
    ----------
    metric, part : str
        Name of the metric without version, and of its number if it has several.
    parameters : mapping
        Parameters of the metric.
    fixed : tuple of str or int
        Uids of items that only the second model has right.
    broken : tuple of str or int
        Uids of items that only the first model has right.
    wrong : tuple of str or int
        Uids of items that both models have wrong.
    items : int
        Number of items.
    """

    metric: str
    part: str
    parameters: Mapping[str, Any]
    fixed: tuple[Uid, ...]
    broken: tuple[Uid, ...]
    wrong: tuple[Uid, ...]
    items: int

    def to_dict(self) -> dict[str, Any]:
        """Return the uids as JSON values."""
        part = {"part": self.part} if self.part else {}
        return {
            "metric": self.metric,
            **part,
            "parameters": dict(self.parameters),
            "items": self.items,
            "fixed": list(self.fixed),
            "broken": list(self.broken),
            "wrong": list(self.wrong),
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
    """

    metric: str
    parameters: Mapping[str, Any]
    uids: NDArray[Any]
    first: Mapping[str, Numbers]
    second: Mapping[str, Numbers]
    values: Values | None = None

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
        """Yield the items that are right in one report only, of each number of the rows."""
        if self.values is not None:
            return
        for part in self.first:
            columns = self._scores(part)
            if columns is None or not _are_right_or_wrong(*(one[:, None] for one in columns)):
                continue
            first, second = columns
            uids = self.uids[self._have_scores(part)]
            yield Flips(
                self.metric,
                part,
                self.parameters,
                fixed=_uids(uids[second > first]),
                broken=_uids(uids[first > second]),
                wrong=_uids(uids[(first == 0) & (second == 0)]),
                items=len(first),
            )

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
        found[key] = PairedRows(key[0], table.parameters, first.uids, *columns, values)
    return found, reasons


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

"""Intervals of all results of an evaluation, from groups of its items."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from attrs import evolve, frozen

from valor_core.errors import ConfigError, ParameterError
from valor_core.evaluation import Evaluation, Slices
from valor_core.parameters import (
    Within,
    changed_parameters,
    parameter,
    parameters,
    parameters_from,
)
from valor_core.results import Result
from valor_core.schemas import Batch, Codes
from valor_core.specs import Range
from valor_intervals.differences import encoded
from valor_intervals.estimates import extreme_estimate, interval_of, is_extreme
from valor_intervals.hashing import hash_of, hashes
from valor_intervals.intervals import LEVEL
from valor_intervals.jackknife import Estimate
from valor_intervals.replicates import Place, Replicates, numbers_of
from valor_intervals.resamples import Floats, encoded_resamples, poisson_weights
from valor_intervals.valid_values import config_error

Reasons = Mapping[str, Mapping[str, str]]
"""Reasons why numbers have no interval, by identity of the metric and name of the number."""

MOST_NUMBERS = 10_000
"""Most numbers of all items, or of a slice, that all have intervals."""
MOST_LABELS = 100
"""Number of labels with intervals if there are more numbers."""
FEWEST_GROUPS = 20
"""Fewest groups of items whose intervals have no warning."""
FEWEST_EFFECTIVE = 7
"""Fewest effective groups, see `Estimate`, of an interval without a warning."""
_MEAN = re.compile("m[A-Z]")


@parameters
class ConfidenceParameters:
    """Parameters of intervals."""

    level: float = parameter(
        default=LEVEL, help="Confidence level.", check=Within(0, 1, open_low=True, open_high=True)
    )
    groups: int = parameter(
        default=100,
        help="Number of groups that items are divided into, each left out once or resampled.",
        check=Within(2, 1000),
    )
    resamples: int = parameter(
        default=0,
        help="Number of bootstrap resamples of the groups; 0 leaves out each group instead.",
        check=Within(0, 100_000),
    )
    seed: int = parameter(
        default=0, help="Number that selects the division into groups and the resamples."
    )
    tables: bool = parameter(
        default=False, help="Whether cells of tables and points of curves have intervals."
    )
    cluster_by: str | None = parameter(
        default=None,
        help="Metadata field of items that belong together, such as frames of one video.",
    )
    keep: int = parameter(
        default=1000,
        help="Most numbers of all items, or of a slice, whose values a report keeps to compare.",
        check=Within(0),
    )


def groups(section: float | Mapping[str, Any]) -> Confidence:
    """Return the groups of a level or a section ``confidence``.

    Raises
    ------
    ConfigError
        If a parameter is invalid.

    Examples
    --------
    >>> groups(0.9).parameters.level
    0.9
    """
    values = section if isinstance(section, Mapping) else {"level": section}
    try:
        return Confidence(parameters_from(ConfidenceParameters, values, "confidence: "))
    except ParameterError as error:
        level = values.get("level")
        if error.remedy is None and isinstance(level, (int, float)) and 50 <= level < 100:
            raise ConfigError(error.message, f"Write it as: {level / 100:g}") from error
        raise config_error(error) from error


@frozen
class Confidence:
    """Intervals by leaving out or resampling groups of items.

    Parameters
    ----------
    parameters : ConfidenceParameters
        Level, groups, resamples and clusters.
    """

    parameters: ConfidenceParameters

    def codes(self, batch: Batch) -> Codes:
        """Return the group of each item, a function of its uid or cluster alone."""
        seed, field = self.parameters.seed, self.parameters.cluster_by
        if field is None:
            found = hashes(batch.datums.uids, seed)
        elif field in batch.datums.metadata:
            found = np.empty(len(batch), np.uint64)
            for value, positions in Slices([field]).split(batch):
                found[positions] = hash_of(value, seed)
        else:
            raise ConfigError(
                f"confidence: no item has the metadata field {field!r} of cluster_by",
                f"Available fields: {', '.join(sorted(batch.datums.metadata)) or 'none'}.",
            )
        return (found % np.uint64(self.parameters.groups)).astype(np.int64)

    def describe(self) -> dict[str, Any]:
        """Return the level, and the parameters that differ from their defaults."""
        changed = changed_parameters(self.parameters)
        return {"level": self.parameters.level, **changed}

    def with_intervals(
        self,
        results: Sequence[Result],
        parts: Mapping[int, Sequence[Any]],
        evaluation: Evaluation,
        where: Mapping[str, Any],
        items: int | None = None,
    ) -> list[Result]:
        """Return results with a table ``confidence`` among their details.

        Parameters
        ----------
        results : sequence of Result
            Results over all groups.
        parts : mapping of int to list of State
            States of each group by its code.
        evaluation : Evaluation
            Plan and metrics.
        where : mapping of str to value
            Metadata values of the slice.
        items : int, optional
            Number of items, for a warning if they are too few for a number.
        """
        chosen = self.parameters
        numbers = partial(numbers_of, with_tables=chosen.tables)
        places = [(i, name) for i, one in enumerate(results) for name, _ in numbers(one)]
        reasons = _reasons(evaluation)
        # A metric of which no number has an interval is not computed again: it may be slow.
        computed = {
            results[i].metric for i, name in places if _reason(reasons, results[i], name) is None
        }
        fixed = [place for place in places if results[place[0]].metric not in computed]
        places = [place for place in places if results[place[0]].metric in computed]
        warnings = []
        if len(places) > MOST_NUMBERS:
            places = _most_important(results, places, parts, evaluation, where)
            warnings.append(_only(len(places)))
        replicates = Replicates(results, list(parts.values()), evaluation, where, places, numbers)
        without = replicates.numbers(1 - np.eye(len(parts), dtype=np.int64))
        resampled = np.empty((0, len(places)))
        if chosen.resamples:
            weights = poisson_weights(chosen.seed, list(parts), chosen.resamples)
            resampled = replicates.numbers(weights)
        found = self._estimates(replicates, without, resampled, reasons)
        rows: dict[int, list[dict[str, Any]]] = {}
        for i, name in fixed:
            row = _without_interval(_reason(reasons, results[i], name)).row(name)
            rows.setdefault(i, []).append(row)
        for column, ((i, name), one) in enumerate(zip(places, found, strict=True)):
            kept = {}
            if len(places) <= chosen.keep:
                kept = _kept(without[:, column], resampled[:, column])
            rows.setdefault(i, []).append(one.row(name) | kept)
        warnings += _doubtful(found, len(parts))
        if items is not None:
            warnings += _too_few(replicates, items)
        detailed = [_detailed(one, rows.get(i, ())) for i, one in enumerate(results)]
        if warnings and detailed:
            first = detailed[0]
            detailed[0] = evolve(first, warnings=(*first.warnings, *warnings))
        return detailed

    def _estimates(
        self, replicates: Replicates, without: Floats, resampled: Floats, reasons: Reasons
    ) -> list[Estimate]:
        """Return the interval of each number."""
        results, level = replicates.results, self.parameters.level
        metrics = replicates.evaluation.plan.metrics
        ranges = {one.spec.identity: one.spec.range for one in metrics}
        found, extreme = [], {}
        for column, (i, name) in enumerate(replicates.places):
            result, reason = results[i], _reason(reasons, results[i], name)
            if reason is not None:
                found.append(_without_interval(reason))
                continue
            value = replicates.values[column]
            range = ranges.get(result.metric, Range())
            one = interval_of(value, without[:, column], resampled[:, column], range, level)
            if is_extreme(value, one, range) and not _is_average(result):
                extreme[column] = value
            found.append(one)
        if extreme:
            columns = list(extreme)
            some = evolve(replicates, places=[replicates.places[column] for column in columns])
            alone = some.numbers(np.eye(len(replicates.parts), dtype=np.int64))
            for column, trials in zip(columns, (~np.isnan(alone)).sum(axis=0), strict=True):
                found[column] = extreme_estimate(extreme[column], int(trials), level)
        return found


def _reasons(evaluation: Evaluation) -> Reasons:
    """Return the numbers of each metric that have no interval, with the reason."""
    found: dict[str, dict[str, str]] = {}
    for one in evaluation.plan.metrics:
        found.setdefault(one.spec.identity, {}).update(getattr(one.make(), "no_interval", {}))
    return found


def _reason(reasons: Reasons, result: Result, name: str) -> str | None:
    return reasons.get(result.metric, {}).get(name)


def _without_interval(reason: str | None) -> Estimate:
    return Estimate(None, f"no interval: {reason}")


def _is_average(result: Result) -> bool:
    """Return whether a result averages labels, of which some may have few items."""
    average = result.parameters.get("average", "micro")
    return average not in ("micro", "none") or bool(_MEAN.match(result.type))


def _doubtful(found: Sequence[Estimate], groups: int) -> list[str]:
    """Return a warning for each kind of interval whose simulated coverage is not the level."""
    with_interval = [one for one in found if one.interval is not None and one.method != "exact"]
    if not with_interval:
        return []
    if groups < FEWEST_GROUPS:
        return [
            f"intervals: {groups} groups of items are few; simulated 95 % intervals of 20 contain "
            "the true value in 84 to 100 % of cases. Add items"
        ]
    few = sum(one.effective < FEWEST_EFFECTIVE for one in with_interval)
    if not few:
        return []
    return [
        f"intervals: {few:,} of {len(with_interval):,} numbers depend mostly on few items, such as "
        "those of a rare label; simulated 95 % intervals then contain the true value in 84 to "
        "100 % of cases. Add items of rare labels"
    ]


def _too_few(replicates: Replicates, items: int) -> list[str]:
    """Return a warning if a number needs more items, as its metric declares."""
    metrics = replicates.evaluation.plan.metrics
    least = {one.spec.identity: getattr(one.make(), "least_items", {}) for one in metrics}
    for i, name in replicates.places:
        result = replicates.results[i]
        needed = least.get(result.metric, {}).get(name, 0)
        if items < needed:
            return [
                f"intervals: {name} of {result.type} needs {needed:,} items, found {items:,}; its "
                "interval contains the true value too rarely"
            ]
    return []


def _only(count: int) -> str:
    return (
        f"intervals: more than {MOST_NUMBERS:,} numbers; {count:,} have intervals, of averages "
        f"and of the {MOST_LABELS} labels that most groups of items have"
    )


def _most_important(
    results: Sequence[Result],
    places: Sequence[Place],
    parts: Mapping[int, Sequence[Any]],
    evaluation: Evaluation,
    where: Mapping[str, Any],
) -> list[Place]:
    """Return the numbers of averages and of the labels that most groups of items have."""
    first: dict[tuple[str, str], Place] = {}
    for place in places:
        label = _label(results[place[0]])
        if label is not None:
            first.setdefault(label, place)
    alone = Replicates(results, list(parts.values()), evaluation, where, list(first.values()))
    counts = (~np.isnan(alone.numbers(np.eye(len(parts), dtype=np.int64)))).sum(axis=0)
    order = np.argsort(-counts, kind="stable")[:MOST_LABELS].tolist()
    kept = {None, *(list(first)[i] for i in order)}
    return [place for place in places if _label(results[place[0]]) in kept]


def _label(result: Result) -> tuple[str, str] | None:
    label = result.parameters.get("label")
    return None if label is None else (str(result.parameters.get("label_key")), str(label))


def _kept(without: Floats, resampled: Floats) -> dict[str, str]:
    """Return the numbers that a comparison of two reports needs."""
    kept = {"without": encoded(without.tolist())}
    return kept | ({"resampled": encoded_resamples(resampled)} if len(resampled) else {})


def _detailed(result: Result, rows: Sequence[Mapping[str, Any]]) -> Result:
    """Add the rows of the numbers of a result to its details."""
    if not rows:
        return result
    found = list(rows) if "number" in rows[0] else rows[0]
    return evolve(result, details={**result.details, "confidence": found})

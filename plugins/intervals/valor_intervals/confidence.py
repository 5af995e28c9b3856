"""Intervals of all results of an evaluation, from groups of its items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from valor_intervals.differences import encoded
from valor_intervals.hashing import hash_of, hashes
from valor_intervals.intervals import LEVEL
from valor_intervals.jackknife import Estimate, estimates, results_without_each


@parameters
class ConfidenceParameters:
    """Parameters of intervals."""

    level: float = parameter(
        default=LEVEL, help="Confidence level.", check=Within(0, 1, open_low=True, open_high=True)
    )
    groups: int = parameter(
        default=100,
        help="Number of groups that items are divided into, each left out once.",
        check=Within(2, 1000),
    )
    seed: int = parameter(default=0, help="Number that selects the division into groups.")
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
        raise ConfigError(error.message, error.remedy) from error


@frozen
class Confidence:
    """Intervals by leaving out each of several groups of items.

    Parameters
    ----------
    parameters : ConfidenceParameters
        Level, groups and clusters.
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
        """
        replicates = results_without_each(list(parts.values()), evaluation, where)
        ranges = {one.spec.identity: one.spec.range for one in evaluation.plan.metrics}
        found = list(estimates(results, replicates, ranges, self.parameters.level))
        is_kept = sum(len(numbers) for _, numbers in found) <= self.parameters.keep
        return [_detailed(result, numbers, is_kept) for result, numbers in found]


def _detailed(result: Result, found: Mapping[str, Estimate], is_kept: bool) -> Result:
    """Add estimates by the names of the numbers of a result to its details."""
    if not found:
        return result
    rows = [
        one.row(name) | ({"without": encoded(one.without)} if is_kept else {})
        for name, one in found.items()
    ]
    details = {**result.details, "confidence": rows[0] if "" in found else rows}
    return evolve(result, details=details)

"""Counts and shares of the outcomes of responses, for one ability of the benchmark."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from attrs import frozen
from valor_intervals import wilson_interval

from valor_core import Result
from valor_core.parameters import changed_parameters, parameters_of
from valor_core.parameters.declaration import plain_value
from valor_core.results import Failed, ItemRow, ItemRows, Undefined
from valor_core.results.result import is_number
from valor_core.states import RowsOf
from valor_rgb.parameters.rules import AbilityParameters, RuleParameters

Outcome = Mapping[str, Any]
"""Details of a response, and by name whether an outcome holds; None if it is undefined."""


@frozen
class Share:
    """Share of samples with an outcome.

    Parameters
    ----------
    count : int
        Number of samples with the outcome.
    total : int
        Number of samples.

    Examples
    --------
    >>> Share(3, 4).value, Share(0, 0).value
    (0.75, None)
    """

    count: int
    total: int

    @property
    def value(self) -> float | None:
        """The share, from 0 to 1; None if there are no samples."""
        return self.count / self.total if self.total else None

    def interval(self, confidence: float) -> tuple[float, float] | tuple[None, None]:
        """Return Wilson's score interval, without continuity correction.

        Parameters
        ----------
        confidence : float
            Confidence level, in (0, 1).

        Returns
        -------
        tuple of float
            Lower and upper bound, from 0 to 1; (None, None) if there are no samples.

        Examples
        --------
        >>> low, high = Share(80, 100).interval(0.95)
        >>> round(low, 4), round(high, 4)
        (0.7112, 0.8666)
        """
        share = self.value
        return (None, None) if share is None else wilson_interval(share, self.total, confidence)

    def record(self, confidence: float) -> dict[str, float | None]:
        """Return the share with its interval and its counts, for the report.

        Examples
        --------
        >>> list(Share(1, 2).record(0.95))
        ['rate', 'low', 'high', 'numerator', 'denominator']
        """
        low, high = self.interval(confidence)
        return {
            "rate": self.value,
            "low": low,
            "high": high,
            "numerator": self.count,
            "denominator": self.total,
        }


@frozen
class OutcomeCounts:
    """Outcomes of the responses to the prompts of one ability.

    Parameters
    ----------
    kept : tuple of mapping
        Outcomes of the responses that take part.
    left_out : dict of str to int
        Number of excluded items by reason.
    failed : str, optional
        Reason of a failed item, if one failed.
    """

    kept: tuple[Outcome, ...]
    left_out: dict[str, int]
    failed: str | None = None

    @classmethod
    def of(cls, rows: Iterable[ItemRow], ability: str, needed: str) -> OutcomeCounts:
        """Select the outcomes of an ability.

        Parameters
        ----------
        rows : iterable of ItemRow
            Rows of `rgb.Verdicts`, of all abilities.
        ability : str
            The ability.
        needed : str
            Outcome that has to be defined for a response to take part.
        """
        kept: list[Outcome] = []
        left_out: Counter[str] = Counter()
        failed = None
        for row in rows:
            if row.details.get("ability", ability) != ability:
                left_out["of another ability"] += 1
                continue
            outcomes = row.value if isinstance(row.value, Mapping) else {needed: row.value}
            gap = outcomes[needed]
            if isinstance(gap, (int, float)):
                kept.append({**row.details, **_defined(outcomes)})
                continue
            left_out[gap.reason] += 1
            failed = gap.reason if isinstance(gap, Failed) else failed
        return cls(tuple(kept), dict(sorted(left_out.items())), failed)

    def where(self, condition: Callable[[Outcome], bool]) -> OutcomeCounts:
        """Return the outcomes that meet a condition."""
        return OutcomeCounts(tuple(filter(condition, self.kept)), self.left_out, self.failed)

    def count(self, *names: str) -> int:
        """Return the number of responses with all of the named outcomes.

        Examples
        --------
        >>> OutcomeCounts(({"correct": True}, {"correct": False}), {}).count("correct")
        1
        """
        return sum(all(one[name] for name in names) for one in self.kept)

    def __len__(self) -> int:
        return len(self.kept)

    def share(self, *names: str) -> Share:
        """Return the share of responses with all given outcomes, among those with defined ones."""
        defined = sum(all(one[name] is not None for name in names) for one in self.kept)
        return Share(self.count(*names), defined)

    @property
    def correctness(self) -> dict[str, int]:
        """Numbers of correct and incorrect responses, and of refusals among the incorrect ones."""
        correct = self.count("correct")
        return {
            "total": len(self),
            "correct": correct,
            "incorrect": len(self) - correct,
            "rejected": self.count("rejected") - self.count("rejected", "correct"),
        }

    @property
    def gap(self) -> Undefined | Failed:
        """Reason why there is no result."""
        if self.failed is not None:
            return Failed(self.failed)
        return Undefined("no responses of this ability that can be judged")


@frozen
class AbilityMetric:
    """A metric of one ability, computed from the rows of `rgb.Verdicts`.

    Parameters
    ----------
    parameters : AbilityParameters
        The rules and the confidence.
    """

    ability: ClassVar[str]
    needed: ClassVar[str] = "correct"
    """Outcome that has to be defined for a response to take part."""

    parameters: AbilityParameters

    def needs(self) -> tuple[RowsOf, ...]:
        """Request the rows of `rgb.Verdicts` with the same rules."""
        names = [one.name for one in parameters_of(RuleParameters)]
        rules = {name: plain_value(getattr(self.parameters, name)) for name in names}
        return (RowsOf("rgb.Verdicts", rules),)

    def compute(self, rows: ItemRows) -> Iterator[Result]:
        """Yield the results of the ability, or one result with the reason why there is none."""
        found = OutcomeCounts.of(rows, self.ability, self.needed)
        changed = changed_parameters(self.parameters)
        values = self.values(found) if len(found) else [({}, found.gap)]
        for coordinates, value in values:
            yield Result(parameters=coordinates | changed, value=value, left_out=found.left_out)

    @abstractmethod
    def values(self, found: OutcomeCounts) -> Iterable[tuple[dict[str, Any], Any]]:
        """Yield the coordinates and the value of each result."""

    def with_rates(self, shares: Mapping[str, Share], counts: Mapping[str, int]) -> dict[str, Any]:
        """Return a value with shares, counts, and the intervals of the shares."""
        confidence = self.parameters.confidence
        records = {name: share.record(confidence) for name, share in shares.items()}
        return {
            **{name: share.value for name, share in shares.items()},
            **counts,
            "rates": records,
        }


def _defined(outcomes: Mapping[str, Any]) -> dict[str, bool | None]:
    return {name: bool(value) if is_number(value) else None for name, value in outcomes.items()}

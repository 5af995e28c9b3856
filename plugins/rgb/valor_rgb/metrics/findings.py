"""Findings: the verdicts on the samples of one ability, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import frozen

from valor_core.parameters import declared, plain_value
from valor_core.results import Failed, ItemRow, Undefined, is_number
from valor_core.states import RowsOf
from valor_rgb.metrics.rates import Rate
from valor_rgb.parameters.rules import AbilityParameters, RuleParameters

Finding = Mapping[str, Any]
"""A verdict: the noise ratio and the like, and by name whether something held; None if unknown."""


def verdicts(parameters: AbilityParameters) -> RowsOf:
    """The need for verdicts by the rules that a metric's parameters name."""
    names = [one.name for one in declared(RuleParameters)]
    return RowsOf("rgb.Verdicts", {name: plain_value(getattr(parameters, name)) for name in names})


@frozen
class Findings:
    """What was found of the samples of one ability.

    Parameters
    ----------
    kept : tuple of mapping
        The verdicts on them.
    left_out : dict of str to int
        Why other items do not take part, and how many.
    failed : str, optional
        Why a verdict failed, if one did.
    """

    kept: tuple[Finding, ...]
    left_out: dict[str, int]
    failed: str | None = None

    @classmethod
    def of(cls, rows: Iterable[ItemRow], ability: str, needed: str) -> Findings:
        """Those of an ability among the rows of all.

        Parameters
        ----------
        rows : iterable of ItemRow
            The verdicts.
        ability : str
            The ability.
        needed : str
            What has to be known of a response that takes part.
        """
        kept: list[Finding] = []
        left_out: Counter[str] = Counter()
        failed = None
        for row in rows:
            if row.details.get("ability", ability) != ability:
                left_out["of another ability"] += 1
                continue
            held = row.value if isinstance(row.value, Mapping) else {needed: row.value}
            gap = held[needed]
            if isinstance(gap, (int, float)):
                kept.append({**row.details, **_known(held)})
                continue
            left_out[gap.reason] += 1
            failed = gap.reason if isinstance(gap, Failed) else failed
        return cls(tuple(kept), dict(sorted(left_out.items())), failed)

    def where(self, holds: Callable[[Finding], bool]) -> Findings:
        """Those for which something holds."""
        return Findings(tuple(filter(holds, self.kept)), self.left_out, self.failed)

    def count(self, *names: str) -> int:
        """How many there are of which all of some things held.

        Examples
        --------
        >>> Findings(({"correct": True}, {"correct": False}), {}).count("correct")
        1
        """
        return sum(all(one[name] for name in names) for one in self.kept)

    def __len__(self) -> int:
        return len(self.kept)

    def rate(self, *names: str) -> Rate:
        """The share of which all of some things held, among those of which it is known."""
        known = sum(all(one[name] is not None for name in names) for one in self.kept)
        return Rate(self.count(*names), known)

    @property
    def nothing(self) -> Undefined | Failed:
        """Why there is no result."""
        if self.failed is not None:
            return Failed(self.failed)
        return Undefined("no responses of this ability that can be judged")


def _known(held: Mapping[str, Any]) -> dict[str, bool | None]:
    return {name: bool(number) if is_number(number) else None for name, number in held.items()}

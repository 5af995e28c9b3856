"""Outcomes of requirements, thresholds on results that gate a CI run."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from attrs import asdict, frozen

_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
}
CONDITION = re.compile(
    r"\s*(>=|<=|==|>|<)\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*"
)
"""A comparison and its number."""


@frozen
class Requirement:
    """One threshold and whether the result met it.

    Parameters
    ----------
    name : str
        Key of a number, as `select` takes it: ``"Recall/cat"``, ``"COCOSummary/AP"``,
        ``"Recall/macro/weather:rain"``.
    condition : str
        ``">= 0.5"``.
    value : float or None
        What the report has.
    met : bool
        Whether the value satisfies the condition; an undefined value does not.
    reason : str, optional
        Why there is no value.
    remedy : str, optional
        What to write instead of a name that is not that of one number.
    """

    name: str
    condition: str
    value: float | None = None
    met: bool = False
    reason: str | None = None
    remedy: str | None = None

    @property
    def is_wrong(self) -> bool:
        """Whether the request is wrong, and no number meant that could be judged."""
        return self.remedy is not None

    @property
    def found(self) -> str:
        """The value, with as many digits as it takes to see why it is met or not."""
        if self.value is None:
            return self.reason or "undefined"
        short = f"{self.value:.15g}" if self.value.is_integer() else f"{self.value:.6g}"
        return short if is_met(self.condition, float(short)) == self.met else repr(self.value)

    def to_dict(self) -> dict[str, Any]:
        """The outcome as JSON has it."""
        optional = ("reason", "remedy")
        return {k: v for k, v in asdict(self).items() if v or k not in optional}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Requirement:
        """The outcome that `to_dict` wrote."""
        return cls(**record)

    def __str__(self) -> str:
        said = f"{self.name} {self.condition}: {self.found}"
        if self.remedy is not None:
            return f"{said}\n{self.remedy}"
        return f"{said}, {'met' if self.met else 'not met'}"


def is_met(condition: str, number: float) -> bool:
    """Whether a number satisfies a condition.

    Examples
    --------
    >>> is_met(">= 0.5", 0.5), is_met("< 0.5", 0.5)
    (True, False)
    """
    match = CONDITION.fullmatch(condition)
    return match is not None and _COMPARISONS[match[1]](number, float(match[2]))

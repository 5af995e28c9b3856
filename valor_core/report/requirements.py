"""Requirements: thresholds on results that gate a CI run."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from attrs import asdict, evolve, frozen

from valor_core.errors import ConfigError, ReportError, did_you_mean, shown
from valor_core.metrics.result import Failed, Result, Undefined, first_line, is_number
from valor_core.plugins.spec import Range
from valor_core.report.results import has_name
from valor_core.report.selection import select

_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
}
_CONDITION = re.compile(
    r"\s*(>=|<=|==|>|<)\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*"
)


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
        return short if _is_met(self.condition, float(short)) == self.met else repr(self.value)

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


def parse_requirements(
    require: Mapping[str, Any],
    metrics: Mapping[str, tuple[str, ...]] | None = None,
    ranges: Mapping[str, Range] = MappingProxyType({}),
) -> tuple[Requirement, ...]:
    """Requirements of a config's ``require`` section, not checked yet.

    Parameters
    ----------
    require : mapping of str to str
        Conditions by the names of results.
    metrics : mapping of str to tuple of str, optional
        Aliases of the chosen metrics by full name; a requirement of another one is refused before
        any work is done.
    ranges : mapping of str to Range, optional
        Ranges of the chosen metrics by full name.

    Raises
    ------
    ConfigError
        If a condition is not a comparison with a number, names no chosen metric, or compares with
        a number that the metric cannot have, such as 90 for a share.

    Examples
    --------
    >>> [requirement.condition for requirement in parse_requirements({"mAP": ">= 0.5"})]
    ['>= 0.5']
    """
    for name, condition in require.items():
        if not isinstance(condition, str) or not _CONDITION.fullmatch(condition):
            raise ConfigError(
                f"require.{name}: expected a comparison, got {shown(condition)}",
                f'Write it as: ">= {condition if is_number(condition) else 0.5}".',
            )
        if metrics is not None:
            _check_in_range(name, condition, ranges.get(_chosen(name, metrics), Range()))
    return tuple(Requirement(name, condition) for name, condition in require.items())


def _chosen(name: str, metrics: Mapping[str, tuple[str, ...]]) -> str:
    """Full name of the chosen metric that a requirement names."""
    wanted = re.split("[ /]", name, maxsplit=1)[0]
    for metric, aliases in metrics.items():
        if has_name(metric.partition(".")[2], metric, wanted, aliases):
            return metric
    words = [word for metric in metrics for word in (metric.partition(".")[2], metric)]
    raise ConfigError(
        f"require.{name}: no chosen metric is called {wanted!r}",
        did_you_mean(wanted, [word for word in words if ("." in word) == ("." in wanted)])
        or f"Chosen are: {', '.join(metrics) or 'none'}.",
    )


def _check_in_range(name: str, condition: str, range: Range) -> None:
    match = _CONDITION.fullmatch(condition)
    number = float(match[2]) if match else 0.0
    if match and number not in range:
        share = number / 100
        raise ConfigError(
            f"require.{name}: expected a number in {range}, got {shown(condition)}",
            f'Write it as: "{match[1]} {share:g}"' if number >= 2 and share in range else None,
        )


def split_requirement(text: str) -> tuple[str, str]:
    """Name and condition of a requirement written as one text.

    Raises
    ------
    ConfigError
        If there is no comparison in it.

    Examples
    --------
    >>> split_requirement("Recall/cat >= 0.5")
    ('Recall/cat', '>= 0.5')
    """
    match = re.fullmatch(r"(.*?\S)\s*((?:>=|<=|==|>|<).*)", text)
    if match is None:
        raise ConfigError(
            f"--require {text}: expected a result and a comparison",
            "Write it as: --require 'Accuracy >= 0.5'",
        )
    return match[1], match[2]


def check(requirements: Iterable[Requirement], found: Iterable[Result]) -> tuple[Requirement, ...]:
    """The requirements, each with the value found and whether it is met.

    One that names no number, or several, is not met and says what to write: a finished run is not
    lost over it.
    """
    found = tuple(found)
    return tuple(_check(requirement, found) for requirement in requirements)


def _check(requirement: Requirement, found: Iterable[Result]) -> Requirement:
    try:
        number = select(requirement.name, found)
    except ReportError as error:
        return evolve(requirement, reason=error.message, remedy=error.remedy)
    if isinstance(number, Undefined):
        return evolve(requirement, reason=f"undefined, {first_line(number.reason)}")
    if isinstance(number, Failed):
        return evolve(requirement, reason=f"failed, {first_line(number.reason)}")
    return evolve(requirement, value=number, met=_is_met(requirement.condition, number))


def _is_met(condition: str, number: float) -> bool:
    match = _CONDITION.fullmatch(condition)
    return match is not None and _COMPARISONS[match[1]](number, float(match[2]))

"""Requirements: thresholds on results that gate a CI run."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from attrs import evolve, frozen

from valor_core.errors import ConfigError, ReportError, did_you_mean, shown
from valor_core.result import Result
from valor_core.results import Results
from valor_core.spec import fold

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
        Metric, and behind slashes what tells its results apart, a label, an average or a
        parameter: ``"Recall/cat"``, ``"Recall/macro/score_threshold:0.5"``.
    condition : str
        ``">= 0.5"``.
    value : float or None
        What the report has.
    met : bool
        Whether the value satisfies the condition; an undefined value does not.
    reason : str, optional
        Why there is no value.
    """

    name: str
    condition: str
    value: float | None = None
    met: bool = False
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The outcome as JSON has it."""
        record = {
            "name": self.name,
            "condition": self.condition,
            "value": self.value,
            "met": self.met,
        }
        return record | ({"reason": self.reason} if self.reason else {})

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Requirement:
        """The outcome that `to_dict` wrote."""
        return cls(
            record["name"],
            record["condition"],
            record["value"],
            record["met"],
            record.get("reason"),
        )

    def __str__(self) -> str:
        found = self.reason or "undefined" if self.value is None else f"{self.value:.6g}"
        return f"{self.name} {self.condition}: {found}, {'met' if self.met else 'not met'}"


def parse(
    require: Mapping[str, Any], metrics: Collection[str] | None = None, place: str = ""
) -> tuple[Requirement, ...]:
    """Requirements of a config's ``require`` section, not checked yet.

    Parameters
    ----------
    require : mapping of str to str
        Conditions by the names of results.
    metrics : collection of str, optional
        Full names of the chosen metrics; a requirement of another one is refused before any
        work is done.
    place : str
        Where the section stands, for errors.

    Raises
    ------
    ConfigError
        If a condition is not a comparison with a number, or names no chosen metric.

    Examples
    --------
    >>> [requirement.condition for requirement in parse({"mAP": ">= 0.5"})]
    ['>= 0.5']
    """
    for name, condition in require.items():
        if not isinstance(condition, str) or not _CONDITION.fullmatch(condition):
            raise ConfigError(
                f"{place}require.{name}: expected a comparison, got {shown(condition)}",
                'Write it as: ">= 0.5".',
            )
        if metrics is not None:
            _check_chosen(name, metrics, place)
    return tuple(Requirement(name, condition) for name, condition in require.items())


def _check_chosen(name: str, metrics: Collection[str], place: str) -> None:
    wanted = name.partition("/")[0]
    words = [word for metric in metrics for word in (metric.partition(".")[2], metric)]
    if fold(wanted.partition("@")[0]) not in map(fold, words):
        raise ConfigError(
            f"{place}require.{name}: no chosen metric is called {wanted!r}",
            did_you_mean(wanted, [word for word in words if ("." in word) == ("." in wanted)])
            or f"Chosen are: {', '.join(metrics) or 'none'}.",
        )


def split(text: str) -> tuple[str, str]:
    """Name and condition of a requirement written as one text.

    Raises
    ------
    ConfigError
        If there is no comparison in it.

    Examples
    --------
    >>> split("Recall/cat >= 0.5")
    ('Recall/cat', '>= 0.5')
    """
    match = re.fullmatch(r"(.*?\S)\s*((?:>=|<=|==|>|<).*)", text)
    if match is None:
        raise ConfigError(
            f"--require {text}: expected a result and a comparison",
            "Write it as: --require 'Accuracy >= 0.5'",
        )
    return match[1], match[2]


def check(requirements: Iterable[Requirement], results: Results) -> tuple[Requirement, ...]:
    """The requirements, each with the value found and whether it is met.

    One that names no result, or several, is not met and says why: a finished run is not lost
    over it.
    """
    return tuple(_check(requirement, results) for requirement in requirements)


def _check(requirement: Requirement, results: Results) -> Requirement:
    try:
        result = _named(requirement.name, results)
    except ReportError as error:
        return evolve(requirement, reason=error.message.removeprefix("report: "))
    match = _CONDITION.fullmatch(requirement.condition)
    number = result.number
    if number is None or match is None:
        return evolve(requirement, reason=_no_number(result))
    compare, bound = _COMPARISONS[match[1]], float(match[2])
    return evolve(requirement, value=number, met=compare(number, bound))


def _named(name: str, results: Results) -> Result:
    metric, *coordinates = name.split("/")
    found = results[(metric, *(part for part in coordinates if ":" not in part))]
    for part in coordinates:
        if ":" in part:
            found = found.having(*part.split(":", 1))
    return found.only


def _no_number(result: Result) -> str:
    if result.undefined is not None:
        return f"undefined, {result.undefined}"
    return f"failed, {result.error}" if result.error is not None else "not a single number"

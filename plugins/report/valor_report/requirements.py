"""Parsing and checking of requirements: thresholds on results that gate a CI run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from attrs import evolve

from valor_core.errors import ConfigError, ReportError, did_you_mean, short_repr
from valor_core.results import Failed, Report, Undefined
from valor_core.results.report import CONDITION, Requirement, is_met
from valor_core.results.result import first_line, is_number
from valor_core.results.results import has_name
from valor_core.specs import Range
from valor_report.baselines import NotWorse, baseline_requirement
from valor_report.selection import select

_NUMBER = re.compile(r"([-+]?[0-9]*\.?[0-9]+)(\s*%)?")
_OPERATOR = re.compile("[<>]=?|==")


def parse_requirements(
    require: Mapping[str, Any],
    metrics: Mapping[str, tuple[str, ...]] | None = None,
    ranges: Mapping[str, Range] = MappingProxyType({}),
    folder: Path | None = None,
    confidence: Mapping[str, Any] | None = None,
) -> tuple[Requirement, ...]:
    """Parse the ``require`` section of a config.

    Parameters
    ----------
    require : mapping of str to str or mapping
        Conditions by result key, or tables with `not_worse_than`.
    metrics : mapping of str to tuple of str, optional
        Aliases of the chosen metrics by full name. Requirements of other metrics are rejected.
    ranges : mapping of str to Range, optional
        Ranges of the chosen metrics by full name.
    folder : Path, optional
        Folder that paths of earlier reports are relative to.
    confidence : mapping, optional
        Settings of the intervals of the run.

    Raises
    ------
    ConfigError
        If a condition is not a comparison with a number, the metric is not chosen, the number
        is out of its range, such as 90 for a share, or an earlier report cannot be compared.

    Examples
    --------
    >>> [requirement.condition for requirement in parse_requirements({"mAP": ">= 0.5"})]
    ['>= 0.5']
    """
    parsed: list[Requirement] = []
    for name, condition in require.items():
        if isinstance(condition, Mapping):
            if metrics is not None:
                _chosen(name, metrics)
            parsed.append(baseline_requirement(name, condition, folder, confidence))
            continue
        if not isinstance(condition, str) or not CONDITION.fullmatch(condition):
            raise ConfigError(
                f"require.{name}: expected a comparison, got {short_repr(condition)}",
                f'Write it as: "{_operator(condition)} {_threshold(condition)}"',
            )
        if metrics is not None:
            _check_in_range(name, condition, ranges.get(_chosen(name, metrics), Range()))
        parsed.append(Requirement(name, condition))
    return tuple(parsed)


def _threshold(condition: object) -> object:
    """Return the number of an invalid condition, or an example."""
    found = _NUMBER.search(str(condition))
    if is_number(condition) or found is None:
        return condition if is_number(condition) else 0.5
    return f"{float(found[1]) / 100:g}" if found[2] else found[1]


def _operator(condition: object) -> str:
    """Return the operator of an invalid condition, or an example."""
    found = _OPERATOR.search(str(condition))
    return found[0] if found else ">="


def _chosen(name: str, metrics: Mapping[str, tuple[str, ...]]) -> str:
    """Full name of the chosen metric of a requirement."""
    wanted = metric_of(name)
    for metric, aliases in metrics.items():
        if has_name(metric.partition(".")[2], metric, wanted, aliases):
            return metric
    names = [word for metric in metrics for word in (metric.partition(".")[2], metric)]
    raise ConfigError(
        f"require.{name}: no chosen metric is called {wanted!r}",
        did_you_mean(wanted, [name for name in names if ("." in name) == ("." in wanted)])
        or f"Chosen metrics are: {', '.join(metrics) or 'none'}.",
    )


def metric_of(name: str) -> str:
    """Return the metric in the key of a result.

    Examples
    --------
    >>> metric_of("Recall/cat"), metric_of("Accuracy weather:rain")
    ('Recall', 'Accuracy')
    """
    return re.split("[ /]", name, maxsplit=1)[0]


def _check_in_range(name: str, condition: str, range: Range) -> None:
    match = CONDITION.fullmatch(condition)
    number = float(match[2]) if match else 0.0
    if match and number not in range:
        share = number / 100
        raise ConfigError(
            f"require.{name}: expected a number in {range}, got {short_repr(condition)}",
            f'Write it as: "{match[1]} {share:g}"' if number >= 2 and share in range else None,
        )


def split_requirement(text: str) -> tuple[str, str]:
    """Split a requirement into result key and condition.

    Raises
    ------
    ConfigError
        If the text has no comparison.

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


def conditions_of(options: Iterable[str]) -> dict[str, str]:
    """Parse the options ``--require`` into the section ``require`` of a config.

    Raises
    ------
    ConfigError
        If an option has no comparison, or two options are about the same result.

    Examples
    --------
    >>> conditions_of(["Accuracy >= 0.9", "Recall/cat >= 0.5"])
    {'Accuracy': '>= 0.9', 'Recall/cat': '>= 0.5'}
    """
    found: dict[str, str] = {}
    for text in options:
        name, condition = split_requirement(text)
        if found.setdefault(name, condition) != condition:
            raise ConfigError(
                f"--require {text}: expected one condition for {name}, got also {found[name]!r}",
                "Remove one of them.",
            )
    return found


def check(requirements: Iterable[Requirement], report: Report) -> tuple[Requirement, ...]:
    """Evaluate requirements on the report of a run.

    A key of no number or several numbers raises no error, so that the report of a finished run is
    written. Its requirement is not met and has a reason and a remedy.
    """
    return tuple(_check(requirement, report) for requirement in requirements)


def _check(requirement: Requirement, report: Report) -> Requirement:
    try:
        if isinstance(requirement, NotWorse):
            return requirement.judged(report)
        number = select(requirement.name, chain(report, *report.slices))
    except ReportError as error:
        return evolve(requirement, reason=error.message, remedy=error.remedy)
    if isinstance(number, Undefined):
        return evolve(requirement, reason=f"undefined, {first_line(number.reason)}")
    if isinstance(number, Failed):
        return evolve(requirement, reason=f"failed, {first_line(number.reason)}")
    return evolve(requirement, value=number, met=is_met(requirement.condition, number))

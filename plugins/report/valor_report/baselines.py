"""Requirements that a number is not worse than in an earlier report."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Any

from attrs import evolve, field, frozen

from valor_core.errors import ConfigError, ParameterError, ReportError
from valor_core.packages import STATISTICS
from valor_core.parameters import Within, parameter, parameters, parameters_from
from valor_core.results import Report
from valor_core.results.entries import CONFIDENCE, Entry
from valor_core.results.report import Requirement
from valor_core.results.result import is_number
from valor_core.results.results import installed_spec
from valor_core.specs.extensions import INTERVALS, extension, required
from valor_report.selection import selected
from valor_report.tables.text_table import number_text

BASELINE = "not_worse_than"
"""Key of the earlier report."""


@parameters
class BaselineParameters:
    """Parameters of a requirement that a number is not worse."""

    not_worse_than: Path = parameter(help="Earlier report, in .json.")
    margin: float = parameter(default=0.0, help="Largest loss that is accepted.", check=Within(0))
    alpha: float = parameter(
        default=0.05,
        help="Probability of passing although the loss is larger than the margin.",
        check=Within(0, 0.5, open_low=True, open_high=True),
    )


@frozen
class NotWorse(Requirement):
    """Requirement that a number is not worse than in an earlier report.

    Parameters
    ----------
    baseline : Report, optional
        The earlier report.
    margin, alpha : float
        Largest loss that is accepted, and probability of passing a larger one.
    """

    baseline: Report | None = field(default=None, repr=False, eq=False)
    margin: float = 0.0
    alpha: float = 0.05

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON values, without the earlier report."""
        added = ("baseline", "margin", "alpha")
        return {k: v for k, v in super().to_dict().items() if k not in added}

    def judged(self, report: Report) -> NotWorse:
        """Return the requirement with its outcome in a report.

        Raises
        ------
        ReportError
            If its name selects no number, or several numbers.
        """
        assert self.baseline is not None
        now, before = (
            selected(self.name, tuple(chain(one, *one.slices))) for one in (report, self.baseline)
        )
        if not is_number(now.value):
            return evolve(self, reason=_no_value(now))
        judged = evolve(self, value=float(now.value))
        if not is_number(before.value):
            return evolve(judged, reason=f"{_no_value(before)} in the earlier report")
        direction = _direction(now)
        if direction is None:
            return evolve(judged, reason="the metric has no direction")
        if now.result.metric != before.result.metric:
            return evolve(
                judged, reason=f"the earlier report has {before.result.metric or 'no version'}"
            )
        found = None
        if now.confidence is not None and before.confidence is not None:
            judge = required(INTERVALS, "not_worse", "require: a comparison", STATISTICS)
            pair = required(INTERVALS, "pair", "require: a comparison", STATISTICS)
            found = judge(
                pair(before.value, now.value, before.confidence, now.confidence),
                higher_is_better=direction,
                margin=self.margin,
                alpha=self.alpha,
            )
        if found is None:
            return evolve(judged, reason=_no_interval(now, before))
        return evolve(
            judged, met=found.outcome == "pass", reason=self._reason(found, now, before, report)
        )

    def _reason(self, found: Any, now: Entry, before: Entry, report: Report) -> str:
        if found.low == found.high:
            return f"{before.value:.6g} before, the same for all groups of items"
        level = f"{100 * (1 - 2 * self.alpha):.4g} %"
        difference = _signed(now.value - before.value)
        interval = f"{level} interval {_signed(found.low)} to {_signed(found.high)}"
        text = f"{before.value:.6g} before, difference {difference}, {interval}"
        if found.outcome != "unclear":
            return text
        return f"cannot tell: {text}; {_needed(found.times, now, report)}"


def _needed(times: float, now: Entry, report: Report) -> str:
    """Say how many items would decide."""
    if times > _MOST_TIMES:
        return "no number of items decides if the difference stays the same"
    if now.result.slice:
        return f"about {times:.2g} times as many items needed"
    more = report.counts.get("read", 0) * (times - 1)
    return f"about {float(f'{max(more, 1):.2g}'):,.0f} more items needed"


_MOST_TIMES = 1e6


def _signed(number: float) -> str:
    return f"{'+' if number > 0 else ''}{number_text(number)}"


def _no_value(entry: Entry) -> str:
    reason = getattr(entry.value, "reason", None)
    return "no value" if reason is None else f"no value, {reason.splitlines()[0]}"


def _no_interval(now: Entry, before: Entry) -> str:
    """Return the reason why a difference has no interval."""
    for entry, where in ((now, "this report"), (before, "the earlier report")):
        row = entry.confidence
        if row is None or row["interval"] is None:
            reason = "no interval" if row is None else row["method"]
            return f"cannot tell: in {where}, {reason}"
        if "without" not in row:
            return f"cannot tell: {where} has too many numbers to compare; select fewer metrics"
    return "cannot tell: the difference has no interval"


def _direction(entry: Entry) -> bool | None:
    spec = installed_spec(entry.metric)
    found = None if spec is None else spec.higher_is_better
    return entry.result.parameters.get("higher_is_better") if found is None else found


def baseline_requirement(
    name: str,
    table: Mapping[str, Any],
    folder: Path | None,
    confidence: Mapping[str, Any] | None,
) -> NotWorse:
    """Return a requirement after checking its table and loading the earlier report.

    Parameters
    ----------
    name : str
        Key of the number.
    table : mapping
        Values of `BaselineParameters`.
    folder : Path, optional
        Folder that the path of the earlier report is relative to.
    confidence : mapping, optional
        Settings of the intervals of the run.

    Raises
    ------
    ConfigError
        If a value is invalid, the report cannot be read, or has other intervals.
    """
    place = f"require.{name}"
    try:
        chosen = parameters_from(BaselineParameters, table, f"{place}.")
    except ParameterError as error:
        raise ConfigError(error.message, error.remedy or _EXAMPLE) from error
    path = chosen.not_worse_than if folder is None else folder / chosen.not_worse_than
    place = f"{place}.{BASELINE}"
    try:
        report = Report.load(path)
    except ReportError as error:
        remedy = error.remedy or (None if path.exists() else _missing(path))
        raise ConfigError(f"{place}: {error.message}", remedy) from error
    theirs = interval_settings(report)
    if not theirs:
        raise ConfigError(
            f"{place}: expected a report with intervals, {path.name} has none",
            _with_intervals(path, report),
        )
    if not confidence:
        raise ConfigError(
            f"{place}: expected confidence in the config, found none", "Add to it: confidence: 0.95"
        )
    ours, others = (
        {key: value for key, value in one.items() if key not in ("level", "keep")}
        for one in (confidence, theirs)
    )
    if ours != others:
        raise ConfigError(
            f"{place}: expected the intervals of {path.name}, found other ones in the config",
            f"Set confidence to: {({'level': 0.95, **others}) if others else 0.95}",
        )
    margin = f", margin {chosen.margin:g}" if chosen.margin else ""
    return NotWorse(
        name,
        f"not worse than {path.name}{margin}, alpha {chosen.alpha:g}",
        baseline=report,
        margin=chosen.margin,
        alpha=chosen.alpha,
    )


_EXAMPLE = "Write it as: {not_worse_than: base.json, margin: 0.005, alpha: 0.05}"


def _missing(path: Path) -> str:
    """Return how to write the report of the model that this one is compared with."""
    return f"Write it first: valor run CONFIG --confidence 0.95 -o {quote(str(path))}"


def _with_intervals(path: Path, report: Report) -> str:
    """Return how to write a report again with intervals."""
    if "data" not in report.config:
        return "Write it again with: evaluate(..., confidence=0.95)"
    target = path.with_name(f"{path.stem}-intervals.json")
    return (
        f"Write one with: valor rerun {quote(str(path))} --confidence 0.95 -o {quote(str(target))}"
    )


def interval_settings(report: Report) -> dict[str, Any]:
    """Return the level and other settings of intervals; empty without intervals."""
    section, groups = report.config.get(CONFIDENCE), extension(INTERVALS, "groups")
    if section is None or groups is None:
        return {}
    with suppress(ConfigError):  # of a report by another version
        return dict(groups.load()(section).describe())
    return {}

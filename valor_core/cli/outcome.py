"""Outcome: how a finished report is shown, and the exit code that it gives."""

from __future__ import annotations

from valor_core.cli import streams
from valor_core.errors import RegistryError
from valor_core.registry import Registry
from valor_core.report import Report
from valor_core.report_tables import counted, failures, plain, tables

FAILED = 1
WRONG = 2
MOST_ROWS = 20


def tell(report: Report, *, as_json: bool, quiet: bool) -> int:
    """Print a report and what is wrong with it.

    Parameters
    ----------
    report : Report
        What to print.
    as_json : bool
        Whether to print the whole of it as JSON.
    quiet : bool
        Whether to print no tables.

    Returns
    -------
    int
        0; 1 where something failed or a requirement is not met; 2 where a requirement names no
        number of the report.
    """
    if as_json:
        streams.say(report.to_json().rstrip("\n"))
    elif not quiet and streams.on_terminal():
        streams.say(f"{counted(report)}\n")
        shown = tables(report, most_rows=MOST_ROWS, directions=directions(report))
        streams.show(shown)
    elif not quiet:
        streams.say(plain(report).rstrip("\n"))
    if as_json or quiet or streams.on_terminal():
        for warning in report.warnings:
            streams.talk(f"valor: warning: {warning}")
    for trouble in troubles(report):
        streams.talk(f"valor: {trouble}")
    if any(outcome.is_wrong for outcome in report.requirements):
        return WRONG
    return 0 if report.ok else FAILED


def troubles(report: Report) -> list[str]:
    """What makes a finished run a failure, one by one."""
    found = []
    failed = report.counts.get("failed", 0)
    if failed:
        found.append(f"{failed:,} item{'' if failed == 1 else 's'} failed")
    found += failures(report)
    found += [str(outcome) for outcome in report.requirements if not outcome.met]
    return found


def directions(report: Report) -> dict[str, bool | None]:
    """Whether higher is better, for the metrics of a report that are installed."""
    registry, found = Registry(), {}
    for name in dict.fromkeys(result.metric.partition("@")[0] for result in report):
        try:
            found[name] = registry.metric(name).higher_is_better
        except RegistryError:
            found[name] = None
    return found

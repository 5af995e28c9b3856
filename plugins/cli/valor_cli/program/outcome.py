"""Outcome of a run: the printed report and the exit code."""

from __future__ import annotations

from valor_report.tables.sections import directions, tables_of
from valor_report.text import aligned_text, items_line, troubles

from valor_cli import INTERRUPTED
from valor_cli.program import streams
from valor_core.results import Report

FAILED = 1
WRONG = 2
MOST_ROWS = 20


def print_report(report: Report, *, as_json: bool, quiet: bool, place: str = "") -> int:
    """Print a report, its warnings and its failures.

    Parameters
    ----------
    report : Report
        Report to print.
    as_json : bool
        Print the complete report as JSON.
    quiet : bool
        Print no tables.
    place : str
        Prefix of messages, such as the name of a run.

    Returns
    -------
    int
        0 for success; 1 if an item or metric failed or a requirement is not met; 2 if a
        requirement names no number of the report, or a slice no field of the data; 130 if the
        user stopped the run.
    """
    if as_json:
        streams.say(report.to_json().rstrip("\n"))
    elif not quiet and streams.on_terminal():
        streams.say(f"{items_line(report)}\n")
        shown = tables_of(report, most_rows=MOST_ROWS, directions=directions(report))
        streams.show(shown)
    elif not quiet:
        streams.say(aligned_text(report).rstrip("\n"))
    if as_json or quiet or streams.on_terminal():
        for warning in [one for one in report.warnings if one not in report.not_found]:
            streams.talk(f"valor: {place}warning: {warning}")
    for trouble in troubles(report):
        streams.talk(f"valor: {place}{trouble}")
    if report.interrupted:
        return INTERRUPTED
    if report.not_found or any(outcome.is_wrong for outcome in report.requirements):
        return WRONG
    return 0 if report.ok else FAILED

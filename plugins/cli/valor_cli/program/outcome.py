"""Outcome: how a finished report is shown, and the exit code that it gives."""

from __future__ import annotations

from valor_report.tables.sections import directions, tables_of
from valor_report.text import aligned_text, items_line, troubles

from valor_cli import INTERRUPTED
from valor_cli.program import streams
from valor_core.results import Report

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
        0; 130 where the user stopped the run; 1 where something failed or a requirement is not
        met; 2 where a requirement names no
        number of the report, or a slice no field of the data.
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
        said_below = {*report.not_found}
        for warning in [one for one in report.warnings if one not in said_below]:
            streams.talk(f"valor: warning: {warning}")
    for trouble in troubles(report):
        streams.talk(f"valor: {trouble}")
    if report.interrupted:
        return INTERRUPTED
    if report.not_found or any(outcome.is_wrong for outcome in report.requirements):
        return WRONG
    return 0 if report.ok else FAILED

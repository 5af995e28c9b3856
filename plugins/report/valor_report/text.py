"""Reports as aligned text and as Markdown."""

from __future__ import annotations

from valor_core.results import Report
from valor_core.results.result import first_line
from valor_core.results.results import Results
from valor_report.tables.sections import tables_of
from valor_report.tables.text_table import escaped

_COUNTS = {
    "failed": "of them failed",
    "not_run": "of them not run",
    "skipped": "more excluded by the filter",
}

_TROUBLES = {
    "failed": ("item failed", "items failed"),
    "not_run": ("item was not run", "items were not run"),
    "missing_partitions": ("partition could not be counted", "partitions could not be counted"),
}


def items_line(report: Report) -> str:
    """Summarize the item counts of a report in one line.

    Examples
    --------
    >>> items_line(Report(results=(), counts={"read": 1200, "failed": 2, "not_run": 30}))
    '1,200 items, 2 of them failed, 30 of them not run'
    """
    counts = report.counts
    read, missing = counts.get("read", 0), counts.get("missing_partitions", 0)
    parts = [f"{read:,} item{'' if read == 1 else 's'}"]
    parts += [f"{counts[key]:,} {words}" for key, words in _COUNTS.items() if counts.get(key, 0)]
    if missing:
        parts.append(f"{missing:,} partition{'' if missing == 1 else 's'} missing")
    return ", ".join(parts)


def cut_short(report: Report) -> list[str]:
    """Reason why a run stopped early, as one line; empty if the report is complete.

    Examples
    --------
    >>> cut_short(Report(results=(), stopped="budget of 100 calls is spent"))
    ['Stopped: budget of 100 calls is spent']
    """
    if report.stopped is None:
        return []
    reason = report.stopped.removeprefix("stopped ")
    return [f"Stopped{':' if reason == report.stopped else ''} {reason}"]


def failures(report: Report) -> list[str]:
    """Failed metrics, one line per reason.

    Examples
    --------
    >>> from valor_core import Failed, Result
    >>> failures(Report(results=[Result(type="Judge", value=Failed("no reply"))]))
    ['Judge failed: no reply']
    """
    types: dict[str, dict[str, None]] = {}
    for result in report:
        if result.error is not None:
            types.setdefault(first_line(result.error), {})[result.type] = None
    return [f"{', '.join(named)} failed: {reason}" for reason, named in types.items()]


def troubles(report: Report) -> list[str]:
    """Reasons why a finished run counts as failed."""
    found = [] if report.stopped is None else [_stopped(report)]
    for key, words in _TROUBLES.items():
        count = report.counts.get(key, 0)
        if count:
            found.append(f"{count:,} {words[count > 1]}")
    if report.counts.get("read") == 0:
        found.append("no items were evaluated")
    found += failures(report)
    found += report.not_found
    found += [str(outcome) for outcome in report.requirements if not outcome.met]
    return found


def _stopped(report: Report) -> str:
    reason = f"run: {report.stopped}"
    return f"{reason}\nResume with the same command." if ", saved in " in reason else reason


def aligned_text(report: Results) -> str:
    """Format a report, or the tables of results, as aligned text.

    Examples
    --------
    >>> from valor_core import Result
    >>> accuracy = Result(type="Accuracy", value=0.75)
    >>> print(aligned_text(Report(results=[accuracy], counts={"read": 4})))
    4 items
    <BLANKLINE>
    Results
    <BLANKLINE>
    metric     value
    --------  ------
    Accuracy  0.7500
    <BLANKLINE>
    """
    tables = [table.plain() for table in tables_of(report)]
    if not isinstance(report, Report):
        return "\n\n".join(tables)
    parts = [items_line(report), *cut_short(report), *tables]
    parts += [f"Warning: {warning}" for warning in report.warnings]
    return "\n\n".join(parts) + "\n"


def markdown(report: Report) -> str:
    """Format a report as Markdown.

    Examples
    --------
    >>> from valor_core import Result
    >>> print(markdown(Report(results=[Result(type="Accuracy", value=0.75)], counts={"read": 4})))
    # Evaluation report
    <BLANKLINE>
    4 items
    <BLANKLINE>
    ## Results
    <BLANKLINE>
    | metric | value |
    | --- | ---: |
    | Accuracy | 0.7500 |
    <BLANKLINE>
    """
    parts = ["# Evaluation report", items_line(report)]
    parts += [f"**{escaped(line)}**" for line in cut_short(report)]
    parts += [f"**Warning:** {escaped(warning)}" for warning in report.warnings]
    parts += [table.markdown() for table in tables_of(report)]
    if report.versions:
        made = ", ".join(f"{name} {version}" for name, version in report.versions.items())
        parts.append(f"Made with {made}.")
    return "\n\n".join(parts) + "\n"

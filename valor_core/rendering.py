"""Rendering: a report as text, for the screen or for a file."""

from __future__ import annotations

from pathlib import Path

from valor_core.errors import ReportError
from valor_core.page import html
from valor_core.report import Report
from valor_core.report_tables import markdown, plain

__all__ = ["markdown", "plain", "rendered"]


def rendered(report: Report, path: Path) -> str:
    """The content of a file of a report, as the suffix says.

    Raises
    ------
    ReportError
        If the suffix is none of those known.

    Examples
    --------
    >>> rendered(Report(results=[]), Path("report.csv"))
    ''
    """
    if path.suffix == ".json":
        return report.to_json()
    if path.suffix == ".csv":
        return report.to_csv()
    if path.suffix == ".md":
        return markdown(report)
    if path.suffix == ".html":
        return html(report)
    raise ReportError(f"{path}: expected a name in .json, .csv, .md or .html")

"""Rendering: a report as text, for the screen, for a notebook or for a file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from valor_core.errors import ReportError, printable_lines
from valor_core.page import html
from valor_core.report import Report
from valor_core.report_tables import counted, cut_short, failures, markdown, plain, tables
from valor_core.results import Results
from valor_core.table import Cell, Column, Table

__all__ = ["markdown", "notebook", "plain", "plain_tables", "rendered"]

_MOST_ROWS = 20


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


def plain_tables(results: Results) -> str:
    """Some results as aligned text, in the tables of a report.

    Examples
    --------
    >>> print(plain_tables(Report.from_dict({
    ...     "valor_report": 1, "results": [{"type": "Accuracy", "value": 0.75}]
    ... }).results))
    Results
    <BLANKLINE>
    metric     value
    --------  ------
    Accuracy  0.7500
    """
    return "\n\n".join(table.plain() for table in tables(results))


def notebook(found: Report | Results) -> str:
    """The tables of a report, or of some results, as HTML for a cell of a notebook.

    The notebook gives them its own style. Long tables are cut.
    """
    lines = []
    if isinstance(found, Report):
        lines = [counted(found), *cut_short(found), *failures(found)]
        lines += [f"Warning: {warning}" for warning in found.warnings]
    parts = [f"<p>{escape(line)}</p>" for line in lines]
    parts += [_table(table) for table in tables(found, most_rows=_MOST_ROWS)]
    return printable_lines("\n".join(["<div>", *parts, "</div>"]))


def _table(table: Table) -> str:
    caption = f"<br>{escape(table.caption)}" if table.caption else ""
    heads = _cells([Cell(column.title) for column in table.columns], table.columns, "th")
    rows = "\n".join(_cells(row, table.columns, "td") for row in table.rows)
    notes = "".join(f"<br>{escape(note)}" for note in table.numbered_notes)
    return (
        f"<p><b>{escape(table.title)}</b>{caption}</p>\n"
        f"<table>\n<thead>\n{heads}\n</thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
        + (f"\n<p>{notes.removeprefix('<br>')}</p>" if notes else "")
    )


def _cells(row: Sequence[Cell], columns: Sequence[Column], tag: str) -> str:
    cells = (
        f'<{tag} style="text-align: {"right" if column.numeric else "left"}">'
        f"{escape(cell.text)}</{tag}>"
        for cell, column in zip(row, columns, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"

"""HTML of reports for cells of a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from valor_core.errors import printable_lines
from valor_core.results import Report
from valor_core.results.results import Results
from valor_report.pages.figures import drawn
from valor_report.pages.plot import framed
from valor_report.tables.sections import tables_of
from valor_report.tables.text_table import Cell, TextColumn, TextTable
from valor_report.text import cut_short, failures, items_line

_MOST_ROWS = 20


def notebook(found: Results) -> str:
    """Render the tables and drawings of a report or of results, with at most 20 rows per table.

    The tables have no style, because notebooks style them.
    """
    lines = []
    if isinstance(found, Report):
        lines = [items_line(found), *cut_short(found), *failures(found)]
        lines += [f"Warning: {warning}" for warning in found.warnings]
    parts = [f"<p>{escape(line)}</p>" for line in lines]
    parts += [_table(table) for table in tables_of(found, most_rows=_MOST_ROWS)]
    figures = [figure for _, figure in drawn(found)]
    parts += [framed(figures)] if figures else []
    return printable_lines("\n".join(["<div>", *parts, "</div>"]))


def _table(table: TextTable) -> str:
    caption = f"<br>{escape(table.caption)}" if table.caption else ""
    heads = _cells([Cell(column.title) for column in table.columns], table.columns, "th")
    rows = "\n".join(_cells(row, table.columns, "td") for row in table.rows)
    notes = "".join(f"<br>{escape(note)}" for note in table.numbered_notes)
    return (
        f"<p><b>{escape(table.title)}</b>{caption}</p>\n"
        f"<table>\n<thead>\n{heads}\n</thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
        + (f"\n<p>{notes.removeprefix('<br>')}</p>" if notes else "")
    )


def _cells(row: Sequence[Cell], columns: Sequence[TextColumn], tag: str) -> str:
    cells = (
        f'<{tag} style="text-align: {"right" if column.numeric else "left"}">'
        f"{escape(cell.text)}</{tag}>"
        for cell, column in zip(row, columns, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"

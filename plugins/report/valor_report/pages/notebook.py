"""HTML of reports for cells of a notebook."""

from __future__ import annotations

from valor_core.results import Report
from valor_core.results.results import Results
from valor_report.pages.plot import Sheet
from valor_report.pages.templates import fragment
from valor_report.plots.figures import drawn
from valor_report.tables.sections import tables_of
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
    figures = [figure for _, figure in drawn(found)]
    return fragment(
        "notebook.html",
        lines=lines,
        tables=tables_of(found, most_rows=_MOST_ROWS),
        sheets=[Sheet.of([figure]) for figure in figures],
    )

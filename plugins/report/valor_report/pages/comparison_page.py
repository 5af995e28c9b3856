"""Self-contained HTML page of a comparison."""

from __future__ import annotations

from valor_report.comparison import Comparison
from valor_report.pages.page_tables import Section
from valor_report.pages.templates import render


def html(found: Comparison, title: str) -> str:
    """Render the differing results of a comparison.

    Parameters
    ----------
    found : Comparison
        The comparison.
    title : str
        Title of the page.
    """
    sections = map(Section.of, found.tables(whole=False))
    return render(
        "comparison.html",
        title=title,
        summary=found.summary,
        remarks=found.remarks,
        tables=list(sections),
    )

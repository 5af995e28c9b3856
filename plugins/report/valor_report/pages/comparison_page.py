"""Self-contained HTML page of a comparison."""

from __future__ import annotations

from html import escape

from valor_report.comparison import Comparison
from valor_report.pages.page import document, section


def html(found: Comparison, title: str) -> str:
    """Render the differing results of a comparison.

    Parameters
    ----------
    found : Comparison
        The comparison.
    title : str
        Title of the page.
    """
    remarks = "".join(f"<li>{escape(remark)}</li>" for remark in found.remarks)
    summary = f'<p class="sub">{escape(found.summary)}</p>'
    body = [
        f"<header>\n<h1>{escape(title)}</h1>\n{summary}\n</header>",
        f'<ul class="notes">{remarks}</ul>' if remarks else "",
        *map(section, found.tables(whole=False)),
    ]
    return document(title, body)

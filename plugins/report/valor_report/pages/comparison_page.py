"""Page of a comparison: what changed, as one HTML file that needs nothing else."""

from __future__ import annotations

from html import escape

from valor_report.comparison import Comparison
from valor_report.pages.page import document, section


def html(found: Comparison, title: str) -> str:
    """The comparison as one HTML page, without the numbers that are the same.

    Parameters
    ----------
    found : Comparison
        What to show.
    title : str
        What is compared with what.
    """
    remarks = "".join(f"<li>{escape(remark)}</li>" for remark in found.remarks)
    summary = f'<p class="sub">{escape(found.summary)}</p>'
    body = [
        f"<header>\n<h1>{escape(title)}</h1>\n{summary}\n</header>",
        f'<ul class="notes">{remarks}</ul>' if remarks else "",
        *map(section, found.tables(whole=False)),
    ]
    return document(title, body)

"""Rendering of the templates of pages.

Every value is escaped, except the style and the script of the page.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import Any

from attrs import frozen
from jinja2 import Environment, PackageLoader, StrictUndefined

from valor_core.errors import printable_lines
from valor_report.pages.assets import SCRIPT, STYLE
from valor_report.plots.charts import link_of
from valor_report.plots.layout import Layout
from valor_report.plots.style import STYLE as PLOT_STYLE


@frozen
class Link:
    """Link of a navigation.

    Parameters
    ----------
    text, address : str
        Text and address.
    is_current : bool
        Whether it leads to the page that has it.
    id : str
        Its id on the page, for scripts.
    """

    text: str
    address: str
    is_current: bool = False
    id: str = ""


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("valor_report.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"laid_out": Layout.of, "link": link_of}
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    return made


def render(
    name: str, *, style: str = "", script: str = SCRIPT, connects: bool = False, **values: Any
) -> str:
    """Render a template as HTML.

    Parameters
    ----------
    name : str
        File name of the template.
    style : str
        Style sheet of the page, added to that of all pages.
    script : str
        Script of the page; empty for none.
    connects : bool
        Whether the script may request addresses of the server of the page.
    **values
        Variables of the template.

    Examples
    --------
    >>> answer = {"text": "", "tone": ""}
    >>> parts = {"answer": answer, "remarks": (), "boards": (), "tables": (), "items": ()}
    >>> page = render("leaderboard.html", title="<b>", about="", **parts)
    >>> "<title>&lt;b&gt;</title>" in page
    True
    """
    styles = f"{STYLE}{PLOT_STYLE}{style}"
    allowed = policy(script, connects=connects)
    return f"{fragment(name, style=styles, script=script, policy=allowed, **values)}\n"


def fragment(name: str, **values: Any) -> str:
    r"""Render a template without style and script, such as HTML for a cell of a notebook.

    Parameters
    ----------
    name : str
        File name of the template.
    **values
        Variables of the template.

    Examples
    --------
    >>> fragment("drawings.html", sheets=[]).strip()
    '<div style="display: flex; flex-wrap: wrap; gap: 12px">\n</div>'
    """
    return printable_lines(_environment().get_template(name).render(**values))


def policy(script: str = SCRIPT, *, connects: bool = False) -> str:
    """Content security policy of a page: no network, and no script but its own.

    Parameters
    ----------
    script : str
        Script of the page; empty for none.
    connects : bool
        As in `render`.

    Examples
    --------
    >>> policy("")
    "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src data:"
    """
    digest = b64encode(sha256(script.encode()).digest()).decode()
    allowed = f"'sha256-{digest}'" if script else "'none'"
    rules = f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:"
    return f"{rules}; connect-src 'self'" if connects else rules

"""MkDocs hook that completes the HTML of pages.

`site.css` stacks the marked parameter tables on narrow screens. The theme's search dialog gets a
name for screen readers.
"""

from __future__ import annotations

import re
from typing import Any

_HEAD = re.compile(
    r"<table>(\s*<thead>\s*<tr>\s*<th>[^<]*</th>\s*<th>type</th>\s*<th>default</th>)"
)


def on_page_content(html: str, **_: Any) -> str:
    """Mark the parameter tables of a page.

    Parameters
    ----------
    html : str
        HTML of the page.
    """
    return _HEAD.sub(r'<table data-kind="parameters">\1', html)


def on_post_page(output: str, **_: Any) -> str:
    """Name the search dialog.

    Parameters
    ----------
    output : str
        HTML of the page with its menus.
    """
    return output.replace('role="dialog"', 'role="dialog" aria-label="Search"', 1)

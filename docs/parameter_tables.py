"""MkDocs hook that marks parameter tables, which `site.css` stacks on narrow screens."""

from __future__ import annotations

import re
from typing import Any

_HEAD = re.compile(
    r"<table>(\s*<thead>\s*<tr>\s*<th>[^<]*</th>\s*<th>type</th>\s*<th>default</th>)"
)


def on_page_content(html: str, **_: Any) -> str:
    """Add a class to the parameter tables of a page.

    Parameters
    ----------
    html : str
        HTML of the page.
    """
    return _HEAD.sub(r'<table class="parameters">\1', html)

"""Parameter tables: a class for those of the docs, which `site.css` stacks on narrow screens."""

from __future__ import annotations

import re
from typing import Any

_HEAD = re.compile(
    r"<table>(\s*<thead>\s*<tr>\s*<th>[^<]*</th>\s*<th>type</th>\s*<th>default</th>)"
)


def on_page_content(html: str, **_: Any) -> str:
    """The HTML of a page; MkDocs calls this for each.

    Parameters
    ----------
    html : str
        As it is made of Markdown.
    """
    return _HEAD.sub(r'<table class="parameters">\1', html)

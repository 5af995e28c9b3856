"""Script: what a page's tables do when somebody clicks on them, and how large matrices are drawn.

A click on a head sorts the rows by its column, the next one turns them around, and a third brings
their own order back. A long table has a field above it that leaves the rows with some words.
"""

from __future__ import annotations

from importlib.resources import files

SCRIPT = "\n" + "".join(
    files(__package__).joinpath(name).read_text(encoding="utf-8")
    for name in ("tables.js", "canvas.js")
)

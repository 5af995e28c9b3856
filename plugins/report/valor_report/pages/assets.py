"""Style sheet and scripts of the pages.

The style has light, dark and print variants. The scripts sort tables by a clicked column, filter
long tables by words, and draw large matrices.
"""

from __future__ import annotations

from importlib.resources import files


def _text(*names: str) -> str:
    folder = files(__package__)
    return "\n" + "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


STYLE = _text("style.css")
COMPARISON_STYLE = _text("comparison.css")
SCRIPT = _text("tables.js", "canvas.js")

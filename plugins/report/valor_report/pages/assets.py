"""Style and script of the pages, read from the files beside this module.

The style covers day, night and paper. The script sorts a table by the column whose head is
clicked, filters long tables by words, and draws large matrices.
"""

from __future__ import annotations

from importlib.resources import files


def _text(*names: str) -> str:
    folder = files(__package__)
    return "\n" + "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


STYLE = _text("style.css")
SCRIPT = _text("tables.js", "canvas.js")

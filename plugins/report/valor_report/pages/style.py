"""Style: how the pages that Valor makes look, by day, by night and on paper."""

from __future__ import annotations

from importlib.resources import files

STYLE = "\n" + files(__package__).joinpath("style.css").read_text(encoding="utf-8")

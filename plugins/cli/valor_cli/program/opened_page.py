"""Pages of reports that are opened in a browser."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path
from typing import Any

from valor_cli.config.config_file import Request
from valor_cli.program import streams

PAGE = ".html"


def with_page(output: Any) -> list[Any]:
    """Return the key ``output`` of a config with a page, in a new temporary folder if it has none.

    Examples
    --------
    >>> with_page("r.html")
    ['r.html']
    >>> [Path(file).name for file in with_page(["r.json"])]
    ['r.json', 'report.html']
    """
    files = [output] if isinstance(output, str) else list(output or ())
    if any(_is_page(file) for file in files):
        return files
    return [*files, str(Path(tempfile.mkdtemp(prefix="valor-")) / "report.html")]


def open_page(request: Request) -> None:
    """Open the page of a finished run in a browser, or print how to open it."""
    path = next(
        request.folder / file for file in request.checked.run.output if _is_page(str(file))
    ).absolute()
    if not path.exists():  # the run failed, or the page cannot be written
        return
    if not webbrowser.open(path.as_uri()):
        streams.talk(f"valor: warning: found no browser for --open\nOpen it with: {path.as_uri()}")


def _is_page(file: Any) -> bool:
    return str(file).lower().endswith(PAGE)

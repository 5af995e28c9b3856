"""Pages of reports and comparisons that are opened in a browser."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path
from typing import Any

from valor_cli.config.config_file import Request
from valor_cli.program import streams

PAGE = ".html"


def with_page(output: Any, name: str = "report.html") -> list[Any]:
    """Return output files with a page, in a new temporary folder if there is none.

    Examples
    --------
    >>> with_page("r.html")
    ['r.html']
    >>> [Path(file).name for file in with_page(["r.json"])]
    ['r.json', 'report.html']
    """
    files = [output] if isinstance(output, str) else list(output or ())
    if any(is_page(file) for file in files):
        return files
    return [*files, str(Path(tempfile.mkdtemp(prefix="valor-")) / name)]


def open_page(request: Request) -> None:
    """Open the page of a finished run in a browser, or print how to open it."""
    path = next(request.folder / file for file in request.checked.run.output if is_page(str(file)))
    if path.exists():  # the run may have failed, or the page cannot be written
        show_page(path)


def show_page(path: Path) -> None:
    """Open a page in a browser, or print how to open it."""
    path = path.absolute()
    if not webbrowser.open(path.as_uri()):
        streams.talk(f"valor: warning: found no browser for --open\nOpen it with: {path.as_uri()}")


def is_page(file: Any) -> bool:
    """Return True for the name of a page."""
    return str(file).lower().endswith(PAGE)

"""Streams: standard output is what was asked for, standard error is talk about it."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from valor_core.errors import ReportError, ValorWarning, printable_lines

if TYPE_CHECKING:
    from valor_report.tables.text_table import TextTable


def prepare() -> None:
    """Make pipes and files take every character, whatever the locale; what is closed, nothing."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, io.StringIO())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def say(text: str) -> None:
    """Print something that was asked for."""
    _write(sys.stdout, f"{text}\n")


def say_json(value: Any) -> None:
    """Print a value as JSON."""
    say(json_text(value))


def json_text(value: Any) -> str:
    """A value as JSON that people can read, too."""
    return json.dumps(value, indent=1, ensure_ascii=False)


def talk(text: str) -> None:
    """Print something about what was asked for; a terminal is sent no control characters."""
    _write(sys.stderr, f"{printable_lines(text)}\n")


def show(tables: Iterable[TextTable]) -> None:
    """Print tables: drawn on a terminal, as plain text in a pipe."""
    tables = tuple(tables)
    if on_terminal():
        from valor_report.terminal import draw

        draw(tables)
    elif tables:
        say("\n\n".join(table.plain() for table in tables))


def filled(text: str, indent: int = 0, most: int = 10_000) -> str:
    """A text in lines that a terminal has room for, those after the first indented."""
    room = min(most, shutil.get_terminal_size().columns) if on_terminal() else most
    return textwrap.fill(
        text,
        max(room, indent + 20),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def on_terminal() -> bool:
    """Whether standard output is read by a person."""
    return sys.stdout.isatty()


def warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning; where it comes from is only of interest for a stranger's."""
    place = "" if issubclass(category, ValorWarning) else f"{filename}:{lineno}: "
    talk(f"valor: warning: {place}{message}")


def finish() -> None:
    """Send off what was printed.

    Raises
    ------
    ReportError
        If standard output cannot be written.
    """
    for stream in (sys.stdout, sys.stderr):
        with written(stream):
            stream.flush()


def _write(stream: TextIO, text: str) -> None:
    with written(stream):
        stream.write(text)


@contextmanager
def written(stream: TextIO) -> Iterator[None]:
    """A block that writes to a stream; a reader that closed its pipe has what it wanted.

    Raises
    ------
    ReportError
        If it is standard output and cannot be written.
    """
    try:
        yield
    except OSError as error:
        _to_nowhere(stream)
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            raise ReportError(f"standard output: cannot be written, {error.strerror}") from error


def _to_nowhere(stream: TextIO) -> None:
    """What is left to be written goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)

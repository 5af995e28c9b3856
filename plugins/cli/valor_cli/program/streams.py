"""Streams: results on standard output, messages on standard error."""

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
    """Encode pipes and files as UTF-8 in every locale, and replace closed streams."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, io.StringIO())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def say(text: str) -> None:
    """Print a result on standard output."""
    _write(sys.stdout, f"{text}\n")


def say_json(value: Any) -> None:
    """Print a value as JSON."""
    say(json_text(value))


def json_text(value: Any) -> str:
    """Return a value as indented JSON."""
    return json.dumps(value, indent=1, ensure_ascii=False)


def talk(text: str) -> None:
    """Print a message on standard error, without control characters."""
    _write(sys.stderr, f"{printable_lines(text)}\n")


def show(tables: Iterable[TextTable]) -> None:
    """Print tables: with borders on a terminal, as aligned text in a pipe."""
    tables = tuple(tables)
    if on_terminal():
        from valor_report.terminal import draw

        draw(tables)
    elif tables:
        say("\n\n".join(table.plain() for table in tables))


def filled(text: str, indent: int = 0, most: int = 10_000) -> str:
    """Wrap a text to the width of the terminal and indent all lines but the first."""
    room = min(most, shutil.get_terminal_size().columns) if on_terminal() else most
    return textwrap.fill(
        text,
        max(room, indent + 20),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def on_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout.isatty()


def warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning; warnings of other packages also show their source line."""
    place = "" if issubclass(category, ValorWarning) else f"{filename}:{lineno}: "
    talk(f"valor: warning: {place}{message}")


def finish() -> None:
    """Flush both streams.

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
    """Guard a block that writes to a stream; a pipe closed by its reader is no error.

    Raises
    ------
    ReportError
        If the stream is standard output and cannot be written.
    """
    try:
        yield
    except OSError as error:
        _to_nowhere(stream)
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            raise ReportError(f"standard output: cannot be written, {error.strerror}") from error


def _to_nowhere(stream: TextIO) -> None:
    """Redirect a stream to the null device, so that later writes and flushes succeed."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)

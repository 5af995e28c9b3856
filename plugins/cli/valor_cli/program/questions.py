"""Questions: what a person at a terminal is asked, one thing after the other."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from valor_cli.config.data_files import check_there, named_paths, reader_called
from valor_cli.config.unknown_files import OF_COLUMNS
from valor_cli.program import streams
from valor_core.errors import ValorError
from valor_core.parameters.declaration import declared
from valor_core.plugins.meaning import meaning_of
from valor_core.plugins.registry import Registry
from valor_core.plugins.spec import ReaderSpec
from valor_core.readers.known import Known, known_by
from valor_core.readers.recognized import Recognized, first_rows

T = TypeVar("T")
_MOST_NAMES = 12


def can_ask() -> bool:
    """Whether a person sits at the terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask(question: str, understood: Callable[[str], T], default: str | None = None) -> T:
    """What is made of an answer; the question comes again until the answer is understood.

    Parameters
    ----------
    question : str
        What is asked.
    understood : callable
        Makes something of the answer, or raises a `ValorError`.
    default : str, optional
        The answer of who only presses the return key.
    """
    while True:
        answer = click.prompt(question, default=default, err=True)
        try:
            return understood(str(answer).strip())
        except ValorError as error:
            streams.talk(str(error))


def asked_config(
    files: Sequence[Path],
    metrics: Sequence[str],
    task: str | None,
    reader: str | None,
    registry: Registry,
) -> dict[str, Any]:
    """The config that evaluates some files; what they and the arguments do not tell is asked."""
    check_there(files)
    named = None if reader is None else reader_called(reader, registry, task)
    known = known_by(files, registry, task=task, reader=named, metrics=metrics)
    chosen = _chosen(known) if known else _described(files, named, task, registry)
    streams.talk(f"{' and '.join(map(str, files))}: read by {chosen.reader.name}")
    return chosen.config(metrics or _metrics(chosen, registry))


def _chosen(known: Sequence[Known]) -> Known:
    """One of several ways to read some files."""
    by_name = {one.reader.name: one for one in known}
    if len({one.task for one in known}) == 1:
        return known[0]
    for one in known:
        streams.talk(f"  {one.reader.name}  {one.reader.summary}")
    choice = click.Choice(list(by_name))
    return by_name[click.prompt("What is it?", type=choice, default=known[0].reader.name, err=True)]


def _described(
    files: Sequence[Path], reader: ReaderSpec | None, task: str | None, registry: Registry
) -> Known:
    """Files that no reader knows, described by the person."""
    table = first_rows(files[0])
    columns = () if table is None else table.names
    if columns:
        listed = ", ".join(columns[:_MOST_NAMES])
        streams.talk(f"{files[0]} has {len(columns)} columns: {listed}")
    if reader is None:
        readers = [spec for spec in registry.all(ReaderSpec) if task in (None, spec.task)]
        for spec in readers:
            streams.talk(f"  {spec.name}  {spec.summary}")
        reader = ask("Which reader?", lambda name: reader_called(name, registry, task))
    data = named_paths(files, reader)
    for entry in declared(reader.parameter_class):
        if not (entry.help or "").startswith(OF_COLUMNS) or entry.default in columns:
            continue
        if columns and isinstance(entry.default, str):
            question = f"{entry.help.removesuffix('.')}; none to leave it out"
            found = click.prompt(question, type=click.Choice([*columns, "none"]), err=True)
            data |= {} if found == "none" else {entry.name: found}
    return Known(reader, Recognized(data=data, task=task))


def _metrics(chosen: Known, registry: Registry) -> list[str]:
    def understood(answer: str) -> list[str]:
        names = [name.strip() for name in answer.split(",") if name.strip()]
        for name in names:
            meaning_of(name, registry, chosen.task)
        return names

    first = ", ".join(chosen.made.metrics)
    return ask("Which metrics? (names, with commas between)", understood, first or None)

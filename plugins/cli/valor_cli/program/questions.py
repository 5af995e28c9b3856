"""Questions: what a person at a terminal is asked, one thing after the other."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from valor_files import (
    Detected,
    ReaderMatch,
    column_parameters,
    columns_to_name,
    first_rows,
    matching_readers,
)

from valor_cli.config import put
from valor_cli.config.data_files import check_there, reader_called
from valor_cli.program import streams
from valor_core.errors import ConfigError, ValorError, did_you_mean, shown
from valor_core.parameters import declared
from valor_core.specs import MetricSpec, ReaderSpec, Registry, TaskSpec, meaning_of, only_task

T = TypeVar("T")
_MOST_NAMES = 12
_MOST_TRIES = 5
_MOST_PROPOSED = 3


def can_ask() -> bool:
    """Whether a person sits at the terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask(question: str, understood: Callable[[str], T], default: str | None = None) -> T:
    """Ask a question until an answer can be used, a few times at most.

    Parameters
    ----------
    question : str
        What is asked.
    understood : callable
        Makes something of the answer, or raises a `ValorError`.
    default : str, optional
        The answer of who only presses the return key.
    """
    for attempt in range(_MOST_TRIES):
        answer = click.prompt(question, default=default or "", show_default=bool(default), err=True)
        try:
            return understood(str(answer).strip())
        except ValorError as error:
            leave = "" if attempt else "\nCtrl-C ends without a config."
            streams.talk(f"{error}{leave}")
    raise ConfigError(
        f"init: expected an answer to {question!r}, got none that fits in {_MOST_TRIES} tries",
        "Name it instead: valor init DATA --task TASK --reader NAME --metrics NAME,NAME",
    )


def _one_of(names: Sequence[str]) -> Callable[[str], str]:
    """A check of answers: one of the names, or an error that suggests the closest."""

    def understood(answer: str) -> str:
        if answer in names:
            return answer
        raise ConfigError(
            f"expected one of {', '.join(names)}, got {shown(answer)}",
            did_you_mean(answer, names) if answer else None,
        )

    return understood


def asked_config(
    files: Sequence[Path],
    metrics: Sequence[str],
    task: str | None,
    reader: str | None,
    registry: Registry,
) -> dict[str, Any]:
    """The config that evaluates some files; what they and the arguments do not tell is asked."""
    check_there(files)
    task = task or only_task(metrics, registry)
    named = None if reader is None else reader_called(reader, registry, task)
    known = matching_readers(files, registry, task=task, reader=named, metrics=metrics)
    chosen = _chosen(known) if known else _described(files, named, task, registry, metrics)
    streams.talk(f"{' and '.join(map(str, files))}: read by {chosen.reader.name}")
    return chosen.config(metrics or _metrics(chosen, registry))


def _chosen(known: Sequence[ReaderMatch]) -> ReaderMatch:
    """One of several ways to read some files."""
    by_name = {one.reader.name: one for one in known}
    if len({one.task for one in known}) == 1:
        return known[0]
    for one in known:
        streams.talk(f"  {one.reader.name}  {one.reader.summary}")
    return by_name[ask("What is it?", _one_of(list(by_name)), known[0].reader.name)]


def _described(
    files: Sequence[Path],
    reader: ReaderSpec | None,
    task: str | None,
    registry: Registry,
    metrics: Sequence[Any],
) -> ReaderMatch:
    """Files that no reader recognizes, described by the answers of a person."""
    table = first_rows(files[0])
    columns = () if table is None else table.names
    if columns:
        listed = ", ".join(columns[:_MOST_NAMES])
        streams.talk(f"{files[0]} has {len(columns)} columns: {listed}")
    asked: Sequence[str] = ()
    if reader is None and columns:
        tasks = [spec.short_name for spec in registry.all(TaskSpec)]
        fitting = {
            one: found
            for one in ([task] if task else tasks)
            if (found := columns_to_name(len(files), one, registry, metrics)) and found[1]
        }
        if fitting:
            task = task or ask(f"Which task? ({', '.join(fitting)})", _one_of(list(fitting)))
            reader, asked = fitting[task]
    if reader is None:
        readers = [spec for spec in registry.all(ReaderSpec) if task in (None, spec.task)]
        for spec in readers:
            streams.talk(f"  {spec.name}  {spec.summary}")
        reader = ask("Which reader?", lambda name: reader_called(name, registry, task))
    match = ReaderMatch.of_files(reader, files, task, registry)
    data = match.detected.data
    helps = {entry.name: entry.help or "" for entry in declared(reader.parameter_class)}
    asked = asked or column_parameters(reader)
    for name in asked if columns else ():
        field = name.removeprefix("columns.")
        if field in columns:
            continue
        words = helps.get(name, f"Column of the {field}").removesuffix(".")
        column = ask(f"{words}; none to leave it out", _one_of([*columns, "none"]))
        if column != "none":
            data = put(data, name, column, "init")
    return ReaderMatch(reader, Detected(data=data, task=task or reader.task))


def _metrics(chosen: ReaderMatch, registry: Registry) -> list[str]:
    def understood(answer: str) -> list[str]:
        names = [name.strip() for name in answer.split(",") if name.strip()]
        if not names:
            raise ConfigError("expected the names of metrics, got none")
        for name in names:
            meaning_of(name, registry, chosen.task)
        return names

    first = ", ".join(chosen.detected.metrics or _fitting(chosen, registry))
    return ask("Which metrics? (names, with commas between)", understood, first or None)


def _fitting(chosen: ReaderMatch, registry: Registry) -> list[str]:
    """Metrics of a task that need no parameter and no resource, to begin with."""
    return [
        spec.short_name
        for spec in registry.all(MetricSpec)
        if spec.namespace == chosen.task
        and not spec.resources
        and spec.higher_is_better
        and spec.extra is None
        and not any(entry.required for entry in declared(spec.parameter_class))
    ][:_MOST_PROPOSED]

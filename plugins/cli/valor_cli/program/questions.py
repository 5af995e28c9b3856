"""Questions to the user about a config, asked at the terminal."""

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
from valor_cli.config.inferred.data_files import check_there, reader_called
from valor_cli.program import streams
from valor_core.errors import ConfigError, ValorError, did_you_mean, short_repr
from valor_core.parameters import parameters_of
from valor_core.specs import MetricSpec, ReaderSpec, Registry, TaskSpec
from valor_core.specs.lookup import meaning_of, only_task

T = TypeVar("T")
_MOST_NAMES = 12
_MOST_TRIES = 5
_MOST_PROPOSED = 3


def can_ask() -> bool:
    """Return whether standard input and standard error are terminals."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask(question: str, parse: Callable[[str], T], default: str | None = None) -> T:
    """Ask a question until the answer is valid, at most five times.

    Parameters
    ----------
    question : str
        Text of the prompt.
    parse : callable
        Converts the answer, or raises a `ValorError` that is printed.
    default : str, optional
        Answer if the user only presses the return key.
    """
    for attempt in range(_MOST_TRIES):
        answer = click.prompt(question, default=default or "", show_default=bool(default), err=True)
        try:
            return parse(str(answer).strip())
        except ValorError as error:
            hint = "" if attempt else "\nCtrl-C ends without a config."
            streams.talk(f"{error}{hint}")
    raise ConfigError(
        f"init: expected an answer to {question!r}, got none that fits in {_MOST_TRIES} tries",
        "Name it instead: valor init DATA --task TASK --reader NAME --metrics NAME,NAME",
    )


def _one_of(names: Sequence[str]) -> Callable[[str], str]:
    """Return a parser that accepts one of the names and suggests the closest for others."""

    def parse(answer: str) -> str:
        if answer in names:
            return answer
        raise ConfigError(
            f"expected one of {', '.join(names)}, got {short_repr(answer)}",
            did_you_mean(answer, names) if answer else None,
        )

    return parse


def asked_config(
    files: Sequence[Path],
    metrics: Sequence[str],
    task: str | None,
    reader: str | None,
    registry: Registry,
) -> dict[str, Any]:
    """Return a config that evaluates files, and ask for settings that cannot be inferred."""
    check_there(files)
    task = task or only_task(metrics, registry)
    spec = None if reader is None else reader_called(reader, registry, task)
    matches = matching_readers(files, registry, task=task, reader=spec, metrics=metrics)
    chosen = _chosen(matches) if matches else _described(files, spec, task, registry, metrics)
    streams.talk(f"{' and '.join(map(str, files))}: read by {chosen.reader.name}")
    return chosen.config(metrics or _metrics(chosen, registry))


def _chosen(matches: Sequence[ReaderMatch]) -> ReaderMatch:
    """Ask which reader to use if the files fit several tasks."""
    by_name = {one.reader.name: one for one in matches}
    if len({one.task for one in matches}) == 1:
        return matches[0]
    for one in matches:
        streams.talk(f"  {one.reader.name}  {one.reader.summary}")
    return by_name[ask("What is it?", _one_of(list(by_name)), matches[0].reader.name)]


def _described(
    files: Sequence[Path],
    reader: ReaderSpec | None,
    task: str | None,
    registry: Registry,
    metrics: Sequence[Any],
) -> ReaderMatch:
    """Ask for the task, reader and columns of files that no reader recognizes."""
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
    helps = {entry.name: entry.help or "" for entry in parameters_of(reader.parameter_class)}
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
    def parse(answer: str) -> list[str]:
        names = [name.strip() for name in answer.split(",") if name.strip()]
        if not names:
            raise ConfigError("expected the names of metrics, got none")
        for name in names:
            meaning_of(name, registry, chosen.task)
        return names

    first = ", ".join(chosen.detected.metrics or _fitting(chosen, registry))
    return ask("Which metrics? (names, with commas between)", parse, first or None)


def _fitting(chosen: ReaderMatch, registry: Registry) -> list[str]:
    """Propose metrics of the task that need no parameter, resource or extra."""
    return [
        spec.short_name
        for spec in registry.all(MetricSpec)
        if spec.namespace == chosen.task
        and not spec.resources
        and spec.higher_is_better
        and spec.extra is None
        and not any(entry.required for entry in parameters_of(spec.parameter_class))
    ][:_MOST_PROPOSED]

"""Questions to the user about a config, asked at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any, TypeVar

import click
from attrs import evolve
from valor_files import (
    Detected,
    ReaderMatch,
    column_parameters,
    columns_to_name,
    first_rows,
    matching_readers,
)
from valor_report.requirements import conditions_of

from valor_cli.config import override, put
from valor_cli.config.inferred.data_files import check_there, reader_called
from valor_cli.config.inferred.trial import fitting_readers, match_of
from valor_cli.config.inferred.unknown_files import not_read
from valor_cli.program import streams
from valor_core.errors import ConfigError, ValorError, did_you_mean, short_repr
from valor_core.evaluation import Evaluator
from valor_core.parameters import parameters_of
from valor_core.specs import (
    MetricSpec,
    ReaderSpec,
    Registry,
    ResourceKindSpec,
    ResourceSpec,
    TaskSpec,
)
from valor_core.specs.lookup import meaning_of, only_task

T = TypeVar("T")
_MOST_NAMES = 12
_MOST_TRIES = 3
_MOST_PROPOSED = 3


def can_ask() -> bool:
    """Return whether standard input and standard error are terminals."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask(question: str, parse: Callable[[str], T], default: str | None = None) -> T:
    """Ask a question until the answer is valid, at most three times.

    Parameters
    ----------
    question : str
        Text of the prompt.
    parse : callable
        Converts the answer, or raises a `ValorError` that is printed.
    default : str, optional
        Answer if the user only presses the return key.

    Raises
    ------
    ConfigError
        If no answer is valid, or the input ends.
    """
    for attempt in range(_MOST_TRIES):
        answer = _answer(question, default)
        try:
            return parse(answer)
        except ValorError as error:
            hint = "" if attempt else "\nCtrl-C ends without a config."
            streams.talk(f"{error}{hint}")
    raise _unanswered(question, f"none that fits in {_MOST_TRIES} tries")


def _answer(question: str, default: str | None) -> str:
    try:
        answer = click.prompt(question, default=default or "", show_default=bool(default), err=True)
    except click.Abort as error:
        if isinstance(error.__context__, EOFError):
            streams.talk("")
            raise _unanswered(question, "the end of the input") from None
        raise
    return str(answer).strip()


def _unanswered(question: str, found: str) -> ConfigError:
    return ConfigError(
        f"{click.get_current_context().info_name}: expected an answer to {question!r}, got {found}",
        "Name it instead: valor init DATA --task TASK --reader NAME --metrics NAME,NAME",
    )


def is_confirmed(question: str) -> bool:
    """Ask a question whose answer is yes or no."""
    return ask(f"{question} (yes or no)", _one_of(("yes", "no", "y", "n")), "no")[0] == "y"


def _value(answer: str) -> Any:
    """Parse an answer as the value of a setting: JSON, or a text."""
    if not answer:
        raise ConfigError("expected a value, got nothing")
    return override({}, [f"value={answer}"])["value"]


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
    chosen = _completed(chosen)
    streams.talk(f"{' and '.join(map(str, files))}: read by {chosen.reader.name}")
    return _with_resources(chosen.config(metrics or _metrics(chosen, registry)), registry)


def asked_requirements(
    values: Mapping[str, Any], check: Callable[[Mapping[str, Any]], object]
) -> dict[str, str]:
    """Ask for the thresholds of a config.

    Parameters
    ----------
    values : mapping
        The config without thresholds.
    check : callable
        Raises a `ValorError` for a config that cannot run.
    """

    def parse(answer: str) -> dict[str, str]:
        if answer in ("", "none"):
            return {}
        conditions = conditions_of(one.strip() for one in answer.split(","))
        check({**values, "require": conditions})
        return conditions

    first = values["metrics"][0]
    name = first["name"] if isinstance(first, Mapping) else first
    return ask(f"Which results are required? (such as {name} >= 0.9)", parse, "none")


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
            only = next(iter(fitting)) if len(fitting) == 1 else None
            question = f"Which task? ({', '.join(fitting)})"
            task = task or ask(question, _one_of(list(fitting)), only)
            reader, asked = fitting[task]
    if reader is None:
        reader = _fitting_reader(files, task, registry, metrics)
    match = match_of(reader, files, task, registry)
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
    return ReaderMatch(reader, Detected(data=data, task=match.task or task))


def _fitting_reader(
    files: Sequence[Path], task: str | None, registry: Registry, metrics: Sequence[Any]
) -> ReaderSpec:
    """Ask which of the readers to use that can read the files."""
    readers = fitting_readers(files, task, registry)
    if not readers:
        typed = " ".join(["valor run", *map(quote, map(str, files))])
        raise not_read(files, typed, task, registry, metrics)
    for spec in readers:
        streams.talk(f"  {spec.name}  {spec.summary}")

    def parse(answer: str) -> ReaderSpec:
        spec = reader_called(answer, registry, task)
        if spec not in readers:
            names = ", ".join(one.name for one in readers)
            raise ConfigError(f"expected a reader of these files, {names}, got {answer!r}")
        return spec

    return ask("Which reader?", parse, readers[0].name if len(readers) == 1 else None)


def _completed(match: ReaderMatch) -> ReaderMatch:
    """Ask for the required parameters of a reader that are not inferred."""
    data = match.detected.data
    for name, words in match.missing({}).items():
        data = put(data, name, ask(f"{name} ({words.removesuffix('.')})", _value), "init")
    return evolve(match, detected=evolve(match.detected, data=data))


def _metrics(chosen: ReaderMatch, registry: Registry) -> list[str]:
    def parse(answer: str) -> list[str]:
        names = [name.strip() for name in answer.split(",") if name.strip()]
        if not names:
            raise ConfigError("expected the names of metrics, got none")
        for name in names:
            spec = meaning_of(name, registry, chosen.task).spec
            if chosen.task not in spec.tasks:
                raise ConfigError(
                    f"{spec.name}: expected a metric of the task {chosen.task}, got one of "
                    f"{spec.task}",
                    f"See the metrics with: valor list --task {chosen.task}",
                )
            Evaluator([name], task=chosen.task, registry=registry) if not spec.resources else None
        return names

    first = ", ".join(chosen.detected.metrics or _fitting(chosen, registry))
    return ask("Which metrics? (names, with commas between)", parse, first or None)


def _with_resources(values: dict[str, Any], registry: Registry) -> dict[str, Any]:
    """Ask for the kinds of resources that the metrics need, such as the client of a judge."""
    for metric in values["metrics"]:
        name = metric.get("name") if isinstance(metric, Mapping) else metric
        metric_spec = meaning_of(str(name), registry, values["task"]).spec
        for resource in metric_spec.resources:
            spec = registry.find(ResourceSpec, resource, metric_spec.namespace)
            if spec.kinds is not None and spec.short_name not in values:
                values |= {spec.short_name: {spec.kinds: _kind(spec, registry)}}
    return values


def _kind(resource: ResourceSpec, registry: Registry) -> dict[str, Any]:
    kinds = {
        spec.short_name: spec
        for spec in registry.all(ResourceKindSpec)
        if spec.resource == resource.name
    }
    question = f"Which {resource.kinds} of the {resource.short_name}? ({', '.join(kinds)})"
    chosen = kinds[ask(question, _one_of(list(kinds)))]
    return {"name": chosen.short_name} | {
        one.name: ask(f"{one.name} ({(one.help or '').removesuffix('.')})", _value)
        for one in parameters_of(chosen.parameter_class)
        if one.required
    }


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

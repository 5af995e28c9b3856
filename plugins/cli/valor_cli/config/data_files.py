"""Data files: the config of a run that names files and metrics in place of a config."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from valor_files import ReaderMatch, matching_readers

from valor_cli.config.files import PARSERS, STANDARD_INPUT
from valor_cli.config.resolved import moved_paths, path_from
from valor_cli.config.unknown_files import check_complete, missing, not_read
from valor_core.errors import ConfigError, UnknownNameError, did_you_mean, shown
from valor_core.specs import ReaderSpec, Registry, fold, only_task

_BEGINNING = 1 << 10


def is_config(files: Sequence[Path]) -> bool:
    """Whether what a command line names is a config and not data.

    A single table in JSON is a config; a list, or one of two files, is data.

    Examples
    --------
    >>> is_config([Path("run.yaml")]), is_config([Path("-")]), is_config([Path("predictions.csv")])
    (True, True, False)
    """
    first = files[0]
    suffix = first.suffix.casefold()
    if suffix != ".json":
        return str(first) == STANDARD_INPUT or suffix in PARSERS
    if len(files) > 1:
        return False
    try:
        with first.open("rb") as stream:
            return not stream.read(_BEGINNING).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    except OSError:  # whoever reads it will say what is wrong with it
        return True


def check_there(files: Iterable[Path]) -> None:
    """Raise a `ConfigError` if a file is not there."""
    for file in files:
        if not file.exists():
            raise missing(file)


def config_of(
    files: Sequence[Path],
    metrics: Sequence[Any],
    task: str | None,
    reader: str | None,
    registry: Registry,
    data: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The config that evaluates some files.

    Parameters
    ----------
    files : sequence of Path
        What the command line names.
    metrics : sequence
        Names of metrics, or tables with a name.
    task, reader : str, optional
        Names of the task and of the reader.
    registry : Registry
        Registry used to resolve names.
    data : mapping, optional
        Parameters of the reader that the command line sets.

    Raises
    ------
    ConfigError
        If no reader knows the files, several do, a parameter is missing, or no metric is named.
    """
    check_there(files)
    if task is not None and not isinstance(task, str):
        raise ConfigError(f"task must be a string, got {shown(task)}")
    typed = " ".join(["valor run", *map(shlex.quote, map(str, files))])
    task = task or only_task(metrics, registry)
    named = None if reader is None else reader_called(reader, registry, task)
    known = matching_readers(files, registry, task=task, reader=named, metrics=metrics)
    if not known and named is not None:
        known = [ReaderMatch.of_files(named, files, task, registry)]
    if not known:
        raise not_read(files, typed, task, registry, metrics)
    if len({one.task for one in known}) > 1:
        tasks = " or ".join(dict.fromkeys(one.task for one in known))
        raise ConfigError(
            f"{files[0]}: may be data of the task {tasks}",
            f"Say which: {typed} --task {known[0].task}",
        )
    check_complete(known[0], files, typed, metrics, data or {})
    if not metrics:
        first = ",".join(known[0].detected.metrics) or "NAME,NAME"
        raise ConfigError(
            "run: expected the names of metrics, got none",
            f"Name some: {typed} --metrics {first}\nSee what is there with: valor list",
        )
    return known[0].config(metrics)


def named_metrics(options: Iterable[str]) -> list[Any]:
    """Metrics in the options ``--metrics``: names, and tables in braces as in a config.

    Raises
    ------
    ConfigError
        If an option has braces that are not a table in YAML.

    Examples
    --------
    >>> named_metrics(["F1,Recall", "{name: AP, iou_thresholds: [0.5, 0.75]}"])
    ['F1', 'Recall', {'name': 'AP', 'iou_thresholds': [0.5, 0.75]}]
    """
    found: list[Any] = []
    for one in options:
        names = re.split(r"[,;\s]+", one) if "{" not in one else _flow(one)
        found += [name for name in names if name]
    return found


def _flow(option: str) -> list[Any]:
    """Entries of an option with tables, ``F1, {name: AP, iou_thresholds: 0.5}``."""
    try:
        entries = PARSERS[".yaml"](f"[{option}]", Path("--metrics"))
    except ConfigError as error:
        raise ConfigError(
            f"--metrics: expected names and tables in braces, got {shown(option)}",
            "Write a table as: -m '{name: F1, average: macro}'",
        ) from error
    return entries if isinstance(entries, list) else []


def reader_called(name: str, registry: Registry, task: str | None = None) -> ReaderSpec:
    """The reader of a name or alias; one that only one task has needs no task.

    Parameters
    ----------
    name : str
        Short name, alias or full name.
    registry : Registry
        Registry used to resolve the name.
    task : str, optional
        Task whose readers come first.

    Raises
    ------
    UnknownNameError, AmbiguousNameError
        With the closest name.
    """
    readers = registry.all(ReaderSpec)
    called = [spec for spec in readers if fold(spec.short_name) == fold(name)]
    called = called or [spec for spec in readers if fold(name) in map(fold, spec.aliases)]
    if task is None and len(called) == 1:
        return called[0]
    if task is None and not called and "." not in name:
        words = [word for spec in readers for word in (spec.short_name, *spec.aliases)]
        raise UnknownNameError(
            f"reader {shown(name)}: unknown",
            did_you_mean(name, words) or "See what is there with: valor list --readers",
        )
    return registry.find(ReaderSpec, name, task)


def save_config(values: Mapping[str, Any], file: Path, folder: Path, registry: Registry) -> None:
    """Write a config to a file.

    Parameters
    ----------
    values : mapping
        The config.
    file : Path
        In ``.yaml``, ``.yml`` or ``.json``.
    folder : Path
        What paths of the config are relative to; in the file they are relative to its own folder.
    registry : Registry
        What is installed.

    Raises
    ------
    ConfigError
        If the suffix is another, or the file cannot be written.
    """
    suffix = file.suffix.casefold()
    if suffix not in (".yaml", ".yml", ".json"):
        raise ConfigError(f"config: expected a name in .yaml or .json, got {shown(str(file))}")
    values = dict(values)
    reader = registry.find(ReaderSpec, values["data"]["reader"], values.get("task"))

    def move(path: str) -> str:
        return path_from(file.parent, folder / path)

    values["data"] = moved_paths(values["data"], reader.parameter_class, move)
    if suffix == ".json":
        text = json.dumps(values, indent=2, ensure_ascii=False) + "\n"
    else:
        import yaml

        text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written, {error.strerror}") from error

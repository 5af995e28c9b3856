"""Configs inferred from the data files on a command line."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from valor_files import ReaderMatch, matching_readers

from valor_cli.config.inferred.unknown_files import check_complete, missing, new_folder, not_read
from valor_cli.config.paths import moved_paths, path_from
from valor_cli.config.reading.files import PARSERS, SCHEMA_KEY, STANDARD_INPUT
from valor_cli.config.schema import RunConfig
from valor_core.errors import ConfigError, UnknownNameError, did_you_mean, short_repr
from valor_core.specs import MetricSpec, ReaderSpec, Registry
from valor_core.specs.lookup import has_all, meaning_of, only_task
from valor_core.specs.names import folded_name

_BEGINNING = 1 << 10


def is_config(files: Sequence[Path]) -> bool:
    """Return whether the files on a command line are a config instead of data.

    A single JSON object is a config; a JSON array, or one of two files, is data.

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
    except OSError:  # the parser of configs raises the error
        return True


def check_there(files: Iterable[Path]) -> None:
    """Raise a `ConfigError` if a file does not exist."""
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
    modules: Sequence[Path] = (),
    command: str = "run",
) -> dict[str, Any]:
    """Return a config that evaluates data files, with the reader inferred from their content.

    Parameters
    ----------
    files : sequence of Path
        Files or folders on the command line.
    metrics : sequence
        Names of metrics, or tables with a name.
    task, reader : str, optional
        Names of the task and of the reader.
    registry : Registry
        Registry used to resolve names.
    data : mapping, optional
        Parameters of the reader that the command line sets.
    modules : sequence of Path
        Plugins of one file on the command line, for the remedies.
    command : str
        Command that the user typed, for the remedies.

    Raises
    ------
    ConfigError
        If no reader recognizes the files, the task is ambiguous, a parameter is missing, or no
        metric is selected.
    """
    check_there(files)
    if task is not None and not isinstance(task, str):
        raise ConfigError(f"task must be a string, got {short_repr(task)}")
    options = [f"--module {shlex.quote(str(module))}" for module in modules]
    typed = " ".join(["valor run", *options, *map(shlex.quote, map(str, files))])
    # `valor init` has no --set, which other remedies use.
    own = typed.replace("valor run", f"valor {command}", 1)
    chosen_task, task = task, task or only_task(metrics, registry)
    chosen_reader = None if reader is None else reader_called(reader, registry, task)
    matches = matching_readers(files, registry, task=task, reader=chosen_reader, metrics=metrics)
    if not matches and chosen_reader is not None and chosen_reader.task is None:
        # "csv" names the format: another reader may know the columns
        matches = matching_readers(files, registry, task=task, metrics=metrics)
    if not matches and chosen_reader is not None:
        matches = [ReaderMatch.of_files(chosen_reader, files, task, registry)]
    if not matches and chosen_task is None and chosen_reader is None:
        _check_task_of_metrics(files, metrics, registry)
    if not matches:
        raise not_read(files, typed, task, registry, metrics)
    if len({one.task for one in matches}) > 1:
        tasks = " or ".join(dict.fromkeys(one.task for one in matches))
        raise ConfigError(
            f"{files[0]}: may be data of the task {tasks}",
            f"Specify the task: {own} --task {matches[0].task}",
        )
    check_complete(matches[0], files, typed, metrics, data or {})
    if not metrics:
        first = ",".join(matches[0].detected.metrics or _some_metrics(matches[0].task, registry))
        choice = f" --task {chosen_task}" if chosen_task else ""
        raise ConfigError(
            f"{command}: expected the names of metrics, got none",
            f"Select metrics: {own}{choice} --metrics {first}\n"
            "See the installed ones with: valor list",
        )
    return matches[0].config(metrics)


def _some_metrics(task: str, registry: Registry) -> list[str]:
    """Return the first two metrics of a task, those that need no resource before others."""
    metrics = [spec for spec in registry.all(MetricSpec) if spec.task == task]
    metrics.sort(key=lambda spec: (bool(spec.resources), spec.namespace != task))
    return [spec.name for spec in metrics[:2]]


def _check_task_of_metrics(
    files: Sequence[Path], metrics: Sequence[Any], registry: Registry
) -> None:
    """Raise a `ConfigError` if files hold data of another task than that of the metrics."""
    others = matching_readers(files, registry)
    found = dict.fromkeys(one.task for one in others if not has_all(registry, one.task, metrics))
    if len(found) != 1:
        return
    (task,) = found
    wrong = next(one for one in metrics if not has_all(registry, task, [one]))
    name = wrong.get("name") if isinstance(wrong, Mapping) else wrong
    spec = meaning_of(str(name), registry, only_task([wrong], registry)).spec
    suggested = ",".join(others[0].detected.metrics)
    raise ConfigError(
        f"{' and '.join(map(str, files))}: metric {name!r} is {spec.name}, for data of the task "
        f"{spec.task}, found data of {task}",
        f"Choose metrics of {task}: --metrics {suggested}"
        if suggested
        else f"See its metrics with: valor list --task {task}",
    )


def named_metrics(options: Iterable[str]) -> list[Any]:
    """Parse the options ``--metrics``: names, and tables in braces as in a config.

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
    """Parse an option with tables, such as ``F1, {name: AP, iou_thresholds: 0.5}``."""
    try:
        entries = PARSERS[".yaml"](f"[{option}]", Path("--metrics"))
    except ConfigError as error:
        raise ConfigError(
            f"--metrics: expected names and tables in braces, got {short_repr(option)}",
            "Write a table as: -m '{name: F1, average: macro}'",
        ) from error
    return entries if isinstance(entries, list) else []


def reader_called(name: str, registry: Registry, task: str | None = None) -> ReaderSpec:
    """Find a reader by name or alias; a name that is unique among all tasks needs no task.

    Parameters
    ----------
    name : str
        Short name, alias or full name.
    registry : Registry
        Registry used to resolve the name.
    task : str, optional
        Task whose readers are preferred.

    Raises
    ------
    UnknownNameError, AmbiguousNameError
        If no reader, or more than one, has the name.
    """
    readers = registry.all(ReaderSpec)
    called = [spec for spec in readers if folded_name(spec.short_name) == folded_name(name)]
    called = called or [
        spec for spec in readers if folded_name(name) in map(folded_name, spec.aliases)
    ]
    if task is None and len(called) == 1:
        return called[0]
    if task is None and not called and "." not in name:
        words = [word for spec in readers for word in (spec.short_name, *spec.aliases)]
        raise UnknownNameError(
            f"reader {short_repr(name)}: unknown",
            did_you_mean(name, words) or "See the readers with: valor list --readers",
        )
    return registry.find(ReaderSpec, name, task)


def with_modules(values: Mapping[str, Any], modules: Iterable[Path]) -> dict[str, Any]:
    """Return a config with the files of ``--module`` added to its modules.

    Examples
    --------
    >>> with_modules({"modules": "a.py"}, [Path("/lab/b.py")])
    {'modules': ['a.py', '/lab/b.py']}
    """
    added = [str(path.absolute()) for path in modules]
    listed = values.get("modules") or []
    before = [listed] if isinstance(listed, str) else list(listed)
    return {**values, "modules": [*before, *added]} if added else dict(values)


def save_config(
    values: Mapping[str, Any],
    file: Path,
    folder: Path,
    registry: Registry,
    schema: str | None = None,
) -> None:
    """Write a config to a file.

    Parameters
    ----------
    values : mapping
        The config.
    file : Path
        Destination in ``.yaml``, ``.yml`` or ``.json``.
    folder : Path
        Folder that the config's paths are relative to. Paths are rewritten relative to `file`.
    registry : Registry
        Registry used to resolve the reader.
    schema : str, optional
        File of the JSON Schema, relative to `file`, with which editors complete the config.

    Raises
    ------
    ConfigError
        If the suffix is not supported, or the file cannot be written.
    """
    suffix = file.suffix.casefold()
    if suffix not in (".yaml", ".yml", ".json"):
        raise ConfigError(
            f"config: expected a name in .yaml or .json, got {short_repr(str(file))}",
            f"Name it {file.with_suffix('.yaml')}, for example.",
        )
    values = dict(values)
    reader = registry.find(ReaderSpec, values["data"]["reader"], values.get("task"))

    def move(path: str) -> str:
        return path_from(file.parent, folder / path)

    values["data"] = moved_paths(values["data"], reader.parameter_class, move)
    values |= moved_paths({k: values[k] for k in values if k == "modules"}, RunConfig, move)
    if suffix == ".json":
        values = values if schema is None else {SCHEMA_KEY: f"./{schema}", **values}
        text = json.dumps(values, indent=2, ensure_ascii=False) + "\n"
    else:
        import yaml

        line = "" if schema is None else f"# yaml-language-server: $schema={schema}\n"
        text = line + yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"{file}: cannot be written, {error.strerror}", new_folder(file)
        ) from error

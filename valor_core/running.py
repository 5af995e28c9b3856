"""Running a config: from a file or a dictionary to a report, its files and its outcome."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from valor_core import config as configs
from valor_core.config.schema import CheckedConfig, RunConfig
from valor_core.errors import ConfigError, ReportError
from valor_core.evaluate import Progress, reader_of, run
from valor_core.evaluator import Evaluator
from valor_core.exhibition import Exhibition
from valor_core.exhibition import plan as plan_exhibition
from valor_core.parameters import declared
from valor_core.registry import Registry
from valor_core.report import ItemTable, Report
from valor_core.spec import MetricSpec


@frozen
class Request:
    """A config with the folder that its relative paths are relative to.

    Parameters
    ----------
    values : mapping
        Plain values with overrides, environment not filled in.
    folder : Path
        Folder of the config file.
    place : str
        What the config is called in errors.
    """

    values: Mapping[str, Any]
    folder: Path
    place: str

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], settings: Iterable[str] = ()) -> Request:
        """The request in a config file, with ``path=value`` settings on top."""
        values = configs.override(configs.parse(path), settings)
        return cls(values, Path(path).parent, f"{path}: ")

    @classmethod
    def from_report(cls, path: str | os.PathLike[str], settings: Iterable[str] = ()) -> Request:
        """The request that a saved report came from."""
        config = Report.load(path).config
        if "data" not in config:
            raise ReportError(
                f"{path}: has no data section to run again",
                "Only reports of a config can be rerun.",
            )
        return cls(configs.override(config, settings), Path(path).parent, f"{path}: config.")

    def checked(self) -> CheckedConfig:
        """The config, environment filled in and checked."""
        return configs.check(configs.fill_in(self.values, self.place), self.place)


def run_config(request: Request, progress: Progress | None = None) -> Report:
    """The report of a config; its output files are written and its gallery is drawn.

    Parameters
    ----------
    request : Request
        The config.
    progress : callable, optional
        Told how far the work is.

    Raises
    ------
    ValorError
        Of the class that says what is wrong, with the path to it.
    """
    checked = request.checked()
    chosen = checked.run
    registry = Registry(chosen.plugins)
    for module in chosen.modules:
        for spec in decorated(request.folder / module):
            registry.add(spec)
    output = tuple(request.folder / path for path in chosen.output)
    _check_writable("output", output, (".json", ".csv", ".md", ".html"), request.place)
    if isinstance(chosen.items, Path):
        rows = request.folder / chosen.items
        _check_writable("items", [rows], (".jsonl", ".parquet"), request.place)
    with Evaluator(
        chosen.metrics,
        chosen.task,
        slices=chosen.slices,
        filter=chosen.filter,
        label_map=chosen.label_map,
        require=chosen.require,
        items=bool(chosen.items),
        resources=checked.resources,
        registry=registry,
        folder=request.folder,
        place=request.place,
    ) as evaluator:
        task = evaluator.evaluation.task
        reader = reader_of(chosen.data, task, registry, request.folder, request.place)
        exhibition = _exhibition(chosen, task, registry, request)
        state = None if chosen.state is None else request.folder / chosen.state
        run(
            evaluator,
            reader,
            engine=chosen.engine,
            progress=progress,
            state=state,
            place=request.place,
        )
        report = evaluator.compute(_resolved(request, evaluator, output))
        name, version = registry.distribution(registry.reader(chosen.data["reader"], task))
        report = evolve(report, versions={name: version} | dict(report.versions))
    if isinstance(chosen.items, Path):
        write_items(request.folder / chosen.items, report.items)
        report = evolve(report, items=())
    for path in output:
        report.save(path)
    if exhibition is not None:
        exhibition.hang(evaluator.evaluation, reader)
    return report


def _exhibition(
    chosen: RunConfig, task: str, registry: Registry, request: Request
) -> Exhibition | None:
    if chosen.gallery is None:
        return None
    return plan_exhibition(chosen.gallery, task, registry, request.folder, request.place)


_decorated: set[str] = set()
"""Names of the modules that `decorated` has imported, which it may import again."""


def decorated(path: Path) -> list[MetricSpec]:
    """The metrics that a Python file makes with the decorator; imports the file.

    Raises
    ------
    ConfigError
        If the file cannot be imported.
    """
    name = path.stem
    if name in sys.modules and name not in _decorated:
        raise ConfigError(
            f"modules: {path} is named like the module {name!r}, which is loaded already",
            "Rename the file.",
        )
    try:
        if str(path.parent) not in sys.path:
            sys.path.insert(0, str(path.parent))
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError("not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        _decorated.add(name)
        spec.loader.exec_module(module)
    except Exception as error:
        sys.modules.pop(name, None)
        raise ConfigError(
            f"modules: {path} cannot be imported, {type(error).__name__}: {error}"
        ) from error
    return [value for value in vars(module).values() if isinstance(value, MetricSpec)]


def write_items(path: Path, tables: Iterable[ItemTable]) -> None:
    """Write the rows of per-item metrics to a ``.jsonl`` or ``.parquet`` file.

    Raises
    ------
    ReportError
        If the suffix is neither or the file cannot be written.
    """
    records = [{"metric": table.metric} | row.to_dict() for table in tables for row in table.rows]
    if path.suffix == ".jsonl":
        lines = (json.dumps(record, ensure_ascii=False) for record in records)
        _write(path, "".join(f"{line}\n" for line in lines))
    elif path.suffix == ".parquet":
        from valor_core.readers.parquet import write_records

        write_records(path, records)
    else:
        raise ReportError(f"{path}: expected a name in .jsonl or .parquet for item rows")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ReportError(f"{path}: cannot be written, {error.strerror}") from error


def _check_writable(key: str, paths: Iterable[Path], suffixes: Sequence[str], place: str) -> None:
    """A run of hours must not end with a path that cannot be written."""
    for path in paths:
        if path.suffix not in suffixes:
            listed = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
            raise ConfigError(f"{place}{key}: expected {listed}, got {path.name}")
        if path.is_dir():
            raise ConfigError(f"{place}{key}: expected a file, {path} is a folder")
        if not path.parent.is_dir():
            raise ConfigError(
                f"{place}{key}: there is no folder {path.parent}",
                f"Make it with: mkdir -p {path.parent}",
            )
        _check_opens(path, f"{place}{key}")


def _check_opens(path: Path, place: str) -> None:
    is_new = not path.exists()
    try:
        path.open("ab").close()
    except OSError as error:
        raise ConfigError(f"{place}: {path} cannot be written, {error.strerror}") from error
    if is_new:
        path.unlink()


def _resolved(request: Request, evaluator: Evaluator, output: Iterable[Path]) -> dict[str, Any]:
    """The config as the report records it: metrics in full, paths from the report's folder.

    What the environment filled in stays a reference, so that no secret ends in a report.
    """
    left_out = ("metrics_to_return", "output", "state", "gallery")
    values = {key: value for key, value in request.values.items() if key not in left_out}
    evaluation, registry = evaluator.evaluation, evaluator.registry
    values |= {key: evaluation.describe()[key] for key in ("task", "metrics")}
    home = next((path.parent for path in output), Path.cwd())

    def move(text: str) -> str:
        return _path_from(home, request.folder / text)

    reader = registry.reader(values["data"]["reader"], evaluation.task)
    values["data"] = _moved(values["data"], reader.parameters, move)
    for resource in evaluation.resources:
        name, cls = resource.spec.short_name, resource.spec.parameters
        if name in values:
            values[name] = _moved(values[name], cls, move)
    own: dict[str, Any] = {key: values[key] for key in ("modules", "items") if key in values}
    return values | _moved(own, RunConfig, move)


def _moved(section: Mapping[str, Any], cls: type, move: Callable[[str], str]) -> dict[str, Any]:
    """A config section whose paths, as its parameter class declares them, are moved."""
    paths = {
        name
        for entry in declared(cls)
        if entry.holds_paths
        for name in (entry.name, *entry.aliases)
    }
    return {k: _with_paths(v, move) if k in paths else v for k, v in section.items()}


def _with_paths(value: Any, move: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return value if "${env:" in value else move(value)
    if isinstance(value, (list, tuple)):
        return [_with_paths(item, move) for item in value]
    if isinstance(value, Mapping):
        return {key: _with_paths(item, move) for key, item in value.items()}
    return value


def _path_from(home: Path, path: Path) -> str:
    try:
        return Path(os.path.relpath(path.resolve(), home.resolve())).as_posix()
    except ValueError:  # another drive
        return path.resolve().as_posix()

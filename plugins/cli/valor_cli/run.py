"""Evaluation of a request, including its output files and gallery."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve
from valor_report.baselines import BASELINE
from valor_report.output_files import OutputFiles, WriteErrors

from valor_cli.config.config_file import Request
from valor_cli.config.modules import registry_with
from valor_cli.config.paths import moved_paths
from valor_cli.config.resolved import resolved
from valor_cli.config.schema import CheckedConfig, RunConfig
from valor_cli.program.progress_line import ProgressLine
from valor_core.errors import ConfigError, MissingPluginError, ValorError, did_you_mean, error_at
from valor_core.evaluation import Evaluator
from valor_core.evaluation.evaluate import Progress, run
from valor_core.packages import OWNERS, project_requirements, version_of, ways
from valor_core.readers import reader_of, resolve_data
from valor_core.results import Report
from valor_core.specs import ReaderSpec, Registry
from valor_core.specs.names import folded_name

if TYPE_CHECKING:
    from valor_report.gallery.worst_items import PlannedGallery


def run_config(
    request: Request, progress: Progress | None = None, unwritten: WriteErrors | None = None
) -> Report:
    """Evaluate a config, write its output files and gallery, and return the report.

    Parameters
    ----------
    request : Request
        The config.
    progress : callable, optional
        Called with the progress of the evaluation.
    unwritten : WriteErrors, optional
        Collects files that cannot be written, for a caller that shows the report first. By
        default, they are raised after all other files are written.

    Raises
    ------
    ValorError
        If the config or the data are invalid, with the path of the setting.
    """
    checked = request.checked
    chosen, folder, place = checked.run, request.folder, request.place
    registry = registry_of(chosen, request)
    check_installed(chosen, registry, place)
    outputs = _output_files(chosen, folder)
    outputs.check(place)
    with evaluator_of(checked, registry, request) as evaluator:
        task = evaluator.evaluation.task
        reader = reader_of(chosen.data, task, registry, folder, place)
        outputs.check_not_inputs(input_files(chosen, task, registry, request), place)
        planned = _planned_gallery(chosen, evaluator, registry, request)
        state = outputs.state
        if isinstance(progress, ProgressLine):
            progress.limit(evaluator.evaluation.resources)
        evaluator.state.runs.update(filter(None, [chosen.run]))
        run(evaluator, reader, engine=chosen.engine, progress=progress, state=state, place=place)
        report = evaluator.compute(resolved(request, evaluator, outputs.reports, planned))
    name, version = registry.distribution(registry.find(ReaderSpec, chosen.data["reader"], task))
    if version_of(name) is not None:  # not a plugin of one file
        report = evolve(report, versions={name: version} | dict(report.versions))
    failed = WriteErrors() if unwritten is None else unwritten
    if state is not None:
        failed.add(state, evaluator.unsaved)
    rows = report.items
    report = outputs.write(report if chosen.items else evolve(report, items=()), failed)
    if planned is not None and not report.interrupted:
        with failed.collect(planned.folder):
            warnings = planned.draw(evaluator.evaluation, reader, rows)
            report = evolve(report, warnings=(*report.warnings, *warnings))
            pages = [path for path in outputs.reports if path.suffix == ".html" and report.items]
            again = outputs.reports if warnings else tuple(pages)  # pages contain the pictures
            evolve(outputs, reports=again).write_reports(report, failed)
    if unwritten is None:
        failed.check()
    return report


def check_runs(requests: Iterable[Request]) -> None:
    """Check the configs and output files of several runs, before the first one starts.

    Raises
    ------
    ValorError
        If a config is invalid, or a run writes a file that another run reads or writes.
    """
    files = []
    for request in requests:
        with error_of_run(request):
            files.append((request, *_files_of(request)))
    writers: dict[str, Request] = {}
    for request, written, _ in files:
        for key, path in written:
            other = writers.setdefault(_identity(path), request)
            if other is not request:
                raise ConfigError(
                    f"{request.place}{key}: expected a file of this run, {path.name} is also "
                    f"written by the run {other.run}",
                    f"Add the name of the run, such as: {path.stem}-{{run}}{path.suffix}",
                )
    for request, _, read in files:
        for name, path in read:
            other = writers.get(_identity(path), request)
            if other is not request:
                raise ConfigError(
                    f"{request.place}{name}: expected an input, {path.name} is written by the run "
                    f"{other.run}",
                    "Choose another file.",
                )


@contextmanager
def error_of_run(request: Request) -> Iterator[None]:
    """Add the name of a run to the errors of a block, unless they have it."""
    try:
        yield
    except ValorError as error:
        named = f"run {request.run}"
        raise error if named in error.message else error.at(f"{named}: ") from error.__cause__


def _identity(path: Path) -> str:
    """Return a path for comparisons; many file systems ignore case."""
    return str(path.resolve()).casefold()


def _files_of(request: Request) -> tuple[list[tuple[str, Path]], list[tuple[str, Path]]]:
    """Check a config, and return the files that it writes and reads, with their keys."""
    checked = request.checked
    chosen, place = checked.run, request.place
    registry = registry_of(chosen, request)
    check_installed(chosen, registry, place)
    outputs = _output_files(chosen, request.folder)
    outputs.check(place)
    with evaluator_of(checked, registry, request) as evaluator:
        read = list(input_files(chosen, evaluator.evaluation.task, registry, request))
        planned = _planned_gallery(chosen, evaluator, registry, request)
    outputs.check_not_inputs(read, place)
    gallery = [] if planned is None else [("gallery", planned.folder)]
    return [*outputs.written(), *gallery], read


def registry_of(chosen: RunConfig, request: Request) -> Registry:
    """Return a registry of the installed plugins and the files of a config's modules."""
    _check_plugins(chosen.plugins, Registry(chosen.plugins), request.place)
    with error_at(request.place):
        return registry_with((request.folder / path for path in chosen.modules), chosen.plugins)


def check_installed(chosen: RunConfig, registry: Registry, place: str) -> None:
    """Raise one `MissingPluginError` for all plugins of a config that are not installed."""
    found = [one.get("name") if isinstance(one, Mapping) else one for one in chosen.metrics]
    names = [name for name in found if isinstance(name, str)]
    if any("." not in name for name in names):  # a bare name needs the plugin of the task
        names.append(f"{chosen.task}.")
    spaces = [name.partition(".")[0] for name in (*names, str(chosen.data.get("reader")))]
    owners = OWNERS
    missing = [
        space
        for space in dict.fromkeys(folded_name(space) for space in spaces)
        if space in owners and space not in registry.namespaces
    ]
    if not missing:
        return
    # An extra of a plugin draws its gallery.
    with_extra = project_requirements() if chosen.gallery is not None else {}
    names = [owners[space] for space in missing]
    wanted = dict.fromkeys(
        f"{name}[plot]" if f"{name}[plot]" in with_extra else name for name in names
    )
    listed = " and ".join(map(repr, missing))
    raise MissingPluginError(
        f"{place}metrics and data need the plugin{'s' if missing[1:] else ''} {listed}, "
        f"not installed here",
        f"Install {'them' if missing[1:] else 'it'} with: {ways(*wanted)}",
    )


def _check_plugins(plugins: Mapping[str, str], registry: Registry, place: str) -> None:
    """Raise a `ConfigError` if `plugins` names an unclaimed namespace or another distribution."""
    if not plugins:
        return
    claims = registry.claims
    for namespace, distribution in plugins.items():
        if namespace not in claims:
            raise ConfigError(
                f"{place}plugins.{namespace}: no installed plugin claims this namespace",
                did_you_mean(namespace, claims) or f"Claimed are: {', '.join(claims)}.",
            )
        claiming = [claim.distribution for claim in claims[namespace]]
        if folded_name(distribution) not in map(folded_name, claiming):
            raise ConfigError(
                f"{place}plugins.{namespace}: expected {' or '.join(claiming)}, "
                f"got {distribution!r}"
            )


def _output_files(chosen: RunConfig, folder: Path) -> OutputFiles:
    rows = folder / chosen.items if isinstance(chosen.items, Path) else None
    state = None if chosen.state is None else folder / chosen.state
    flat = None if chosen.flat is None else folder / chosen.flat
    return OutputFiles(tuple(folder / path for path in chosen.output), rows, state, flat)


def input_files(
    chosen: RunConfig, task: str, registry: Registry, request: Request
) -> Iterator[tuple[str, Path]]:
    """Yield every input file with the setting that names it, so that no output overwrites it."""
    if request.file is not None:
        yield "the config itself", request.file
    for base in request.bases:
        yield "a config that it extends", base
    reader = registry.find(ReaderSpec, chosen.data["reader"], task)
    for name, value in chosen.data.items():
        paths: list[str] = []
        moved_paths({name: value}, reader.parameter_class, paths.append)
        for path in paths:
            for file in _files(request.folder / path):
                yield f"data.{name}", file
    for name, condition in chosen.require.items():
        baseline = condition.get(BASELINE) if isinstance(condition, Mapping) else None
        if baseline is not None:
            yield f"require.{name}", request.folder / str(baseline)
    for module in chosen.modules:
        yield "modules", request.folder / module


def _files(path: Path) -> Iterator[Path]:
    """Yield a path itself, and the files that match it if it is a pattern."""
    yield path
    yield from map(Path, glob(str(path), recursive=True))


def evaluator_of(checked: CheckedConfig, registry: Registry, request: Request) -> Evaluator:
    """Return an evaluator for a checked config, before its first item."""
    chosen = checked.run
    return Evaluator.of(
        chosen,
        resolve_data(
            chosen.data, None, registry, chosen.task, chosen.metrics, infer_reader=False
        ).task,
        resources=checked.resources,
        registry=registry,
        folder=request.folder,
        place=request.place,
    )


def _planned_gallery(
    chosen: RunConfig, evaluator: Evaluator, registry: Registry, request: Request
) -> PlannedGallery | None:
    if chosen.gallery is None:
        return None
    from valor_report.gallery.worst_items import plan

    task = evaluator.evaluation.task
    planned = plan(chosen.gallery, task, registry, request.folder, request.place)
    planned.check(evaluator.evaluation, request.place)
    evaluator.items = evaluator.items or planned.shows is not None
    return planned

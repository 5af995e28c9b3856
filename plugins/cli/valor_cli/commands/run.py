"""``valor run``: evaluate a config or data files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from shlex import quote
from typing import Any, TypeVar

import click
from valor_files import matching_readers
from valor_report.gallery.parameters import INDEX, NOT_DRAWN
from valor_report.output_files import SHOW_TRACEBACK, WriteErrors, bug_message
from valor_report.requirements import conditions_of, metric_of
from valor_report.tables.runs import run_table

from valor_cli import INTERRUPTED
from valor_cli.config import override, put
from valor_cli.config.config_file import Request
from valor_cli.config.inferred.data_files import config_of, is_config, named_metrics, with_modules
from valor_cli.config.inferred.data_files import save_config as save
from valor_cli.config.inferred.unknown_files import check_is_config, check_no_data_set
from valor_cli.config.paths import path_from
from valor_cli.config.schema import RunConfig
from valor_cli.program import streams
from valor_cli.program.command import (
    chosen_registry,
    explain,
    flat_option,
    module_option,
    modules,
    require_option,
    set_option,
)
from valor_cli.program.command import command as make_command
from valor_cli.program.opened_page import open_page, with_page
from valor_cli.program.outcome import WRONG, print_report
from valor_cli.program.progress_line import progress_line
from valor_cli.program.questions import asked_config, can_ask
from valor_cli.program.values import WholeNumber
from valor_cli.run import check_runs, error_of_run, registry_of, run_config
from valor_core.errors import ConfigError, ValorError
from valor_core.parameters import parameters_of
from valor_core.results import Report

F = TypeVar("F", bound=Callable[..., Any])


def run_options(function: F) -> F:
    """Add the options shared by ``valor run`` and ``valor rerun`` to a command."""
    for option in reversed(
        (
            set_option("metrics[0].iou_threshold=0.5"),
            click.option(
                "-o",
                "--output",
                type=click.Path(dir_okay=False, path_type=Path),
                multiple=True,
                help="File for the report, such as r.json or r.html, instead of the config's.",
            ),
            flat_option,
            require_option,
            click.option(
                "--slices",
                metavar="FIELDS",
                help="Metadata fields to slice by, such as site,age.",
            ),
            click.option(
                "--items",
                is_flag=False,
                flag_value="true",
                metavar="[FILE]",
                callback=lambda *parsed: _items(parsed[-1]),
                help="List items in the report, or write their rows to a .jsonl or .parquet file.",
            ),
            click.option(
                "--weights",
                metavar="FIELD",
                help="Metadata field with the weight of each item.",
            ),
            click.option(
                "--confidence",
                metavar="LEVEL",
                help="Level of intervals of all results, such as 0.95, or '{resamples: 1000}'.",
            ),
            click.option(
                "--worst-slices",
                type=WholeNumber(1),
                metavar="N",
                help="Compare each slice with all other items, and list the N worst.",
            ),
            click.option(
                "--workers", type=WholeNumber(1), help="Number of partitions read in parallel."
            ),
            click.option(
                "--state",
                type=click.Path(dir_okay=False, path_type=Path),
                help="File for the state, to resume after an interruption or to merge later.",
            ),
            click.option(
                "--gallery",
                type=click.Path(file_okay=False, path_type=Path),
                help="Folder for images of the worst items and an HTML page of them.",
            ),
            click.option(
                "--open", "opened", is_flag=True, help="Open the report as a page in a browser."
            ),
            click.option("-q", "--quiet", is_flag=True, help="Print no tables and no progress."),
        )
    ):
        function = option(function)
    return function


def with_options(
    values: Mapping[str, Any],
    *,
    output: tuple[Path, ...],
    flat: Path | None,
    require: Iterable[str],
    slices: str | None,
    items: bool | str | None,
    weights: str | None,
    confidence: str | None,
    worst_slices: int | None,
    workers: int | None,
    state: Path | None,
    gallery: Path | None,
    opened: bool,
) -> dict[str, Any]:
    """Return a config with the options of the command line.

    Parameters
    ----------
    values : mapping
        The config.
    output, flat, state, gallery : paths
        Relative to the current folder, not to the config.
    require : iterable of str
        Conditions, in addition to those of the config.
    slices : str, optional
        Fields with commas between, or JSON, instead of the slices of the config.
    items : bool or str, optional
        Whether to list items, or a file for their rows.
    weights : str, optional
        Metadata field with the weight of each item.
    confidence : str, optional
        Level of intervals, or a table of parameters in YAML.
    worst_slices : int, optional
        Number of worst slices to list.
    workers : int, optional
        Number of partitions read in parallel.
    opened : bool
        Whether the report needs a page, in a temporary folder unless an output is one.
    """
    changed = dict(values)
    if output:
        changed["output"] = [str(path.absolute()) for path in output]
    if opened:
        changed["output"] = with_page(changed.get("output"))
    if conditions := conditions_of(require):
        given = changed.get("require")
        changed["require"] = {**(given if isinstance(given, Mapping) else {}), **conditions}
    if slices is not None:
        changed["slices"] = _slices(slices)
    if items is not None:
        changed["items"] = items
    if flat is not None:
        changed["flat"] = str(flat.absolute())
    if state is not None:
        changed["state"] = str(state.absolute())
    if gallery is not None:
        changed = put(changed, "gallery.folder", str(gallery.absolute()), "--gallery")
    if weights is not None:
        changed["weights"] = weights
    if confidence is not None:
        section = changed.get("confidence")
        try:
            wanted = override({}, [f"confidence={confidence}"])
        except ConfigError as error:
            raise ConfigError(
                f"--confidence: expected a level or JSON, got {confidence!r}",
                "Write it as: --confidence '{\"resamples\": 1000}'",
            ) from error
        others = section if isinstance(section, Mapping) else {}
        value = wanted["confidence"]
        table = value if isinstance(value, Mapping) else {"level": value}
        changed["confidence"] = {**others, **table} if others else value
    if worst_slices is not None:
        changed["slices"] = _with_worst(changed.get("slices"), worst_slices)
    if workers is not None:
        changed = put(changed, "engine.workers", workers, "--workers")
    return changed


def _slices(option: str) -> Any:
    """Parse the option ``--slices``: names with commas between, or JSON as in a config."""
    if option.lstrip().startswith(("[", "{")):
        return override({}, [f"slices={option}"])["slices"]
    names = [name.strip() for name in option.split(",") if name.strip()]
    if not names:
        raise ConfigError(
            f"--slices: expected metadata fields, got {option!r}",
            "Write it as: --slices site,age",
        )
    return names


def _items(option: str | None) -> bool | str | None:
    """Parse the option ``--items``: a bool, or the path of a file."""
    if option is None or option in ("true", "false"):
        return None if option is None else option == "true"
    if Path(option).suffix not in (".jsonl", ".parquet"):
        raise ConfigError(
            f"--items: expected true or a name in .jsonl or .parquet, got {option!r}",
            "Write it as: --items true",
        )
    return str(Path(option).absolute())


def _with_worst(slices: Any, worst: int) -> dict[str, Any]:
    """Return the section ``slices`` with a number of worst slices to list."""
    if not slices:
        raise ConfigError(
            "--worst-slices: expected slices in the config, found none",
            "Slice by a metadata field, such as: --slices FIELD",
        )
    section = slices if isinstance(slices, Mapping) and "by" in slices else {"by": slices}
    return {**section, "worst": worst}


def carry_out(request: Request, unwritten: WriteErrors, *, quiet: bool) -> Report:
    """Run a config and return the report.

    Parameters
    ----------
    request : Request
        The config.
    unwritten : WriteErrors
        Collects files that cannot be written.
    quiet : bool
        Show no progress.
    """
    with nullcontext() if quiet else progress_line() as progress:
        report = run_config(request, progress, unwritten)
    if not quiet:
        is_drawn = not any(one.startswith(NOT_DRAWN) for one in report.warnings)
        _say_written(request, unwritten.errors, is_drawn=is_drawn)
    return report


@contextmanager
def remedies_of_options(require: Iterable[str]) -> Iterator[None]:
    """Write the remedies of invalid conditions in a block as options ``--require``."""
    try:
        yield
    except ConfigError as error:
        written = (error.remedy or "").removeprefix('Write it as: "').removesuffix('"')
        for name in conditions_of(require) if written != error.remedy else ():
            if f"require.{name}: " in error.message:
                remedy = f"Write it as: --require {quote(f'{name} {written}')}"
                raise ConfigError(error.message, remedy) from error
        raise


def _say_written(request: Request, unwritten: Collection[Path], *, is_drawn: bool) -> None:
    chosen = request.checked.run
    for path in (request.folder / path for path in chosen.output):
        if path not in unwritten:
            streams.talk(f"report written to {_as_given(path)}")
    if chosen.flat is not None and request.folder / chosen.flat not in unwritten:
        streams.talk(f"numbers written to {_as_given(request.folder / chosen.flat)}")
    if chosen.gallery is not None:
        folder = request.folder / chosen.gallery["folder"]
        if not is_drawn:
            streams.talk("gallery not written, see the warning")
        elif folder not in unwritten:
            streams.talk(f"gallery written to {_as_given(folder / INDEX)}")


def _as_given(path: Path) -> Path:
    """Return a path relative to the current folder if it is inside."""
    try:
        return path.absolute().relative_to(Path.cwd())
    except ValueError:
        return path


@make_command("run")
@click.argument("files", metavar="CONFIG | DATA...", nargs=-1, type=click.Path(path_type=Path))
@click.option("-m", "--metrics", multiple=True, help="Names of metrics, such as F1,ROCAUC.")
@click.option("--task", help="Task of the data, if no config sets it.")
@click.option("--reader", help="Reader of the data, if it cannot be inferred.")
@click.option(
    "--save-config",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the config that is run, in .yaml or .json.",
)
@click.option(
    "--only",
    metavar="RUN",
    multiple=True,
    help="Run of a config with several runs, or a pattern such as 'small-*'.",
)
@module_option
@run_options
def command(
    files: tuple[Path, ...],
    metrics: tuple[str, ...],
    task: str | None,
    reader: str | None,
    save_config: Path | None,
    only: tuple[str, ...],
    settings: tuple[str, ...],
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Run the evaluation of a config, or metrics on data files.

    CONFIG is a file in .yaml, .toml or .json, or - for standard input; paths in it are relative
    to it. DATA is the input of a reader: a table of predictions, two COCO files, two folders.
    """

    def changed(values: dict[str, Any]) -> dict[str, Any]:
        return with_modules(with_options(values, **options), modules())

    names = named_metrics(metrics)
    if not names and files and not is_config(files):
        names = list(dict.fromkeys(map(metric_of, conditions_of(options["require"]))))
    requests = chosen_requests(files, names, task, reader, settings, only=only, change=changed)
    if save_config is not None:
        _save(requests, save_config)
    if requests[0].run is not None:
        if options["opened"] and len(requests) > 1:
            raise ConfigError(
                f"--open: expected one run, got {len(requests)}",
                f"Select one with: --only {requests[0].run}",
            )
        with remedies_of_options(options["require"]):
            code = run_each(requests, quiet=quiet, as_json=as_json)
        if options["opened"]:
            open_page(requests[0])
        return code
    unwritten = WriteErrors()
    with remedies_of_options(options["require"]):
        report = carry_out(requests[0], unwritten, quiet=quiet)
    code = print_report(report, as_json=as_json, quiet=quiet)
    unwritten.check()
    if options["opened"]:
        open_page(requests[0])
    return code


def _save(requests: Sequence[Request], file: Path) -> None:
    request, *others = requests
    if others:
        raise ConfigError(
            f"--save-config: expected one run, got {len(requests)}",
            f"Select one with: --only {request.run}",
        )
    save(request.values, file, request.folder, registry_of(request.checked.run, request))
    streams.talk(f"config written to {file}")


def run_each(requests: Sequence[Request], *, quiet: bool, as_json: bool) -> int:
    """Run several configs and print their reports, then a table of their headline numbers.

    A run that fails does not prevent the next ones.

    Parameters
    ----------
    requests : sequence of Request
        Runs of one config.
    quiet : bool
        Print no tables.
    as_json : bool
        Print the reports as one JSON object.

    Returns
    -------
    int
        Highest exit code of a run.
    """
    check_runs(requests)
    reports: dict[str, Report | str] = {}
    code = 0
    for number, request in enumerate(requests, 1):
        name = str(request.run)
        if not (quiet or as_json):
            gap = "\n" if number > 1 else ""
            streams.say(f"{gap}Run {name} ({number} of {len(requests)})\n")
        unwritten = WriteErrors()
        try:
            with error_of_run(request):
                report = carry_out(request, unwritten, quiet=quiet)
            reports[name] = report
            one = print_report(report, as_json=False, quiet=quiet or as_json, place=f"{name}: ")
            code = max(code, one)
            unwritten.check()
        except ValorError as error:
            reports.setdefault(name, error.message.removeprefix(f"run {name}: "))
            code = max(code, WRONG)
            explain(click.get_current_context(), str(error), getattr(error, "__notes__", ()))
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            reports.setdefault(name, bug_message(error))
            code = max(code, WRONG)
            message = f"{name}: {bug_message(error)}"
            explain(click.get_current_context(), message, (SHOW_TRACEBACK,))
        if code == INTERRUPTED:
            break
    if as_json:
        streams.say_json({"runs": {name: _record(one) for name, one in reports.items()}})
    elif not quiet:
        streams.say("")
        streams.show([run_table(reports)])
    return code


def _record(outcome: Report | str) -> dict[str, Any]:
    return {"error": outcome} if isinstance(outcome, str) else outcome.to_dict()


def chosen_requests(
    files: tuple[Path, ...],
    metrics: list[Any],
    task: str | None,
    reader: str | None,
    settings: tuple[str, ...],
    *,
    only: tuple[str, ...],
    change: Callable[[dict[str, Any]], dict[str, Any]],
) -> tuple[Request, ...]:
    """Return the runs of a command line: a config with overrides, or data files."""
    if not files:
        raise ConfigError(
            "run: expected a config, or files of data, got nothing",
            "Make a config with: valor init",
        )
    if not is_config(files) or (len(files) > 1 and matching_readers(files, chosen_registry())):
        registry = chosen_registry()
        if only:
            raise ConfigError(
                f"--only {only[0]}: expected a config, got {files[0]}", "Remove --only."
            )
        if can_ask() and not settings:
            asked = asked_config(files, metrics, task, reader, registry)
            return (Request(change(asked), Path(), ""),)
        # --set can also select the metrics, the task, the reader and its columns.
        section = {} if reader is None else {"reader": reader}
        values = override({"metrics": metrics, "task": task, "data": section}, settings)
        chosen, data = values["metrics"], values["data"]
        if isinstance(chosen, str):
            metrics = named_metrics([chosen])
        elif not isinstance(chosen, list):
            metrics = [] if chosen is None else [chosen]
        else:
            metrics = chosen
        data = data if isinstance(data, Mapping) else {}
        config = config_of(
            files, metrics, values["task"], data.get("reader"), registry, data, modules()
        )
        return (Request(change(override(config, settings)), Path(), ""),)
    check_no_data_set(files)
    if len(files) > 1:
        data = path_from(files[0].parent, files[1])
        raise ConfigError(
            f"run: expected one config, got also {files[1]}",
            f"Name the data in the config, or on top of it: --set {quote(f'data.path={data}')}",
        )
    known = [entry.name for entry in parameters_of(RunConfig)]
    on_top = {"metrics": metrics or None, "task": task}

    def changed(values: dict[str, Any], settings: Iterable[str]) -> dict[str, Any]:
        check_is_config(values, files[0], known)
        values |= {key: one for key, one in on_top.items() if one is not None}
        if reader is not None:
            values = put(values, "data.reader", reader, "--reader")
        return change(override(values, settings))

    return Request.each_from_file(files[0], settings, changed, only)

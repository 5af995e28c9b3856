"""``valor run``: from a config to a report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TypeVar

import click
from attrs import evolve

from valor_cli.config import put
from valor_cli.config.config_file import Request
from valor_cli.outputs import Unwritten
from valor_cli.program import streams
from valor_cli.program.command import command as make_command
from valor_cli.program.outcome import tell
from valor_cli.program.values import WholeNumber
from valor_cli.run import run_config
from valor_core.metrics.gallery import INDEX
from valor_core.report.report import Report

F = TypeVar("F", bound=Callable[..., Any])


def run_options(function: F) -> F:
    """Give a command the options of a run."""
    for option in reversed(
        (
            click.option(
                "--set",
                "settings",
                metavar="PATH=VALUE",
                multiple=True,
                help="Put a value in the config, such as metrics[0].iou_threshold=0.5.",
            ),
            click.option(
                "-o",
                "--output",
                type=click.Path(dir_okay=False, path_type=Path),
                multiple=True,
                help="File for the report (.json, .csv, .md or .html), instead of the config's.",
            ),
            click.option(
                "--workers", type=WholeNumber(1), help="How many parts are read at a time."
            ),
            click.option(
                "--state",
                type=click.Path(dir_okay=False, path_type=Path),
                help="File for the counts, to go on from after a stop or to merge later.",
            ),
            click.option(
                "--gallery",
                type=click.Path(file_okay=False, path_type=Path),
                help="Folder for pictures of the worst items and a page of them.",
            ),
            click.option("-q", "--quiet", is_flag=True, help="Print no tables and no progress."),
        )
    ):
        function = option(function)
    return function


def carry_out(
    request: Request,
    unwritten: Unwritten,
    *,
    output: tuple[Path, ...],
    workers: int | None,
    state: Path | None,
    gallery: Path | None,
    quiet: bool,
) -> Report:
    """The report of a config, with the options of the command line on top.

    Parameters
    ----------
    request : Request
        The config.
    unwritten : Unwritten
        Takes what cannot be written.
    output, state, gallery : paths
        Relative to where the command is given, not to the config.
    workers : int, optional
        How many parts are read at a time.
    quiet : bool
        Whether to show no progress.
    """
    values = dict(request.values)
    if output:
        values["output"] = [str(path.absolute()) for path in output]
    if state is not None:
        values["state"] = str(state.absolute())
    if gallery is not None:
        values = put(values, "gallery.folder", str(gallery.absolute()), "--gallery")
    if workers is not None:
        values = put(values, "engine.workers", workers, "--workers")
    request = evolve(request, values=values)
    if quiet or not sys.stderr.isatty():
        showing: Any = nullcontext()
    else:
        from valor_cli.program.terminal import progress

        showing = progress()
    with showing as advance:
        report = run_config(request, advance, unwritten)
    if not quiet:
        _say_written(request, unwritten.errors)
    return report


def _say_written(request: Request, unwritten: Collection[Path]) -> None:
    chosen = request.checked().run
    for path in (request.folder / path for path in chosen.output):
        if path not in unwritten:
            streams.talk(f"report written to {_as_given(path)}")
    if chosen.gallery is not None:
        folder = request.folder / chosen.gallery["folder"]
        if folder not in unwritten:
            streams.talk(f"gallery written to {_as_given(folder / INDEX)}")


def _as_given(path: Path) -> Path:
    """The path as people would write it from here."""
    try:
        return path.absolute().relative_to(Path.cwd())
    except ValueError:
        return path


@make_command("run")
@click.argument("config", type=click.Path(path_type=Path))
@run_options
def command(
    config: Path, settings: tuple[str, ...], quiet: bool, as_json: bool, **options: Any
) -> int:
    """Evaluate what a config says.

    CONFIG is a file in .yaml, .toml or .json; paths in it are relative to it.
    """
    unwritten = Unwritten()
    report = carry_out(Request.from_file(config, settings), unwritten, quiet=quiet, **options)
    code = tell(report, as_json=as_json, quiet=quiet)
    unwritten.check()
    return code

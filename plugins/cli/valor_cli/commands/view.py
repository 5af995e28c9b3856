"""``valor view``: show a report, its items and thresholds in the browser."""

from __future__ import annotations

import gc
import webbrowser
from collections.abc import Iterable, Sequence
from contextlib import suppress
from glob import glob
from pathlib import Path
from shlex import quote

import click
from valor_report.item_file import load_report
from valor_report.viewer.pages import ViewerPages
from valor_report.viewer.server import ViewerServer
from valor_report.viewer.source import ReportSource, newer

from valor_cli.config.config_file import Request
from valor_cli.program import streams
from valor_cli.program.command import command as make_command
from valor_cli.program.command import set_option
from valor_cli.program.values import WholeNumber
from valor_cli.run import check_installed, input_files, registry_of
from valor_core.errors import ReportError
from valor_core.readers import resolve_data
from valor_core.results import Report


class MissingDataError(ReportError):
    """Raised for data that a report names and that do not exist."""


@make_command("view")
@click.argument("report", type=click.Path(path_type=Path))
@set_option("data.path=moved.csv")
@click.option(
    "--port", type=WholeNumber(0), default=0, help="Port of the page. The default is a free one."
)
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
def command(report: Path, settings: tuple[str, ...], port: int, opens: bool, as_json: bool) -> int:
    """Show a report, its items and thresholds in the browser.

    REPORT is a report in .json, written by a run of a config. Prints the address of the page, which
    this machine alone can open, and answers until Ctrl-C. Pictures and texts of items are read from
    the data on demand; without data, the page lists the rows of the report alone. Metrics with a
    judge are never computed again.
    """
    gc.disable()  # rows of a large report are many objects, and all of them stay
    try:
        pages = pages_of(report, settings)
        gc.freeze()
    finally:
        gc.enable()
    with ViewerServer(pages, port) as server:
        if pages.source.missing is not None:
            streams.talk(f"valor: warning: {pages.source.missing}")
        elif pages.warning:
            again = quote(str(report))
            remedy = f"Write it again with: valor rerun {again} -o {again}"
            streams.talk(f"valor: warning: {pages.warning}\n{remedy}")
        if as_json:
            streams.say_json({"address": server.address})
        else:
            streams.say(server.address)
        streams.talk("Stop the viewer with: Ctrl-C")
        if opens:
            webbrowser.open(server.address)
        with suppress(KeyboardInterrupt):
            server.serve_forever()
    return 0


def pages_of(path: Path, settings: Sequence[str] = ()) -> ViewerPages:
    """Return the pages of a report.

    Parameters
    ----------
    path : Path
        Report in ``.json``.
    settings : sequence of str
        Settings ``path=value`` of its config, such as the new path of data.

    Raises
    ------
    ValorError
        If the report cannot be read, a plugin is not installed, or its data are missing and it has
        no rows of items.
    """
    report = load_report(path)
    if "data" not in report.config and not settings:
        return ViewerPages(ReportSource(report=report, name=str(path)))
    try:
        source, files = source_of(report, path, settings)
    except MissingDataError as error:
        if not report.items or settings:
            raise
        source = ReportSource(report=report, name=str(path), missing=error)
        return ViewerPages(source, f"{error.message}; pictures and thresholds are not available")
    source.check()
    return ViewerPages(source, newer(files, path))


def source_of(
    report: Report, path: Path, settings: Iterable[str] = ()
) -> tuple[ReportSource, list[Path]]:
    """Return a report with its data, and the files of the data.

    Parameters
    ----------
    report : Report
        The report.
    path : Path
        Its file, in ``.json``.
    settings : iterable of str
        Settings ``path=value`` of its config.

    Raises
    ------
    ValorError
        If its data are missing, or a plugin is not installed.
    """
    request = Request.of_report(report, path, settings)
    chosen = request.checked.run
    registry = registry_of(chosen, request)
    check_installed(chosen, registry, request.place)
    task = resolve_data(
        chosen.data, None, registry, chosen.task, chosen.metrics, infer_reader=False
    ).task
    if task is None:
        raise ReportError(
            f"{path}: config.task: expected a task, found none",
            f"Name it with: valor view {quote(str(path))} --set task=TASK",
        )
    files = [
        (key, file)
        for key, file in input_files(chosen, task, registry, request)
        if key.startswith("data.")
    ]
    _check_data(files, path)
    source = ReportSource(
        report=report,
        name=str(path),
        options=chosen,
        task=task,
        data=chosen.data,
        gallery=chosen.gallery,
        registry=registry,
        resources=request.checked.resources,
        folder=request.folder,
        place=request.place,
    )
    return source, [file for _, file in files]


def _check_data(files: Iterable[tuple[str, Path]], report: Path) -> None:
    """Raise a `MissingDataError` for data that a report names and that are missing."""
    for key, path in files:
        if not path.exists() and not glob(str(path), recursive=True):
            raise MissingDataError(
                f"{report}: config.{key}: no such file or folder: {path}",
                f"Name it with: valor view {quote(str(report))} --set {key}=PATH",
            )

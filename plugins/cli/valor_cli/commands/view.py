"""``valor view``: show a report, its items and thresholds in the browser."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterable
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
    the data on demand. Metrics with a judge are never computed again.
    """
    request = Request.from_report(report, settings)
    chosen = request.checked.run
    registry = registry_of(chosen, request)
    check_installed(chosen, registry, request.place)
    task = resolve_data(chosen.data, None, registry, chosen.task, chosen.metrics).task
    if task is None:
        raise ReportError(f"{report}: config: expected a task, found none")
    found = [
        (key, path)
        for key, path in input_files(chosen, task, registry, request)
        if key.startswith("data.")
    ]
    _check_data(found, report)
    source = ReportSource(
        report=load_report(report),
        name=str(report),
        options=chosen,
        task=task,
        data=chosen.data,
        gallery=chosen.gallery,
        registry=registry,
        resources=request.checked.resources,
        folder=request.folder,
        place=request.place,
    )
    source.evaluation  # noqa: B018 - raises an error of a metric before the address is printed
    warning = newer([path for _, path in found], report)
    if warning:
        again = f"valor rerun {quote(str(report))} -o {quote(str(report))}"
        streams.talk(f"valor: warning: {warning}\nWrite it again with: {again}")
    with ViewerServer(ViewerPages(source, warning), port) as server:
        streams.say_json({"address": server.address}) if as_json else streams.say(server.address)
        streams.talk("Stop the viewer with: Ctrl-C")
        if opens:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0


def _check_data(files: Iterable[tuple[str, Path]], report: Path) -> None:
    """Raise a `ReportError` for data that a report names and that are missing."""
    for key, path in files:
        if not path.exists() and not glob(str(path), recursive=True):
            raise ReportError(
                f"{report}: config.{key}: no such file or folder: {path}",
                f"Name it with: valor view {quote(str(report))} --set {key}=PATH",
            )

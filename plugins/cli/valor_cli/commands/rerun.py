"""``valor rerun``: repeat the evaluation of a saved report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from attrs import evolve
from valor_report.comparison import compare
from valor_report.output_files import WriteErrors

from valor_cli.commands.run import carry_out, remedies_of_options, run_options, with_options
from valor_cli.config.config_file import Request
from valor_cli.program import streams
from valor_cli.program.command import command as make_command
from valor_cli.program.opened_page import open_page
from valor_cli.program.outcome import FAILED, print_report
from valor_cli.run import registry_of
from valor_core.results import Report


@make_command("rerun")
@click.argument("report", type=click.Path(path_type=Path))
@run_options
def command(
    report: Path, settings: tuple[str, ...], quiet: bool, as_json: bool, **options: Any
) -> int:
    """Repeat the evaluation of a saved report.

    REPORT is a report in .json, written by a run of a config. Lists the results that differ; the
    exit code is 1 if there are any.
    """
    before = Report.load(report)
    unwritten = WriteErrors()
    request = Request.from_report(report, settings)
    request = evolve(request, values=with_options(request.values, **options))
    with remedies_of_options(options["require"]):
        now = carry_out(request, unwritten, quiet=quiet)
    code = print_report(now, as_json=as_json, quiet=quiet)
    unwritten.check()
    if options["opened"]:
        open_page(request)
    found = compare(before, now, registry=registry_of(request.checked.run, request))
    if found.same:
        streams.talk(f"{report}: the same results as before")
        return code
    if not (as_json or quiet):
        streams.say("")
        streams.show(found.tables(whole=False))
    for remark in found.remarks:
        streams.talk(remark)
    streams.talk(f"{report}: {found.summary}")
    return max(code, FAILED)

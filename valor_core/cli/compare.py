"""``valor compare``: what changed from one report to another."""

from __future__ import annotations

from pathlib import Path

import click

from valor_core.cli import streams
from valor_core.cli.command import command as make_command
from valor_core.comparison import compare
from valor_core.registry import Registry
from valor_core.report import Report


@make_command("compare")
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option(
    "--tolerance",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="Differences up to this are the same.",
)
def command(first: Path, second: Path, tolerance: float, as_json: bool) -> None:
    """Say what changed from one report to another.

    FIRST and SECOND are reports in .json. A difference is better or worse where the metric is
    installed and has a direction.
    """
    a, b = Report.load(first), Report.load(second)
    found = compare(a, b, tolerance=tolerance, registry=Registry())
    if as_json:
        streams.say_json(found.to_dict())
        return
    streams.show(found.tables())
    for remark in found.remarks:
        streams.talk(remark)
    streams.talk(found.summary)

"""``valor compare``: what changed from one report to another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import get_args

import click
from valor_report.comparison import Comparison, Gate, compare

from valor_cli.config.modules import registry_with
from valor_cli.outputs import check_destination, is_same
from valor_cli.program import streams
from valor_cli.program.command import command as make_command
from valor_cli.program.command import module_option
from valor_cli.program.outcome import FAILED
from valor_cli.program.values import Number, OneOf
from valor_core.errors import ConfigError, found_at
from valor_core.plugins.registry import Registry
from valor_core.report.files import write_text
from valor_core.report.report import Report


def _html(found: Comparison, title: str) -> str:
    from valor_report.pages.comparison_page import html

    return html(found, title)


_WRITERS: Mapping[str, Callable[[Comparison, str], str]] = {
    ".md": Comparison.markdown,
    ".html": _html,
    ".json": lambda found, _: streams.json_text(found.to_dict()) + "\n",
}


@make_command("compare")
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option(
    "--tolerance",
    type=Number(0),
    default=0.0,
    show_default=True,
    help="Differences up to this are the same.",
)
@click.option(
    "--relative-tolerance",
    type=Number(0),
    default=0.0,
    show_default=True,
    help="So are differences up to this share of the first value, such as 0.01.",
)
@click.option(
    "--fail-on",
    type=OneOf(get_args(Gate)),
    metavar="WHAT",
    help="Make the exit code 1: worse, if a number is worse or vanished; differ, if anything is "
    "not the same.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    multiple=True,
    help="File for the comparison, in .md, .html or .json.",
)
@click.option("--all", "whole", is_flag=True, help="Show the numbers that are the same, too.")
@module_option("the reports are")
def command(
    first: Path,
    second: Path,
    tolerance: float,
    relative_tolerance: float,
    fail_on: Gate | None,
    output: tuple[Path, ...],
    whole: bool,
    modules: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Say what changed from one report to another.

    FIRST and SECOND are reports in .json. A difference is better or worse where the metric is
    installed and has a direction.
    """
    registry = registry_with(modules)
    _check_output(output, (first, second))
    a, b = Report.load(first), Report.load(second)
    found = compare(
        a, b, tolerance=tolerance, relative_tolerance=relative_tolerance, registry=registry
    )
    if fail_on == "worse":
        _check_directions(found, registry)
    for path in output:
        write_text(path, _WRITERS[path.suffix](found, f"{first}, then {second}"))
        streams.talk(f"comparison written to {path}")
    if as_json:
        streams.say_json(found.to_dict())
    else:
        streams.show(found.tables(whole=whole))
        for remark in found.remarks:
            streams.talk(remark)
        streams.talk(found.summary)
    return 0 if fail_on is None else _judged(found, fail_on)


def _check_output(output: Sequence[Path], reports: Sequence[Path]) -> None:
    for path in output:
        check_destination(path, tuple(_WRITERS), "compare: --output: ")
        if any(is_same(path, report) for report in reports):
            raise ConfigError(
                f"compare: --output: expected a file that is not compared, got {path}",
                "Name another file.",
            )


def _judged(found: Comparison, gate: Gate) -> int:
    failing = found.failing(gate)
    if not failing:
        return 0
    expected = {"worse": "nothing worse", "differ": "no difference"}[gate]
    streams.talk(f"valor: --fail-on {gate}: expected {expected}, found {', '.join(failing)}")
    return FAILED


def _check_directions(found: Comparison, registry: Registry) -> None:
    """Raise a `RegistryError` if a number differs whose metric is not there to tell its direction.

    What cannot be called worse would pass.
    """
    for name in {
        change.entry.metric: None for change in found.changes if change.verdict == "different"
    }:
        with found_at("--fail-on worse: "):
            registry.metric(name)

"""``valor compare``: the differences between two reports."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click
from valor_report.comparison import SUFFIXES, Comparison, Gate, check_directions, compare
from valor_report.output_files import check_destination, check_not_read

from valor_cli.program import streams
from valor_cli.program.command import chosen_registry, module_option
from valor_cli.program.command import command as make_command
from valor_cli.program.outcome import FAILED
from valor_cli.program.values import Number, OneOf
from valor_core.errors import error_at
from valor_core.results import Report


@make_command("compare")
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option(
    "--tolerance",
    type=Number(0),
    default=0.0,
    show_default=True,
    help="Largest absolute difference that counts as equal.",
)
@click.option(
    "--relative-tolerance",
    type=Number(0),
    default=0.0,
    show_default=True,
    help="Largest difference, relative to the first value, that counts as equal, such as 0.01.",
)
@click.option(
    "--fail-on",
    type=OneOf(get_args(Gate)),
    metavar="WHAT",
    help="Exit with code 1: worse, if a number is worse or missing; differ, if anything differs.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    multiple=True,
    help="File for the comparison, in .md, .html or .json.",
)
@click.option("--all", "whole", is_flag=True, help="Also show equal numbers.")
@module_option
def command(
    first: Path,
    second: Path,
    tolerance: float,
    relative_tolerance: float,
    fail_on: Gate | None,
    output: tuple[Path, ...],
    whole: bool,
    as_json: bool,
) -> int:
    """List the differences between two reports.

    FIRST and SECOND are reports in .json. A difference is better or worse if the metric is
    installed and has a direction.
    """
    registry = chosen_registry()
    for path in output:
        check_destination(path, SUFFIXES, "compare: --output: ")
    check_not_read(output, [first, second], "compare: --output: ", "one of the reports")
    a, b = Report.load(first), Report.load(second)
    found = compare(
        a, b, tolerance=tolerance, relative_tolerance=relative_tolerance, registry=registry
    )
    if fail_on == "worse":
        with error_at("--fail-on worse: "):
            check_directions(found, registry)
    for path in output:
        found.save(path, f"{first}, then {second}")
        streams.talk(f"comparison written to {path}")
    if as_json:
        streams.say_json(found.to_dict())
    else:
        streams.show(found.tables(whole=whole))
        for remark in found.remarks:
            streams.talk(remark)
        streams.talk(found.summary)
    return 0 if fail_on is None else _judged(found, fail_on)


def _judged(found: Comparison, gate: Gate) -> int:
    failing = found.failing(gate)
    if not failing:
        return 0
    expected = {"worse": "nothing worse", "differ": "no difference"}[gate]
    streams.talk(f"valor: --fail-on {gate}: expected {expected}, found {', '.join(failing)}")
    return FAILED

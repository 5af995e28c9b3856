"""``valor compare``: the differences between two reports, or the numbers of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

import click
from click.core import ParameterSource
from valor_report.comparison import SUFFIXES, Comparison, Gate, check_directions, compare
from valor_report.item_file import load_reports
from valor_report.output_files import check_destination, check_not_read
from valor_report.tables.runs import rank_table, run_table

from valor_cli.program import streams
from valor_cli.program.command import chosen_registry, module_option
from valor_cli.program.command import command as make_command
from valor_cli.program.outcome import FAILED
from valor_cli.program.values import Number, OneOf
from valor_core.errors import ConfigError, error_at
from valor_core.results import Report
from valor_core.specs.extensions import INTERVALS, extension


@make_command("compare")
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.argument("others", nargs=-1, type=click.Path(path_type=Path), metavar="[MORE]...")
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
    help="File for the comparison, in .md, .html, .json or .xml for JUnit.",
)
@click.option(
    "--test",
    type=OneOf(("auto", "jackknife", "randomization", "bootstrap", "sacrebleu")),
    default="auto",
    show_default=True,
    metavar="NAME",
    help="Test of differences: jackknife needs intervals, the others need rows of items.",
)
@click.option(
    "--correction",
    type=OneOf(("holm", "bh", "none")),
    default="holm",
    show_default=True,
    metavar="NAME",
    help="Correction of p-values for their number: holm, bh (Benjamini-Hochberg) or none.",
)
@click.option("--all", "whole", is_flag=True, help="Also show equal numbers.")
@module_option
def command(
    first: Path,
    second: Path,
    others: tuple[Path, ...],
    tolerance: float,
    relative_tolerance: float,
    fail_on: Gate | None,
    output: tuple[Path, ...],
    test: str,
    correction: str,
    whole: bool,
    as_json: bool,
) -> int:
    """Compare two reports, or the headline numbers and ranks of several.

    FIRST, SECOND and MORE are reports in .json. Two reports are compared number by number: a
    difference is better or worse if the metric is
    installed and has a direction.
    """
    if others:
        context = click.get_current_context()
        _check_no_options(context, 2 + len(others))
        tests = {"test": test, "correction": correction}
        return _compare_all([first, second, *others], tests, as_json=as_json)
    registry = chosen_registry()
    for path in output:
        check_destination(path, SUFFIXES, "compare: --output: ")
    check_not_read(output, [first, second], "compare: --output: ", "one of the reports")
    a, b = load_reports([first, second])
    found = compare(
        a,
        b,
        tolerance=tolerance,
        relative_tolerance=relative_tolerance,
        registry=registry,
        test=test,
        correction=correction,
        names=(str(first), str(second)),
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
        for remark in (*found.remarks, *found.untested):
            streams.talk(remark)
        streams.talk(found.summary)
    return 0 if fail_on is None else _judged(found, fail_on)


_OF_TWO = ("tolerance", "relative_tolerance", "fail_on", "output", "whole")
"""Options of the comparison of two reports."""


def _check_no_options(context: click.Context, count: int) -> None:
    """Raise a `ConfigError` for an option of the comparison of two reports."""
    for option in _OF_TWO:
        if context.get_parameter_source(option) is not ParameterSource.DEFAULT:
            named = next(one.opts[-1] for one in context.command.params if one.name == option)
            raise ConfigError(
                f"compare: {named}: expected two reports, got {count}",
                "Compare each report with the first in a separate command.",
            )


def _compare_all(paths: Sequence[Path], tests: Mapping[str, str], *, as_json: bool) -> int:
    """Print the headline numbers and ranks of several reports, or all numbers as JSON."""
    reports: dict[str, Report] = {}
    for path, report in zip(paths, load_reports(paths), strict=True):
        count = sum(path == other for other in paths[: len(reports)])
        reports[f"{path} ({count + 1})" if count else str(path)] = report
    found = extension(INTERVALS, "leaderboard")
    ranks = None if found is None else found.load()(reports, registry=chosen_registry(), **tests)
    if as_json:
        numbers = {name: report.flat(short=True) for name, report in reports.items()}
        ranked = {} if ranks is None else {"leaderboard": ranks.to_dict()}
        streams.say_json({"reports": numbers, **ranked})
        return 0
    streams.show([run_table(reports, "Reports")])
    table = None if ranks is None else rank_table(ranks)
    if table is not None:
        streams.say("")
        streams.show([table])
    for reason in () if ranks is None else ranks.incomparable:
        streams.talk(f"not comparable: {reason}")
    return 0


def _judged(found: Comparison, gate: Gate) -> int:
    failing = found.failing(gate)
    if not failing:
        return 0
    expected = {"worse": "nothing worse", "differ": "no difference"}[gate]
    streams.talk(f"valor: --fail-on {gate}: expected {expected}, found {', '.join(failing)}")
    return FAILED

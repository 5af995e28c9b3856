"""``valor compare``: the differences between two reports, or a leaderboard of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

import click
from attrs import evolve, frozen
from click.core import ParameterSource
from valor_report.comparison import (
    SUFFIXES,
    SUFFIXES_OF_SEVERAL,
    Comparison,
    Gate,
    check_directions,
    compare,
    rank_reports,
)
from valor_report.comparison.drawings import Drawings, drawings_of
from valor_report.comparison.item_board import ItemBoard
from valor_report.comparison.item_changes import ItemChanges
from valor_report.comparison.main_numbers import short_names
from valor_report.comparison.several_reports import RankedReports
from valor_report.comparison.side_by_side import MOST_PAIRS
from valor_report.item_file import load_reports
from valor_report.output_files import check_destination, check_not_read
from valor_report.tables.text_table import TextTable

from valor_cli.commands.view import source_of
from valor_cli.program import streams
from valor_cli.program.command import chosen_registry, module_option
from valor_cli.program.command import command as make_command
from valor_cli.program.opened_page import is_page, show_page, with_page
from valor_cli.program.outcome import FAILED
from valor_cli.program.values import Number, OneOf, WholeNumber
from valor_core.errors import ConfigError, ValorError, error_at
from valor_core.results import Report


@frozen
class ChosenGate:
    """Gate of the command line, such as ``worse`` or ``worse:F1``.

    Parameters
    ----------
    gate : str
        ``"worse"`` or ``"differ"``.
    metric : str
        Name of the metric or number to judge; empty for all.
    """

    gate: Gate
    metric: str = ""

    def __str__(self) -> str:
        return f"{self.gate}:{self.metric}" if self.metric else self.gate


class GateType(OneOf):
    """Gate, which may have the name of a metric."""

    def convert(
        self, value: str | ChosenGate, param: click.Parameter | None, ctx: click.Context | None
    ) -> ChosenGate:
        """Return the gate of a text."""
        if isinstance(value, ChosenGate):
            return value
        word, _, metric = value.partition(":")
        if metric and word == "worse":
            return ChosenGate("worse", metric)
        gate: Gate = super().convert(value, param, ctx)
        return ChosenGate(gate)


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
    type=GateType(get_args(Gate)),
    metavar="WHAT",
    help="Exit with code 1: worse, if a number is worse beyond chance or missing; worse:METRIC, "
    "for one metric; differ, if anything differs.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    multiple=True,
    help="File for the comparison: a page (.html), a comment of a pull request (.md), .json, "
    ".xml for JUnit, or .csv for several reports.",
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
@click.option(
    "--pictures",
    type=WholeNumber(0),
    default=MOST_PAIRS,
    show_default=True,
    help="Most items side by side on the page, drawn from the data of both reports.",
)
@click.option(
    "--items", "lists_items", is_flag=True, help="List the items that differ, with each prediction."
)
@click.option("--open", "opened", is_flag=True, help="Open the comparison as a page in a browser.")
@click.option("-q", "--quiet", is_flag=True, help="Print no tables.")
@click.option("--all", "whole", is_flag=True, help="Also show equal numbers.")
@module_option
def command(
    first: Path,
    second: Path,
    others: tuple[Path, ...],
    tolerance: float,
    relative_tolerance: float,
    fail_on: ChosenGate | None,
    output: tuple[Path, ...],
    test: str,
    correction: str,
    pictures: int,
    lists_items: bool,
    opened: bool,
    quiet: bool,
    whole: bool,
    as_json: bool,
) -> int:
    """Compare two reports, or rank several by their main numbers.

    FIRST, SECOND and MORE are reports in .json. Two reports are compared number by number: a
    difference is better or worse if the metric is
    installed and has a direction.
    """
    paths = [first, second, *others]
    if opened:
        output = tuple(map(Path, with_page(output, "comparison.html")))
    suffixes = SUFFIXES_OF_SEVERAL if others else SUFFIXES
    for path in output:
        check_destination(path, suffixes, "compare: --output: ")
    check_not_read(output, paths, "compare: --output: ", "one of the reports")
    tests = {"test": test, "correction": correction}
    if others:
        _check_no_options(click.get_current_context(), len(paths))
        ranked = _ranked(paths, tests)
        _save(ranked, output, opened)
        if as_json:
            streams.say_json(ranked.to_dict())
            return 0
        listed = _listed(ranked.differing, [*ranked.short_names.values()]) if lists_items else []
        if not quiet:
            streams.show([*ranked.tables(), *listed])
        for remark in (*ranked.remarks, str(ranked.answer)):
            streams.talk(remark)
        return 0
    registry = chosen_registry()
    a, b = load_reports(paths)
    found = compare(
        a,
        b,
        tolerance=tolerance,
        relative_tolerance=relative_tolerance,
        registry=registry,
        names=(str(first), str(second)),
        **tests,
    )
    if fail_on is not None and fail_on.gate == "worse":
        with error_at("--fail-on worse: "):
            check_directions(found, registry)
    if any(path.suffix == ".html" for path in output):
        found = evolve(found, drawings=_drawings(found, [(a, first), (b, second)], pictures))
    _save(found, output, opened)
    if as_json:
        streams.say_json(found.to_dict())
    else:
        listed = _listed(found.items, short_names(found.names)) if lists_items else []
        if not quiet:
            streams.show([*found.tables(whole=whole), *listed])
        for remark in (*found.remarks, *found.untested):
            streams.talk(remark)
        streams.talk(str(found.answer))
        streams.talk(found.summary)
    return 0 if fail_on is None else _judged(found, fail_on)


_OF_TWO = ("tolerance", "relative_tolerance", "fail_on", "pictures", "whole")
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


def _save(found: Comparison | RankedReports, output: Sequence[Path], opened: bool) -> None:
    """Write the files of a comparison, and open the first page."""
    for path in output:
        found.save(path)
        streams.talk(f"comparison written to {path}")
    if opened:
        show_page(next(path for path in output if is_page(path)))


def _listed(found: ItemChanges | ItemBoard | None, names: Sequence[str]) -> list[TextTable]:
    """Table of the items that differ."""
    if found is None:
        raise ConfigError(
            "compare: --items: expected rows of the same items in all reports, found none",
            "Write the reports with rows: valor run CONFIG --items -o report.json",
        )
    return [found.table(names)] if found.rows else []


def _ranked(paths: Sequence[Path], tests: Mapping[str, str]) -> RankedReports:
    """Rank several reports by their main numbers."""
    reports: dict[str, Report] = {}
    for path, report in zip(paths, load_reports(paths), strict=True):
        count = sum(path == other for other in paths[: len(reports)])
        reports[f"{path} ({count + 1})" if count else str(path)] = report
    return rank_reports(reports, registry=chosen_registry(), **tests)


def _drawings(found: Comparison, reports: Sequence[tuple[Report, Path]], most: int) -> Drawings:
    """Draw the items that changed most, if the reports name their data."""
    if found.items is None or not all("data" in report.config for report, _ in reports):
        return Drawings()
    uids = [row.uid for row in found.items.most_changed(most)]
    if not uids:
        return Drawings()
    try:
        first, second = (source_of(report, path)[0] for report, path in reports)
        return drawings_of(first, second, uids)
    except ValorError as error:
        return Drawings(reason=error.one_line)


def _judged(found: Comparison, chosen: ChosenGate) -> int:
    """Print the outcome of a gate and return the exit code."""
    failing = found.failing(chosen.gate, chosen.metric)
    if failing:
        expected = {"worse": "nothing worse", "differ": "no difference"}[chosen.gate]
        streams.talk(f"valor: --fail-on {chosen}: expected {expected}, found {', '.join(failing)}")
        if any("without a test" in reason for reason in failing):
            streams.talk(f"{found.judged[:1].upper()}{found.judged[1:]}")
    elif chosen.gate == "worse":
        streams.talk(f"--fail-on {chosen}: passed; {found.judged}")
    return FAILED if failing else 0

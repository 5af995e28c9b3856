"""``valor merge``: one report from the states of several runs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from valor_report.output_files import OutputFiles, WriteErrors, check_not_read
from valor_report.requirements import conditions_of

from valor_cli.program import streams
from valor_cli.program.command import chosen_registry, flat_option, module_option, require_option
from valor_cli.program.command import command as make_command
from valor_cli.program.outcome import print_report
from valor_core.errors import MissingPluginError, SchemaError, StateError, UnknownNameError
from valor_core.evaluation import Evaluator
from valor_core.results import Report
from valor_core.specs import Registry


@make_command("merge")
@click.argument("states", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    multiple=True,
    help="File for the report, such as r.json or r.html.",
)
@flat_option
@module_option
@require_option
@click.option("-q", "--quiet", is_flag=True, help="Print no tables.")
def command(
    states: tuple[Path, ...],
    output: tuple[Path, ...],
    flat: Path | None,
    require: tuple[str, ...],
    quiet: bool,
    as_json: bool,
) -> int:
    """Merge saved states of one config into a report.

    STATES are files written by runs with --state. An item that occurs in two states is an error.
    """
    _check_distinct(states)
    outputs = OutputFiles(output, flat=flat)
    outputs.check("merge: --")
    check_not_read(output, states, "merge: --output: ", "one of the states")
    check_not_read([flat] if flat else [], states, "merge: --flat: ", "one of the states")
    with _started(states[0], chosen_registry()) as evaluator:
        evaluator.require(conditions_of(require))
        report = _merged(evaluator, states[1:])
    unwritten = WriteErrors()
    outputs.write(report, unwritten)
    for path in output:
        if not quiet and path not in unwritten.errors:
            streams.talk(f"report written to {path}")
    if flat is not None and not quiet and flat not in unwritten.errors:
        streams.talk(f"numbers written to {flat}")
    code = print_report(report, as_json=as_json, quiet=quiet)
    unwritten.check()
    return code


def _merged(evaluator: Evaluator, states: Iterable[Path]) -> Report:
    """Merge states into an evaluator and return its report."""
    try:
        for path in states:
            evaluator.resume(path)
        return evaluator.compute(evaluator.evaluation.describe() | _runs(evaluator.state.runs))
    except SchemaError as error:
        raise SchemaError(
            error.message,
            "Add uids to the items, or evaluate all data in one run, with a list or "
            "pattern of files under data.path if the reader supports several.",
        ) from error


def _runs(names: Iterable[str]) -> dict[str, Any]:
    """Return the names of the merged runs as in a config."""
    runs = sorted(names)
    return {"run": runs[0]} if len(runs) == 1 else {"runs": runs} if runs else {}


def _started(state: Path, registry: Registry) -> Evaluator:
    """Return an evaluator that starts from the first state."""
    try:
        return Evaluator.load(state, registry)
    except MissingPluginError:
        raise
    except UnknownNameError as error:
        raise UnknownNameError(
            error.message, "If a Python file defines the metric, pass it with: --module FILE"
        ) from error


def _check_distinct(states: tuple[Path, ...]) -> None:
    """Raise a `StateError` for a repeated file: items without uid would be counted twice."""
    first: dict[Path, Path] = {}
    for path in states:
        if first.setdefault(path.resolve(), path) is not path:
            raise StateError(f"{path}: expected each state once, got it twice")

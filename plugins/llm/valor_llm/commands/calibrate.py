"""``valor judge calibrate``: a judge beside human labels."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from valor_cli.config.config_file import Request
from valor_cli.program import streams
from valor_cli.program.command import command as make_command
from valor_report import MISSING, TextColumn, TextTable, number_text

from valor_core.errors import ReportError
from valor_core.results import Undefined
from valor_llm.calibration.comparison import Comparison, compared
from valor_llm.calibration.estimate import LEVEL
from valor_llm.calibration.labelled_run import Calibrated, calibrated
from valor_llm.calibration.labels import read_labels
from valor_llm.records.record import Record

_CALLED = {"ac1": "AC1", "base_rate": "base rate", "judge_minus_human": "judge minus human"}


@make_command("calibrate")
@click.argument("config", type=click.Path(path_type=Path))
@click.option(
    "--labels",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="File of labels in CSV or JSON Lines: uid, label, and if need be verdict and metric.",
)
@click.option("--metric", help="The metric that is labelled, where there are several.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("judge-calibration.json"),
    show_default=True,
    help="File for the record of the calibration.",
)
@click.option(
    "--set",
    "settings",
    metavar="PATH=VALUE",
    multiple=True,
    help="Put a value in the config, such as judge.max_calls=100.",
)
def command(
    config: Path,
    labels: Path,
    metric: str | None,
    output: Path,
    settings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Compare the judge of a config with human labels, and keep what they say.

    The items that have a label are scored, those that are cached for free. Name the record as
    judge.calibration in the config: reports then have the mean that it corrects.
    """
    if output.resolve() in (config.resolve(), labels.resolve()):
        raise ReportError(f"-o: expected a file of its own, {output} is read from")
    found = calibrated(Request.from_file(config, settings), read_labels(labels), metric)
    Record(tuple(one.calibration for one in found)).save(output)
    if as_json:
        streams.say_json({"record": str(output), "metrics": [_told(one) for one in found]})
    else:
        streams.show(_table(one, of) for one in found for of in compared(one.calibration))
        for one in found:
            for warning in _warnings(one):
                streams.talk(f"valor: warning: {warning}")
        path = Path(os.path.relpath(output, config.parent)).as_posix()
        streams.talk(f"record written to {output}; use it with: judge: {{calibration: {path}}}")
    return 0


def _told(one: Calibrated) -> dict[str, Any]:
    return {
        "metric": one.metric,
        "fingerprint": one.calibration.fingerprint.to_dict(),
        "compared": [of.to_dict() for of in compared(one.calibration)],
        "without_score": one.unscored,
        "warnings": _warnings(one),
    }


def _warnings(one: Calibrated) -> list[str]:
    found = [*one.warnings]
    if one.unscored:
        found.append(f"{one.metric}: {one.unscored:,} items with a label have no score")
    return found


def _table(one: Calibrated, of: Comparison) -> TextTable:
    about = "" if of.of != "verdicts" else f" of {of.items:,} items"
    rows: list[Any] = []
    for name, value in of.numbers.items():
        shown = _CALLED.get(name, name)
        if isinstance(value, Undefined):
            rows.append([shown, MISSING, value.reason])
            continue
        ends = value.interval
        told = "none" if ends is None else f"{number_text(ends[0])} to {number_text(ends[1])}"
        rows.append([shown, number_text(value.value), told])
    return TextTable(
        f"{one.metric}: {of.count:,} {of.of}{about}",
        ["judge and human", TextColumn("value", numeric=True), f"{LEVEL * 100:g} % interval"],
        rows,
    )

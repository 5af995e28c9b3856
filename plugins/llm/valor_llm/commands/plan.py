"""``valor judge plan``: what a run will ask its judge, before anything is paid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from attrs import asdict, evolve
from valor_cli.config.config_file import Request
from valor_cli.program import streams
from valor_cli.program.command import command as make_command
from valor_report import TextColumn, TextTable, number_text

from valor_llm.judge.spending.token_rates import UNKNOWN
from valor_llm.planning.planned_run import PlannedRun, PlannedStep, planned


@make_command("plan")
@click.argument("config", type=click.Path(path_type=Path))
@click.option(
    "--set",
    "settings",
    metavar="PATH=VALUE",
    multiple=True,
    help="Put a value in the config, such as judge.repeats=3.",
)
def command(config: Path, settings: tuple[str, ...], as_json: bool) -> int:
    """Say how many calls a run will make at the most, and estimate their tokens and cost.

    Nothing is sent. What the cache has is not asked again; the rest is counted as if every text had
    something to be judged. The number of calls is exact once the first steps are cached, but for
    replies that have to be asked for again.
    """
    run = planned(Request.from_file(config, settings))
    if as_json:
        streams.say_json(_told(run))
        return 0
    streams.show([_table(run)])
    for note in _notes(run):
        streams.talk(note)
    return 0


def _told(run: PlannedRun) -> dict[str, Any]:
    of_all = ("metric", "step", "judge")
    total = {key: value for key, value in asdict(run.total).items() if key not in of_all}
    return {
        "items": run.items,
        "total": total,
        "steps": [asdict(step) for step in run.steps],
        "tokens_by": "cached replies" if run.is_counted else f"{UNKNOWN:g} characters a token",
        "without_plan": run.unanswered,
    }


def _table(run: PlannedRun) -> TextTable:
    priced = run.total.cost is not None
    numbers = ["calls at most", "cached", "prompt tokens", "reply tokens"]
    numbers += ["cost"] if priced else []
    columns: list[str | TextColumn] = ["metric that asks first", "step"]
    is_panel = len({step.judge for step in run.steps}) > 1
    columns += ["judge"] if is_panel else []
    rows = []
    for step in (*run.steps, evolve(run.total, metric="all")):
        named = [step.metric, step.step, step.judge][: len(columns)]
        rows.append([*named, *_cells(step, priced)])
    columns += [TextColumn(title, numeric=True) for title in numbers]
    return TextTable(f"Plan of {run.items:,} items", columns, rows, foot=1)


def _cells(step: PlannedStep, priced: bool) -> list[str]:
    cells = [number_text(one) for one in (step.calls, step.cached, step.prompt, step.completion)]
    return [*cells, f"{step.cost or 0:.4f}"] if priced else cells


def _notes(run: PlannedRun) -> list[str]:
    if run.is_counted:
        notes = ["Tokens are estimated by those that the endpoint counted of cached replies."]
    else:
        notes = [
            f"Tokens are guessed, {UNKNOWN:g} characters each; once a few replies are cached, "
            "they are estimated by those."
        ]
    if run.unanswered:
        notes.append(f"Nothing is planned behind {run.unanswered:,} questions of unknown form.")
    return notes

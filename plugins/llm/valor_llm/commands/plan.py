"""``valor judge plan``: estimate the calls and the cost of a run."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click
from attrs import asdict, evolve, frozen
from valor_cli.config.config_file import Request
from valor_cli.program import streams
from valor_cli.program.command import command as make_command
from valor_cli.program.command import set_option
from valor_cli.run import evaluator_of, registry_of
from valor_report import TextColumn, TextTable, number_text

from valor_core.errors import ConfigError
from valor_core.evaluation import BoundMetric, Evaluation, EvaluationState
from valor_core.readers import reader_of
from valor_core.resources import opened
from valor_core.resources.bound import BoundResource
from valor_core.specs.names import short_name
from valor_llm.clients.protocol import Usage
from valor_llm.judge.budget import UNKNOWN, cost_of
from valor_llm.judge.planning import PlannedQuestion, PlanningJudge, PlanningPanel

_JUDGE = "llm.judge"
_PLANNING = "valor_llm.judge.planning:PlanningPanel"
_OF_FILES = frozenset({"metrics_to_return", "slices", "require", "output", "state", "gallery"})
_COUNTS = {
    "calls": "calls at most",
    "cached": "cached",
    "prompt": "prompt tokens",
    "completion": "reply tokens",
}
"""Titles of the counts of a step."""


@frozen
class PlannedStep:
    """Estimate of one step of one metric.

    Parameters
    ----------
    metric : str
        The metric that asks first; others reuse the answers.
    step : str
        Name of the step.
    judge : str
        Name of the judge in reports.
    calls : int
        Calls, at the most.
    cached : int
        Answers that the cache has.
    prompt, completion : int
        Estimated tokens of the calls.
    cost : float or None
        Estimated cost, if there are prices.
    """

    metric: str
    step: str
    judge: str
    calls: int
    cached: int
    prompt: int
    completion: int
    cost: float | None


@frozen
class PlannedRun:
    """Estimate of a run.

    Parameters
    ----------
    steps : tuple of PlannedStep
        By metric, in the order of the calls.
    items : int
        Number of items.
    is_counted : bool
        Whether tokens are estimated from counts of the endpoint, or by a rule.
    unanswered : int
        Number of questions whose follow-up questions could not be planned.
    """

    steps: tuple[PlannedStep, ...]
    items: int
    is_counted: bool
    unanswered: int = 0

    @property
    def total(self) -> PlannedStep:
        """All steps together."""
        costs = [step.cost for step in self.steps if step.cost is not None]
        counts = {name: sum(getattr(step, name) for step in self.steps) for name in _COUNTS}
        cost = math.fsum(costs) if costs or not self.steps else None
        return PlannedStep(metric="", step="", judge="", **counts, cost=cost)


def planned(request: Request) -> PlannedRun:
    """Plan the questions of a config's judged metrics; nothing is sent.

    Raises
    ------
    ValorError
        If the config is wrong, its data cannot be read, or it has no judged metric.
    """
    checked = request.checked
    run, registry = checked.run, registry_of(checked.run, request)
    with evaluator_of(checked, registry, request) as evaluator:
        whole = evaluator.evaluation
    judged = [i for i, metric in enumerate(whole.plan.metrics) if _asks(metric, whole)]
    if not judged:
        raise ConfigError(
            f"{request.place}metrics: expected one that asks a judge, found none",
            "There is nothing to be planned: valor run CONFIG",
        )
    reader = reader_of(run.data, whole.task, registry, request.folder, request.place)
    further = {key: value for key, value in request.values.items() if key not in _OF_FILES}
    items = 0
    with opened(map(_planning, whole.resources)) as resources:
        panels = {id(one): one for one in resources.values() if isinstance(one, PlanningPanel)}
        judges = [judge for panel in panels.values() for judge in panel.planning]
        for i in judged:
            # One metric at a time, so that each question has its metric.
            alone = evolve(request, values=further | {"metrics": [run.metrics[i]]})
            with evaluator_of(alone.checked, registry, alone) as one:
                evaluation = one.evaluation
            for judge in judges:
                judge.questions.metric = whole.plan.metrics[i].spec.name
            items = sum(
                _counted(evaluation, batch, resources)
                for partition in reader.partitions()
                for batch in reader.read(partition)
            )
        return PlannedRun(
            tuple(step for judge in judges for step in _steps(judge)),
            items,
            all(judge.questions.rates.counted for judge in judges),
            sum(judge.questions.unanswered for judge in judges),
        )


def _asks(metric: BoundMetric, evaluation: Evaluation) -> bool:
    """Return whether a metric, or one whose rows it reads, asks a judge."""
    names = {name for one in evaluation.resources if one.spec.name == _JUDGE for name in one.names}
    asked = {short_name(name) for name in metric.spec.resources}
    return bool(asked & {short_name(name).partition(":")[0] for name in names})


def _planning(resource: BoundResource) -> BoundResource:
    """Return the resource; for a judge, a planning judge with the same parameters."""
    if resource.spec.name != _JUDGE:
        return resource
    return evolve(resource, spec=evolve(resource.spec, implementation=_PLANNING))


def _counted(evaluation: Evaluation, batch: Any, resources: Any) -> int:
    state = EvaluationState()
    evaluation.update(state, batch, resources)
    return state.read


def _steps(judge: PlanningJudge) -> list[PlannedStep]:
    """Group the questions of a judge by metric and step."""
    rates, prices = judge.questions.rates, judge.parameters.prices
    found: dict[tuple[str, str], list[PlannedQuestion]] = {}
    for one in judge.questions.asked:
        found.setdefault((one.metric, one.step), []).append(one)
    steps = []
    for (metric, step), asked in found.items():
        calls = [one for one in asked if not one.is_cached]
        usage = Usage(
            prompt=round(sum(rates.prompt(step, one.prompt) for one in calls)),
            completion=round(sum(rates.completion(step, one.reply) for one in calls)),
        )
        counts = (len(calls), len(asked) - len(calls), usage.prompt, usage.completion)
        cost = None if prices is None else cost_of(usage, prices, judge.in_batch)
        steps.append(PlannedStep(metric, step, judge.name, *counts, cost))
    return steps


@make_command("plan")
@click.argument("config", type=click.Path(path_type=Path))
@set_option("judge.repeats=3")
def command(config: Path, settings: tuple[str, ...], as_json: bool) -> int:
    """Estimate the maximum number of calls of a run, their tokens and their cost.

    Nothing is sent. Cached replies are not counted; other items are counted as if every text had
    something to judge. Once the first steps are cached, the number of calls is exact, except for
    replies that have to be requested again.
    """
    run = planned(Request.from_file(config, settings))
    if as_json:
        streams.say_json(_to_dict(run))
        return 0
    streams.show([_table(run)])
    for note in _notes(run):
        streams.talk(note)
    return 0


def _to_dict(run: PlannedRun) -> dict[str, Any]:
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
    numbers = [*_COUNTS.values(), *(["cost"] if priced else [])]
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
    cells = [number_text(getattr(step, name)) for name in _COUNTS]
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
        notes.append(f"Follow-ups of {run.unanswered:,} questions of unknown form are not planned.")
    return notes

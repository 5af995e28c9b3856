"""Report of the state of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from valor_core.evaluation.request import Evaluation
from valor_core.evaluation.slices import SliceKey
from valor_core.evaluation.state import EvaluationState
from valor_core.kernels.threads import in_threads
from valor_core.resources.bound import sum_usage, usage_warnings
from valor_core.results.report import ItemTable, Report
from valor_core.results.result import Failed, NotRun, Result
from valor_core.results.results import Results
from valor_core.states.state import State

_NO_ROWS = "items: none of the metrics scores single items, so that there are no rows of them"


def make_report(
    evaluation: Evaluation,
    state: EvaluationState,
    *,
    items: bool,
    config: Mapping[str, Any],
    versions: Mapping[str, str],
    warnings: Iterable[str] = (),
) -> Report:
    """The report of a tally, which is not changed.

    Parameters
    ----------
    evaluation : Evaluation
        What was counted.
    state : EvaluationState
        What came of it.
    items : bool
        Whether the rows of per-item metrics stand in the report.
    config, versions : mapping
        What the report records of the request, and of the distributions that took part.
    warnings : iterable of str
        What to warn of before all else.

    Raises
    ------
    SchemaError
        If an item was counted twice.
    ConfigError
        If no item has a metadata field that the evaluation filters by.
    """
    state.check_uids()
    evaluation.check_filter(state)
    states = state.merged(list(state.states), evaluation.plan)
    results = evaluation.compute(states)
    not_found = evaluation.strange_slices(state)
    told = [*warnings, *_warnings(evaluation, state, states, results), *not_found]
    tables = tuple(_item_tables(evaluation, states)) if items else ()
    if items and not tables:
        told.append(_NO_ROWS)
    return Report(
        results=results,
        slices=_slices(evaluation, state, states),
        items=tables,
        config=config,
        versions=dict(versions),
        counts=_counts(state, states),
        warnings=tuple(told),
        not_found=tuple(not_found),
        stopped=state.stopped or state.still_to_count or _stop_reason(states),
        interrupted=state.interrupted,
        facts=sum_usage(facts for _, facts in state.facts.values()),
    )


def _slices(evaluation: Evaluation, state: EvaluationState, whole: Sequence[Any]) -> list[Results]:
    """Slices by the same fields share no state, so they are computed side by side."""
    results: list[Results] = []
    groups = evaluation.slices.groups(state.states)
    for _, disjoint in groupby(groups, key=lambda group: tuple(group[0])):
        results += in_threads(
            [partial(_slice, evaluation, state, whole, *group) for group in disjoint]
        )
    return results


def _slice(
    evaluation: Evaluation,
    state: EvaluationState,
    whole: Sequence[Any],
    where: Mapping[str, Any],
    keys: list[SliceKey],
) -> Results:
    plan = evaluation.plan
    states = plan.within(state.merged(keys, plan), whole)
    return Results(evaluation.compute(states, where))


def _item_tables(evaluation: Evaluation, states: Sequence[Any]) -> Iterator[ItemTable]:
    for position, metric in enumerate(evaluation.plan.metrics):
        rows = evaluation.plan.item_rows(position, states)
        if rows is not None:
            yield ItemTable(metric.spec.identity, metric.result_parameters, rows)


def _stop_reason(states: Sequence[Any]) -> str | None:
    reasons = (state.stop_reason for state in states if isinstance(state, State))
    return min(filter(None, reasons), default=None)


def _lacking(states: Sequence[Any], kind: type) -> int:
    """Count the items that lack a score of a metric for a reason of this class."""
    return len({uid for one in states if isinstance(one, State) for uid in one.lacking(kind)})


def _warnings(
    evaluation: Evaluation, state: EvaluationState, states: Sequence[Any], results: Iterable[Result]
) -> Iterator[str]:
    yield from state.warnings()
    yield from evaluation.idle_renames(state)
    yield from usage_warnings(facts for _, facts in state.facts.values())
    told = [state.warnings() for state in states if isinstance(state, State)]
    told += [result.warnings for result in results]
    yield from dict.fromkeys(warning for warnings in told for warning in warnings)


def _counts(state: EvaluationState, states: Sequence[Any]) -> dict[str, int]:
    """Datums of each fate; a fate that few runs have is told where there is one."""
    counts = {"read": state.read, "skipped": state.skipped, "failed": _lacking(states, Failed)}
    rare = {"not_run": _lacking(states, NotRun), "missing_partitions": len(state.missing)}
    return counts | {name: count for name, count in rare.items() if count}

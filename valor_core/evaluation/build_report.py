"""Build a report from the state of an evaluation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from attrs import evolve

from valor_core.evaluation.request import Evaluation
from valor_core.evaluation.slices import SliceKey
from valor_core.evaluation.state import EvaluationState
from valor_core.kernels.threads import in_threads
from valor_core.resources.bound import sum_usage, usage_warnings
from valor_core.results.report import ItemTable, Report, Slice
from valor_core.results.result import Failed, NotRun, Result
from valor_core.states.state import State

_NO_ROWS = "items: no metric scores single items, so the report has no item rows"


def make_report(
    evaluation: Evaluation,
    state: EvaluationState,
    *,
    items: bool,
    config: Mapping[str, Any],
    versions: Mapping[str, str],
    warnings: Iterable[str] = (),
) -> Report:
    """Build the report of a state without changing it.

    Parameters
    ----------
    evaluation : Evaluation
        Evaluation that produced the state.
    state : EvaluationState
        Counts.
    items : bool
        Whether to include the rows of per-item metrics.
    config, versions : mapping
        Config and distribution versions to record.
    warnings : iterable of str
        Warnings to list first.

    Raises
    ------
    SchemaError
        If an item was counted twice.
    ConfigError
        If no item has a metadata field of the filter.
    """
    state.check_uids()
    evaluation.check_fields(state)
    states = state.merged(list(state.states), evaluation.plan)
    results = _computed(evaluation, state, state.states, states, {})
    not_found = evaluation.unknown_slices(state)
    all_warnings = [*warnings, *_warnings(evaluation, state, states, results), *not_found]
    all_warnings += evaluation.slices.warnings(state.sizes)
    tables = tuple(_item_tables(evaluation, states)) if items else ()
    slices = _slices(evaluation, state, states)
    if items and not tables:
        all_warnings.append(_NO_ROWS)
    return Report(
        results=results,
        slices=evaluation.slices.completed(slices, state, evaluation),
        items=tables,
        config=config,
        versions=dict(versions),
        counts=_counts(state, states),
        warnings=tuple(all_warnings),
        not_found=tuple(not_found),
        stopped=state.stopped or state.still_to_count or _stop_reason(states),
        interrupted=state.interrupted,
        facts=sum_usage(facts for _, facts in state.facts.values()),
    )


def _slices(evaluation: Evaluation, state: EvaluationState, whole: Sequence[Any]) -> list[Slice]:
    """Compute the results of all slices."""
    results: list[Slice] = []
    groups = evaluation.slices.groups({key: state.sizes[key] for key in state.states})
    # Slices by the same fields share no state, so threads may compute them.
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
) -> Slice:
    plan = evaluation.plan
    states = plan.within(state.merged(keys, plan), whole)
    return Slice(_computed(evaluation, state, keys, states, where), items=state.items(keys))


def _computed(
    evaluation: Evaluation,
    state: EvaluationState,
    keys: Collection[SliceKey],
    states: Sequence[Any],
    where: Mapping[str, Any],
) -> list[Result]:
    """Compute results, with intervals if items were counted in groups."""
    confidence = evaluation.slices.grouping
    failed = evaluation.unknown_metadata(state)
    results = [
        evolve(one, value=Failed(failed[name]))
        if failed and (name := one.metric.partition("@")[0]) in failed
        else one
        for one in evaluation.compute(states, where)
    ]
    if confidence is None:
        return results
    groups: dict[int, list[SliceKey]] = {}
    for key in keys:
        groups.setdefault(key[-1], []).append(key)
    parts = {group: state.merged(groups[group], evaluation.plan) for group in sorted(groups)}
    return confidence.with_intervals(results, parts, evaluation, where, state.items(keys))


def _item_tables(evaluation: Evaluation, states: Sequence[Any]) -> Iterator[ItemTable]:
    for position, metric in enumerate(evaluation.plan.metrics):
        rows = evaluation.plan.item_rows(position, states)
        if rows is not None:
            yield ItemTable(metric.spec.identity, metric.result_parameters, rows)


def _stop_reason(states: Sequence[Any]) -> str | None:
    reasons = (one.stop_reason for one in states if isinstance(one, State))
    return min(filter(None, reasons), default=None)  # `min`: independent of the order


def _lacking(states: Sequence[Any], kind: type) -> int:
    """Count items without a score for a reason of this class."""
    return len({uid for one in states if isinstance(one, State) for uid in one.lacking(kind)})


def _warnings(
    evaluation: Evaluation, state: EvaluationState, states: Sequence[Any], results: Iterable[Result]
) -> Iterator[str]:
    yield from state.warnings()
    yield from evaluation.unused_renames(state)
    yield from usage_warnings(facts for _, facts in state.facts.values())
    found = [one.warnings() for one in states if isinstance(one, State)]
    found += [result.warnings for result in results]
    yield from dict.fromkeys(warning for warnings in found for warning in warnings)


def _counts(state: EvaluationState, states: Sequence[Any]) -> dict[str, int]:
    """Return the report's counts; rare ones only if not zero."""
    counts = {"read": state.read, "skipped": state.skipped, "failed": _lacking(states, Failed)}
    rare = {"not_run": _lacking(states, NotRun), "missing_partitions": len(state.missing)}
    return counts | {name: count for name, count in rare.items() if count}

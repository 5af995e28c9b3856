"""Build a report from the state of an evaluation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from valor_core.evaluation.request import Evaluation
from valor_core.evaluation.slices import SliceKey
from valor_core.evaluation.state import EvaluationState
from valor_core.kernels.threads import in_threads
from valor_core.resources.bound import sum_usage, usage_warnings
from valor_core.results.item_tables import ItemTable
from valor_core.results.report import Report, Slice
from valor_core.results.result import Failed, NotRun, Result
from valor_core.schemas.columns import object_column
from valor_core.schemas.datum import Uids
from valor_core.schemas.slice_values import slice_to_json
from valor_core.states.state import State

if TYPE_CHECKING:
    from valor_core.results.item_rows import ItemRows


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
    tables = _item_tables(evaluation, state, states) if items else ()
    slices = _slices(evaluation, state, states)
    all_warnings += _without_rows(evaluation, tables) if evaluation.plan.lists_items else ()
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


def _item_tables(
    evaluation: Evaluation, state: EvaluationState, states: Sequence[Any]
) -> tuple[ItemTable, ...]:
    """Return the rows of metrics, and of those that they read, with values of sliced fields."""
    plan = evaluation.plan
    sliced = _SlicedItems.of(evaluation.slices.fields, state.sliced_uids)
    found = [(metric, plan.item_rows(at, states)) for at, metric in enumerate(plan.metrics)]
    return tuple(
        ItemTable(
            metric.spec.identity,
            metric.result_parameters,
            rows if sliced is None else sliced.added_to(rows),
        )
        for metric, rows in (*found, *plan.source_rows(states))
        if rows is not None
    )


@frozen(eq=False)
class _SlicedItems:
    """Values of the sliced fields of all items, by ascending uid."""

    uids: NDArray[Any]
    values: NDArray[np.object_]

    @classmethod
    def of(
        cls, fields: Sequence[str], uids: Mapping[SliceKey, Sequence[Uids]]
    ) -> _SlicedItems | None:
        if not uids:
            return None
        named = [dict(zip(fields, slice_to_json(key), strict=True)) for key in uids]
        parts = [np.concatenate(each) for each in uids.values()]
        values = np.repeat(object_column(named), [len(part) for part in parts])
        joined = _comparable(np.concatenate(parts))
        order = np.argsort(joined, kind="stable")
        return cls(joined[order], values[order])

    def added_to(self, rows: ItemRows) -> ItemRows:
        """Return rows with the values in the detail ``slices``."""
        from valor_core.results.detail_columns import with_details

        positions = np.searchsorted(self.uids, _comparable(rows.uids))
        columns = {"slices": self.values[positions]}
        return evolve(rows, details=with_details(rows.details, columns, len(rows)))


def _comparable(uids: Uids) -> NDArray[Any]:
    return uids.astype("U") if uids.dtype.kind == "S" else uids


def _without_rows(evaluation: Evaluation, tables: Collection[ItemTable]) -> Iterator[str]:
    """Yield a warning that names the metrics without rows of items."""
    found = {table.metric for table in tables}
    specs = dict.fromkeys(metric.spec for metric in evaluation.plan.metrics)
    reading = {name for name, _ in evaluation.plan.metadata}  # the read rows are in the report
    names = [one.name for one in specs if one.identity not in found and one.name not in reading]
    if names:
        yield f"items: {', '.join(names)} {'has' if len(names) == 1 else 'have'} no rows of items"


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

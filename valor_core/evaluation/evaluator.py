"""Evaluator: metrics over a stream of batches, computed at any time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from copy import deepcopy
from functools import cache, cached_property, partial
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from threading import RLock
from typing import Any, Self

import numpy as np

from valor_core.errors import (
    ConfigError,
    MissingPluginError,
    StateError,
    UnknownNameError,
    did_you_mean,
    found_at,
    shown,
)
from valor_core.evaluation import saved_states
from valor_core.evaluation.bound_metric import BoundMetric, MetricChoice, bind_metrics, task_of
from valor_core.evaluation.engines.interrupts import uninterrupted
from valor_core.evaluation.gathering import Gathering
from valor_core.evaluation.items.item_metric import ItemScores, lacking, why_not_run
from valor_core.evaluation.job import Evaluation
from valor_core.evaluation.options import check_arguments, check_sections
from valor_core.evaluation.plan import Plan
from valor_core.evaluation.resources.bound_resource import bind_resources as bind_resources
from valor_core.evaluation.resources.facts import added_up, warned
from valor_core.evaluation.resources.open_resources import OpenResources, opened
from valor_core.evaluation.slices import SliceKey, Slices
from valor_core.evaluation.tally import Tally
from valor_core.extras import install
from valor_core.filters import Filter
from valor_core.kernels.threads import in_threads
from valor_core.metrics.result import Failed, NotRun, Result
from valor_core.metrics.state import State, find
from valor_core.parameters.environment import fill_in
from valor_core.plugins.registry import Registry
from valor_core.plugins.spec import Spec, TaskSpec
from valor_core.readers.reader import batch_of
from valor_core.report import requirements
from valor_core.report.report import ItemTable, Report
from valor_core.report.requirements import Requirement
from valor_core.report.results import Results
from valor_core.schemas import Batch, is_batch
from valor_core.schemas import label_map as read_label_map
from valor_core.schemas.datum import are_unique

_REQUEST_KEYS = ("task", "metrics", "slices", "filter", "label_map")
_REGISTER = (
    "If code of yours makes the metric, add it to a Registry with its method add, and pass that "
    "one as registry="
)


class Evaluator:
    """Metrics chosen by name, updated batch by batch.

    Parameters
    ----------
    metrics : sequence
        Names, tables of ``name`` and parameters, or specs made by the decorator.
    task : str, optional
        Where bare names are looked up; told from qualified names otherwise.
    slices : sequence of str or of list of str
        Metadata fields, or combinations of them, to report on their own.
    filter : str, optional
        Expression over metadata; only datums that satisfy it take part.
    label_map : mapping or list of pairs, optional
        Renames of labels, applied to both sides before anything is counted.
    require : mapping of str to str
        Thresholds: ``{"Accuracy": ">= 0.9"}``.
    items : bool
        Whether the rows of per-item metrics stand in the report.
    resources : mapping of str to mapping
        Parameters of the resources that metrics ask for.
    registry : Registry, optional
        Where names are looked up; the installed plugins otherwise.
    folder : Path, optional
        What relative paths in `resources` are relative to.
    place : str
        Where all this stands, for errors: ``"config.yaml: "``.

    Examples
    --------
    >>> from valor_core import metric
    >>> from valor_core.schemas.text import Text
    >>> @metric("mylab.ResponseLength", task="text")
    ... def response_length(item) -> float:
    ...     return len(item.response)
    >>> evaluator = Evaluator([response_length])
    >>> evaluator.update([Text("q1", response="Paris"), Text("q2", response="Rom")])
    >>> evaluator.compute()["ResponseLength"].value
    4.0
    """

    def __init__(
        self,
        metrics: Sequence[MetricChoice] | MetricChoice,
        task: str | None = None,
        *,
        slices: Sequence[str | Sequence[str]] = (),
        filter: str | None = None,
        label_map: Mapping[Any, Any] | Sequence[Any] = (),
        require: Mapping[str, str] | None = None,
        items: bool = False,
        resources: Mapping[str, Any] | None = None,
        registry: Registry | None = None,
        folder: Path | None = None,
        place: str = "",
    ) -> None:
        self.registry = Registry() if registry is None else registry
        chosen = check_arguments(
            place,
            metrics=metrics,
            task=task,
            slices=slices,
            filter=filter,
            label_map=label_map,
            require={} if require is None else require,
            items=items,
        )
        task = chosen["task"]
        _check_task(task, self.registry, place)
        bound = bind_metrics(chosen["metrics"], self.registry, task, place, folder)
        self.requirements = _requirements(chosen["require"], bound, place)
        plan = Plan.of(bound, self.registry)
        asking = [(metric.spec, dict(metric.resources)) for metric in plan.taking_part]
        sections = check_sections(resources, self.registry, place)
        asked_for = bind_resources(asking, sections, self.registry, folder, place)
        with found_at(place):
            self.evaluation = Evaluation(
                task_of(bound, task),
                plan,
                Slices(chosen["slices"], place=place),
                None if chosen["filter"] is None else Filter.parse(chosen["filter"]),
                read_label_map(chosen["label_map"]),
                asked_for,
                place,
            )
        self.items = _with_rows(chosen["items"], place)
        self.unsaved: StateError | None = None
        self._tally = Tally()
        self._gathering = Gathering()
        self._begin()

    def _begin(self) -> None:
        """Make what belongs to this one alone: copies have a lock and resources of their own."""
        self._lock = RLock()
        self._exits = ExitStack()
        self._resources: OpenResources | None = None

    def __getstate__(self) -> dict[str, Any]:
        own = ("_lock", "_exits", "_resources")
        kept = {name: value for name, value in vars(self).items() if name not in own}
        with self._lock:
            # Copied at once: what copies or pickles this goes through it without the lock.
            counted = deepcopy((self._tally, self._gathering))
        return kept | dict(zip(("_tally", "_gathering"), counted, strict=True))

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._begin()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the resources that were opened; another update opens them again."""
        with self._lock:
            self._resources = None
            self._exits.close()

    def require(self, conditions: Mapping[str, str]) -> None:
        """Set the thresholds that results must meet, in place of those there were.

        Raises
        ------
        ConfigError
            If a condition is not a comparison with a number, or names no chosen metric.
        """
        chosen = check_arguments(require=conditions)
        self.requirements = _requirements(chosen["require"], self.evaluation.plan.metrics)

    @property
    def counted_so_far(self) -> int:
        """Datums counted so far, told without waiting for those who count."""
        return self._tally.read

    @property
    def tally(self) -> Tally:
        """Everything counted so far."""
        with self._lock:
            self._count_gathered()
        return self._tally

    def _batch_of(self, items: Any) -> Batch:
        task = self.evaluation.task
        arrays = self.registry.find(TaskSpec, task).arrays
        return batch_of(items, self.registry.batch_class(task), arrays)

    def update(self, data: Batch | Iterable[Any]) -> None:
        """Count a batch, or some of the task's objects; from any thread.

        Thin batches are copied and counted together, at the latest when the evaluator is asked
        for what it counted.

        Raises
        ------
        SchemaError
            If the data do not follow the task's schema; nothing of them has been counted.
        """
        batch = data if is_batch(data) else self._batch_of(data)
        with self._lock:
            if self._may_wait(batch) and self._gathering.takes(batch):
                if self._gathering.is_full:
                    self._count_gathered()
                return
            self._count_gathered()
            counted = self._counted(batch)
            with uninterrupted():
                self._tally.take(counted)

    def _may_wait(self, batch: Batch) -> bool:
        """Whether nothing that is wrong with a batch would be found only when it is counted."""
        evaluation = self.evaluation
        return (
            batch.task == evaluation.task
            and evaluation.filter is None
            and evaluation.plan.refuses_nothing
        )

    def _count_gathered(self) -> None:
        if self._gathering:
            counted = self._counted(self._gathering.joined())
            if not all(map(are_unique, counted.uids)):
                counted.uids = self._gathering.uids()
            with uninterrupted():
                self._tally.take(counted)
                self._gathering.clear()

    def _counted(self, batch: Batch) -> Tally:
        """What a batch counts by itself, in arrays of its own."""
        if self._resources is None:
            self._resources = self._exits.enter_context(opened(self.evaluation.resources))
        counted = Tally()
        start = self._tally.read + self._tally.skipped
        if batch.datums.numbered and (start or not batch.datums.from_zero):
            batch = batch.renumber(start)
        self.evaluation.update(counted, batch, self._resources)
        counted.outside = counted.read + counted.skipped
        counted.facts.update(self._resources.facts())
        self.evaluation.slices.check({*self._tally.states, *counted.states})
        for states in counted.states.values():
            self.evaluation.plan.detach(states)
        # Uids are columns of the batch too, and a loader may write the next ones over them.
        counted.uids = [uids.copy() for uids in counted.uids]
        return counted

    def merge(self, other: Evaluator) -> None:
        """Count what another evaluator of the same metrics counted.

        Items without uids are numbered by each evaluator from 0, so that metrics which name items
        cannot tell them apart; give uids where that matters.

        Raises
        ------
        StateError
            If it is no evaluator, was made by another request, or is this one.
        ConfigError
            If both together have too many slices.
        """
        if not isinstance(other, Evaluator):
            raise StateError(f"merge: expected another evaluator, got {shown(other)}")
        if other is self:
            raise StateError("merge: expected another evaluator, got the same one")
        self.evaluation.check_same(other.evaluation.identity(), "merge")
        with ExitStack() as held:
            # In one order, so that two which are merged into each other do not wait without end.
            for one in sorted((self, other), key=id):
                held.enter_context(one._lock)
            self.evaluation.slices.check({*self.tally.states, *other.tally.states})
            with uninterrupted():
                self._tally.merge(other.tally, self.evaluation.plan)

    def compute(self, config: Mapping[str, Any] | None = None) -> Report:
        """The report of everything counted so far; counting may go on.

        Parameters
        ----------
        config : mapping, optional
            The resolved config to record; the evaluator's own request otherwise.

        Raises
        ------
        SchemaError
            If an item was counted twice.
        ConfigError
            If no item has a metadata field that the request slices or filters by.
        """
        with self._lock:
            plan, tally = self.evaluation.plan, self.tally
            tally.check_uids()
            self.evaluation.check_filter(tally)
            states = tally.merged(list(tally.states), plan)
            results = self.evaluation.compute(states)
            return Report(
                results=results,
                slices=self._slices(tally, states),
                items=tuple(self._item_tables(states)) if self.items else (),
                config=self.evaluation.describe() if config is None else config,
                versions=self.versions(),
                counts=_counts(tally, states),
                warnings=tuple(self._warnings(tally, states, results)),
                not_found=tuple(self.evaluation.strange_slices(tally)),
                stopped=tally.stopped or tally.still_to_count or why_not_run(states),
                interrupted=tally.interrupted,
                facts=added_up(facts for _, facts in tally.facts.values()),
            ).judged(self.requirements)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything counted so far to a file, to go on or to merge later."""
        with self._lock:
            saved_states.save_tally(path, self.evaluation, self.tally, self.versions())

    def resume(self, path: str | os.PathLike[str]) -> None:
        """Count what is in a file that `save` wrote for the same request.

        Raises
        ------
        StateError
            If it was made by another request, other versions of its metrics, or is damaged.
        ConfigError
            If both together have too many slices.
        """
        saved = saved_states.load_tally(path, self.evaluation)
        with self._lock:
            self.evaluation.slices.check({*self.tally.states, *saved.states})
            with uninterrupted():
                self._tally.take(saved)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        registry: Registry | None = None,
        *,
        items: bool = False,
        require: Mapping[str, str] | None = None,
    ) -> Evaluator:
        """An evaluator made anew from a file that `save` wrote.

        Parameters
        ----------
        path : path
            The file.
        registry, items, require : optional
            As in `Evaluator`; what to report is no part of a state.

        Raises
        ------
        StateError
            If the file is not a saved state or is damaged, or metrics have other versions now.
        UnknownNameError
            If a metric of it is not known, such as one made by the decorator.
        """
        request = fill_in(saved_states.read_header(path)["request"], f"{path}: ")
        resources = {key: value for key, value in request.items() if key not in _REQUEST_KEYS}
        try:
            evaluator = cls(
                request["metrics"],
                request["task"],
                slices=request.get("slices", ()),
                filter=request.get("filter"),
                label_map=request.get("label_map", ()),
                require=require,
                items=items,
                resources=resources,
                registry=registry,
                place=f"{path}: ",
            )
        except MissingPluginError:
            raise
        except UnknownNameError as error:
            raise UnknownNameError(error.message, _REGISTER) from error
        evaluator.resume(path)
        return evaluator

    def versions(self) -> dict[str, str]:
        """Versions of the distributions that take part."""
        return dict(self._versions)

    @cached_property
    def _versions(self) -> dict[str, str]:
        specs: list[Spec] = [metric.spec for metric in self.evaluation.plan.taking_part]
        for resource in self.evaluation.resources:
            specs += resource.specs
        found = dict(self.registry.distribution(spec) for spec in specs)
        found.pop("in process", None)
        found["valor-core"] = _own_version()
        return dict(sorted(found.items())) | {"numpy": np.__version__}

    def _slices(self, tally: Tally, whole: Sequence[Any]) -> list[Results]:
        """Slices by the same fields share no state, so they are computed side by side."""
        results: list[Results] = []
        groups = self.evaluation.slices.groups(tally.states)
        for _, disjoint in groupby(groups, key=lambda group: tuple(group[0])):
            results += in_threads(
                [partial(self._slice, tally, whole, *group) for group in disjoint]
            )
        return results

    def _slice(
        self, tally: Tally, whole: Sequence[Any], where: Mapping[str, Any], keys: list[SliceKey]
    ) -> Results:
        plan = self.evaluation.plan
        states = plan.within(tally.merged(keys, plan), whole)
        return Results(self.evaluation.compute(states)).in_slice(where)

    def _item_tables(self, states: Sequence[Any]) -> Iterable[ItemTable]:
        plan = self.evaluation.plan
        for metric in plan.metrics:
            if not metric.spec.per_item:
                continue
            own = metric.item_metric()
            place = find(plan.requests, own.needs()[0])
            state = None if place is None else states[place]
            if isinstance(state, ItemScores):
                yield ItemTable(metric.spec.identity, own.parameters, state.rows.sorted())

    def _warnings(
        self, tally: Tally, states: Sequence[Any], results: Iterable[Result]
    ) -> Iterable[str]:
        if self.unsaved is not None:
            yield self.unsaved.one_line
        yield from tally.warnings()
        yield from self.evaluation.idle_renames(tally)
        yield from warned(facts for _, facts in tally.facts.values())
        told = [state.warnings() for state in states if isinstance(state, State)]
        told += [result.warnings for result in results]
        yield from dict.fromkeys(warning for warnings in told for warning in warnings)


def _check_task(task: str | None, registry: Registry, place: str) -> None:
    """A misspelt task is named as such; a plugin may have one that nobody declares."""
    if task is None or registry.knows_task(task) or task in registry.namespaces:
        return
    tasks = [spec.short_name for spec in registry.all(TaskSpec)]
    remedy = did_you_mean(task, tasks)
    if remedy is not None:
        raise ConfigError(f"{place}task: expected one of {', '.join(tasks)}, got {task!r}", remedy)


def _with_rows(items: bool | Path, place: str) -> bool:
    if isinstance(items, Path):
        raise ConfigError(
            f"{place}items must be true or false, got {shown(str(items))}",
            "Only a config has rows written to a file.",
        )
    return items


def _requirements(
    conditions: Mapping[str, str] | None, metrics: Iterable[BoundMetric], place: str = ""
) -> tuple[Requirement, ...]:
    aliases = {metric.spec.name: metric.spec.aliases for metric in metrics}
    with found_at(place):
        return requirements.parse_requirements(conditions or {}, aliases)


@cache
def _own_version() -> str:
    try:
        return version("valor-core")
    except PackageNotFoundError as error:
        raise StateError(
            "valor-core: its distribution is not installed",
            f"Install it with: {install('-e', '.')}",
        ) from error


def _counts(tally: Tally, states: Sequence[Any]) -> dict[str, int]:
    """Datums of each fate; a fate that few runs have is told where there is one."""
    counts = {"read": tally.read, "skipped": tally.skipped, "failed": lacking(states, Failed)}
    rare = {"not_run": lacking(states, NotRun), "missing_partitions": len(tally.missing)}
    return counts | {name: count for name, count in rare.items() if count}

"""Evaluator, which counts a stream of batches and computes metrics at any time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from copy import deepcopy
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import IO, Any, Self

import numpy as np
from attrs import evolve

from valor_core.cancellation import defer_signals
from valor_core.errors import (
    AmbiguousNameError,
    MissingPluginError,
    RegistryError,
    StateError,
    UnknownNameError,
    and_more,
    error_at,
    short_repr,
)
from valor_core.evaluation.batch_buffer import BatchBuffer
from valor_core.evaluation.bound_metric import MetricChoice
from valor_core.evaluation.build_report import make_report
from valor_core.evaluation.options import EvaluationOptions, check_arguments, check_no_others
from valor_core.evaluation.request import Evaluation, choices_of
from valor_core.evaluation.slices import SliceChoice
from valor_core.evaluation.state import EvaluationState
from valor_core.packages import unmet_core, version_of
from valor_core.parameters.environment import fill_in
from valor_core.readers.reader import Reader, batch_of
from valor_core.readers.resolve import reader_of, resolve_data
from valor_core.resources.opening import OpenResources, opened
from valor_core.results.report import Report, Requirement
from valor_core.schemas import Batch
from valor_core.schemas.datum import are_unique
from valor_core.specs.extensions import REQUIREMENTS, required
from valor_core.specs.registry import Registry
from valor_core.specs.spec import Spec

_MOST_NAMES = 6
_REGISTER = (
    "If your code defines the metric, add it to a Registry with registry.add(metric), and pass "
    "registry=registry"
)


class Evaluator:
    """Metrics chosen by name, updated batch by batch.

    Parameters
    ----------
    metrics : sequence
        Names, tables of ``name`` and parameters, or specs made by the decorator.
    task : str, optional
        Task used to resolve short names. Inferred from full names or the first data by default.
    slices : sequence of str, of mapping or of list of these, or mapping
        Metadata fields, ranges of numeric fields, or combinations to report separately; or a table
        of these as ``by`` and further options. Tables need ``valor-intervals``.
    weights : str, optional
        Metadata field with the weight of each item, a number of 0 or more.
    confidence : float or mapping, optional
        Level of intervals of all results, or a table of ``level``, ``groups``, ``seed`` and
        ``cluster_by``. Needs ``valor-intervals``.
    filter : str, optional
        Expression over metadata. Only datums that satisfy it are counted.
    label_map : mapping or list of pairs, optional
        New names of labels, applied to both sides before counting.
    require : mapping of str to str or mapping
        Thresholds: ``{"Accuracy": ">= 0.9"}``, or ``{"Accuracy": {"not_worse_than": "old.json"}}``.
    items : bool
        Whether the report includes the rows of per-item metrics.
    resources : mapping of str to mapping
        Parameters of the resources that metrics use.
    registry : Registry, optional
        Registry used to resolve names. Defaults to the installed plugins.
    folder : Path, optional
        Base folder of relative paths in `resources`.
    place : str
        Prefix of errors, such as ``"config.yaml: "``.

    Examples
    --------
    >>> from valor_core import metric
    >>> from valor_core.schemas.text.batch import Text
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
        slices: Sequence[SliceChoice] | Mapping[str, Any] = (),
        weights: str | None = None,
        confidence: float | Mapping[str, Any] | None = None,
        filter: str | None = None,
        label_map: Mapping[Any, Any] | Sequence[Any] = (),
        require: Mapping[str, Any] | None = None,
        items: bool = False,
        resources: Mapping[str, Any] | None = None,
        registry: Registry | None = None,
        folder: Path | None = None,
        place: str = "",
        **others: Any,
    ) -> None:
        options = check_arguments(
            place,
            metrics=metrics,
            task=task,
            slices=slices,
            weights=weights,
            confidence=confidence,
            filter=filter,
            label_map=label_map,
            require={} if require is None else require,
            items=items,
        )
        registry = Registry() if registry is None else registry
        if others:
            check_no_others("Evaluator", others, options.metrics, task, registry)
        self._set_up(options, task, resources, registry, folder, place)

    @classmethod
    def of(
        cls,
        options: EvaluationOptions,
        task: str | None,
        *,
        resources: Mapping[str, Any] | None,
        registry: Registry,
        folder: Path | None = None,
        place: str = "",
    ) -> Self:
        """Create an evaluator from options that are already checked."""
        evaluator = cls.__new__(cls)
        evaluator._set_up(options, task, resources, registry, folder, place)
        return evaluator

    def _set_up(
        self,
        options: EvaluationOptions,
        task: str | None,
        resources: Mapping[str, Any] | None,
        registry: Registry,
        folder: Path | None,
        place: str,
    ) -> None:
        self.registry = registry
        self.items = bool(options.items)
        self.requirements: tuple[Requirement, ...] = ()
        self._conditions = options.require
        self._options = options
        self._where = (resources, folder, place)
        self._evaluation: Evaluation | None = None
        try:
            self._bind(task)
        except AmbiguousNameError as error:
            if task is not None:
                raise
            self._ambiguous = error  # the first data determines the task
        self.unsaved: StateError | None = None
        self._state = EvaluationState()
        self._buffer = BatchBuffer()
        self._reset_resources()

    def _bind(self, task: str | None) -> None:
        """Resolve the metrics for a task."""
        resources, folder, place = self._where
        evaluation = Evaluation.of(self._options, task, resources, self.registry, folder, place)
        with error_at(place):
            self.requirements = _requirements(self._conditions, evaluation, folder)
        self._evaluation = evaluation

    @property
    def evaluation(self) -> Evaluation:
        """Resolved metrics and options.

        Raises
        ------
        AmbiguousNameError
            If the task cannot be inferred yet from a metric or data.
        """
        if self._evaluation is None:
            raise AmbiguousNameError(self._ambiguous.message, self._ambiguous.remedy)
        return self._evaluation

    def decide_slices(self, reader: Reader) -> None:
        """Read the data for slices that depend on all of it, such as quantiles."""
        evaluation = self.evaluation
        slices = evaluation.slices.decided(evaluation, reader)
        self._evaluation = evolve(evaluation, slices=slices)

    def __repr__(self) -> str:
        names = [
            choice if isinstance(choice, str) else getattr(choice, "name", None) or choice["name"]
            for choice in self._options.metrics
        ]
        of_task = ""
        if self._evaluation is not None:
            names = [metric.spec.short_name for metric in self._evaluation.plan.metrics]
            of_task = f" of {self._evaluation.task}"
        count = len(names)
        listed = ", ".join(map(str, names[:_MOST_NAMES])) + and_more(count - _MOST_NAMES)
        items = self._state.read + self._buffer.items
        return (
            f"<Evaluator of {count} metric{'' if count == 1 else 's'}{of_task}: {listed}; "
            f"{items:,} item{'' if items == 1 else 's'} counted>"
        )

    def _reset_resources(self) -> None:
        """Create the lock and resources, which copies do not share."""
        self._lock = RLock()
        self._exits = ExitStack()
        self._resources: OpenResources | None = None

    def __getstate__(self) -> dict[str, Any]:
        unshared = ("_lock", "_exits", "_resources")
        kept = {name: value for name, value in vars(self).items() if name not in unshared}
        with self._lock:
            # Copy under the lock: pickle reads the values after it is released.
            counted = deepcopy((self._state, self._buffer))
        return kept | dict(zip(("_state", "_buffer"), counted, strict=True))

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._reset_resources()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the resources. The next update opens them again."""
        with self._lock:
            self._resources = None
            self._exits.close()

    def require(self, conditions: Mapping[str, Any]) -> None:
        """Replace the thresholds that results must meet.

        Raises
        ------
        ConfigError
            If a condition is not a comparison with a number, or names a metric that is not chosen.
        """
        self._conditions = check_arguments(
            metrics=self._options.metrics, require=conditions
        ).require
        self.requirements = _requirements(self._conditions, self.evaluation, self._where[1])

    @property
    def counted_so_far(self) -> int:
        """Number of datums counted so far, without waiting for the lock."""
        return self._state.read

    @property
    def state(self) -> EvaluationState:
        """Everything counted so far."""
        with self._lock:
            if self._buffer.waiting:
                self._count_buffer()
        return self._state

    def update(self, data: Any, predictions: Any = None, **others: Any) -> None:
        """Count a batch, objects of the task, or other data. Thread-safe.

        Small batches are copied into a buffer and counted together, at the latest when the counts
        are read.

        Parameters
        ----------
        data : batch, iterable of objects, table or mapping
            Data as for `evaluate`, or the ground truths.
        predictions : array-like, sequence or table, optional
            Predictions, if `data` has the ground truths.

        Raises
        ------
        SchemaError
            If the data is invalid. Nothing of it is counted.
        ConfigError
            If there are unknown arguments.
        """
        if others:
            task = None if self._evaluation is None else self._evaluation.task
            check_no_others("update", others, self._options.metrics, task, self.registry)
        is_ready = isinstance(data, Batch) and predictions is None
        if not is_ready or self._evaluation is None:
            for batch in self._batches_of(data, predictions):
                self._count(batch)
        else:
            self._count(data)

    def _batches_of(self, data: Any, predictions: Any) -> tuple[Batch, ...]:
        """Convert data to batches, and infer the task if it is not determined yet."""
        current = None if self._evaluation is None else self._evaluation.task
        resolved = resolve_data(data, predictions, self.registry, current, self._options.metrics)
        with self._lock:
            if self._evaluation is None and resolved.task is not None:
                self._bind(resolved.task)
        task = self.evaluation.task
        if isinstance(resolved.data, (Batch, Mapping)):
            reader = reader_of(resolved.data, task, self.registry)
            return tuple(batch for part in reader.partitions() for batch in reader.read(part))
        make, remedy = self.registry.batch_maker(task), self.registry.arrays_remedy(task)
        return (batch_of(resolved.data, make, remedy),)

    def _count(self, batch: Batch) -> None:
        with self._lock:
            if self._buffer.try_add(batch, self.evaluation):
                if self._buffer.is_full:
                    self._count_buffer()
                return
            self._count_buffer()
            # Count into a new state first, so that an error leaves the totals unchanged.
            counted = self._counted(batch)
            with defer_signals():
                self._state.absorb(counted)

    def reset(self) -> None:
        """Discard all counts, and keep the options and opened resources.

        Examples
        --------
        >>> from valor_core import metric
        >>> from valor_core.schemas.text.batch import Text
        >>> @metric("mylab.Words", task="text")
        ... def words(item) -> float:
        ...     return len(item.response.split())
        >>> evaluator = Evaluator([words])
        >>> evaluator.update([Text("q1", response="Paris")])
        >>> evaluator
        <Evaluator of 1 metric of text: Words; 1 item counted>
        >>> evaluator.reset()
        >>> evaluator
        <Evaluator of 1 metric of text: Words; 0 items counted>
        """
        with self._lock, defer_signals():
            self._state = EvaluationState()
            self._buffer = BatchBuffer()
            self.unsaved = None

    def _count_buffer(self) -> None:
        if self._buffer:
            counted = self._counted(self._buffer.joined())
            if not all(map(are_unique, counted.uids)):
                counted.uids = self._buffer.uids()
            with defer_signals():
                self._state.absorb(counted)
                self._buffer.clear()

    def _counted(self, batch: Batch) -> EvaluationState:
        """Count a batch into a new state that shares no array with it."""
        if self._resources is None:
            self._resources = self._exits.enter_context(opened(self.evaluation.resources))
        counted = EvaluationState()
        sides = self._state.label_sides
        if not self.evaluation.label_map and sides.covers(batch.labels):
            counted.label_sides = sides  # the batch has no new labels
        start = self._state.read + self._state.skipped
        if batch.datums.numbered and (start or not batch.datums.from_zero):
            batch = batch.renumber(start)
        self.evaluation.update(counted, batch, self._resources)
        counted.outside = counted.read + counted.skipped
        counted.facts.update(self._resources.facts())
        self.evaluation.slices.check({*self._state.states, *counted.states})
        for states in counted.states.values():
            self.evaluation.plan.detach(states)
        # Uids are columns of the batch, and a data loader may reuse their memory.
        counted.uids = [uids.copy() for uids in counted.uids]
        return counted

    def merge(self, other: Evaluator) -> None:
        """Add the counts of another evaluator of the same metrics.

        Both evaluators number items without uids from 0, so metrics that name items repeat these
        numbers. Pass uids to avoid this.

        Raises
        ------
        StateError
            If `other` is not an evaluator, has another request, or is this evaluator.
        ConfigError
            If both have too many slices together.
        """
        if not isinstance(other, Evaluator):
            raise StateError(f"merge: expected another evaluator, got {short_repr(other)}")
        if other is self:
            raise StateError("merge: expected another evaluator, got the same one")
        self.evaluation.check_same(other.evaluation.identity(), "merge")
        with ExitStack() as held:
            # A fixed order of locks avoids a deadlock if two evaluators merge each other.
            for one in sorted((self, other), key=id):
                held.enter_context(one._lock)
            self.evaluation.slices.check({*self.state.states, *other.state.states})
            with defer_signals():
                self._state.merge(other.state, self.evaluation.plan)

    def compute(self, config: Mapping[str, Any] | None = None) -> Report:
        """Compute the report of everything counted so far. Counting may continue.

        Parameters
        ----------
        config : mapping, optional
            Config to record in the report. Defaults to the evaluator's request.

        Raises
        ------
        StateError
            If there is no data yet and the metrics exist for several tasks.
        SchemaError
            If an item was counted twice.
        ConfigError
            If no item has a metadata field of the filter.
        """
        with self._lock:
            if self._evaluation is None and not self._buffer:
                raise StateError("compute: expected data, got none yet", "Call update first.")
            return make_report(
                self.evaluation,
                self.state,
                items=self.items,
                config=self.evaluation.describe() if config is None else config,
                versions=self.versions,
                warnings=[one.one_line for one in (self.unsaved, *self._unmet) if one is not None],
            ).judged(self.requirements)

    def save(self, path: str | os.PathLike[str] | IO[bytes]) -> None:
        """Save all counts to a path or an open binary file, to resume or merge later."""
        from valor_core.evaluation import saved as saved_states

        with self._lock:
            saved_states.save_state(path, self.evaluation, self.state, self.versions)

    def dumps(self) -> bytes:
        """Return all counts as bytes, in the format of `save`, for `loads` in another process."""
        from valor_core.evaluation import saved as saved_states

        with self._lock:
            return saved_states.state_content(self.evaluation, self.state, self.versions)

    def sync(self, gather: Callable[[bytes], Iterable[bytes]]) -> Evaluator:
        """Return an evaluator with the counts of all processes.

        Every process has its own evaluator of the same metrics and calls this method. The results
        are bit-identical to those of one process with all data.

        Parameters
        ----------
        gather : callable
            Collective operation that sends the counts of this process to all others and returns
            those of all, such as ``valor_hosts.gather`` for torch, or ``comm.allgather`` of
            mpi4py.

        Examples
        --------
        >>> from valor_core import Text, metric
        >>> @metric("mylab.Length", task="text", higher_is_better=None)
        ... def length(item) -> float:
        ...     return len(item.response)
        >>> ranks = [Evaluator([length]), Evaluator([length])]
        >>> for evaluator, response in zip(ranks, ["Paris", "Rom"]):
        ...     evaluator.update([Text(response, response=response)])
        >>> synced = ranks[0].sync(lambda content: [content, ranks[1].dumps()])
        >>> synced.compute()["Length"].value
        4.0
        """
        resources, folder, place = self._where
        task = self.evaluation.task
        synced = Evaluator.of(
            self._options,
            task,
            resources=resources,
            registry=self.registry,
            folder=folder,
            place=place,
        )
        for content in gather(self.dumps()):
            synced.resume(content)
        return synced

    def resume(self, path: str | os.PathLike[str] | IO[bytes] | bytes) -> None:
        """Add the counts of a file that `save` wrote, or of `dumps`, for the same request.

        Raises
        ------
        StateError
            If the file has another request or other metric versions, or is damaged.
        ConfigError
            If both have too many slices together.
        """
        from valor_core.evaluation import saved as saved_states

        saved = saved_states.load_state(path, self.evaluation)
        with self._lock:
            self.evaluation.slices.check({*self.state.states, *saved.states})
            with defer_signals():
                self._state.absorb(saved)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str] | IO[bytes] | bytes,
        registry: Registry | None = None,
        *,
        items: bool = False,
        require: Mapping[str, Any] | None = None,
    ) -> Evaluator:
        """Create an evaluator from a file that `save` wrote, or from the bytes of `dumps`.

        Parameters
        ----------
        path : path, binary file or bytes
            File with the state, or its content.
        registry, items, require : optional
            As in `Evaluator`. Not part of a saved state.

        Raises
        ------
        StateError
            If the file is not a saved state, is damaged, or has other metric versions.
        UnknownNameError
            If a metric is not registered, for example one made by the decorator.
        """
        from valor_core.evaluation import saved as saved_states

        place = f"{saved_states.called_source(path)}: "
        request = fill_in(saved_states.read_header(path)["request"], place)
        choices = choices_of(request)
        try:
            evaluator = cls(**choices, require=require, items=items, registry=registry, place=place)
        except MissingPluginError:
            raise
        except UnknownNameError as error:
            raise UnknownNameError(error.message, _REGISTER) from error
        evaluator.resume(path)
        return evaluator

    loads = load

    @cached_property
    def _unmet(self) -> list[RegistryError | None]:
        """Errors of distributions that require another version of valor-core."""
        return list(map(unmet_core, self.versions))

    @cached_property
    def versions(self) -> Mapping[str, str]:
        """Versions of the distributions that provide the metrics and resources."""
        specs: list[Spec] = [metric.spec for metric in self.evaluation.plan.taking_part]
        for resource in self.evaluation.resources:
            specs += resource.specs
        declared = map(self.registry.distribution, specs)
        found = {name: version for name, version in declared if version_of(name) is not None}
        found["valor-core"] = version_of("valor-core") or "not installed"
        return dict(sorted(found.items())) | {"numpy": np.__version__}


def _requirements(
    conditions: Mapping[str, Any], evaluation: Evaluation, folder: Path | None
) -> tuple[Requirement, ...]:
    if not conditions:
        return ()
    parse = required(REQUIREMENTS, "parse", "require: thresholds")
    aliases: dict[str, tuple[str, ...]] = {}
    for metric in evaluation.plan.metrics:
        asked = () if metric.asked is None else (metric.asked,)
        known = aliases.get(metric.spec.name, metric.spec.aliases)
        aliases[metric.spec.name] = (*known, *asked)
    ranges = {metric.spec.name: metric.spec.range for metric in evaluation.plan.metrics}
    grouping = evaluation.slices.grouping
    confidence = None if grouping is None else grouping.describe()
    parsed: tuple[Requirement, ...] = parse(conditions, aliases, ranges, folder, confidence)
    return parsed

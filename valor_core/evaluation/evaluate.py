"""Evaluate: from data and chosen metrics to a report, in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import closing
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, TypedDict, Unpack, overload

from attrs import define, evolve, field

from valor_core.cancellation import STOPPED_BY_USER, Control, LocalControl, defer_signals
from valor_core.errors import (
    ConfigError,
    EngineError,
    ForeignStateError,
    RunInterrupted,
    StateError,
    ValorError,
    and_more,
)
from valor_core.evaluation.bound_metric import MetricChoice
from valor_core.evaluation.engines.engine import Engine, PartitionTask
from valor_core.evaluation.engines.engine import engine as make_engine
from valor_core.evaluation.evaluator import Evaluator
from valor_core.evaluation.options import EvaluationOptions, check_arguments, check_no_others
from valor_core.evaluation.state import EvaluationState
from valor_core.readers.partition import Partition, identity, name_in
from valor_core.readers.reader import InMemory, Reader
from valor_core.readers.resolve import reader_of, resolve_data
from valor_core.resources.journal import Journal, beside
from valor_core.results.report import Report
from valor_core.specs.extensions import GALLERIES, required
from valor_core.specs.lookup import has_all
from valor_core.specs.registry import Registry
from valor_core.specs.spec import MetricSpec, TaskSpec

Progress = Callable[[int, int, int], None]
"""Called with finished partitions, all partitions, and the items counted so far.

While metrics wait, it is called for the items that they have scored too, on any thread.
"""

_SAVE_EVERY = 30.0  # seconds between two times that a state is saved while the run goes on

_ANOTHER_STATE = "Name another state file, or remove this one."


class EvaluateOptions(TypedDict, total=False):
    """Keyword arguments of `evaluate`, for type checkers."""

    slices: Sequence[str | Sequence[str]]
    filter: str | None
    label_map: Mapping[Any, Any] | Sequence[Any]
    require: Mapping[str, str] | None
    items: bool
    resources: Mapping[str, Any] | None
    engine: str | Mapping[str, Any] | None
    progress: Progress | None
    state: str | os.PathLike[str] | None
    gallery: str | os.PathLike[str] | Mapping[str, Any] | None
    registry: Registry | None


@overload
def evaluate(
    data: Any,
    metrics: Sequence[MetricChoice] | MetricChoice,
    task: str | None = None,
    **options: Unpack[EvaluateOptions],
) -> Report: ...
@overload
def evaluate(
    groundtruths: Any,
    predictions: Any,
    /,
    metrics: Sequence[MetricChoice] | MetricChoice,
    task: str | None = None,
    **options: Unpack[EvaluateOptions],
) -> Report: ...
def evaluate(
    data: Any,
    *given: Any,
    metrics: Sequence[MetricChoice] | MetricChoice | None = None,
    task: str | None = None,
    slices: Sequence[str | Sequence[str]] = (),
    filter: str | None = None,
    label_map: Mapping[Any, Any] | Sequence[Any] = (),
    require: Mapping[str, str] | None = None,
    items: bool = False,
    resources: Mapping[str, Any] | None = None,
    engine: str | Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    state: str | os.PathLike[str] | None = None,
    gallery: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    registry: Registry | None = None,
    **others: Any,
) -> Report:
    """Report of some metrics over some data.

    It is called ``evaluate(data, metrics)``, or ``evaluate(groundtruths, predictions, metrics)``.

    Parameters
    ----------
    data : batch, sequence of batches or of objects, reader, table, path or mapping
        What to evaluate. The file of a path is recognized as on the command line. A table is a
        pandas or polars data frame, an Arrow table, a Hugging Face data set, a mapping of columns
        or a list of mappings; its column names decide on the reader. A mapping with the name of a
        ``reader`` and its parameters is as in a config.
    groundtruths, predictions : array-like, sequence or table
        In place of `data`, its two sides: true labels and predicted labels or scores of labels;
        true and predicted label images; objects of images as torchvision or supervision have
        them; references and responses; two tables; or the paths of two files.
    metrics : sequence
        Names, tables of ``name`` and parameters, or specs made by the decorator.
    task : str, optional
        Where bare names are looked up; told from the data or from the metrics otherwise.
    slices, filter, label_map, require, items, resources : optional
        As in `Evaluator`.
    engine : str or mapping, optional
        Name of the engine, or a table of ``name`` and its parameters; serial without it.
    progress : callable, optional
        Called with the progress of the work.
    state : path, optional
        Where the counts are saved, also when the run is stopped; if the file is there, the run
        resumes from it.
    gallery : path or mapping, optional
        Folder for pictures of the worst items, or a table of ``folder`` and what the gallery of
        the task takes.
    registry : Registry, optional
        Where names are looked up.

    Raises
    ------
    RunInterrupted
        If the user stops it; has the `report` of what was finished.
    ValorError
        Of the class that says what is wrong: the data, a name, a parameter, an engine.

    Examples
    --------
    >>> from valor_core import metric
    >>> from valor_core.schemas.text.batch import Text
    >>> @metric("mylab.Length", task="text", higher_is_better=None)
    ... def length(item) -> float:
    ...     return len(item.response)
    >>> evaluate([Text("q1", response="Paris")], [length])["Length"].value
    5.0
    >>> evaluate([{"response": "Paris"}, {"response": "Rom"}], [length])["Length"].value
    4.0
    """
    registry = Registry() if registry is None else registry
    predictions, metrics, task = _arguments(data, given, metrics, task, registry)
    options = check_arguments(
        metrics=metrics,
        task=task,
        slices=slices,
        filter=filter,
        label_map=label_map,
        require={} if require is None else require,
        items=items,
        engine=engine,
        state=_plain_path(state),
    )
    if others:
        _check_no_others(others, data, predictions, options, registry)
    resolved = resolve_data(data, predictions, registry, task, options.metrics)
    with Evaluator.of(options, resolved.task, resources=resources, registry=registry) as evaluator:
        task = evaluator.evaluation.task
        reader = reader_of(resolved.data, task, registry)
        section = None if gallery is None else _section(gallery)
        planned = section and _planned(section, evaluator)
        run(evaluator, reader, engine=options.engine, progress=progress, state=options.state)
        report = evaluator.compute()
        if report.interrupted:
            raise interrupted(report, state)
        if planned:
            planned.draw(evaluator.evaluation, reader, report.items)
            report = evolve(report, config={**report.config, "gallery": section})
            report = report if items else evolve(report, items=())
        return report


def _check_no_others(
    others: Mapping[str, Any],
    data: Any,
    predictions: Any,
    options: EvaluationOptions,
    registry: Registry,
) -> None:
    task, metrics = options.task, options.metrics
    try:
        task = resolve_data(data, predictions, registry, task, metrics).task
    except ValorError:  # an argument such as `labels` may be there to help
        serving = [
            spec.short_name
            for spec in registry.all(TaskSpec)
            if has_all(registry, spec.short_name, metrics)
        ]
        task = task or (serving[0] if len(serving) == 1 else None)
    check_no_others("evaluate", others, metrics, task, registry)


def _arguments(
    data: Any, given: Sequence[Any], metrics: Any, task: str | None, registry: Registry
) -> tuple[Any, Any, str | None]:
    """Predictions, metrics and task of a call, from the arguments after the first."""
    own = list(given)
    if metrics is None and own:
        if task is None and (len(own) == 3 or (len(own) == 2 and _is_task(own[1], registry))):
            task = own.pop()
        if not _are_predictions(own[-1], data, registry):
            metrics = own.pop()
    if metrics is None or len(own) > 1:
        sides = "y_true, y_pred" if own else "data"
        raise ConfigError(
            "evaluate: expected metrics, got none"
            if metrics is None
            else "evaluate: expected data and metrics, or ground truths, predictions and metrics",
            f"Write it as: evaluate({sides}, ['F1'])",
        )
    return own[0] if own else None, metrics, task


def _are_predictions(given: Any, data: Any, registry: Registry) -> bool:
    """Whether what may be metrics are predictions for the data, without metrics after them."""
    if isinstance(given, (str, Mapping, MetricSpec)) or callable(given):
        return False
    if hasattr(given, "shape") or not isinstance(given, (Sequence, Set)):
        return True
    if not all(isinstance(one, str) for one in given):  # an error of the metrics, or numbers
        return any(isinstance(one, (bool, int, float, list, tuple)) for one in given)
    if not isinstance(data, (list, tuple)) or len(given) != len(data) or not len(given):
        return False
    tasks = [spec.short_name for spec in registry.all(TaskSpec)]
    return isinstance(data[0], str) and not any(
        has_all(registry, task, [name]) for task in tasks for name in dict.fromkeys(given)
    )


def _is_task(word: Any, registry: Registry) -> bool:
    """Whether what may be a task or the name of a metric is a task, or meant as one."""
    if not isinstance(word, str):
        return word is None
    if registry.knows_task(word):
        return True
    return not any(has_all(registry, one.short_name, [word]) for one in registry.all(TaskSpec))


def _planned(section: Mapping[str, Any], evaluator: Evaluator) -> Any:
    plan = required(GALLERIES, "page", "evaluate: a gallery")
    planned = plan(section, evaluator.evaluation.task, evaluator.registry)
    planned.check(evaluator.evaluation)
    evaluator.items = evaluator.items or planned.shows is not None
    return planned


def interrupted(report: Report, state: str | os.PathLike[str] | None) -> RunInterrupted:
    """What is raised where the user stopped a run, with the report of what was finished."""
    remedy = None if state is None else f"Go on with: valor run … --state {os.fspath(state)}"
    error = RunInterrupted(f"run: {report.stopped}", remedy)
    error.report = report
    return error


def _plain_path(path: object) -> object:
    return os.fspath(path) if isinstance(path, os.PathLike) else path


def _section(gallery: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    """A gallery as a config has it."""
    given = gallery if isinstance(gallery, Mapping) else {"folder": gallery}
    return {key: _plain_path(value) for key, value in given.items()}


def run(
    evaluator: Evaluator,
    reader: Reader,
    *,
    engine: str | Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    state: str | os.PathLike[str] | None = None,
    place: str = "",
) -> None:
    """Count all partitions of a reader in an evaluator, on an engine.

    A run that the user stops ends as if it had fewer partitions; its report is marked stopped.

    Parameters
    ----------
    evaluator : Evaluator
        Where they are counted.
    reader : Reader
        Where they come from.
    engine, progress, state : optional
        As in `evaluate`.
    place : str
        Where the engine's section stands, for errors: ``"config.yaml: "``.

    Raises
    ------
    StateError
        If the state file was made by another request or from other data, or its folder is
        missing; before any work is done.
    """
    if state is not None and isinstance(reader, InMemory):
        reader = reader.fingerprinted()
    partitions = list(reader.partitions())
    if state is not None:
        _go_on(evaluator, partitions, Path(state))
    _Run(evaluator, partitions, state, progress).carry_out(
        reader, make_engine(engine, evaluator.registry, place)
    )


@define(repr=False)
class _Run:
    """One run: what was counted for good, and what the same command would count again.

    Partitions in which an item is to be tried again, or a state is broken, take part in the
    report and not in the saved state.
    """

    evaluator: Evaluator
    partitions: Sequence[Partition]
    state: str | os.PathLike[str] | None
    progress: Progress | None
    finished: int = field(default=0, init=False)
    again: EvaluationState = field(factory=EvaluationState, init=False)
    _saved: float = field(factory=monotonic, init=False)
    _cost: float = field(default=0.0, init=False)

    def carry_out(self, reader: Reader, engine: Engine) -> None:
        """Count what has not been counted yet, to the end or until the run is stopped."""
        evaluation, state = self.evaluator.evaluation, self.evaluator.state
        done = set(state.done)
        waiting = [one for one in self.partitions if identity(one) not in done]
        self.finished = len(self.partitions) - len(waiting)
        before, waits = state.read, evaluation.plan.waits
        told = None
        if self.progress is not None and waits:
            told = partial(self._tell_scored, before, waits)
        control = LocalControl(told)
        journal = None if self.state is None else Journal(beside(self.state))
        work = PartitionTask(evaluation, reader, self.evaluator.versions, journal, control)
        try:
            with closing(engine.map(work, waiting)) as parts:  # type: ignore[type-var]
                self._take_all(parts, control)
        except Exception as error:
            kept = self._kept()
            if kept and isinstance(error, ValorError):
                error.add_note(f"What was finished{kept}")
            raise
        finally:
            if journal is not None:
                journal.close()
        if control.stopped is None:
            self._check_complete(waiting)
        self._end(control.stopped)

    def _take_all(self, parts: Iterator[EvaluationState], control: Control) -> None:
        interrupts = 0
        while True:
            try:
                part = next(parts, None)
                if part is None:
                    return
                self._take(part)
            except KeyboardInterrupt:
                # What is under way may end; who cannot wait for that interrupts once more.
                control.stop(STOPPED_BY_USER)
                interrupts += 1
                if interrupts > 1:
                    return

    def _take(self, part: EvaluationState) -> None:
        state = self.evaluator.state
        twice = {*state.done, *self.again.done}.intersection(part.done)
        if twice or len(set(part.done)) < len(part.done):
            name = name_in(min(twice or part.done))
            raise EngineError(f"engine: expected each partition once, {name} was counted twice")
        with defer_signals():
            state.absorb_facts(part)
            (state if part.is_final and not part.missing else self.again).absorb(part)
            self.finished += len(part.done)
        self.evaluator.evaluation.slices.check({**state.states, **self.again.states})
        if self.progress is not None:
            self.progress(self.finished, len(self.partitions), state.read + self.again.read)
        self._save_sometimes()

    def _tell_scored(self, before: int, waits: int, count: int) -> None:
        """Tell of the items in partitions that are not finished."""
        read = max(self.evaluator.counted_so_far, before + count // waits)
        if self.progress is not None:
            self.progress(self.finished, len(self.partitions), read)

    def _save_sometimes(self) -> None:
        """Save what was counted, so seldom that it costs little."""
        if self.state is not None and monotonic() - self._saved > _SAVE_EVERY + 20 * self._cost:
            started = monotonic()
            with defer_signals():
                self._write()
            self._saved = monotonic()
            self._cost = self._saved - started

    def _check_complete(self, waiting: Sequence[Partition]) -> None:
        """An engine that forgot a partition would give a number of other data."""
        done = {*self.evaluator.state.done, *self.again.done}
        missing = {name_in(name) for name in self.again.missing}
        left = [
            one.name for one in waiting if identity(one) not in done and one.name not in missing
        ]
        if left:
            raise EngineError(
                f"engine: expected a state of each partition, found none of {left[0]}"
                f"{and_more(len(left) - 1)}"
            )

    def _end(self, stopped: str | None) -> None:
        """Save what is final; then let the report have the rest too."""
        state = self.evaluator.state
        try:
            saved = self._kept() if stopped else ""
            if not stopped and self.state is not None:
                self._write()
        except StateError as error:
            # What was counted is worth more than the file: it is reported first.
            self.evaluator.unsaved = error
            saved = ""
        state.unfinished = 0  # of this run, the report itself says all
        if self.again.states or self.again.stopped or self.again.missing:
            with defer_signals():
                state.absorb(self.again)
        if stopped:
            state.interrupted = stopped == STOPPED_BY_USER
            why = "stopped" if state.interrupted else f"{stopped}; stopped"
            state.stopped = (
                f"{why} after {self.finished} of {len(self.partitions)} partitions, "
                f"{state.read:,} items{saved}"
            )

    def _kept(self) -> str:
        if self.state is None:
            return ""
        if self.evaluator.state.done:
            self._write()
            return f", saved in {os.fspath(self.state)}"
        journal = beside(self.state)
        return f", saved in {journal}" if journal.exists() else ""

    def _write(self) -> None:
        assert self.state is not None
        state = self.evaluator.state
        state.unfinished = len(self.partitions) - len(state.done)
        self.evaluator.save(self.state)


def _go_on(evaluator: Evaluator, partitions: Sequence[Partition], state: Path) -> None:
    """Count what a state file has, if it is there and of the same data."""
    if not state.parent.is_dir():
        raise StateError(
            f"{state}: there is no folder {state.parent}",
            f"Create it with: mkdir -p {state.parent}",
        )
    if not state.exists():
        return
    try:
        evaluator.resume(state)
    except ForeignStateError as error:
        raise ForeignStateError(error.message, _ANOTHER_STATE) from error
    if evaluator.state.outside:
        raise StateError(
            f"{state}: made from batches that an Evaluator was updated with, not from these data",
            _ANOTHER_STATE,
        )
    strange = set(evaluator.state.done) - set(map(identity, partitions))
    if strange:
        name = name_in(min(strange))
        changed = {name_in(identity(one)): one.name for one in partitions}.get(name)
        found = f"{changed} has changed since" if changed else f"{name} is not among these"
        raise StateError(
            f"{state}: made from other data or before they changed, {found}"
            f"{and_more(len(strange) - 1)}",
            _ANOTHER_STATE,
        )

"""Evaluate data with metrics and return a report."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import closing, suppress
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
    ReportError,
    RunInterrupted,
    StateError,
    ValorError,
    ValorWarning,
    and_more,
)
from valor_core.evaluation.bound_metric import MetricChoice
from valor_core.evaluation.engines.engine import Engine, PartitionTask, is_engine
from valor_core.evaluation.engines.engine import engine as make_engine
from valor_core.evaluation.evaluator import Evaluator
from valor_core.evaluation.options import EvaluationOptions, check_arguments, check_no_others
from valor_core.evaluation.request import check_task
from valor_core.evaluation.slices import SliceChoice
from valor_core.evaluation.state import EvaluationState
from valor_core.parameters.kinds import built_in
from valor_core.readers.partition import Partition, identity, name_in
from valor_core.readers.reader import InMemory, Reader
from valor_core.readers.resolve import reader_of, resolve_data
from valor_core.results.report import Report
from valor_core.specs.extensions import GALLERIES, required
from valor_core.specs.lookup import has_all
from valor_core.specs.registry import Registry
from valor_core.specs.spec import MetricSpec, TaskSpec

Progress = Callable[[int, int, int], None]
"""Callback with the number of finished partitions, of all partitions, and of items counted so far.

Metrics that wait for responses also report each scored item, possibly from another thread. If the
callback has a method `on_scored`, it first receives the number of items scored so far, the number
of items read, and the usage of resources by name.
"""

_UNSAVED = "the run goes on, but cannot be resumed until a later save succeeds"
_SAVE_EVERY = 30.0  # minimum seconds between two saves during a run

_OTHER_STATE = "Use another state file, or remove this one."


class EvaluateOptions(TypedDict, total=False):
    """Keyword arguments of `evaluate`, for type checkers."""

    slices: Sequence[SliceChoice] | Mapping[str, Any]
    weights: str | None
    confidence: float | Mapping[str, Any] | None
    filter: str | None
    label_map: Mapping[Any, Any] | Sequence[Any]
    require: Mapping[str, Any] | None
    items: bool
    resources: Mapping[str, Any] | None
    engine: str | Mapping[str, Any] | Engine | None
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
    data: Any = None,
    *arguments: Any,
    metrics: Sequence[MetricChoice] | MetricChoice | None = None,
    task: str | None = None,
    slices: Sequence[SliceChoice] | Mapping[str, Any] = (),
    weights: str | None = None,
    confidence: float | Mapping[str, Any] | None = None,
    filter: str | None = None,
    label_map: Mapping[Any, Any] | Sequence[Any] = (),
    require: Mapping[str, Any] | None = None,
    items: bool = False,
    resources: Mapping[str, Any] | None = None,
    engine: str | Mapping[str, Any] | Engine | None = None,
    progress: Progress | None = None,
    state: str | os.PathLike[str] | None = None,
    gallery: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    registry: Registry | None = None,
    **others: Any,
) -> Report:
    """Evaluate data with metrics and return a report.

    Call it as ``evaluate(data, metrics)`` or ``evaluate(groundtruths, predictions, metrics)``.

    Parameters
    ----------
    data : batch, sequence of batches or of objects, reader, table, path or mapping
        Data to evaluate. For a path, the reader is inferred as on the command line. A table is a
        pandas or polars data frame, an Arrow table, a Hugging Face data set, a mapping of columns
        or a list of mappings; its column names determine the reader. A mapping with ``reader`` and
        its parameters has the form of a config.
    groundtruths, predictions : array-like, sequence or table
        The two sides instead of `data`: true labels and predicted labels or scores; true and
        predicted label images; objects of images in the format of torchvision or supervision;
        references and responses; two tables; or two paths.
    metrics : sequence
        Names, tables of ``name`` and parameters, or specs made by the decorator.
    task : str, optional
        Task used to resolve short names. Inferred from the data or metrics by default.
    slices, weights, confidence, filter, label_map, require, items, resources : optional
        As in `Evaluator`.
    engine : str, mapping or Engine, optional
        Name of the engine, a table of ``name`` and its parameters, or an engine itself. Defaults to
        a serial run.
    progress : callable, optional
        Callback for progress.
    state : path, optional
        File for the counts. If it exists, the run resumes from it. A stopped run also saves them.
    gallery : path or mapping, optional
        Folder for pictures of the worst items, or a table of ``folder`` and parameters of the
        task's gallery.
    registry : Registry, optional
        Registry used to resolve names. Defaults to a new `Registry()`.

    Raises
    ------
    RunInterrupted
        If the user stops the run. Its `report` covers the finished partitions.
    ValorError
        If the data, a name, a parameter or an engine is invalid, with a subclass for each.

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
    predictions, metrics, task = _split_arguments(data, arguments, metrics, task, registry)
    options = check_arguments(
        metrics=metrics,
        task=task,
        slices=slices,
        weights=weights,
        confidence=confidence,
        filter=filter,
        label_map=label_map,
        require={} if require is None else require,
        items=items,
        engine=None if is_engine(engine) else engine,
        state=_plain_path(state),
    )
    if others:
        _check_no_others(others, data, predictions, options, registry)
    check_task(task, registry)
    resolved = resolve_data(data, predictions, registry, task, options.metrics)
    with Evaluator.of(options, resolved.task, resources=resources, registry=registry) as evaluator:
        task = evaluator.evaluation.task
        reader = reader_of(resolved.data, task, registry)
        section = None if gallery is None else _section(gallery)
        planned = section and _planned(section, evaluator)
        engine = engine if is_engine(engine) else options.engine
        run(evaluator, reader, engine=engine, progress=progress, state=options.state)
        report = evaluator.compute()
        if report.interrupted:
            raise interrupted(report, state)
        if planned:
            try:
                warnings = planned.draw(evaluator.evaluation, reader, report.items)
            except ReportError as error:  # such as of a full disk: the numbers are computed
                warnings = (error.one_line,)
            warnings = report.warnings + warnings
            config = {**report.config, "gallery": section}
            report = evolve(report, config=config, warnings=warnings)
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
    except ValorError:  # an unknown argument such as `labels` may explain the data
        serving = [
            spec.short_name
            for spec in registry.all(TaskSpec)
            if has_all(registry, spec.short_name, metrics)
        ]
        task = task or (serving[0] if len(serving) == 1 else None)
    check_no_others("evaluate", others, metrics, task, registry)


def _split_arguments(
    data: Any, arguments: Sequence[Any], metrics: Any, task: str | None, registry: Registry
) -> tuple[Any, Any, str | None]:
    """Split positional arguments after the first into predictions, metrics and task."""
    if data is None and not arguments:
        raise ConfigError(
            "evaluate: expected data as first argument, got none",
            "Write it as: evaluate(y_true, y_pred, ['F1'])",
        )
    rest = list(arguments)
    if metrics is None and rest:
        if task is None and (len(rest) == 3 or (len(rest) == 2 and _is_task(rest[1], registry))):
            task = rest.pop()
        if not _are_predictions(rest[-1], data, registry):
            metrics = rest.pop()
    if metrics is None or len(rest) > 1:
        sides = "y_true, y_pred" if rest else "data"
        raise ConfigError(
            "evaluate: expected metrics, got none"
            if metrics is None
            else "evaluate: expected data and metrics, or ground truths, predictions and metrics",
            "Unpack the config: evaluate(**config)"
            if isinstance(data, Mapping) and "metrics" in data
            else f"Write it as: evaluate({sides}, ['F1'])",
        )
    return rest[0] if rest else None, metrics, task


def _are_predictions(argument: Any, data: Any, registry: Registry) -> bool:
    """Return True if an argument contains predictions for the data instead of metrics."""
    if isinstance(argument, (str, Mapping, MetricSpec)) or callable(argument):
        return False
    if hasattr(argument, "shape") or not isinstance(argument, (Sequence, Set)):
        return True
    try:
        are_texts = all(isinstance(one, str) for one in argument)
    except Exception:  # a missing value of OmegaConf; the check of metrics names it
        return False
    if not are_texts:  # numbers, or invalid metrics
        return any(isinstance(one, (bool, int, float, list, tuple)) for one in argument)
    if not isinstance(data, (list, tuple)) or len(argument) != len(data) or not len(argument):
        return False
    if not isinstance(data[0], str):
        return False
    tasks = [spec.short_name for spec in registry.all(TaskSpec)]
    names = dict.fromkeys(argument)
    return not any(has_all(registry, task, [name]) for task in tasks for name in names)


def _is_task(word: Any, registry: Registry) -> bool:
    """Return True if a word is a task instead of a metric, or unknown (a misspelt task)."""
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
    """Create the error of a run that the user stopped, with the report of the finished part."""
    remedy = None if state is None else f"Resume with: valor run … --state {os.fspath(state)}"
    error = RunInterrupted(f"run: {report.stopped}", remedy)
    error.report = report
    return error


def _plain_path(path: object) -> object:
    return os.fspath(path) if isinstance(path, os.PathLike) else path


def _section(gallery: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Convert a gallery argument to a config section."""
    section = built_in(gallery, "gallery") if isinstance(gallery, Mapping) else {"folder": gallery}
    return {key: _plain_path(value) for key, value in section.items()}


def run(
    evaluator: Evaluator,
    reader: Reader,
    *,
    engine: str | Mapping[str, Any] | Engine | None = None,
    progress: Progress | None = None,
    state: str | os.PathLike[str] | None = None,
    place: str = "",
) -> None:
    """Count all partitions of a reader with an engine.

    If the user stops the run, the evaluator has the finished partitions, and its report is marked
    as stopped.

    Parameters
    ----------
    evaluator : Evaluator
        Evaluator to update.
    reader : Reader
        Reader of the partitions.
    engine, progress, state : optional
        As in `evaluate`.
    place : str
        Prefix of errors about the engine, such as ``"config.yaml: "``.

    Raises
    ------
    StateError
        If the state file is of another request or other data, or its folder is missing. Raised
        before anything is counted.
    """
    if state is not None and isinstance(reader, InMemory):
        reader = reader.fingerprinted()
    evaluator.decide_slices(reader)
    partitions = list(reader.partitions())
    if state is not None:
        _resume(evaluator, partitions, Path(state))
    _Run(evaluator, partitions, state, progress).carry_out(
        reader, make_engine(engine, evaluator.registry, place)
    )


@define(repr=False)
class _Run:
    """One run: final counts in the evaluator, and counts that a resumed run must redo.

    Partitions with a failed item or state are part of the report but not of the saved state.
    """

    evaluator: Evaluator
    partitions: Sequence[Partition]
    state: str | os.PathLike[str] | None
    progress: Progress | None
    finished: int = field(default=0, init=False)
    again: EvaluationState = field(factory=EvaluationState, init=False)
    _is_warned: bool = field(default=False, init=False)
    _saved: float = field(factory=monotonic, init=False)
    _cost: float = field(default=0.0, init=False)

    def carry_out(self, reader: Reader, engine: Engine) -> None:
        """Count the remaining partitions until the end or a stop."""
        evaluation, state = self.evaluator.evaluation, self.evaluator.state
        done = set(state.done)
        waiting = [one for one in self.partitions if identity(one) not in done]
        # Partitions counted by earlier runs count as finished.
        self.finished = len(self.partitions) - len(waiting)
        before, waits = state.read, evaluation.plan.waits
        control = LocalControl()
        if self.progress is not None and waits:
            control.on_progress = partial(self._report_scored, control, before, waits)
        if self.state is not None:
            from valor_core.resources.journal import Journal, journal_path
        journal = None if self.state is None else Journal(journal_path(self.state))
        work = PartitionTask(evaluation, reader, self.evaluator.versions, journal, control)
        try:
            with closing(engine.map(work, waiting)) as parts:  # type: ignore[type-var]
                self._absorb_all(parts, control)
        except Exception as error:
            saved = ""
            with suppress(StateError):
                saved = self._save_finished()
            if saved and isinstance(error, ValorError):
                error.add_note(f"Finished partitions{saved}")
            raise
        finally:
            if journal is not None:
                journal.close()
        if control.stopped is None:
            self._check_complete(waiting)
        self._end(control.stopped)

    def _absorb_all(self, parts: Iterator[EvaluationState], control: Control) -> None:
        interrupts = 0
        while True:
            try:
                part = next(parts, None)
                if part is None:
                    return
                self._absorb(part)
            except KeyboardInterrupt:
                # Running partitions may finish; a second interrupt ends the run at once.
                control.stop(STOPPED_BY_USER)
                interrupts += 1
                if interrupts > 1:
                    return

    def _absorb(self, part: EvaluationState) -> None:
        state = self.evaluator.state
        twice = {*state.done, *self.again.done}.intersection(part.done)
        if twice or len(set(part.done)) < len(part.done):
            name = name_in(min(twice or part.done))
            raise EngineError(f"engine: expected each partition once, {name} was counted twice")
        with defer_signals():
            # Also for parts to be redone: their paid calls must be in the saved usage.
            state.absorb_facts(part)
            (state if part.is_final and not part.missing else self.again).absorb(part)
            self.finished += len(part.done)
        self.evaluator.evaluation.slices.check({**state.states, **self.again.states})
        if self.progress is not None:
            self.progress(self.finished, len(self.partitions), state.read + self.again.read)
        self._save_if_due()

    def _report_scored(self, control: LocalControl, before: int, waits: int, count: int) -> None:
        """Report scored items of unfinished partitions."""
        read = max(self.evaluator.counted_so_far, before + count // waits)
        if (on_scored := getattr(self.progress, "on_scored", None)) is not None:
            on_scored(read, before + control.expected // waits, control.usage())
        if self.progress is not None:
            self.progress(self.finished, len(self.partitions), read)

    def _save_if_due(self) -> None:
        """Save the counts if enough time has passed."""
        # 20 times the cost of a save: saving takes at most about 5 % of a run.
        if self.state is not None and monotonic() - self._saved > _SAVE_EVERY + 20 * self._cost:
            started = monotonic()
            try:
                with defer_signals():
                    self._write()
            except StateError as error:  # counting goes on, and the next save may succeed
                if not self._is_warned:
                    warnings.warn(f"{error.one_line}; {_UNSAVED}", ValorWarning, stacklevel=2)
                self._is_warned = True
            self._saved = monotonic()
            self._cost = self._saved - started

    def _check_complete(self, waiting: Sequence[Partition]) -> None:
        """Raise an `EngineError` if the engine skipped a partition."""
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
        """Save the final counts, then add the counts to be redone for the report."""
        state = self.evaluator.state
        try:
            saved = self._save_finished() if stopped else ""
            if not stopped and self.state is not None:
                self._write()
        except StateError as error:
            # Report the results even if they cannot be saved; the error becomes a warning.
            self.evaluator.unsaved = error
            saved = ""
        state.unfinished = 0  # for saved states only: the report describes this run itself
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

    def _save_finished(self) -> str:
        """Save the finished partitions; return a description of the file for messages."""
        if self.state is None:
            return ""
        if self.evaluator.state.done:
            self._write()
            return f", saved in {os.fspath(self.state)}"
        from valor_core.resources.journal import journal_path

        journal = journal_path(self.state)
        return f", saved in {journal}" if journal.exists() else ""

    def _write(self) -> None:
        assert self.state is not None
        state = self.evaluator.state
        state.unfinished = len(self.partitions) - len(state.done)
        self.evaluator.save(self.state)


def _resume(evaluator: Evaluator, partitions: Sequence[Partition], state: Path) -> None:
    """Load the counts of a state file, if it exists, and check that they are of the same data."""
    if not state.parent.is_dir():
        raise StateError(
            f"{state}: no such folder: {state.parent}",
            f"Create it with: mkdir -p {state.parent}",
        )
    if not state.exists():
        return
    try:
        evaluator.resume(state)
    except ForeignStateError as error:
        raise ForeignStateError(error.message, _OTHER_STATE) from error
    if evaluator.state.outside:
        raise StateError(
            f"{state}: made with Evaluator.update, not from these data",
            _OTHER_STATE,
        )
    unknown = set(evaluator.state.done) - set(map(identity, partitions))
    if unknown:
        name = name_in(min(unknown))
        changed = {name_in(identity(one)): one.name for one in partitions}.get(name)
        found = f"{changed} has changed" if changed else f"{name} is missing"
        raise StateError(
            f"{state}: made from other data, {found}{and_more(len(unknown) - 1)}",
            _OTHER_STATE,
        )

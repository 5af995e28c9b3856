"""Evaluate: from data and chosen metrics to a report, in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

from attrs import evolve

from valor_core import exhibition as exhibitions
from valor_core.config.schema import check_arguments
from valor_core.engines import Work
from valor_core.engines import engine as make_engine
from valor_core.errors import (
    ConfigError,
    ForeignStateError,
    ParameterError,
    RunInterrupted,
    StateError,
    ValorError,
    and_more,
    found_at,
    shown,
)
from valor_core.evaluator import Evaluator
from valor_core.interrupts import uninterrupted
from valor_core.parameters import build, relocate
from valor_core.plan import MetricChoice
from valor_core.reading import InMemory, Partition, Reader, identity, name_in
from valor_core.registry import Registry, implementation
from valor_core.report import Report
from valor_core.schemas import is_batch
from valor_core.tally import Tally

Progress = Callable[[int, int, int], None]
"""Called with finished partitions, all partitions, and datums read so far."""

_SEE_READERS = "See them with: valor list --readers"
_ANOTHER_STATE = "Name another state file, or remove this one."


def evaluate(
    data: Any,
    metrics: Sequence[MetricChoice] | MetricChoice,
    task: str | None = None,
    *,
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
) -> Report:
    """Report of some metrics over some data.

    Parameters
    ----------
    data : batch, sequence of batches or of objects, reader, or mapping
        What to evaluate; a mapping names a ``reader`` and its parameters, as in a config.
    metrics : sequence
        Names, tables of ``name`` and parameters, or specs made by the decorator.
    task : str, optional
        Where bare names are looked up; told from the data or from qualified names otherwise.
    slices, filter, label_map, require, items, resources : optional
        As in `Evaluator`.
    engine : str or mapping, optional
        Name of the engine, or a table of ``name`` and its parameters; serial without it.
    progress : callable, optional
        Told how far the work is.
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
    ValorError
        Of the class that says what is wrong: the data, a name, a parameter, an engine.

    Examples
    --------
    >>> from valor_core import metric
    >>> from valor_core.schemas.text import Text
    >>> @metric("mylab.Length", task="text", higher_is_better=None)
    ... def length(item) -> float:
    ...     return len(item.response)
    >>> evaluate([Text("q1", response="Paris")], [length])["Length"].value
    5.0
    """
    task = _told_task(data) if task is None else task
    options = check_arguments(engine=engine, state=_plain_path(state))
    with Evaluator(
        metrics,
        task,
        slices=slices,
        filter=filter,
        label_map=label_map,
        require=require,
        items=items,
        resources=resources,
        registry=registry,
    ) as evaluator:
        task = evaluator.evaluation.task
        reader = reader_of(data, task, evaluator.registry)
        if gallery is None:
            run(evaluator, reader, progress=progress, **options)
            return evaluator.compute()
        section = _section(gallery)
        exhibition = exhibitions.plan(section, task, evaluator.registry)
        run(evaluator, reader, progress=progress, **options)
        report = evaluator.compute()
        exhibition.hang(evaluator.evaluation, reader)
        return evolve(report, config={**report.config, "gallery": section})


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
    RunInterrupted
        If the user stops the run; says what was finished.
    StateError
        If the state file was made by another request or from other data, or its folder is
        missing; before any work is done.
    """
    if state is not None and isinstance(reader, InMemory):
        reader = reader.fingerprinted()
    partitions = list(reader.partitions())
    if state is not None:
        _go_on(evaluator, partitions, Path(state))
    tally = evaluator.tally
    waiting = _left(partitions, tally)
    finished = len(partitions) - len(waiting)
    work = Work(evaluator.evaluation, reader)
    runner = make_engine(engine, place)
    # Only what is saved has to stay whole.
    undivided = nullcontext if state is None else uninterrupted
    try:
        with closing(runner.map(work, waiting)) as tallies:  # type: ignore[type-var]
            for part in tallies:
                with undivided():
                    tally.take(part)
                    finished += 1
                evaluator.evaluation.slices.check(tally.states)
                if progress is not None:
                    progress(finished, len(partitions), tally.read)
    except (KeyboardInterrupt, Exception) as error:
        kept = _keep(evaluator, state)
        if isinstance(error, KeyboardInterrupt):
            raise RunInterrupted(
                f"run: stopped after {finished} of {len(partitions)} partitions, "
                f"{tally.read:,} items{kept}",
                f"Go on with: valor run … --state {state}" if kept else None,
            ) from error
        if kept and isinstance(error, ValorError):
            error.add_note(f"What was finished{kept}")
        raise
    if state is not None:
        evaluator.save(state)


def reader_of(
    data: Any, task: str, registry: Registry, folder: Path | None = None, place: str = ""
) -> Reader:
    """The reader that some data stand for.

    Parameters
    ----------
    data : object
        As in `evaluate`.
    task : str
        Task of the batches.
    registry : Registry
        Where a reader's name is looked up.
    folder : Path, optional
        What relative paths of a mapping are relative to.
    place : str
        Where the mapping stands, for errors.

    Raises
    ------
    SchemaError
        If the data are neither items nor batches, with what makes a batch of them.
    ConfigError, ParameterError, RegistryError
        If a mapping names no reader of the task, or parameters that it refuses.
    """
    if is_batch(data):
        return InMemory((data,))
    if isinstance(data, Reader):
        return data
    if not isinstance(data, Mapping):
        return InMemory.of(data, task)
    values = dict(data)
    if "reader" not in values:
        raise ConfigError(
            f"{place}data.reader: expected the name of a reader, the key is missing", _SEE_READERS
        )
    name = values.pop("reader")
    if not isinstance(name, str):
        raise ConfigError(
            f"{place}data.reader: expected the name of a reader, got {shown(name)}", _SEE_READERS
        )
    with found_at(f"{place}data.reader: "):
        spec = registry.reader(name, task)
        code = implementation(spec)
    if spec.task not in (None, task):
        raise ConfigError(f"{place}data.reader: expected a reader for {task}, got {spec.name!r}")
    parameters: Any = build(spec.parameters, values, f"{place}data.")
    if folder is not None:
        parameters = relocate(parameters, lambda path: folder / path)
    try:
        reader: Reader = code(parameters, task)
    except ParameterError as error:
        raise error.at(f"{place}data.") from None
    return reader


def _left(partitions: Iterable[Partition], tally: Tally) -> list[Partition]:
    """The partitions that have not been counted yet."""
    done = set(tally.done)
    if not done:
        return list(partitions)
    return [partition for partition in partitions if identity(partition) not in done]


def _go_on(evaluator: Evaluator, partitions: Iterable[Partition], state: Path) -> None:
    """Count what a state file has, if it is there and of the same data."""
    if not state.parent.is_dir():
        raise StateError(
            f"{state}: there is no folder {state.parent}",
            f"Make it with: mkdir -p {state.parent}",
        )
    if not state.exists():
        return
    try:
        evaluator.resume(state)
    except ForeignStateError as error:
        raise ForeignStateError(error.message, _ANOTHER_STATE) from error
    partitions = list(partitions)
    strange = set(evaluator.tally.done) - set(map(identity, partitions))
    if strange:
        name = name_in(min(strange))
        changed = name in {partition.name for partition in partitions}
        found = f"{name} has changed since" if changed else f"{name} is not among these"
        raise StateError(
            f"{state}: made from other data or before they changed, {found}"
            f"{and_more(len(strange) - 1)}",
            _ANOTHER_STATE,
        )


def _keep(evaluator: Evaluator, state: str | os.PathLike[str] | None) -> str:
    if state is None or not evaluator.tally.done:
        return ""
    evaluator.save(state)
    return f", saved in {os.fspath(state)}"


def _told_task(data: Any) -> str | None:
    """The task that a batch or an item says it is of."""
    if isinstance(data, (list, tuple)) and data:
        data = data[0]
    task = getattr(type(data), "task", None)
    return task if isinstance(task, str) else None

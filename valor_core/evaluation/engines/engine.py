"""Engines: where the partitions of a source are counted.

An engine is declared in a manifest by an `EngineSpec`. It is called with a `Work` and the
partitions, and yields states: one of each partition or some of them merged, in any order. On
other processes and machines, `valor_core.evaluation.engines.worker` opens what the work needs.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from attrs import field, frozen

from valor_core.cancellation import STOPPED_BY_USER, Control, LocalControl, defer_signals
from valor_core.errors import (
    EngineError,
    ParameterError,
    PartitionError,
    ReadError,
    SchemaError,
    ValorError,
    error_at,
)
from valor_core.evaluation.request import Evaluation
from valor_core.evaluation.state import EvaluationState
from valor_core.parameters.declaration import build
from valor_core.readers.partition import Partition, identity
from valor_core.readers.reader import Reader
from valor_core.resources.bound import BoundResource
from valor_core.resources.journal import Journal
from valor_core.resources.opening import OpenResources
from valor_core.specs.registry import Registry
from valor_core.specs.spec import EngineSpec
from valor_core.states.state import Resources

ELSEWHERE = "Move it to a module, or use engine: {mode: threads}."


@frozen(repr=False)
class PartitionTask:
    """Counts one partition: what an engine carries out.

    Parameters
    ----------
    evaluation : Evaluation
        What to count.
    reader : Reader
        What reads the partition.
    versions : mapping of str to str
        Distributions that take part; workers elsewhere must have the same.
    journal : Journal, optional
        Where finished rows of items are kept.
    control : Control
        How the run tells everybody to stop, and is told of scored items.
    """

    evaluation: Evaluation
    reader: Reader
    versions: Mapping[str, str] = field(factory=dict)
    journal: Journal | None = None
    control: Control = field(factory=LocalControl, eq=False, repr=False)

    @property
    def resources(self) -> tuple[BoundResource, ...]:
        """What the metrics need, to be opened by `opened`."""
        return self.evaluation.resources

    def __call__(self, partition: Partition, resources: Resources) -> EvaluationState:
        """The tally of one partition; of a part of it where the run is stopped meanwhile.

        Parameters
        ----------
        partition : Partition
            What to count.
        resources : mapping of str to object
            The opened resources of this worker.

        Raises
        ------
        PartitionError
            If anything but the data is at fault; names the partition and chains the cause.
        """
        opened = OpenResources.of(resources)
        opened.control, opened.journal = self.control, self.journal
        state, waits = EvaluationState(), bool(self.evaluation.plan.waits)
        finished = False
        try:
            finished = self._count(state, partition, opened)
        except SchemaError as error:
            raise ReadError(f"{partition.name}: {error.message}", error.remedy) from error
        except ValorError:
            raise
        except KeyboardInterrupt:
            if not waits:
                raise
            self.control.stop(STOPPED_BY_USER)
        except (Exception, SystemExit) as error:
            raise PartitionError(f"{partition.name}: {type(error).__name__}: {error}") from error
        if finished:
            state.done.append(identity(partition))
        else:
            # Of a part of a partition, only what was waited for is worth being reported.
            state = state if waits else EvaluationState()
            state.stopped = self.control.stopped
        state.facts.update(opened.facts())
        if self.journal is not None:
            state.facts |= self.journal.facts
            state.damaged_rows |= self.journal.damaged
        return state

    def _count(self, state: EvaluationState, partition: Partition, resources: Resources) -> bool:
        """Count a partition; whether all of it was read before the run was stopped."""
        for batch in self.reader.read(partition):
            if self.control.stopped:
                return False
            if not self.evaluation.plan.waits:
                self.evaluation.update(state, batch, resources)
                continue
            # What was waited for is worth much, so that an interrupt finds whole batches only.
            counted, start = EvaluationState(), state.read + state.skipped
            self.evaluation.update(counted, batch, resources, start)
            with defer_signals():
                state.absorb(counted)
        return True

    def packed(self) -> bytes:
        """The work for `valor_core.evaluation.engines.start_worker`, on another process or machine.

        Raises
        ------
        EngineError
            If something of it cannot travel, such as a metric made in ``__main__``.
        """
        for metric in self.evaluation.plan.taking_part:
            if metric.spec.implementation.startswith("__main__:"):
                raise EngineError(
                    f"{metric.spec.name}: a metric made in __main__ cannot run in other processes",
                    ELSEWHERE,
                )
        journal = None if self.journal is None else self.journal.path
        try:
            return pickle.dumps((self.evaluation, self.reader, dict(self.versions), journal))
        except Exception as error:
            raise EngineError(
                f"engine: the work cannot be sent to other processes, "
                f"{type(error).__name__}: {error}",
                ELSEWHERE,
            ) from error

    @classmethod
    def unpacked(cls, packed: bytes, control: Control | None = None) -> PartitionTask:
        """The work that `packed` made."""
        evaluation, reader, versions, path = pickle.loads(packed)
        journal = None if path is None else Journal(Path(path))
        return cls(evaluation, reader, versions, journal, control or LocalControl())


class Engine(Protocol):
    """Carries out work on partitions; made from an instance of its parameter class."""

    def map(
        self, work: PartitionTask, partitions: Sequence[Partition]
    ) -> Iterator[EvaluationState]:
        """Yield states as partitions are finished, each partition in exactly one of them.

        A state may cover several partitions, merged by `EvaluationState.take`. A partition that is
        missing or counted twice is an error of the run.
        """


def engine(section: str | Mapping[str, Any] | None, registry: Registry, place: str = "") -> Engine:
    """The engine that a config section describes; the local one, serially, where there is none.

    Parameters
    ----------
    section : str or mapping, optional
        The engine's name, or a table of ``name`` and its parameters.
    registry : Registry
        Where the name is looked up.
    place : str
        Where the section stands, for errors.

    Raises
    ------
    RegistryError, ParameterError
        If there is no such engine, its code cannot be imported or a parameter does not fit.

    Examples
    --------
    >>> engine({"name": "local", "workers": 2}, Registry()).parameters.workers
    2
    """
    values = {"name": section} if isinstance(section, str) else dict(section or {})
    with error_at(f"{place}engine.name: "):
        spec = registry.find(EngineSpec, str(values.pop("name", "local")))
        code = spec.load()
    parameters: Any = build(spec.parameter_class, values, f"{place}engine.")
    try:
        return cast("Engine", code(parameters))
    except ParameterError as error:
        raise error.at(f"{place}engine.") from None

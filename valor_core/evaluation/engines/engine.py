"""Protocol of engines, and the task that they run on each partition.

A manifest declares an engine with an `EngineSpec`. An engine receives a `PartitionTask` and the
partitions. It yields one state per partition or merged states, in any order. In other processes,
`valor_core.evaluation.engines.worker` opens the resources.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from attrs import field, frozen

from valor_core.cancellation import STOPPED_BY_USER, Control, LocalControl, defer_signals
from valor_core.errors import (
    EngineError,
    ParameterError,
    PartitionError,
    ReadError,
    SchemaError,
    UnknownNameError,
    ValorError,
    error_at,
)
from valor_core.evaluation.request import Evaluation
from valor_core.evaluation.state import EvaluationState
from valor_core.parameters.declaration import parameters_from
from valor_core.readers.partition import Partition, identity
from valor_core.readers.reader import Reader
from valor_core.resources.bound import BoundResource
from valor_core.resources.opening import OpenResources
from valor_core.specs.extensions import plugin_of, reason_of
from valor_core.specs.registry import Registry
from valor_core.specs.spec import EngineSpec
from valor_core.states.state import Resources

if TYPE_CHECKING:
    from valor_core.resources.journal import Journal

ELSEWHERE = "Move it to a module, or use engine: {mode: threads}."


@frozen(repr=False)
class PartitionTask:
    """Callable that counts one partition.

    Parameters
    ----------
    evaluation : Evaluation
        Evaluation to update.
    reader : Reader
        Reader of the partition.
    versions : mapping of str to str
        Versions of the distributions used, which workers must match.
    journal : Journal, optional
        Journal of finished item rows.
    control : Control
        Cancellation and progress of the run.
    """

    evaluation: Evaluation
    reader: Reader
    versions: Mapping[str, str] = field(factory=dict)
    journal: Journal | None = None
    control: Control = field(factory=LocalControl, eq=False, repr=False)

    @property
    def resources(self) -> tuple[BoundResource, ...]:
        """Resources to open with `opened`."""
        return self.evaluation.resources

    def __call__(self, partition: Partition, resources: Resources) -> EvaluationState:
        """Count one partition, or a part of it if the run stops.

        Parameters
        ----------
        partition : Partition
            Partition to count.
        resources : mapping of str to object
            Opened resources of this worker.

        Raises
        ------
        ReadError
            If the data is invalid.
        PartitionError
            If any other error occurs. Names the partition.
        """
        opened = OpenResources.of(resources)
        opened.control, opened.journal = self.control, self.journal
        state, waits = EvaluationState(), bool(self.evaluation.plan.waits)
        finished = False
        try:
            finished = self._count(state, partition, opened)
        except SchemaError as error:
            is_placed = error.message.startswith(tuple(f"{path}, " for path in partition.paths))
            place = "" if is_placed else f"{partition.name}: "
            raise ReadError(f"{place}{error.message}", error.remedy) from error
        except ValorError:
            raise
        except KeyboardInterrupt:
            if not waits:
                raise
            self.control.stop(STOPPED_BY_USER)
        except (Exception, SystemExit) as error:
            raised = f", raised in {plugin}" if (plugin := plugin_of(error)) else ""
            raise PartitionError(f"{partition.name}: {reason_of(error)}{raised}") from error
        if finished:
            state.done.append(identity(partition))
        else:
            # Counting a partial partition again is cheap, unless metrics wait for responses.
            state = state if waits else EvaluationState()
            state.stopped = self.control.stopped
        state.facts.update(opened.facts())
        if self.journal is not None:
            state.facts |= self.journal.facts
            state.damaged_rows |= self.journal.damaged
        return state

    def _count(self, state: EvaluationState, partition: Partition, resources: Resources) -> bool:
        """Count a partition; return False if the run stopped before its end."""
        for batch in self.reader.read(partition):
            if self.control.stopped:
                return False
            if not self.evaluation.plan.waits:
                self.evaluation.update(state, batch, resources)
                continue
            # Absorb complete batches only, so an interrupt cannot leave a partially counted one.
            counted, start = EvaluationState(), state.read + state.skipped
            self.evaluation.update(counted, batch, resources, start)
            with defer_signals():
                state.absorb(counted)
        return True

    def packed(self) -> bytes:
        """Pickle the task for `start_worker` in another process.

        Raises
        ------
        EngineError
            If it cannot be pickled or contains a metric defined in ``__main__``.
        """
        for metric in self.evaluation.plan.taking_part:
            if metric.spec.implementation.startswith("__main__:"):
                raise EngineError(
                    f"{metric.spec.name}: metrics defined in __main__ cannot run in other "
                    "processes",
                    ELSEWHERE,
                )
        journal = None if self.journal is None else self.journal.path
        try:
            return pickle.dumps((self.evaluation, self.reader, dict(self.versions), journal))
        except Exception as error:
            raise EngineError(
                f"engine: the evaluation cannot be sent to other processes, "
                f"{type(error).__name__}: {error}",
                ELSEWHERE,
            ) from error

    @classmethod
    def unpacked(cls, packed: bytes, control: Control | None = None) -> PartitionTask:
        """Unpickle a task packed with `packed`."""
        from valor_core.resources.journal import Journal

        evaluation, reader, versions, path = pickle.loads(packed)
        journal = None if path is None else Journal(Path(path))
        return cls(evaluation, reader, versions, journal, control or LocalControl())


@runtime_checkable
class Engine(Protocol):
    """Engine, constructed with an instance of its parameter class."""

    def map(
        self, work: PartitionTask, partitions: Sequence[Partition]
    ) -> Iterator[EvaluationState]:
        """Yield states as partitions finish, each partition in exactly one of them.

        A state may cover several partitions, merged with `EvaluationState.absorb`. The run fails if
        a partition is missing or counted twice.
        """


_MODES = ("serial", "threads", "processes")


def is_engine(value: object) -> bool:
    """Return True for an engine; its name, table or class, and pools of workers are none."""
    if value is None or isinstance(value, (str, Mapping)):  # faster than asking the protocol
        return False
    is_pool = any(hasattr(value, name) for name in ("submit", "apply_async"))
    return isinstance(value, Engine) and not isinstance(value, type) and not is_pool


def engine(
    section: str | Mapping[str, Any] | Engine | None, registry: Registry, place: str = ""
) -> Engine:
    """Create the engine of a config section. Defaults to the local engine with one worker.

    Parameters
    ----------
    section : str, mapping or Engine, optional
        Name of the engine, a table of ``name`` and its parameters, or an engine itself.
    registry : Registry
        Registry used to resolve the name.
    place : str
        Prefix of errors, such as ``"config.yaml: "``.

    Raises
    ------
    RegistryError, ParameterError
        If the engine is unknown or cannot be imported, or a parameter is invalid.

    Examples
    --------
    >>> engine({"name": "local", "workers": 2}, Registry()).parameters.workers
    2
    """
    if isinstance(section, Engine):
        return section
    values = {"name": section} if isinstance(section, str) else dict(section or {})
    name = str(values.pop("name", "local"))
    with error_at(f"{place}engine.name: "):
        if name in _MODES:
            raise UnknownNameError(
                f"expected an engine, got {name!r}, a mode of the engine local",
                f"Write the engine as: {{'name': 'local', 'mode': {name!r}, 'workers': 2}}",
            )
        spec = registry.find(EngineSpec, name)
        code = spec.load()
    parameters: Any = parameters_from(spec.parameter_class, values, f"{place}engine.")
    try:
        return cast("Engine", code(parameters))
    except ParameterError as error:
        raise error.at(f"{place}engine.") from None

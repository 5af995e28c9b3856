"""Laws of engines, checked with a reader and a resource that record their calls as files."""

from __future__ import annotations

import pickle
import tempfile
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray

from valor_core.errors import ReadError, ValorError, short_repr
from valor_core.evaluation import BoundMetric, Evaluation, EvaluationState, Plan, Slices
from valor_core.evaluation.engines import Engine, PartitionTask
from valor_core.parameters import NoParameters, parameter, parameters_from
from valor_core.parameters import parameters as parameter_class
from valor_core.readers import Partition
from valor_core.readers.partition import identity
from valor_core.readers.reader import Position
from valor_core.resources.bound import BoundResource
from valor_core.results import Result
from valor_core.schemas import Batch
from valor_core.schemas.text import Text, TextBatch
from valor_core.specs import EngineSpec, MetricSpec, Range, Registry, ResourceSpec
from valor_core.states import DerivedState, ExactSum, StateRequest, counted
from valor_core.states.state import Resources
from valor_testing import examples
from valor_testing.data_set import Batches, singles
from valor_testing.law import Breach, agree, law, run_all

_MANY = 40
"""Number of partitions, more than an engine reads if it is stopped after the first."""
_BUDGET = 101
"""Budget of all workers."""


def check_engine(engine: EngineSpec | Engine, parameters: Mapping[str, Any] | None = None) -> None:
    """Check all laws of an engine.

    The engine runs over small data sets, some with unreadable partitions. Workers must share this
    machine's temporary folder.

    Parameters
    ----------
    engine : EngineSpec or Engine
        Declaration of an engine, or an engine instance.
    parameters : mapping of str to object, optional
        Parameters of a declared engine.

    Raises
    ------
    ConformanceError
        If a law is broken; lists every broken law.

    Examples
    --------
    >>> from valor_core.evaluation.engines.local import LocalEngine, LocalParameters
    >>> check_engine(LocalEngine(LocalParameters(mode="threads", workers=2)))
    """

    def check(each: Callable[[Running], None]) -> None:
        if not isinstance(engine, EngineSpec):
            return each(Running(type(engine).__name__, engine))
        given: Any = parameters_from(engine.parameter_class, parameters or {}, f"{engine.name}: ")
        return each(Running(engine.name, engine.load()(given)))

    run_all(partial(check, each) for each in ENGINE_LAWS)


@frozen
class Running:
    """Engine under test."""

    name: str
    engine: Engine

    def run(self, work: PartitionTask, partitions: Sequence[Partition]) -> EvaluationState:
        """Run the engine and merge its states."""
        with closing(self.engine.map(work, partitions)) as states:  # type: ignore[type-var]
            return _merged(states)


# A metric, a resource and a reader for engines, at module level so that they can be pickled.


@define
class Sizes(DerivedState):
    """Number, exact sum and list of the lengths of uids, for any task."""

    items: int = counted(int)
    total: ExactSum = counted(ExactSum)
    lengths: list[NDArray[np.float64]] = counted(list)

    def update(self, marked: tuple[Batch, Any]) -> None:
        """Count a batch."""
        batch, _ = marked
        lengths = np.array([len(str(uid)) / 10 for uid in batch.datums.uids.tolist()])
        self.items += len(lengths)
        self.total.add(lengths)
        self.lengths.append(lengths)


def with_marks(batch: Batch, resources: Resources) -> tuple[Batch, Any]:
    """Return the batch and the resource; raise if the resource is closed."""
    resources["marks"].check_open()
    return batch, resources["marks"]


@frozen
class MeanSize:
    """Mean length of uids."""

    parameters: NoParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """One state of lengths."""
        return (StateRequest(Sizes, prepare=with_marks),)

    def compute(self, state: Sizes) -> Iterator[Result]:
        """Yield one result with the number, sum and lengths."""
        lengths = np.sort(np.concatenate([np.zeros(0), *state.lengths]))
        yield Result(value={"n": state.items, "sum": state.total.value, "all": lengths})


@parameter_class
class MarksParameters:
    """Parameters of `Marks`."""

    folder: Path = parameter(help="Folder of the marks.")
    budget: int = parameter(default=_BUDGET, help="Calls of all workers together.")


class Marks:
    """Resource that records with files when it was opened, with which budget, and closed."""

    def __init__(self, chosen: MarksParameters) -> None:
        self.folder, self.number = chosen.folder, uuid.uuid4().hex
        (self.folder / f"opened-{self.number}").write_text(str(chosen.budget))

    def check_open(self) -> None:
        """Raise if the resource was closed."""
        if (self.folder / f"closed-{self.number}").exists():
            raise RuntimeError("the resource was used after it was closed")

    def close(self) -> None:
        """Record the call; raise if the resource is already closed."""
        (self.folder / f"closed-{self.number}").touch(exist_ok=False)


@frozen
class MarkedReader:
    """Reader of one batch per partition that records its calls with files.

    Parameters
    ----------
    batches : tuple of Batch
        The batches.
    folder : Path
        Folder of the marks.
    broken : mapping of int to Exception
        Errors raised instead of batches, by batch index.
    """

    batches: tuple[Batch, ...]
    folder: Path
    broken: dict[int, Exception]

    def partitions(self) -> Sequence[Position]:
        """Return one partition per batch."""
        return tuple(map(Position, range(len(self.batches))))

    def read(self, partition: Position) -> Iterator[Batch]:
        """Yield the batch of a partition, or raise its error."""
        (self.folder / f"read-{partition.number}-{uuid.uuid4().hex}").touch()
        if partition.number in self.broken:
            raise self.broken[partition.number]
        yield self.batches[partition.number]


METRIC = MetricSpec(
    name="kit.MeanSize",
    task="any",
    summary="Mean length of uids",
    implementation=f"{__name__}:MeanSize",
    higher_is_better=None,
    range=Range(),
    resources=("marks",),
)
MARKS = ResourceSpec(
    name="kit.marks",
    summary="Marks in a folder",
    parameters=MarksParameters,
    implementation=f"{__name__}:Marks",
    divided=("budget",),
    free=True,
)


@contextmanager
def _work(
    batches: Batches, broken: dict[int, Exception] | None = None, field: str = ""
) -> Iterator[tuple[PartitionTask, Path]]:
    """Yield work on batches, and the folder of its marks."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        marks = BoundResource(MARKS, MarksParameters(folder=folder), names=("marks",))
        plan = Plan.of([BoundMetric(METRIC, NoParameters())], Registry())
        slices = Slices(((field,),) if field else ())
        evaluation = Evaluation(batches[0].task, plan, slices, resources=(marks,))
        yield PartitionTask(evaluation, MarkedReader(tuple(batches), folder, broken or {})), folder


@law
def same_bits_as_serial(running: Running) -> None:
    """Data of several tasks, with slices, give the same results as a serial run."""
    for task in ("classification", "text"):
        name, batches = next(iter(examples.datasets(task).items()))
        with _work(singles(batches), field="weather") as (work, _):
            partitions = work.reader.partitions()
            marks = {"marks": _Unmarked()}
            expected = _outcome(work, _merged(work(each, marks) for each in partitions))
            found = _outcome(work, running.run(work, partitions))
        agree(expected, found, "serially", f"on the engine (data set {name!r} of {task})")


@law
def every_partition_once(running: Running) -> None:
    """Every partition is counted once, alone or merged with others."""
    with _work(_texts(7)) as (work, folder):
        partitions = list(work.reader.partitions())[1:]
        done = Counter(running.run(work, partitions).done)
        read = Counter(int(mark.name.split("-")[1]) for mark in folder.glob("read-*"))
    for partition in work.reader.partitions():
        times, wanted = done[identity(partition)], int(partition in partitions)
        if times != wanted:
            raise Breach(f"{partition.name}: expected it {wanted} times, found it {times} times")
        if read[int(partition.name.split()[1])] < wanted:
            raise Breach(f"{partition.name}: expected it to be read")


@law
def no_partitions(running: Running) -> None:
    """A run without partitions gives no states and no error."""
    with _work(_texts(1)) as (work, _):
        state = running.run(work, [])
    if state.done or state.states:
        raise Breach(f"expected nothing without partitions, found {state.done}")


@law
def errors_are_named_and_chained(running: Running) -> None:
    """Errors of a partition are raised as in a serial run, with its name and their cause."""
    for broken, wanted in (
        (ZeroDivisionError("a division"), "batch 2: ZeroDivisionError: a division"),
        (ReadError("c.csv, row 2: expected a number", "Correct the row."), "c.csv, row 2: expec"),
    ):
        with _work(_texts(4), {2: broken}) as (work, _):
            error = _error(running, work)
        if not isinstance(error, ValorError) or wanted not in error.message:
            raise Breach(f"expected the error {wanted!r}, found {type(error).__name__}: {error}")
        if isinstance(broken, ValorError):
            if not isinstance(error, ReadError) or error.remedy != "Correct the row.":
                raise Breach(f"expected the error as it was raised, found {error!r}")
        elif error.__cause__ is None:
            raise Breach("expected an error with its cause, found none chained")


@law
def stops_when_it_is_closed(running: Running) -> None:
    """Closing the iterator of states ends the run early."""
    with _work(_texts(_MANY)) as (work, folder):
        partitions = work.reader.partitions()
        states: Any = running.engine.map(work, partitions)
        first = next(states)
        states.close()
        read = len({mark.name.split("-")[1] for mark in folder.glob("read-*")})
    if not first.done:
        raise Breach("expected a state that names its partitions")
    if read == _MANY and len(first.done) < _MANY:
        raise Breach(f"expected it to stop, but it read all of {_MANY} partitions")


@law
def stops_when_the_run_is_stopped(running: Running) -> None:
    """A stop by the run's control ends the run early and without an error."""
    with _work(_texts(_MANY)) as (work, _):
        states: Any = running.engine.map(work, work.reader.partitions())
        merged = _merged([next(states)])
        before = len(merged.done)
        work.control.stop("a budget is spent")
        merged.absorb(_merged(states))
    if before < len(merged.done) == _MANY:
        raise Breach(f"expected it to stop, but it counted all of {_MANY} partitions")
    if len(set(merged.done)) < len(merged.done):
        raise Breach(f"expected every partition once, found {merged.done}")


@law
def resources_open_and_close_once(running: Running) -> None:
    """Every worker opens a resource once and closes it at the end."""
    with _work(_texts(12)) as (work, folder):
        running.run(work, work.reader.partitions())
        opened, shut = (
            {mark.name.split("-")[1] for mark in folder.glob(f"{what}-*")}
            for what in ("opened", "closed")
        )
    if not opened or len(opened) >= 12:
        raise Breach(f"expected it opened once for each worker, found {len(opened)} for 12 parts")
    if opened != shut:
        raise Breach(f"expected all {len(opened)} that were opened closed, found {len(shut)}")


@law
def budgets_are_divided(running: Running) -> None:
    """Workers share the budget of a resource; together they never have more."""
    with _work(_texts(12)) as (work, folder):
        running.run(work, work.reader.partitions())
        parts = [int(mark.read_text()) for mark in folder.glob("opened-*")]
    if sum(parts) > _BUDGET:
        raise Breach(
            f"expected workers to share a budget of {_BUDGET}, found {short_repr(parts)} in "
            f"{len(parts)} workers; start each with Share(number, workers)"
        )


@law
def can_run_again(running: Running) -> None:
    """One engine can run several times."""
    with _work(_texts(3)) as (work, _):
        first = _outcome(work, running.run(work, work.reader.partitions()))
        again = _outcome(work, running.run(work, work.reader.partitions()))
    agree(first, again, "in one run", "in the next")


ENGINE_LAWS: Sequence[Callable[[Running], None]] = (
    no_partitions,
    every_partition_once,
    resources_open_and_close_once,
    budgets_are_divided,
    same_bits_as_serial,
    errors_are_named_and_chained,
    stops_when_it_is_closed,
    stops_when_the_run_is_stopped,
    can_run_again,
)
"""Laws of an engine, the most informative first."""


class _Unmarked:
    """Replacement for the resource in the serial run."""

    def check_open(self) -> None:
        pass


def _merged(states: Any) -> EvaluationState:
    """Merge states, pickled and unpickled as if they came from another machine."""
    merged = EvaluationState()
    for state in states:
        merged.absorb(pickle.loads(pickle.dumps(state)))
    return merged


def _outcome(work: PartitionTask, state: EvaluationState) -> Any:
    """Return the results by slice, uids and partitions, sorted so that engines can be compared."""
    plan = work.evaluation.plan
    results = {
        repr(key): [result.to_dict() for result in plan.compute(states)]
        for key, states in sorted(state.states.items(), key=lambda pair: repr(pair[0]))
    }
    uids = sorted(str(uid) for uids in state.uids for uid in uids.tolist())
    return {"results": results, "uids": uids, "read": state.read, "done": sorted(state.done)}


def _texts(count: int) -> list[Batch]:
    """Return batches of one item each."""
    return [TextBatch.of([Text(f"item {'x' * i}", response=str(i))]) for i in range(count)]


def _error(running: Running, work: PartitionTask) -> BaseException:
    try:
        running.run(work, work.reader.partitions())
    except Exception as error:
        return error
    raise Breach("expected the error of a partition, found none")

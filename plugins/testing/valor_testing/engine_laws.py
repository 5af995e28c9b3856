"""Laws of engines: what must hold of whatever counts the partitions of a source."""

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

from valor_core.errors import ReadError, ValorError
from valor_core.evaluation import BoundMetric, Evaluation, EvaluationState, Plan, Slices
from valor_core.evaluation.engines import Engine, Work
from valor_core.parameters import NoParameters, build, parameter
from valor_core.parameters import parameters as parameter_class
from valor_core.readers import Partition, Position, identity
from valor_core.results import Result
from valor_core.schemas import Batch
from valor_core.schemas.text import Text, TextBatch
from valor_core.scoring import BoundResource
from valor_core.specs import EngineSpec, MetricSpec, Range, Registry, ResourceSpec, implementation
from valor_core.states import DerivedState, ExactSum, Resources, StateRequest, counted
from valor_testing import examples
from valor_testing.data_set import Batches, singles
from valor_testing.law import Breach, agree, law, run_all

_MANY = 40
"""Partitions of which an engine that is stopped after the first has not read all."""


def check_engine(engine: EngineSpec | Engine, parameters: Mapping[str, Any] | None = None) -> None:
    """Raise unless an engine keeps all laws.

    It counts small data sets, some with partitions that cannot be read, with a resource that
    leaves its marks in a temporary folder; the workers have to be on this machine.

    Parameters
    ----------
    engine : EngineSpec or Engine
        A declared engine, or one that is made already.
    parameters : mapping of str to object, optional
        The parameters of a declared one.

    Raises
    ------
    ConformanceError
        With every broken law and what differed.

    Examples
    --------
    >>> from valor_core.evaluation.engines import LocalEngine, LocalParameters
    >>> check_engine(LocalEngine(LocalParameters(mode="threads", workers=2)))
    """

    def check(kept: Callable[[Running], None]) -> None:
        if not isinstance(engine, EngineSpec):
            return kept(Running(type(engine).__name__, engine))
        given: Any = build(engine.parameter_class, parameters or {}, f"{engine.name}: ")
        return kept(Running(engine.name, implementation(engine)(given)))

    run_all(partial(check, each) for each in ENGINE_LAWS)


@frozen
class Running:
    """An engine under test."""

    name: str
    engine: Engine

    def run(self, work: Work, partitions: Sequence[Partition]) -> EvaluationState:
        """All that it counts, merged."""
        with closing(self.engine.map(work, partitions)) as tallies:  # type: ignore[type-var]
            return _merged(tallies)


# What the engines are given to count. It has names in this module, so that it pickles.


@define
class Sizes(DerivedState):
    """Number, exact sum and every one of the lengths of the uids, for any task."""

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
    """The batch and the resource, which fails here unless it is open."""
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
        """Everything counted."""
        lengths = np.sort(np.concatenate([np.zeros(0), *state.lengths]))
        yield Result(value={"n": state.items, "sum": state.total.value, "all": lengths})


@parameter_class
class MarksParameters:
    """Parameters of `Marks`."""

    folder: Path = parameter(help="Where the marks are left.")


class Marks:
    """A resource that says with files when it was opened and closed."""

    def __init__(self, chosen: MarksParameters) -> None:
        self.folder, self.number = chosen.folder, uuid.uuid4().hex
        (self.folder / f"opened-{self.number}").touch()

    def check_open(self) -> None:
        """Raise if it was closed."""
        if (self.folder / f"closed-{self.number}").exists():
            raise RuntimeError("the resource was used after it was closed")

    def close(self) -> None:
        """Say so; once."""
        (self.folder / f"closed-{self.number}").touch(exist_ok=False)


@frozen
class MarkedReader:
    """Reads one batch a partition, and says with files what it reads.

    Parameters
    ----------
    batches : tuple of Batch
        The batches.
    folder : Path
        Where the marks are left.
    broken : mapping of int to Exception
        What is raised in place of some of them.
    """

    batches: tuple[Batch, ...]
    folder: Path
    broken: dict[int, Exception]

    def partitions(self) -> Sequence[Position]:
        """One for each batch."""
        return tuple(map(Position, range(len(self.batches))))

    def read(self, partition: Position) -> Iterator[Batch]:
        """The batch at a position."""
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
    free=True,
)


@contextmanager
def _work(
    batches: Batches, broken: dict[int, Exception] | None = None, field: str = ""
) -> Iterator[tuple[Work, Path]]:
    """Work on some batches, and the folder of its marks."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        marks = BoundResource(MARKS, MarksParameters(folder=folder), names=("marks",))
        plan = Plan.of([BoundMetric(METRIC, NoParameters())], Registry())
        slices = Slices(((field,),) if field else ())
        evaluation = Evaluation(batches[0].task, plan, slices, resources=(marks,))
        yield Work(evaluation, MarkedReader(tuple(batches), folder, broken or {})), folder


@law
def same_bits_as_serial(running: Running) -> None:
    """Data of several tasks, with slices, give the bits that they give one after another."""
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
    """Every partition is counted once, in tallies of one or of several."""
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
def nothing_to_do(running: Running) -> None:
    """Without partitions there is nothing counted, and no error."""
    with _work(_texts(1)) as (work, _):
        tally = running.run(work, [])
    if tally.done or tally.states:
        raise Breach(f"expected nothing without partitions, found {tally.done}")


@law
def errors_are_named_and_chained(running: Running) -> None:
    """What is wrong with a partition arrives as it would serially, with its name and its cause."""
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
    """When what it yields is closed, it counts no more partitions."""
    with _work(_texts(_MANY)) as (work, folder):
        partitions = work.reader.partitions()
        tallies: Any = running.engine.map(work, partitions)
        first = next(tallies)
        tallies.close()
        read = len({mark.name.split("-")[1] for mark in folder.glob("read-*")})
    if not first.done:
        raise Breach("expected a tally that names its partitions")
    if read == _MANY and len(first.done) < _MANY:
        raise Breach(f"expected it to stop, but it read all of {_MANY} partitions")


@law
def stops_when_the_run_is_stopped(running: Running) -> None:
    """When the run's control says so, it begins no more partitions and ends without an error."""
    with _work(_texts(_MANY)) as (work, _):
        tallies: Any = running.engine.map(work, work.reader.partitions())
        whole = _merged([next(tallies)])
        before = len(whole.done)
        work.control.stop("a budget is spent")
        whole.take(_merged(tallies))
    if before < len(whole.done) == _MANY:
        raise Breach(f"expected it to stop, but it counted all of {_MANY} partitions")
    if len(set(whole.done)) < len(whole.done):
        raise Breach(f"expected every partition once, found {whole.done}")


@law
def resources_open_and_close_once(running: Running) -> None:
    """Every worker opens a resource once, before it counts, and closes it at the end."""
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
def can_run_again(running: Running) -> None:
    """One engine can count several times."""
    with _work(_texts(3)) as (work, _):
        first = _outcome(work, running.run(work, work.reader.partitions()))
        again = _outcome(work, running.run(work, work.reader.partitions()))
    agree(first, again, "in one run", "in the next")


ENGINE_LAWS: Sequence[Callable[[Running], None]] = (
    nothing_to_do,
    every_partition_once,
    resources_open_and_close_once,
    same_bits_as_serial,
    errors_are_named_and_chained,
    stops_when_it_is_closed,
    stops_when_the_run_is_stopped,
    can_run_again,
)
"""The laws of an engine, in the order in which they tell most."""


class _Unmarked:
    """Stands for the resource where no engine opens it."""

    def check_open(self) -> None:
        pass


def _merged(tallies: Any) -> EvaluationState:
    """All tallies as one, each pickled on its way, as it would be from another machine."""
    whole = EvaluationState()
    for tally in tallies:
        whole.take(pickle.loads(pickle.dumps(tally)))
    return whole


def _outcome(work: Work, tally: EvaluationState) -> Any:
    """All results by slice, and what was read, in an order that no engine changes."""
    plan = work.evaluation.plan
    results = {
        repr(key): [result.to_dict() for result in plan.compute(states)]
        for key, states in sorted(tally.states.items(), key=lambda pair: repr(pair[0]))
    }
    uids = sorted(str(uid) for uids in tally.uids for uid in uids.tolist())
    return {"results": results, "uids": uids, "read": tally.read, "done": sorted(tally.done)}


def _texts(count: int) -> list[Batch]:
    """So many batches of one item."""
    return [TextBatch.of([Text(f"item {'x' * i}", response=str(i))]) for i in range(count)]


def _error(running: Running, work: Work) -> BaseException:
    try:
        running.run(work, work.reader.partitions())
    except Exception as error:
        return error
    raise Breach("expected the error of a partition, found none")

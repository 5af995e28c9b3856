from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import pytest
from attrs import evolve, frozen
from valor_testing import ConformanceError, check_engine

from valor_core.cancellation import LocalControl
from valor_core.errors import EngineError
from valor_core.evaluation import EvaluationState
from valor_core.evaluation.engines import PartitionTask
from valor_core.evaluation.engines.local import LocalEngine, LocalParameters
from valor_core.resources import Share, opened
from valor_core.specs import EngineSpec, Registry


@frozen
class Plain:
    """Engine that counts serially and keeps all laws."""

    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        with opened(work.evaluation.resources) as resources:
            for partition in partitions:
                if work.control.stopped:
                    return
                yield work(partition, resources)


class Merging(Plain):
    """Engine that yields one merged state, as a cluster may."""

    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        whole = EvaluationState()
        for state in super().map(work, partitions):
            whole.absorb(state)
        if whole.done:
            yield whole


class Repeating(Plain):
    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        return super().map(work, [*partitions, *partitions[:1]])


class Losing(Plain):
    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        return super().map(work, partitions[:-1])


class Ignoring(Plain):
    """Engine that counts all partitions of the reader instead of the given ones."""

    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        return super().map(work, work.reader.partitions())


class Rounding(Plain):
    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        for state in super().map(work, partitions):
            for (part,) in state.states.values():
                part.total.units >>= 1060
                part.total.units <<= 1060
            yield state


class Swallowing(Plain):
    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        with opened(work.evaluation.resources) as resources:
            for partition in partitions:
                try:
                    state = work(partition, resources)
                except Exception:
                    continue
                yield state


class Hiding(Plain):
    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        try:
            yield from super().map(work, partitions)
        except Exception:
            raise EngineError("engine: a worker failed") from None


class Unchained(Plain):
    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        try:
            yield from super().map(work, partitions)
        except EngineError as error:
            raise EngineError(str(error)) from None


class Eager(Plain):
    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        yield from list(super().map(work, partitions))


class Deaf(Plain):
    """Engine that ignores a stopped run."""

    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        return super().map(evolve(work, control=LocalControl()), partitions)


class OpeningOften(Plain):
    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        for partition in partitions:
            yield from super().map(work, [partition])


class NeverClosing(Plain):
    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        bound = work.evaluation.resources
        resources = {one.name: one.spec.load()(one.parameters) for one in bound}
        for partition in partitions:
            yield work(partition, resources)


class WithoutResources(Plain):
    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        return (work(partition, {}) for partition in partitions)


class Spending(Plain):
    """Engine whose two workers each have the whole budget."""

    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        for part in (partitions[::2], partitions[1::2]):
            if part:
                yield from super().map(work, part)


class Sharing(Plain):
    """Engine whose two workers share the budget; keeps all laws."""

    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        for number in range(2):
            with opened(work.resources, Share(number, 2)) as resources:
                for partition in partitions[number::2]:
                    if not work.control.stopped:
                        yield work(partition, resources)


class OnlyOnce(Plain):
    used: list[bool] = []  # noqa: RUF012 - what makes it an offender

    def map(self, work: PartitionTask, partitions: Sequence[Any]) -> Iterator[EvaluationState]:
        if work in WORKS:
            raise EngineError("engine: has run this")
        WORKS.append(work)
        return super().map(work, partitions)


WORKS: list[Any] = []


@pytest.mark.parametrize("engine", [Plain(), Merging(), Sharing()])
def test_valid_engine_keeps_all_laws(engine: Any) -> None:
    check_engine(engine)


@pytest.mark.parametrize("mode", ["serial", "threads", "processes"])
def test_local_engine_keeps_all_laws(
    mode: Literal["serial", "threads", "processes"],
) -> None:
    check_engine(LocalEngine(LocalParameters(mode=mode, workers=2)))


def test_declared_engine_uses_its_parameters() -> None:
    check_engine(Registry().find(EngineSpec, "local"), {"mode": "threads", "workers": 2})


@pytest.mark.parametrize(
    ("engine", "law", "message"),
    [
        (Repeating(), "every partition once", "expected it 1 times, found it 2 times"),
        (Losing(), "every partition once", "expected it 1 times, found it 0 times"),
        (Ignoring(), "no partitions", "expected nothing without partitions"),
        (Rounding(), "same bits as serial", "breaks the law 'same bits as serial'"),
        (Swallowing(), "errors are named and chained", "expected the error of a partition"),
        (Hiding(), "errors are named and chained", "chained': expected the error 'batch 2"),
        (Unchained(), "errors are named and chained", "expected an error with its cause"),
        (Eager(), "stops when it is closed", "expected it to stop, but it read all"),
        (
            OpeningOften(),
            "resources open and close once",
            "expected it opened once for each worker",
        ),
        (NeverClosing(), "resources open and close once", "expected all 1 that were opened closed"),
        (
            WithoutResources(),
            "resources open and close once",
            "expected it opened once for each worker",
        ),
        (Spending(), "budgets are divided", "to share a budget of 101, found [101, 101] in 2"),
        (Deaf(), "stops when the run is stopped", "expected it to stop, but it counted"),
        (OnlyOnce(), "can run again", "OnlyOnce breaks the law 'can run again'"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_broken_law_is_reported(engine: Any, law: str, message: str) -> None:
    WORKS.clear()
    with pytest.raises(ConformanceError, match=re.escape(message)) as caught:
        check_engine(engine)

    assert caught.value.law == law
    assert caught.value.of == type(engine).__name__

"""Metrics that wait for a judge, and metrics that fail."""

import asyncio
import sys

from attrs import define, frozen

from valor_core import Failed, ItemScore, Result, Undefined
from valor_core.scoring import submit
from valor_core.states import RowsOf, State, StateRequest


async def grade(item, parameters, resources):
    if item.response is None:
        return Undefined("no response")
    grades = [
        await resources["judge"].ask(f"{item.uid} {item.response} {number}")
        for number in range(parameters.calls)
    ]
    return ItemScore(sum(grades) / len(grades), {"grades": grades})


async def both(item, parameters, resources):
    judge = resources["courtroom.judge"]
    return {
        "first": await judge.ask(f"{item.uid} {item.response} first"),
        "second": await judge.ask(f"{item.uid} {item.response} second"),
    }


def many(batch, parameters, resources):
    async def ask_all():
        uids = batch.datums.uids.tolist()
        asked = (
            resources["judge"].ask(f"{uid} {response}")
            for uid, response in zip(uids, batch.responses, strict=True)
        )
        return await asyncio.gather(*asked)

    return submit(ask_all()).result()


ODD = {
    "exit": lambda: sys.exit(3),
    "huge": lambda: 10**400,
    "raise": lambda: 1 / 0,
    "fine": lambda: 0.5,
    "object": lambda: object(),
    "timeout": lambda: (_ for _ in ()).throw(TimeoutError("no answer")),
    "failed": lambda: Failed("no reply"),
    "nothing": dict,
    "names": lambda: {"a": 1.0, "b": Undefined("no b")},
    "unnamed": lambda: {"": 1.0},
    "silent": lambda: (_ for _ in ()).throw(TimeoutError),
    "cause": lambda: Failed(ValueError("no reply")),
    "text": lambda: ItemScore(1.0, "a sentence"),
    "details": lambda: ItemScore(1.0, {"reply": object()}),
}


def odd(item, parameters, resources):
    return ODD[item.response]()


async def odd_later(item, parameters, resources):
    await asyncio.sleep(0)
    return ODD[item.response]()


@frozen
class GradeByNoise:
    """Mean of the rows of Grade at each level of noise."""

    parameters: object

    def needs(self):
        return (RowsOf("courtroom.Grade", {"calls": 1}, metadata=("noise",)),)

    def compute(self, rows):
        levels = sorted({row.metadata["noise"] for row in rows})
        grades = {
            level: [row.value for row in rows if row.metadata["noise"] == level] for level in levels
        }
        yield Result(value=[[level, sum(grades[level]) / len(grades[level])] for level in levels])


class BadConstructor:
    def __init__(self, parameters):
        raise RuntimeError("constructed badly")


@frozen
class BadNeeds:
    parameters: object

    def needs(self):
        return "states"

    def compute(self, *states):
        return ()


@define
class BadState(State):
    def update(self, batch):
        raise RuntimeError("counted badly")

    def merge(self, other):
        pass

    def dump(self):
        return {}

    def restore(self, content):
        pass


@frozen
class BadUpdate:
    parameters: object

    def needs(self):
        return (StateRequest(BadState),)

    def compute(self, state):
        yield Result(value=1.0)


@frozen
class Elsewhere:
    parameters: object

    def needs(self):
        return (RowsOf("segmentation_that_is_not_there.Grade"),)

    def compute(self, rows):
        return ()


@frozen
class Unpaid:
    parameters: object

    def needs(self):
        return (RowsOf("courtroom.Grade"),)

    def compute(self, rows):
        return ()

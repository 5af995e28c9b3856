"""Grader: a judge with a budget, and a metric that asks it for grades."""

import asyncio
from collections.abc import Mapping
from typing import Any

from valor_core import Failed, ItemScore, Undefined
from valor_core.errors import ResourceStopped
from valor_core.parameters import NoParameters, Within, parameter, parameters
from valor_core.schemas.text import Text
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import Range, ResourceKindSpec, ResourceSpec, hookimpl


@parameters
class JudgeParameters:
    """Parameters of the judge."""

    model: str = parameter(default="small", help="Name of the model.")
    budget: int | None = parameter(default=None, help="Maximum number of calls.", check=Within(1))
    width: int = parameter(default=8, help="Number of concurrent calls.", check=Within(1))


class Judge:
    """Judge that asks a model for a grade from 0 to 10."""

    def __init__(self, parameters: JudgeParameters, client: Any) -> None:
        self.parameters = parameters
        self.client = client
        self.width = parameters.width
        self.stop: str | None = None
        self.calls = 0

    async def grade(self, question: str, answer: str) -> str:
        """Return the reply of the model."""
        if self.parameters.budget is not None and self.calls >= self.parameters.budget:
            self.stop = "the judge's budget is spent"
            raise ResourceStopped(self.stop)
        self.calls += 1
        prompt = f"Grade the answer from 0 to 10.\nQuestion: {question}\nAnswer: {answer}"
        return str(await self.client.ask(self.parameters.model, prompt))

    def facts(self) -> Mapping[str, Any]:
        """Return the facts for the report."""
        return {"calls": self.calls, "model": self.parameters.model}


class Words:
    """Client without a network: the grade is the number of words of the answer."""

    def __init__(self, parameters: NoParameters) -> None:
        self.parameters = parameters

    async def ask(self, model: str, prompt: str) -> str:
        """Return a reply after a delay."""
        await asyncio.sleep(0.001)
        return str(len(prompt.rpartition("Answer: ")[2].split()))


async def grade(
    item: Text, parameters: NoParameters, resources: Mapping[str, Any]
) -> ItemScore | Undefined | Failed:
    """Return the grade / 10; the details contain the reply."""
    if not item.response:
        return Undefined("no response")
    reply = await resources["judge"].grade(item.query, item.response)
    if not reply.isdigit() or int(reply) > 10:
        return Failed(f"expected a grade from 0 to 10, got {reply!r}", retry=True)
    return ItemScore(int(reply) / 10, {"reply": reply})


@hookimpl
def valor_metrics() -> list[ItemMetricSpec]:
    """Declare the metric."""
    return [
        ItemMetricSpec(
            name="grader.Grade",
            task="text",
            summary="Grade that the judge gives an answer",
            implementation="grader:grade",
            higher_is_better=True,
            range=Range(0, 1),
            resources=("judge",),
        )
    ]


@hookimpl
def valor_resources() -> list[ResourceSpec]:
    """Declare the judge."""
    return [
        ResourceSpec(
            name="grader.judge",
            summary="Model that grades answers",
            parameters=JudgeParameters,
            implementation="grader:Judge",
            identity=("model",),
            divided=("budget",),
            kinds="client",
        )
    ]


@hookimpl
def valor_resource_kinds() -> list[ResourceKindSpec]:
    """Declare the client."""
    return [
        ResourceKindSpec(
            name="grader.words",
            resource="grader.judge",
            summary="Counts the words of the answer",
            implementation="grader:Words",
        )
    ]

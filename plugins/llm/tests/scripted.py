"""A judge whose client answers from a script, by step."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from valor_llm.clients.protocol import ClientError, Reply, Request
from valor_llm.judge.judge import Judge
from valor_llm.parameters.judge import JudgeParameters

from valor_core import Registry
from valor_core.results import Failed, ItemScore, NoScore
from valor_core.schemas.text import Text
from valor_core.specs.spec import import_object

MetricDetails = dict[str, Any] | str | ClientError
Script = Mapping[str, MetricDetails | Callable[[Mapping[str, Any]], MetricDetails]]


class Scripted:
    """Answers each step with what a script says, and keeps what it was asked."""

    is_remote: ClassVar[bool] = False
    endpoint = "script"
    model = "script"

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def complete(self, request: Request) -> Reply:
        """Return the scripted reply to the step."""
        self.asked.append((request.step, dict(request.data)))
        scripted = self.script[request.step]
        if callable(scripted):
            scripted = scripted(request.data)
        if isinstance(scripted, ClientError):
            raise scripted
        text = scripted if isinstance(scripted, str) else json.dumps(scripted)
        return Reply(text=text, model=self.model)

    @property
    def steps(self) -> list[str]:
        """Names of the steps that were asked, in order."""
        return [step for step, _ in self.asked]

    @property
    def distinct(self) -> set[tuple[str, str]]:
        """The questions that differ in their step or its data."""
        return {(step, json.dumps(data, sort_keys=True)) for step, data in self.asked}


def said(*words: str, key: str = "verdicts") -> dict[str, Any]:
    """A reply with some verdicts, and the analysis "why 1" to the first of them."""
    rows = [
        {"id": number, "analysis": f"why {number}", "verdict": word}
        for number, word in enumerate(words, 1)
    ]
    return {key: rows}


def rated(rating: int | str) -> dict[str, Any]:
    """A reply with a rating."""
    return {"analysis": "why", "rating": rating}


def answered(name: str, item: Text, client: Scripted, **parameters: Any) -> ItemScore | NoScore:
    """Score one item with a metric, with one reply for each step."""
    spec = Registry().metric(name)
    score = import_object(spec.implementation)
    judge = Judge(JudgeParameters(cache="off", reply_retries=0, http_retries=0), client)
    try:
        answer: ItemScore | NoScore = asyncio.run(
            score(item, spec.parameter_class(**parameters), {"judge": judge})
        )
    finally:
        judge.close()
    return answer


def scored(name: str, item: Text, client: Scripted, **parameters: Any) -> ItemScore:
    """The score of one item, which there must be."""
    answer = answered(name, item, client, **parameters)
    assert isinstance(answer, ItemScore), answer
    return answer


def failed(name: str, item: Text, client: Scripted, **parameters: Any) -> Failed:
    """The failure of one item, which there must be."""
    answer = answered(name, item, client, **parameters)
    value = answer.value if isinstance(answer, ItemScore) else answer  # it keeps what was answered
    assert isinstance(value, Failed), answer
    return value

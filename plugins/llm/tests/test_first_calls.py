"""First calls: an endpoint that rejects a parameter is asked once before all calls are sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from attrs import evolve
from valor_llm.clients.protocol import BadRequest, ClientError, Reply, Request, TransientError
from valor_llm.judge.calls import Calls
from valor_llm.judge.capabilities import Capabilities, FirstCalls, kind_of
from valor_llm.judge.limits import Retries
from valor_llm.parameters.judge import JudgeParameters

from valor_core.scoring import submit

REQUEST = Request(messages=(), schema={}, step="claims", temperature=0.0, seed=1, max_tokens=10)
AT_ONCE = Retries(3, draw=lambda low, high: 0.0)


class Endpoint:
    """A client whose calls take some turns of the loop."""

    is_remote: ClassVar[bool] = True
    endpoint, model = "https://judge.test/v1", "m"

    def __init__(self, script: Callable[[int, Request], Reply | ClientError]) -> None:
        self.script = script
        self.requests: list[Request] = []
        self.under_way = self.most = 0

    async def complete(self, request: Request) -> Reply:
        number = len(self.requests)
        self.requests.append(request)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        for _ in range(5):
            await asyncio.sleep(0)
        self.under_way -= 1
        answer = self.script(number, request)
        if isinstance(answer, ClientError):
            raise answer
        return answer


def completed(
    client: Endpoint, requests: list[Request], features: Capabilities | None = None
) -> list[Any]:
    async def run() -> list[Any]:
        calls = Calls(
            JudgeParameters(cache="off", concurrency=16),
            client,
            retries=AT_ONCE,
            features=features,
        )
        asked = (calls.complete(one) for one in requests)
        return await asyncio.gather(*asked, return_exceptions=True)

    return submit(run()).result(timeout=20)


def reply() -> Reply:
    return Reply(text="{}", model="m")


def reasoning_model(number: int, request: Request) -> Reply | ClientError:
    if request.max_tokens is not None and request.max_tokens_key == "max_tokens":
        return BadRequest("400: 'max_tokens' is not supported, use 'max_completion_tokens'")
    if request.temperature is not None:
        return BadRequest("400: 'temperature' does not support 0.0")
    return reply()


def test_reasoning_model_rejects_two_calls_and_not_two_of_each_wave() -> None:
    client = Endpoint(reasoning_model)
    answers = completed(client, [REQUEST] * 60)
    assert all(isinstance(one, Reply) for one in answers)
    assert len(client.requests) == 62  # one for each question, and one for each rejected parameter
    assert client.most == 16


def test_second_kind_of_request_is_tried_alone_as_well() -> None:
    def script(number: int, request: Request) -> Reply | ClientError:
        if request.probabilities and request.alternatives > 5:
            return BadRequest("400: top_logprobs must be at most 5")
        return reply()

    client = Endpoint(script)
    weighted = evolve(REQUEST, probabilities=True)
    answers = completed(client, [REQUEST, weighted] * 20)
    assert all(isinstance(one, Reply) for one in answers)
    assert len(client.requests) == 41


def test_endpoint_that_accepts_everything_waits_for_one_call_alone() -> None:
    client = Endpoint(lambda number, request: reply())
    completed(client, [REQUEST] * 17)
    assert len(client.requests) == 17
    assert client.most == 16  # all the others together


@pytest.mark.parametrize(
    "error", [TransientError("503"), BadRequest("400: the request is malformed"), ClientError("no")]
)
def test_first_call_without_reply_lets_the_next_one_lead(error: ClientError) -> None:
    def script(number: int, request: Request) -> Reply | ClientError:
        return error if number == 0 else reasoning_model(number, request)

    client = Endpoint(script)
    answers = completed(client, [REQUEST] * 30)
    assert sum(isinstance(one, Reply) for one in answers) >= 29
    assert len(client.requests) <= 36


def test_endpoint_that_rejects_every_call_gets_them_all_after_three() -> None:
    client = Endpoint(lambda number, request: BadRequest("400: the request is malformed"))
    answers = completed(client, [REQUEST] * 30)
    assert {str(one) for one in answers} == {"400: the request is malformed"}
    assert len(client.requests) == 30
    assert client.most == 16


def test_features_of_an_earlier_run_need_no_first_call() -> None:
    client = Endpoint(lambda number, request: reply())
    completed(client, [REQUEST] * 16, Capabilities())
    assert client.most == 16


def test_slow_first_call_holds_the_others_for_its_patience_alone() -> None:
    now = [0.0]
    first = FirstCalls(patience=2.0, clock=lambda: now[0])
    kind = kind_of(REQUEST)
    assert kind is not None

    async def wait() -> tuple[bool, bool]:
        assert first.leads(kind)
        assert not first.leads(kind)
        before = first.may_go(kind)
        now[0] = 2.5
        await first.wait(kind)
        return before, first.may_go(kind)

    assert asyncio.run(wait()) == (False, True)

"""Calls of one client: retried, limited, fitted to the endpoint, and ended."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from typing import Any, ClassVar

import pytest
from attrs import evolve
from mock_endpoint import MockEndpoint
from valor_llm.clients.openai import openai_endpoint
from valor_llm.clients.protocol import (
    BadRequest,
    Client,
    ClientError,
    FatalError,
    RateLimited,
    Reply,
    Request,
    TransientError,
    Unreachable,
    Usage,
)
from valor_llm.judge.calls import Calls
from valor_llm.judge.capabilities import Capabilities
from valor_llm.judge.judge import Judge
from valor_llm.judge.limits import Retries
from valor_llm.metrics.faithfulness import CLAIMS
from valor_llm.parameters.clients import OpenAIParameters
from valor_llm.parameters.judge import JudgeParameters

from valor_core.errors import ResourceStopped
from valor_core.scoring import run_on_loop, submit

REQUEST = Request(
    messages=(), schema={}, step="claims", temperature=0.0, seed=1, max_tokens=10, deadline=5.0
)
AT_ONCE = Retries(3, draw=lambda low, high: 0.0)
Answering = Callable[[int, Request], Reply | ClientError]


def said(text: str = "{}", **more: Any) -> Reply:
    return Reply(text=text, model="m", **more)


class Scripted:
    """A client that says, or raises, what a script makes of the number of the call."""

    is_remote: ClassVar[bool] = True
    endpoint = "https://judge.test/v1"
    model = "m"

    def __init__(self, script: Answering | Sequence[Reply | ClientError]) -> None:
        self.script: Answering = (
            script if callable(script) else lambda number, request: script[number]
        )
        self.requests: list[Request] = []
        self._counting = threading.Lock()

    def _next(self, request: Request) -> Reply:
        with self._counting:
            number = len(self.requests)
            self.requests.append(request)
        answer = self.script(number, request)
        if isinstance(answer, ClientError):
            raise answer
        return answer

    def complete(self, request: Request) -> Reply:
        return self._next(request)


class Awaited(Scripted):
    """The same, as a coroutine function."""

    async def complete(self, request: Request) -> Reply:  # type: ignore[override]
        await asyncio.sleep(0)
        return self._next(request)


def calls_of(client: Client, retries: Retries = AT_ONCE, **parameters: Any) -> Calls:
    return Calls(JudgeParameters(cache="off", **parameters), client, retries=retries)


def complete(calls: Calls, times: int = 1, request: Request = REQUEST) -> list[Any]:
    """Outcomes of concurrent calls: replies and errors."""

    async def run() -> list[Any]:
        asked = (calls.complete(request) for _ in range(times))
        return await asyncio.gather(*asked, return_exceptions=True)

    return submit(run()).result(timeout=20)


@pytest.mark.parametrize("kind", [Scripted, Awaited])
def test_what_may_pass_is_tried_again_and_counted(kind: type[Scripted]) -> None:
    client = kind(
        [TransientError("503"), RateLimited("429"), said(usage=Usage(prompt=7, completion=2))]
    )
    calls = calls_of(client)
    (reply,) = complete(calls)
    assert reply.text == "{}"
    recorded = calls.facts()
    assert (recorded["calls"], recorded["http_retries"], recorded["rate_limited"]) == (3, 2, 1)
    assert (recorded["prompt_tokens"], recorded["completion_tokens"]) == (7, 2)


def test_tries_end_and_the_error_says_how_many_there_were() -> None:
    client = Scripted(lambda number, request: TransientError("https://judge.test/v1: 503"))
    (error,) = complete(calls_of(client))
    assert str(error) == "https://judge.test/v1: 503, in 4 attempts"
    assert isinstance(error, TransientError)
    assert len(client.requests) == 4  # one, and three more


def test_a_request_that_is_not_taken_is_not_repeated() -> None:
    client = Scripted(lambda number, request: BadRequest("400: the request is malformed"))
    (error,) = complete(calls_of(client))
    assert str(error) == "400: the request is malformed"
    assert len(client.requests) == 1


def test_unsupported_field_is_omitted_afterwards() -> None:
    def script(number: int, request: Request) -> Reply | ClientError:
        if request.temperature is not None:
            return BadRequest("400: temperature is not supported")
        if request.max_tokens_key == "max_tokens":
            return BadRequest("400: use max_completion_tokens in the place of max_tokens")
        return said()

    client, learned = Scripted(script), []
    calls = Calls(JudgeParameters(cache="off"), client, learned=learned.append)
    complete(calls)
    complete(calls)
    assert len(client.requests) == 4  # two that were rejected, and one for each reply
    assert client.requests[2] == client.requests[3]
    assert client.requests[3].seed == 1
    assert calls.facts()["not_taken"] == ["temperature"]
    found = Capabilities(
        max_tokens_key="max_completion_tokens", left_out=frozenset({"temperature"})
    )
    assert learned == [found]


def test_what_no_reply_has_proved_is_forgotten() -> None:
    client = Scripted(
        [
            BadRequest("400: seed is odd"),
            BadRequest("400: the request is malformed"),
            said(),
        ]
    )
    calls = calls_of(client)
    complete(calls)
    complete(calls)
    assert [one.seed for one in client.requests] == [1, None, 1]
    assert "not_taken" not in calls.facts()


def test_a_schema_that_is_ignored_gives_way_to_an_object_and_to_text() -> None:
    client = Scripted(lambda number, request: said("So be it."))
    calls = calls_of(client)
    for form in ("json_schema", "json_schema", "json_object", "json_object", "text", "text"):
        (reply,) = complete(calls)
        assert reply.format == form
        calls.learn(reply, fits=False)
    assert calls.features.format == "text"


def test_one_reply_that_fits_keeps_the_schema() -> None:
    calls = calls_of(Scripted(lambda number, request: said()))
    (reply,) = complete(calls)
    for fits in (False, True, False, False, False):
        calls.learn(reply, fits)
    assert calls.features.format == "json_schema"


def test_a_reply_that_was_cut_says_nothing_of_the_schema() -> None:
    cut = Reply(text='{"cla', model="m", finish="length")
    calls = calls_of(Scripted(lambda number, request: cut))
    for _ in range(5):
        (reply,) = complete(calls)
        calls.learn(reply, fits=False)
    assert calls.features.format == "json_schema"


def test_a_refusal_stops_all_calls_and_says_what_to_do() -> None:
    def script(number: int, request: Request) -> Reply | ClientError:
        return FatalError("https://judge.test/v1: 401 Unauthorized", "Check the key in JUDGE_KEY")

    client = Scripted(script)
    calls = calls_of(client, concurrency=1)
    errors = complete(calls, times=5)
    assert len(client.requests) == 1
    assert all(isinstance(one, ResourceStopped) for one in errors)
    assert calls.stop == "https://judge.test/v1: 401 Unauthorized; check the key in JUDGE_KEY"
    assert str(errors[0]) == "https://judge.test/v1: 401 Unauthorized\nCheck the key in JUDGE_KEY"


def test_a_server_that_is_down_ends_the_run_and_not_every_item_after_all_its_attempts() -> None:
    def script(number: int, request: Request) -> Reply | ClientError:
        return Unreachable("http://127.0.0.1:1: cannot be reached, Connection refused")

    client = Scripted(script)
    errors = complete(calls_of(client, concurrency=1), times=50)
    assert all(isinstance(one, ResourceStopped) for one in errors)
    assert len(client.requests) < 200  # 4 of each
    assert str(errors[0]) == (
        "http://127.0.0.1:1: cannot be reached, Connection refused, in 4 attempts\n"
        "Start the server, or correct its base_url"
    )


def test_a_call_that_is_not_taken_while_others_are_ends_no_run() -> None:
    down = Unreachable("https://judge.test/v1: cannot be reached, Connection refused")

    def script(number: int, request: Request) -> Reply | ClientError:
        return down if request.step == "unlucky" else said()

    client = Awaited(script)
    calls = calls_of(client)

    async def run() -> list[Any]:
        unlucky = asyncio.ensure_future(calls.complete(evolve(REQUEST, step="unlucky")))
        return await asyncio.gather(unlucky, calls.complete(REQUEST), return_exceptions=True)

    failed, reply = submit(run()).result(timeout=5)
    assert type(failed) is Unreachable
    assert reply.text == "{}"
    assert calls.stop is None


def test_a_refusal_ends_those_that_wait_for_another_attempt() -> None:
    def script(number: int, request: Request) -> Reply | ClientError:
        return RateLimited("429", after=500.0) if number == 0 else FatalError("401")

    client = Awaited(script)

    async def run() -> list[Any]:
        calls = calls_of(client, retries=Retries(3))
        first = asyncio.ensure_future(calls.complete(REQUEST))
        while not calls.facts().get("http_retries"):
            await asyncio.sleep(0)
        calls.stop = "the budget is spent"
        return await asyncio.gather(first, calls.complete(REQUEST), return_exceptions=True)

    errors = submit(run()).result(timeout=5)
    assert [str(one) for one in errors] == ["the budget is spent"] * 2
    assert all(isinstance(one, ResourceStopped) for one in errors)
    assert len(client.requests) == 1


def test_calls_in_progress_do_not_exceed_the_limit() -> None:
    lock, under_way, most = threading.Lock(), [0], [0]

    def script(number: int, request: Request) -> Reply | ClientError:
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        time.sleep(0.002)
        with lock:
            under_way[0] -= 1
        return said()

    client = Scripted(script)
    complete(calls_of(client, concurrency=3), times=30)
    assert most[0] == 3
    assert len(client.requests) == 30


def test_random_rate_limits_lose_no_call() -> None:
    draw = random.Random(14)

    def script(number: int, request: Request) -> Reply | ClientError:
        return RateLimited("429", after=0.001) if draw.random() < 0.3 else said()

    client = Scripted(script)
    replies = complete(calls_of(client, Retries(20, draw=lambda low, high: 0.0)), times=100)
    assert all(isinstance(one, Reply) for one in replies)


def test_a_coroutine_that_never_ends_is_ended_at_the_deadline() -> None:
    class Hanging(Awaited):
        async def complete(self, request: Request) -> Reply:  # type: ignore[override]
            await asyncio.Event().wait()
            raise AssertionError

    calls = calls_of(Hanging([]), retries=Retries(0))
    (error,) = complete(calls, request=Request(messages=(), schema={}, step="s", deadline=0.05))
    assert str(error) == "https://judge.test/v1: no reply within 0.05 s"
    assert isinstance(error, TransientError)


def test_after_the_end_of_the_run_no_call_is_made() -> None:
    now = [100.0]

    def script(number: int, request: Request) -> Reply | ClientError:
        now[0] += 40
        return said() if number == 0 else TransientError("no whole answer within 20 s")

    client = Scripted(script)
    parameters = JudgeParameters(cache="off", run_timeout=60.0, call_timeout=50.0)
    calls = Calls(parameters, client, retries=Retries(0), clock=lambda: now[0])
    asked = Request(messages=(), schema={}, step="claims", deadline=50.0)
    (reply,) = complete(calls, request=asked)
    assert isinstance(reply, Reply)
    # The second call may take the 20 seconds that are left; cut short, it has not failed.
    (error,) = complete(calls, request=asked)
    assert [one.deadline for one in client.requests] == [50.0, 20.0]
    assert isinstance(error, ResourceStopped)
    assert str(error).splitlines() == [
        "the judge's run_timeout of 60 s is over",
        "Raise judge.run_timeout, or run again to go on",
    ]
    assert calls.stop is not None


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_run_that_may_take_a_moment_waits_no_minute_for_a_rate_limit(concurrency: int) -> None:
    # The others wait for their turn, which the endpoint wants a minute later.
    client = Scripted(lambda number, request: RateLimited("429", after=60.0))
    parameters = JudgeParameters(cache="off", run_timeout=0.1, concurrency=concurrency)
    calls = Calls(parameters, client, retries=Retries(6))
    futures = [submit(calls.complete(REQUEST)) for _ in range(4)]
    assert not wait(futures, timeout=10).not_done
    errors = [one.exception() for one in futures]
    assert {str(one).splitlines()[0] for one in errors} == {
        "the judge's run_timeout of 0.1 s is over"
    }
    assert all(isinstance(one, ResourceStopped) for one in errors)


def test_an_endpoint_that_wants_no_call_for_a_day_stops_the_run() -> None:
    # A limit by the day: who waited for it would wait until tomorrow.
    client = Scripted(lambda number, request: RateLimited("judge.test: 429", after=86_400.0))
    calls = calls_of(client, concurrency=2)
    futures = [submit(calls.complete(REQUEST)) for _ in range(6)]
    assert not wait(futures, timeout=10).not_done
    errors = [one.exception() for one in futures]
    assert all(isinstance(one, ResourceStopped) for one in errors)
    assert len(client.requests) <= 2
    assert str(errors[0]).splitlines() == [
        "judge.test: 429, and asks for no call within 86,400 s",
        "Run again after that: what is paid for is not asked again",
    ]


def test_closing_ends_what_waits_and_the_threads() -> None:
    release, begun = threading.Event(), threading.Semaphore(0)

    def script(number: int, request: Request) -> Reply | ClientError:
        begun.release()
        release.wait(10)
        return said()

    before = set(threading.enumerate())
    calls = calls_of(Scripted(script), concurrency=2)
    futures = [submit(calls.complete(REQUEST)) for _ in range(6)]
    for _ in range(2):
        assert begun.acquire(timeout=5)
    ours = {one for one in threading.enumerate() if one.name.startswith("valor-judge")} - before
    assert len(ours) == 2
    calls.close()
    release.set()
    assert not wait(futures, timeout=5).not_done
    ended = [one.exception() for one in futures]
    assert sum(one is None for one in ended) == 2  # those under way are paid for, and kept
    assert {str(one) for one in ended if one} == {"the judge is closed"}
    for thread in ours:
        thread.join(5)
        assert not thread.is_alive()


def test_callback_gets_a_reply_on_the_receiving_thread() -> None:
    calls, recorded = calls_of(Scripted([said("{}")])), []

    def take(reply: Reply) -> None:
        recorded.append((reply.text, threading.current_thread().name.partition("_")[0]))

    submit(calls.complete(REQUEST, take)).result(timeout=5)
    assert recorded == [("{}", "valor-judge")]


def test_a_judge_is_awaited_from_any_loop_and_many_at_once() -> None:
    client = Scripted(lambda number, request: said('{"claims": ["It rains."]}'))
    judge = Judge(JudgeParameters(cache="off"), client)

    async def ask(number: int) -> Any:
        answers = await asyncio.gather(
            *(judge.ask(CLAIMS, response=f"{number} {one}") for one in range(5))
        )
        return [one.value["claims"] for one in answers]

    found: list[Any] = []
    # Each has a loop of its own, as a notebook or a web server has.
    threads = [
        threading.Thread(target=lambda number=one: found.append(asyncio.run(ask(number))))
        for one in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    found.append(submit(ask(4)).result(timeout=10))  # and on the loop itself
    assert found == [[("It rains.",)] * 5] * 5
    assert len(client.requests) == 25
    judge.close()


def test_canceling_who_waits_on_another_loop_frees_the_judge() -> None:
    begun = threading.Event()

    class Hanging(Awaited):
        async def complete(self, request: Request) -> Reply:  # type: ignore[override]
            begun.set()
            await asyncio.Event().wait()
            raise AssertionError

    calls = calls_of(Hanging([]))

    async def impatient() -> None:
        task = asyncio.create_task(run_on_loop(calls.complete(REQUEST)))
        while not begun.is_set():
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(impatient())

    async def under_way() -> int:
        for _ in range(100):
            if not calls._limits.under_way:
                break
            await asyncio.sleep(0.001)
        return calls._limits.under_way

    assert submit(under_way()).result(timeout=5) == 0


def test_a_judge_that_is_closed_waits_for_no_endpoint(endpoint: MockEndpoint) -> None:
    endpoint.configure(faults={"hang": 1.0})
    before = set(threading.enumerate())
    client = openai_endpoint(OpenAIParameters(base_url=endpoint.base_url, model="m"))
    judge = Judge(JudgeParameters(cache="off", concurrency=2, call_timeout=60.0), client)
    asked = [submit(judge.ask(CLAIMS, response=f"It rains {one}.")) for one in range(4)]
    while endpoint.counters["in_flight"] < 2:
        time.sleep(0.01)
    began = time.monotonic()
    judge.close()
    client.close()
    for future in asked:
        with pytest.raises(ResourceStopped, match="the judge is closed"):
            future.result(timeout=10)
    for thread in set(threading.enumerate()) - before:
        if thread.name.startswith("valor-judge"):
            thread.join(5)
            assert not thread.is_alive()
    assert time.monotonic() - began < 5

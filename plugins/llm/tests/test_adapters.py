"""Functions and SDKs' clients as the judge's client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field
from mock_endpoint import MockEndpoint
from valor_llm.clients.callable import from_callable
from valor_llm.clients.protocol import (
    Client,
    ClientError,
    FatalError,
    Message,
    RateLimited,
    Reply,
    Request,
    TransientError,
)
from valor_llm.clients.sdk import from_sdk
from valor_llm.judge.judge import Judge
from valor_llm.metrics.faithfulness import CLAIMS
from valor_llm.parameters.judge import JudgeParameters

from valor_core import evaluate
from valor_core.errors import ResourceError, StateError
from valor_core.schemas.text import Text
from valor_core.scoring import submit

ITEMS = [Text(f"q{i}", response=f"It rains {i}.", contexts=(f"Rain {i}.",)) for i in range(4)]
CLAIMED = '{"claims": ["It rains."]}'
JUDGED = '{"verdicts": [{"id": 1, "analysis": "So it is.", "verdict": "yes"}]}'


def answer(messages: list[dict[str, str]]) -> str:
    return JUDGED if '"verdicts"' in messages[0]["content"] else CLAIMED


async def answer_later(messages: list[dict[str, str]]) -> Reply:
    await asyncio.sleep(0)
    return Reply(text=answer(messages), model="mine-2")


def report_of(client: Any, **more: Any) -> Any:
    judge = {"client": client, "cache": "off", "http_retries": 0, **more}
    return evaluate(ITEMS, ["llm.Faithfulness"], resources={"judge": judge}, items=True)


def ask(client: Client) -> Any:
    judge = Judge(JudgeParameters(cache="off", http_retries=0), client)
    try:
        return asyncio.run(judge.ask(CLAIMS, response="It rains.")).value["claims"]
    finally:
        judge.close()


def complete(client: Client) -> Reply:
    expected = (Message("user", "It rains."),)
    request = Request(messages=expected, schema={"type": "object"}, step="claims", max_tokens=9)
    reply = client.complete(request)
    return reply if isinstance(reply, Reply) else submit(reply).result(10)  # type: ignore[arg-type]


@pytest.mark.parametrize("function", [answer, answer_later])
def test_a_function_answers_in_the_place_of_a_named_client(function: Any) -> None:
    report = report_of(from_callable(function, model="mine", endpoint="here"))
    assert report["Faithfulness"].value == 1.0
    facts = report.facts["judge"]
    assert (facts["calls"], facts["endpoint"], facts["model"]) == (8, "here", "mine")
    assert facts["not_taken"] == ["max_tokens", "seed", "temperature"]
    assert facts["format"] == "text"
    given = report.config["judge"]["client"]
    assert given["given"].startswith("valor_llm.clients.callable.")
    assert (given["endpoint"], given["model"]) == ("here", "mine")


def test_a_callable_object_is_a_function_too() -> None:
    class Mine:
        async def __call__(self, messages: list[dict[str, str]]) -> str:
            return answer(messages)

    assert ask(from_callable(Mine(), model="mine")) == ("It rains.",)


@pytest.mark.parametrize(
    ("error", "expected", "is_passing"),
    [
        (TimeoutError("too slow"), "here: TimeoutError, too slow", True),
        (ConnectionResetError(), "here: ConnectionResetError", True),
        (ValueError("no\nidea"), "here: ValueError, no idea", False),
        (RateLimited("429"), "429", True),
    ],
)
def test_what_a_function_raises_is_that_calls_error(
    error: Exception, expected: str, is_passing: bool
) -> None:
    def fails(messages: list[dict[str, str]]) -> str:
        raise error

    with pytest.raises(ClientError) as caught:
        complete(from_callable(fails, model="mine", endpoint="here"))
    assert (str(caught.value), isinstance(caught.value, TransientError)) == (expected, is_passing)


def test_function_with_another_return_type_is_reported() -> None:
    with pytest.raises(ClientError, match=r"^here: expected a text or a Reply, got NoneType$"):
        complete(from_callable(lambda messages: None, model="m", endpoint="here"))  # type: ignore[arg-type, return-value]


def test_rows_of_another_model_are_not_taken_from_a_state(tmp_path: Path) -> None:
    def run(model: str) -> Any:
        return evaluate(
            ITEMS,
            ["llm.Faithfulness"],
            resources={"judge": {"client": from_callable(answer, model=model), "cache": "off"}},
            state=tmp_path / "state.npz",
        )

    assert run("one").facts["judge"]["calls"] == 8
    with pytest.raises(StateError):
        run("two")


# ---- clients of the SDKs, as objects of their shape


@define
class Answers:
    """Stub of ``chat.completions`` or ``messages``."""

    answer: dict[str, Any]
    asked: list[dict[str, Any]] = field(factory=list)

    def create(self, **arguments: Any) -> Any:
        self.asked.append(arguments)
        return self.answer


OPENAI_ANSWER = {"model": "m-1", "choices": [{"message": {"content": CLAIMED}}]}


def test_an_object_of_the_shape_of_openai_is_asked_as_openai() -> None:
    completions = Answers(OPENAI_ANSWER)

    class Chat:
        pass

    class Fake:
        base_url = "https://judge.test/v1/"
        chat = Chat()

    Fake.chat.completions = completions  # type: ignore[attr-defined]
    client = from_sdk(Fake(), model="m", extra={"reasoning_effort": "low"})
    assert complete(client).text == CLAIMED
    assert client.endpoint == "https://judge.test/v1"
    (asked,) = completions.asked
    assert asked["model"] == "m"
    assert asked["timeout"] == 60.0
    assert asked["extra_body"]["reasoning_effort"] == "low"
    assert asked["extra_body"]["response_format"]["type"] == "json_schema"


def test_an_object_of_the_shape_of_anthropic_is_asked_as_anthropic() -> None:
    class AsyncMessages(Answers):
        async def create(self, **arguments: Any) -> Any:
            return super().create(**arguments)

    class AsyncFake:
        messages = AsyncMessages({"content": [{"type": "text", "text": CLAIMED}]})

    client = from_sdk(AsyncFake(), model="m")
    assert complete(client).text == CLAIMED
    (asked,) = AsyncFake.messages.asked
    assert asked["extra_body"]["output_config"]["format"]["type"] == "json_schema"
    assert (asked["model"], asked["max_tokens"]) == ("m", 9)


def test_unsupported_object_is_rejected() -> None:
    with pytest.raises(
        ResourceError, match=r"judge\.client: expected a client of openai or anthropic, got object"
    ):
        from_sdk(object(), model="m")


# ---- the SDKs themselves

KEY = "sk-test-0123456789"


@pytest.fixture(params=["openai", "async openai", "anthropic", "async anthropic"])
def sdk(request: pytest.FixtureRequest, endpoint: MockEndpoint) -> Iterator[Any]:
    # Imported here, since every worker of pytest imports what stands above: 3 s for these two.
    import anthropic
    import openai

    client: Any
    root, base = endpoint.root, endpoint.base_url
    endpoint.configure(key=KEY)
    if request.param == "openai":
        with openai.OpenAI(base_url=base, api_key=KEY) as client:
            yield client
    elif request.param == "anthropic":
        with anthropic.Anthropic(base_url=root, api_key=KEY) as client:
            yield client
    else:
        # What an asynchronous client opens on a loop is closed on it.
        if request.param == "async openai":
            client = openai.AsyncOpenAI(base_url=base, api_key=KEY)
        else:
            client = anthropic.AsyncAnthropic(base_url=root, api_key=KEY)
        yield client
        submit(client.close()).result(10)


def test_an_sdk_scores_what_the_endpoint_says(sdk: Any, endpoint: MockEndpoint) -> None:
    report = report_of(from_sdk(sdk, model="m"))
    assert report.ok
    assert report["Faithfulness"].value is not None
    assert report.facts["judge"]["format"] == "json_schema"
    assert endpoint.counters["requests"] == report.facts["judge"]["calls"]
    assert KEY not in json.dumps(report.to_dict())


def test_sdk_does_not_retry(sdk: Any, endpoint: MockEndpoint) -> None:
    endpoint.configure(script=["http_429_seconds", "http_500"])
    errors = []
    for _ in range(2):
        with pytest.raises(ClientError) as caught:
            complete(from_sdk(sdk, model="m"))
        errors.append(caught.value)
    assert isinstance(errors[0], RateLimited)
    assert errors[0].after == 0.02
    assert type(errors[1]) is TransientError
    assert endpoint.counters["requests"] == 2


def test_a_key_that_an_sdk_has_wrong_stops_the_run(sdk: Any, endpoint: MockEndpoint) -> None:
    endpoint.configure(key="another")
    with pytest.raises(FatalError) as caught:
        complete(from_sdk(sdk, model="m"))
    assert "401" in str(caught.value)
    assert KEY not in str(caught.value)


def test_an_endpoint_that_an_sdk_cannot_reach_may_be_there_later(
    sdk: Any, endpoint: MockEndpoint
) -> None:
    endpoint.configure(script=["closed_before_answer"])
    with pytest.raises(TransientError, match="APIConnectionError"):
        complete(from_sdk(sdk, model="m"))

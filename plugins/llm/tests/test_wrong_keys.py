"""Wrong keys: a run stops at once, whichever status and words the endpoint has for it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cases import for_each
from valor_llm.clients.callable import fault_of
from valor_llm.clients.http.faults import fault, refused_key, said
from valor_llm.clients.protocol import BadRequest, ClientError, FatalError, Message, Reply, Request
from valor_llm.judge.calls import Calls
from valor_llm.parameters.judge import JudgeParameters

from valor_core.errors import ResourceStopped
from valor_core.scoring import submit

GEMINI = {
    "error": {
        "code": 400,
        "message": "API key not valid. Please pass a valid API key.",
        "status": "INVALID_ARGUMENT",
        "details": [
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
            }
        ],
    }
}


def error_of(status: int, body: Any) -> ClientError:
    data = json.dumps(body).encode()
    return fault(status, {}, said(data), "https://judge.test", 0.0, refused_key(data))


@for_each(
    ("status", "body"),
    [
        (400, GEMINI),
        (400, [GEMINI]),  # at the address that speaks as OpenAI's does
        (400, {"error": {"message": "API key not valid. Please pass a valid API key."}}),
        (400, {"error": {"message": "API key expired. Please renew the API key."}}),
        (403, {"error": {"code": 403, "message": "no", "status": "PERMISSION_DENIED"}}),
        (
            400,
            {"error": {"message": "Incorrect API key: sk-1.", "code": "invalid_api_key"}},
        ),
        (422, {"error": {"message": "no", "type": "authentication_error"}}),
        (409, {"type": "error", "error": {"type": "authentication_error", "message": "x-api-key"}}),
        (400, {"type": "error", "error": {"type": "permission_error", "message": "no"}}),
        (401, {"statusCode": 401, "message": "Access denied due to invalid subscription key or"}),
        (400, {"message": "Access denied due to invalid subscription key or wrong endpoint."}),
        (400, {"message": "Unauthorized"}),
        (400, {"message": "invalid api token"}),
        (400, {"error": {"message": "Invalid API Key", "type": "invalid_request_error"}}),
        (400, {"detail": "Invalid API key"}),
        (400, {"error": "No API key provided"}),
        (400, {"error": "Invalid authentication"}),
    ],
)
def test_wrong_key_is_known_by_code_or_words_of_any_status(status: int, body: Any) -> None:
    error = error_of(status, body)
    assert isinstance(error, FatalError)
    if status != 403:
        assert error.remedy == "Check the key"


@pytest.mark.parametrize(
    "message",
    [
        "Cannot process 'API key not valid. Please pass a valid API key.'",
        "The prompt is too long: Invalid API key",
        "'temperature' is not supported",
        "keys of the object must be strings",
        "No apiary here",
    ],
)
def test_other_rejections_concern_one_request(message: str) -> None:
    error = error_of(400, {"error": {"message": message, "type": "invalid_request_error"}})
    assert isinstance(error, BadRequest)


@pytest.mark.parametrize(
    "text", ["API key not valid. Please pass a valid API key.", "They ran out: insufficient_quota"]
)
def test_text_of_an_item_that_a_400_repeats_stops_no_run(text: str) -> None:
    class Echo:
        is_remote = True
        endpoint, model = "https://judge.test", "m"

        def complete(self, request: Request) -> Reply:
            said = request.messages[0].content
            if said == "fine":
                return Reply(text="{}", model="m")
            raise error_of(400, {"error": {"message": said}})

    async def run(asked: str, seen: str = "") -> Any:
        calls = Calls(JudgeParameters(cache="off"), Echo())
        request = Request(messages=(Message("user", asked),), schema={}, step="claims")
        try:
            await calls.complete(request)
        except (BadRequest, ResourceStopped) as error:
            return type(error), calls.stop
        return None

    assert submit(run(text)).result(timeout=20) == (BadRequest, None)


def test_wrong_key_through_an_sdk_or_a_function_stops_the_run() -> None:
    class BadRequestError(Exception):
        status_code = 400
        body = GEMINI["error"]

    assert isinstance(fault_of(BadRequestError("400"), "mine"), FatalError)


def test_gemini_with_a_wrong_key_is_asked_once_for_forty_items() -> None:
    class Gemini:
        is_remote = True
        endpoint, model = "https://judge.test", "m"
        calls = 0

        async def complete(self, request: Request) -> Reply:
            self.calls += 1
            raise error_of(400, GEMINI)

    client = Gemini()

    async def run() -> list[Any]:
        import asyncio

        calls = Calls(JudgeParameters(cache="off"), client)
        request = Request(messages=(), schema={}, step="claims", temperature=0.0)
        each = (calls.complete(request) for _ in range(40))
        return await asyncio.gather(*each, return_exceptions=True)

    answers = submit(run()).result(timeout=20)
    assert all(isinstance(one, ResourceStopped) for one in answers)
    assert client.calls == 1

"""The mock endpoint answers rightly, with every fault that is asked for, and counts."""

from __future__ import annotations

import json
import socket
from http.client import HTTPConnection, HTTPException
from typing import Any

import pytest
from mock_endpoint import MockEndpoint
from valor_llm.clients.protocol import Message
from valor_llm.metrics.answers import STATEMENTS_MATCHED
from valor_llm.metrics.faithfulness import CLAIMS, CLAIMS_SUPPORTED
from valor_llm.steps.prompt import Fences, own
from valor_llm.steps.step import Step

CONTEXTS = ("The box is red.", "The box is heavy.")
CLAIMED = ("Boxes are red.", "Boxes are green.", "Boxes are heavy.")


def messages(step: Step, fence: str = "DATA-1", **data: Any) -> list[Message]:
    return step.messages(own(step.name), data, "English", Fences(fence, None))


def body(step: Step, form: str = "json_schema", fence: str = "DATA-1", **data: Any) -> Any:
    sent = messages(step, fence, **data)
    schema = step.shape.schema(data, None)
    forms: dict[str, Any] = {
        "json_schema": {"type": form, "json_schema": {"name": step.name, "schema": schema}},
        "json_object": {"type": form},
        "text": None,
    }
    rows = [{"role": one.role, "content": one.content} for one in sent]
    return {"model": "m", "messages": rows, "response_format": forms[form], "temperature": 0}


def verdicts(**more: Any) -> Any:
    return body(CLAIMS_SUPPORTED, contexts=CONTEXTS, claims=CLAIMED, **more)


def post(
    endpoint: MockEndpoint, asked: Any, path: str = "/v1/chat/completions", timeout: float = 5
) -> tuple[int, dict[str, str], bytes]:
    connection = HTTPConnection("127.0.0.1", endpoint.port, timeout=timeout)
    try:
        connection.request("POST", path, json.dumps(asked))
        answer = connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def said(endpoint: MockEndpoint, asked: Any, path: str = "/v1/chat/completions") -> Any:
    answer = json.loads(post(endpoint, asked, path)[2])
    if "choices" in answer:
        return json.loads(answer["choices"][0]["message"]["content"])
    if "message" in answer:
        return json.loads(answer["message"]["content"])
    return json.loads(answer["content"][0]["text"])


RIGHT = [(1, "yes"), (2, "no"), (3, "yes")]  # the contexts have "red" and "heavy", not "green"


@pytest.mark.parametrize("form", ["json_schema", "json_object", "text"])
def test_claims_are_sentences_and_are_supported_by_their_last_word(
    endpoint: MockEndpoint, form: str
) -> None:
    claims = said(endpoint, body(CLAIMS, form, response="Boxes are red. Boxes are big!"))
    assert claims == {"claims": ["Boxes are red.", "Boxes are big!"]}
    found = said(endpoint, verdicts(form=form))["verdicts"]
    assert [(one["id"], one["verdict"]) for one in found] == RIGHT


def test_anthropic_and_ollama_say_the_same(endpoint: MockEndpoint) -> None:
    asked = verdicts()
    schema = asked.pop("response_format")["json_schema"]["schema"]
    (system, user) = asked["messages"]
    anthropic = asked | {"system": system["content"], "messages": [user], "max_tokens": 9}
    for form in ({}, {"output_format": {"type": "json_schema", "schema": schema}}):
        found = said(endpoint, anthropic | form, "/v1/messages")["verdicts"]
        assert [(one["id"], one["verdict"]) for one in found] == RIGHT
    found = said(endpoint, asked | {"format": schema}, "/api/chat")["verdicts"]
    assert [(one["id"], one["verdict"]) for one in found] == RIGHT
    tool = {"name": "reply", "input_schema": schema}
    answer = json.loads(post(endpoint, anthropic | {"tools": [tool]}, "/v1/messages")[2])
    assert (answer["stop_reason"], answer["content"][0]["type"]) == ("tool_use", "tool_use")
    found = answer["content"][0]["input"]["verdicts"]
    assert [(one["id"], one["verdict"]) for one in found] == RIGHT


def test_a_repair_gets_the_ids_that_it_asks_for(endpoint: MockEndpoint) -> None:
    schema = CLAIMS_SUPPORTED.shape.schema({"claims": CLAIMED}, {"verdicts": (2,)})
    asked = verdicts()
    asked["response_format"]["json_schema"]["schema"] = schema
    assert [(one["id"], one["verdict"]) for one in said(endpoint, asked)["verdicts"]] == [(2, "no")]


def test_each_of_two_lists_is_judged_by_the_other(endpoint: MockEndpoint) -> None:
    sent = {"response_statements": ("It is red.", "It is blue."), "reference_statements": ("Red.",)}
    asked = body(STATEMENTS_MATCHED, query="Which?", **sent)
    found = said(endpoint, asked)
    assert [one["verdict"] for one in found["response"]] == ["yes", "no"]
    assert [one["verdict"] for one in found["reference"]] == ["yes"]
    missing = {"response": (2,), "reference": ()}  # what a repair asks for
    schema = STATEMENTS_MATCHED.shape.schema(sent, missing)
    asked["response_format"]["json_schema"]["schema"] = schema
    assert [(one["id"], one["verdict"]) for one in said(endpoint, asked)["response"]] == [(2, "no")]


def test_a_call_is_drawn_by_its_content_and_not_by_its_fence(endpoint: MockEndpoint) -> None:
    for fence in ("DATA-1", "DATA-2"):
        endpoint.reset(faults={"http_500": 0.5}, seed=7)
        codes = []
        for number in range(20):
            asked = verdicts(fence=fence)
            asked["seed"] = number
            codes.append(post(endpoint, asked)[0])
        if fence == "DATA-1":
            before = codes
    assert codes == before
    assert set(codes) == {200, 500}
    assert endpoint.counters["faults"] == {"http_500": codes.count(500)}


def test_a_script_comes_before_what_is_drawn(endpoint: MockEndpoint) -> None:
    endpoint.reset(script=["http_429_seconds", None, {"reply": "hello"}], retry_after=3)
    status, headers, _ = post(endpoint, verdicts())
    assert (status, headers["retry-after"]) == (429, "3")
    assert len(said(endpoint, verdicts())["verdicts"]) == 3
    text = json.loads(post(endpoint, verdicts())[2])["choices"][0]["message"]["content"]
    assert text == "hello"


def test_unknown_fault_is_rejected(endpoint: MockEndpoint) -> None:
    with pytest.raises(ValueError, match="no such setting or fault: http_299, fast"):
        endpoint.reset(faults={"http_299": 1}, script=[], fast=True)


def test_every_fault_changes_what_arrives(endpoint: MockEndpoint) -> None:
    """All faults but those around a right answer."""
    around = ("slow_bytes", "chunked", "interim_", "second_answer", "bytes_behind")
    rating = verdicts()
    grades = {"analysis": {"type": "string"}, "rating": {"enum": [1, 2, 3, 4, 5]}}
    rating["response_format"]["json_schema"]["schema"] = {"properties": grades}
    right = {False: _outcome(endpoint, verdicts()), True: _outcome(endpoint, rating)}
    names = endpoint.faults
    assert sum(map(len, names.values())) >= 100
    for name in [*names["reply"], *names["wire"]]:
        endpoint.reset(faults={name: 1.0}, slow_seconds=0.01)
        is_rating = name.startswith("rating_")
        outcome = _outcome(endpoint, rating if is_rating else verdicts())
        assert endpoint.counters["faults"] == {name: 1}, name
        if not name.startswith(around):
            assert outcome != right[is_rating], name


def _outcome(endpoint: MockEndpoint, asked: Any) -> Any:
    try:
        return post(endpoint, asked, timeout=0.3)
    except (HTTPException, OSError) as error:
        return type(error).__name__


@pytest.mark.parametrize(
    ("name", "field"),
    [("response_format", None), ("temperature", None), ("seed", 1), ("max_tokens", 9)],
)
def test_a_field_is_rejected_by_its_name(
    endpoint: MockEndpoint, name: str, field: int | None
) -> None:
    endpoint.reset(faults={f"rejects_{name}": 1.0})
    asked = verdicts() | ({} if field is None else {name: field})
    status, _, sent = post(endpoint, asked)
    assert status == 400
    assert name in json.loads(sent)["error"]["message"]
    asked.pop(name)
    assert post(endpoint, asked)[0] == 200


def test_a_rating_has_probabilities_of_its_last_token(endpoint: MockEndpoint) -> None:
    asked = verdicts() | {"logprobs": True, "top_logprobs": 5}
    grades = {"analysis": {"type": "string"}, "rating": {"enum": [1, 2, 3]}}
    asked["response_format"]["json_schema"]["schema"] = {"properties": grades}
    choice = json.loads(post(endpoint, asked)[2])["choices"][0]
    # "Boxes are heavy." has 3 words, 3 modulo 3 grades is 0: the first grade, 1
    assert json.loads(choice["message"]["content"])["rating"] == 1
    tokens = choice["logprobs"]["content"]
    assert "".join(one["token"] for one in tokens) == choice["message"]["content"]
    (rated,) = [one for one in tokens if len(one["top_logprobs"]) > 1]
    assert {one["token"].strip(): one["logprob"] for one in rated["top_logprobs"]} == (
        pytest.approx({"1": -0.2231436, "2": -2.3025851, "3": -2.3025851})  # ln 0.8, ln 0.1
    )


def test_calls_connections_and_what_is_in_flight_are_counted(endpoint: MockEndpoint) -> None:
    connection = HTTPConnection("127.0.0.1", endpoint.port, timeout=5)
    for _ in range(3):
        connection.request("POST", "/v1/chat/completions", json.dumps(verdicts()))
        connection.getresponse().read()
    connection.close()
    counters = endpoint.counters
    assert (counters["requests"], counters["connections"], counters["answered"]) == (3, 1, 3)
    assert (counters["max_in_flight"], counters["in_flight"]) == (1, 0)
    endpoint.configure(faults={"hang": 1.0})
    with socket.create_connection(("127.0.0.1", endpoint.port)) as gone:
        text = json.dumps(verdicts()).encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: {len(text)}\r\n\r\n"
        gone.sendall(head.encode() + text)
        while endpoint.counters["in_flight"] == 0:
            pass
    while endpoint.counters["in_flight"]:
        pass
    assert endpoint.counters["lost"] == 1
    assert [one["state"] for one in endpoint.log] == ["answered"] * 3 + ["lost"]
    assert len({one["key"] for one in endpoint.log}) == 1


def test_a_key_can_be_asked_for(endpoint: MockEndpoint) -> None:
    endpoint.reset(key="sk-right")
    assert post(endpoint, verdicts())[0] == 401
    connection = HTTPConnection("127.0.0.1", endpoint.port, timeout=5)
    headers = {"Authorization": "Bearer sk-right"}
    connection.request("POST", "/v1/chat/completions", json.dumps(verdicts()), headers)
    assert connection.getresponse().status == 200
    connection.close()


def _ask(endpoint: MockEndpoint, method: str, path: str, data: bytes = b"", kind: str = "") -> Any:
    connection = HTTPConnection("127.0.0.1", endpoint.port, timeout=5)
    connection.request(method, path, data, {"Content-Type": kind})
    text = connection.getresponse().read()
    connection.close()
    return text


def test_a_batch_of_openai_is_answered_after_some_looks(endpoint: MockEndpoint) -> None:
    endpoint.reset(batch_looks=1)
    rows = [
        {"custom_id": f"q{n}", "method": "POST", "url": "/v1/chat/completions", "body": verdicts()}
        for n in range(2)
    ]
    lines = "\n".join(map(json.dumps, rows))
    form = (
        '--B\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
        '--B\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n'
        f"Content-Type: application/jsonl\r\n\r\n{lines}\r\n--B--\r\n"
    )
    file = json.loads(
        _ask(endpoint, "POST", "/v1/files", form.encode(), "multipart/form-data; boundary=B")
    )
    sent = {"input_file_id": file["id"], "endpoint": "/v1/chat/completions"}
    batch = json.loads(_ask(endpoint, "POST", "/v1/batches", json.dumps(sent).encode()))
    assert batch["status"] == "validating"
    looks = [json.loads(_ask(endpoint, "GET", f"/v1/batches/{batch['id']}")) for _ in range(2)]
    assert [look["status"] for look in looks] == ["in_progress", "completed"]
    output = _ask(endpoint, "GET", f"/v1/files/{looks[1]['output_file_id']}/content")
    answers = {row["custom_id"]: row["response"] for row in map(json.loads, output.splitlines())}
    assert list(answers) == ["q1", "q0"]  # in no order that could be relied on
    text = answers["q0"]["body"]["choices"][0]["message"]["content"]
    assert [(one["id"], one["verdict"]) for one in json.loads(text)["verdicts"]] == RIGHT
    assert endpoint.counters["batch_requests"] == 2


def test_entries_of_a_batch_of_anthropic_can_fail(endpoint: MockEndpoint) -> None:
    endpoint.reset(batch_looks=0, batch_faults={"expired": 1.0})
    entry = {"custom_id": "q", "params": verdicts()}
    made = json.loads(
        _ask(
            endpoint,
            "POST",
            "/v1/messages/batches",
            json.dumps({"requests": [entry]}).encode(),
        )
    )
    assert (made["processing_status"], made["results_url"]) == ("in_progress", None)
    ended = json.loads(_ask(endpoint, "GET", f"/v1/messages/batches/{made['id']}"))
    assert (ended["processing_status"], ended["request_counts"]["expired"]) == ("ended", 1)
    results = _ask(endpoint, "GET", ended["results_url"].partition(str(endpoint.port))[2])
    assert json.loads(results) == {"custom_id": "q", "result": {"type": "expired"}}

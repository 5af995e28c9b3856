"""Batches: questions go together at half the price, and who was killed finds what was sent."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from mock_endpoint import MockEndpoint
from valor_cli.program.program import program
from valor_llm.clients.anthropic import anthropic_endpoint
from valor_llm.clients.batches import BatchGone
from valor_llm.clients.openai import openai_endpoint
from valor_llm.clients.protocol import TransientError
from valor_llm.judge.cache import Cache
from valor_llm.judge.judge import Judge
from valor_llm.metrics.faithfulness import CLAIMS
from valor_llm.parameters.clients import AnthropicParameters, OpenAIParameters
from valor_llm.parameters.judge import JudgeParameters

import valor_core
from valor_core.errors import ResourceError
from valor_core.schemas.text import Text
from valor_core.scoring import submit

DIALECTS = ("openai", "anthropic")


def client_of(dialect: str, endpoint: MockEndpoint) -> dict[str, Any]:
    base_url = endpoint.base_url if dialect == "openai" else endpoint.root
    return {"name": dialect, "base_url": base_url, "model": "m"}


def judge_of(dialect: str, endpoint: MockEndpoint, folder: Path, **more: Any) -> dict[str, Any]:
    return {
        "client": client_of(dialect, endpoint),
        "mode": "batch",
        "poll_seconds": 0.05,
        "cache_file": str(folder / "cache.sqlite"),
    } | more


def facts(count: int) -> list[Text]:
    """Items of three claims; the contexts have the last word of one, two or all of them."""
    return [
        Text(
            f"q{number}",
            query=f"What does fact {number} name?",
            response=" ".join(
                f"Fact {number}-{one} names stone{number}x{one}." for one in range(3)
            ),
            contexts=tuple(
                f"Note {number}-{one} names stone{number}x{one}." for one in range(1 + number % 3)
            ),
        )
        for number in range(count)
    ]


def run(judge: dict[str, Any], count: int = 9) -> valor_core.Report:
    return valor_core.evaluate(
        facts(count), ["llm.Faithfulness"], resources={"judge": judge}, items=True
    )


def rows(report: valor_core.Report) -> list[dict[str, Any]]:
    assert report.items is not None
    return [row.to_dict() for row in report.items[0].rows]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_step_of_all_items_is_one_batch(
    dialect: str, endpoint: MockEndpoint, tmp_path: Path
) -> None:
    report = run(judge_of(dialect, endpoint, tmp_path))
    assert report["Faithfulness"].value == pytest.approx((1 / 3 + 2 / 3 + 1) / 3, abs=1e-15)
    counters = endpoint.counters
    assert (counters["batches"], counters["batch_requests"], counters["requests"]) == (2, 18, 0)
    assert report.facts["judge"]["batches"] == 2
    again = run(judge_of(dialect, endpoint, tmp_path))
    assert rows(again) == rows(report)
    assert endpoint.counters["batches"] == 2


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_failed_or_expired_in_a_batch_is_asked_for_in_another(
    dialect: str, endpoint: MockEndpoint, tmp_path: Path
) -> None:
    endpoint.configure(batch_end="expired")  # every second request of a batch is not reached
    report = run(judge_of(dialect, endpoint, tmp_path), count=4)
    assert report.counts["failed"] == 0
    assert report["Faithfulness"].value == pytest.approx((1 / 3 + 2 / 3 + 1 + 1 / 3) / 4, abs=1e-15)
    # Of the first four claims two are not reached; they are asked for with other verdicts.
    assert endpoint.counters["batch_requests"] > 8


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_request_that_the_endpoint_cannot_take_is_the_error_of_its_item(
    dialect: str, endpoint: MockEndpoint, tmp_path: Path
) -> None:
    endpoint.configure(batch_faults={"errored": 0.3})
    report = run(judge_of(dialect, endpoint, tmp_path))
    failed = [row for row in rows(report) if "error" in row]
    assert 0 < len(failed) < 9
    assert all("The request is malformed." in row["error"] for row in failed)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_fault_of_the_server_is_asked_about_again_and_no_oftener_than_allowed(
    dialect: str, endpoint: MockEndpoint, tmp_path: Path
) -> None:
    endpoint.configure(batch_faults={"server_error": 1.0})
    report = run(judge_of(dialect, endpoint, tmp_path, http_retries=1), count=2)
    assert report.counts["failed"] == 2
    assert endpoint.counters["batch_requests"] == 4


@pytest.mark.parametrize("dialect", DIALECTS)
def test_repairs_form_the_next_batch(dialect: str, endpoint: MockEndpoint, tmp_path: Path) -> None:
    endpoint.configure(faults={"one_short": 1.0})
    report = run(judge_of(dialect, endpoint, tmp_path, reply_retries=3), count=3)
    assert report.counts["failed"] == 0
    # Claims; then three verdicts, of which one lacks; then the third, which cannot be short.
    assert endpoint.counters["batches"] == 3


def test_a_batch_that_is_not_begun_is_sent_again_and_then_an_error(
    endpoint: MockEndpoint, tmp_path: Path
) -> None:
    endpoint.configure(batch_end="failed")
    report = run(judge_of("openai", endpoint, tmp_path, http_retries=1), count=2)
    assert endpoint.counters["batches"] == 2
    assert "batch batch_2 failed, Enqueued token limit reached." in rows(report)[0]["error"]
    assert Cache(tmp_path / "cache.sqlite").batches(endpoint.base_url) == {}


def test_a_batch_that_the_endpoint_forgot_is_sent_again(
    endpoint: MockEndpoint, tmp_path: Path
) -> None:
    client = openai_endpoint(OpenAIParameters(base_url=endpoint.base_url, model="m"))
    with pytest.raises(BatchGone, match="knows no batch batch_7 any more"):
        client.batches().results("batch_7")
    run(judge_of("openai", endpoint, tmp_path), count=2)
    cache = Cache(tmp_path / "cache.sqlite")
    keys = keys_of(tmp_path)
    cache.close()
    (tmp_path / "cache.sqlite").unlink()
    cache = Cache(tmp_path / "cache.sqlite")
    cache.add_batch(endpoint.base_url, "batch_77", keys)
    cache.close()
    endpoint.reset()
    report = run(judge_of("openai", endpoint, tmp_path), count=2)
    assert report.counts["failed"] == 0
    assert endpoint.counters["batch_requests"] == 4


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_answer_in_a_batch_with_two_values_for_a_key_is_none(
    dialect: str, endpoint: MockEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = b'{"choices": [{"message": {"content": "no"}, "finish_reason": "stop"}]}'
    line = b'{"custom_id": "%s", "response": {"status_code": 200, "body": ' + message + b"}}"
    state = {"status": "completed", "output_file_id": "f", "error_file_id": None}
    client: Any = openai_endpoint(OpenAIParameters(base_url=endpoint.base_url, model="m"))
    if dialect == "anthropic":
        message = b'{"content": [{"type": "text", "text": "no"}], "stop_reason": "end_turn"}'
        line = b'{"custom_id": "%s", "result": {"type": "succeeded", "message": ' + message + b"}}"
        state = {"processing_status": "ended"}
        client = anthropic_endpoint(AnthropicParameters(base_url=endpoint.root, model="m"))
    twice = line.replace(b'"no"', b'"yes", "content": "no", "text": "no"', 1)
    content = (line % b"once") + b"\n" + (twice % b"twice")

    def exchange(own: Any, method: str, path: str, *rest: Any, **options: Any) -> Any:
        is_file = path.endswith(("/content", "/results"))
        return SimpleNamespace(data=content if is_file else json.dumps(state).encode())

    monkeypatch.setattr("valor_llm.clients.http.transport.Transport.exchange", exchange)
    found = client.batches().results("batch_1")
    assert found is not None
    assert set(found) - {"None"} == {"once"}
    assert found["once"].text == "no"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_request_with_two_answers_in_a_batch_is_asked_for_again(
    dialect: str, endpoint: MockEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    if dialect == "openai":
        client: Any = openai_endpoint(OpenAIParameters(base_url=endpoint.base_url, model="m"))
        state: dict[str, Any] = {"status": "completed", "output_file_id": "f"}
    else:
        client = anthropic_endpoint(AnthropicParameters(base_url=endpoint.root, model="m"))
        state = {"processing_status": "ended"}

    def line(key: str, text: str) -> str:
        if dialect == "openai":
            body = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
            sent: dict[str, Any] = {"response": {"status_code": 200, "body": body}}
        else:
            message = {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
            sent = {"result": {"type": "succeeded", "message": message}}
        return json.dumps({"custom_id": key} | sent)

    lines = [("same", "yes"), ("other", "yes"), ("same", "yes"), ("other", "no"), ("other", "no")]
    content = "\n".join(line(key, text) for key, text in lines).encode()

    def exchange(own: Any, method: str, path: str, *rest: Any, **options: Any) -> Any:
        is_file = path.endswith(("/content", "/results"))
        return SimpleNamespace(data=content if is_file else json.dumps(state).encode())

    monkeypatch.setattr("valor_llm.clients.http.transport.Transport.exchange", exchange)
    found = client.batches().results("batch_1")
    assert found["same"].text == "yes"
    assert isinstance(found["other"], TransientError)
    assert "expected one answer to a request, found two" in str(found["other"])


def test_line_of_a_batch_with_answer_and_error_is_requested_again(
    endpoint: MockEndpoint,
) -> None:
    client = openai_endpoint(OpenAIParameters(base_url=endpoint.base_url, model="m"))
    body = {"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}
    response = {"status_code": 200, "body": body}
    outcome = client.batches()._outcome({"response": response, "error": {"message": "late"}})
    assert "in a batch, late" in str(outcome)


def keys_of(folder: Path) -> list[str]:
    connection = sqlite3.connect(folder / "cache.sqlite")
    found = [key for (key,) in connection.execute("SELECT DISTINCT key FROM replies")]
    connection.close()
    return found


def test_large_batches_are_sent_in_parts(
    endpoint: MockEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("valor_llm.clients.openai.OpenAIBatches.most_requests", 4)
    report = run(judge_of("openai", endpoint, tmp_path), count=9)
    assert report.counts["failed"] == 0
    # 9 claims in 4 + 4 + 1; their verdicts come with the parts, in three batches at the least.
    assert endpoint.counters["batches"] >= 6
    assert endpoint.counters["batch_requests"] == 18


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"client": "lexical"}, "batch needs a client whose endpoint takes batches, found lexical"),
        (
            {"cache": "off"},
            "batch needs the cache's file to record pending batches, found cache: off",
        ),
    ],
)
def test_a_judge_that_cannot_send_batches_is_an_error(
    endpoint: MockEndpoint, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(ResourceError, match=re.escape(message)):
        run(judge_of("openai", endpoint, tmp_path) | change)


RUN = """
import json, sys
from pathlib import Path
import valor_core
from valor_core.schemas.text import (Text)
if __name__ == "__main__":
    sent = json.loads(sys.argv[1])
    items = [Text(**one) for one in sent["items"]]
    valor_core.evaluate(items, ["llm.Faithfulness"], resources={"judge": sent["judge"]})
"""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_another_process_collects_what_a_killed_one_has_sent_and_sends_nothing(
    dialect: str, endpoint: MockEndpoint, tmp_path: Path
) -> None:
    endpoint.configure(batch_looks=10_000)  # nothing is ready
    judge = judge_of(dialect, endpoint, tmp_path)
    items = [
        {"uid": one.uid, "query": one.query, "response": one.response, "contexts": one.contexts}
        for one in facts(9)
    ]
    sent = json.dumps({"judge": judge, "items": items})
    process = subprocess.Popen([sys.executable, "-c", RUN, sent])
    until = time.monotonic() + 30
    while endpoint.counters["batch_looks"] < 1 and time.monotonic() < until:
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert endpoint.counters["batches"] == 1

    endpoint.configure(batch_looks=0)
    few = run(judge, count=4)
    assert few.counts["failed"] == 0
    # All nine claims were sent by the killed process, and collected for four of the items.
    assert endpoint.counters["batch_requests"] == 9 + 4
    report = run(judge)
    assert report["Faithfulness"].value == pytest.approx((1 / 3 + 2 / 3 + 1) / 3, abs=1e-15)
    counters = endpoint.counters
    assert (counters["batches"], counters["batch_requests"]) == (3, 9 + 4 + 5)


def test_cancelled_wait_reports_batches_in_progress(endpoint: MockEndpoint, tmp_path: Path) -> None:
    endpoint.configure(batch_looks=10_000)
    parameters = JudgeParameters(
        mode="batch", poll_seconds=0.02, cache_file=tmp_path / "cache.sqlite"
    )
    client = openai_endpoint(OpenAIParameters(base_url=endpoint.base_url, model="m"))
    judge = Judge(parameters, client)
    asked = [submit(judge.ask(CLAIMS, response=f"It rains {one} times.")) for one in "ab"]
    until = time.monotonic() + 30
    while endpoint.counters["batch_looks"] < 1 and time.monotonic() < until:
        time.sleep(0.01)
    for one in asked:
        one.cancel()
    assert judge.facts()["warnings"] == [
        f"2 questions in batches (batch_1) are still in progress at {endpoint.base_url}: "
        "repeat the run to collect their answers"
    ]
    judge.close()
    client.close()


def test_a_plan_sends_no_batch(
    endpoint: MockEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        {"uid": one.uid, "response": one.response, "contexts": one.contexts} for one in facts(3)
    ]
    (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, rows)))
    config = {
        "task": "text",
        "data": {"reader": "jsonl", "path": "items.jsonl"},
        "metrics": ["llm.Faithfulness"],
        "judge": judge_of("openai", endpoint, tmp_path),
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    planned = CliRunner().invoke(program, ["judge", "plan", "config.json"])
    assert planned.exit_code == 0, planned.output
    assert re.search(r"^all +6 +0 ", planned.output, re.MULTILINE)
    assert endpoint.counters["batches"] == 0

"""Network access only to the judge, and no key outside of its calls."""

from __future__ import annotations

import json
import logging
import pickle
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from mock_endpoint import MockEndpoint
from valor_llm.clients.anthropic import anthropic_endpoint
from valor_llm.clients.openai import openai_endpoint
from valor_llm.judge.judge import Judge
from valor_llm.parameters.clients import AnthropicParameters, OpenAIParameters
from valor_llm.parameters.judge import JudgeParameters

from valor_core import evaluate
from valor_core.schemas.text import Text

KEY = "sk-test-b4dC0ffee/+=="
ITEMS = [Text(f"q{i}", response=f"It rains {i}.", contexts=(f"Rain {i}.",)) for i in range(3)]


def judge_of(endpoint: MockEndpoint, folder: Path, **more: Any) -> dict[str, Any]:
    return {
        "client": {
            "name": "openai",
            "base_url": endpoint.base_url,
            "model": "m",
            "api_key_env": "VALOR_TEST_KEY",
        },
        "cache_file": str(folder / "cache.sqlite"),
        "call_timeout": 0.3,
        "http_retries": 1,
        **more,
    }


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("VALOR_TEST_KEY", KEY)
    return KEY


@pytest.fixture
def asked_for(monkeypatch: pytest.MonkeyPatch) -> set[Any]:
    """Addresses that anything connects to or looks up."""
    found: set[Any] = set()

    def guard(name: str, place: Any = socket.socket) -> None:
        real: Callable[..., Any] = getattr(place, name)

        def noted(*arguments: Any, **more: Any) -> Any:
            own = arguments[1:] if place is socket.socket else arguments
            found.add(own[0] if isinstance(own[0], tuple) else tuple(own[:2]))
            return real(*arguments, **more)

        monkeypatch.setattr(place, name, noted)

    for name in ("connect", "connect_ex", "sendto"):
        guard(name)
    guard("getaddrinfo", socket)
    return found


def test_only_the_judge_is_connected_to(
    asked_for: set[Any], endpoint: MockEndpoint, tmp_path: Path, key: str
) -> None:
    report = evaluate(
        ITEMS, ["llm.Faithfulness"], resources={"judge": judge_of(endpoint, tmp_path)}, items=True
    )
    assert report.ok
    report.save(tmp_path / "report.json")
    print(report)
    assert asked_for == {("127.0.0.1", endpoint.port)}


STOPPING = ("http_401", "http_403", "http_404", "redirect")


@pytest.mark.parametrize("script", [["the others"], *([name] for name in STOPPING)])
def test_the_key_is_in_nothing_that_is_kept_or_shown(
    script: list[str],
    endpoint: MockEndpoint,
    tmp_path: Path,
    key: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    if script == ["the others"]:
        names = [name for names in endpoint.faults.values() for name in names]
        script = [name for name in names if name not in STOPPING]
        assert len(script) > 40
    endpoint.configure(script=script, key=KEY, retry_after=0.001, slow_seconds=0.5)
    report = evaluate(
        [
            Text(f"q{i}", response=f"It rains {i}.", contexts=(f"Rain {i}.",))
            for i in range(len(script))
        ],
        ["llm.Faithfulness"],
        resources={"judge": judge_of(endpoint, tmp_path, http_retries=0, reply_retries=0)},
        items=True,
        state=tmp_path / "state.npz",
    )
    met = endpoint.counters["faults"]
    assert len(met) > len(script) / 2  # the others have nothing to act on here
    assert not report.ok
    report.save(tmp_path / "report.json")
    print(report)
    assert {entry["headers"]["authorization"] for entry in endpoint.log} == {f"Bearer {KEY}"}
    shown = [json.dumps(report.to_dict()), repr(report), repr(report.items), caplog.text]
    shown += capfd.readouterr()
    assert not [text for text in shown if KEY in text]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"report.json", "state.npz"} <= {path.name for path in files}
    for path in files:
        assert KEY.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("form", [KEY, KEY.replace("/", "\\/"), quote(KEY, safe="")])
def test_a_key_that_an_endpoint_sends_back_is_hidden(
    form: str, endpoint: MockEndpoint, tmp_path: Path, key: str
) -> None:
    endpoint.configure(script=[{"reply": f'{{"claims": ["You sent {form}."]}}'}])
    report = evaluate(
        ITEMS[:1],
        ["llm.Faithfulness"],
        resources={"judge": judge_of(endpoint, tmp_path)},
        items=True,
    )
    shown = json.dumps(report.to_dict())
    assert "You sent [key]." in shown
    kept = (tmp_path / "cache.sqlite").read_bytes()
    for one in (form, KEY):
        assert one not in shown
        assert one.encode() not in kept


@pytest.mark.parametrize("word", ["x", "no", "EMPTY"])
def test_a_word_in_the_place_of_a_key_changes_no_reply(
    word: str, endpoint: MockEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Local servers take any word, and hiding "no" in their replies would take away verdicts.
    monkeypatch.setenv("VALOR_TEST_WORD", word)
    claim = "EMPTY boxes, no fox."
    verdict = {"id": 1, "analysis": "none", "verdict": "no"}
    endpoint.configure(
        script=[
            {"reply": json.dumps({"claims": [claim]})},
            {"reply": json.dumps({"verdicts": [verdict]})},
        ]
    )
    judge = judge_of(endpoint, tmp_path)
    judge["client"]["api_key_env"] = "VALOR_TEST_WORD"
    report = evaluate(ITEMS[:1], ["llm.Faithfulness"], resources={"judge": judge}, items=True)
    assert report.items is not None
    (row,) = report.items[0].rows
    assert row.details["verdicts"] == [{"text": claim, "verdict": "no", "analysis": "none"}]


@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
def test_no_object_shows_or_pickles_the_key(dialect: str, endpoint: MockEndpoint, key: str) -> None:
    more = {"model": "m", "api_key_env": "VALOR_TEST_KEY"}
    client: Any
    if dialect == "openai":
        client = openai_endpoint(OpenAIParameters(base_url=endpoint.base_url, **more))
    else:
        client = anthropic_endpoint(AnthropicParameters(base_url=endpoint.root, **more))
    judge = Judge(JudgeParameters(cache="off"), client)
    objects = [client, client.parameters, client.transport, client.transport._key, judge]
    for one in objects:
        assert KEY not in repr(one)
        assert KEY not in repr(getattr(one, "__dict__", ""))
    assert KEY not in json.dumps([client.identity(), judge.facts()])
    for one in objects:
        try:
            pickled = pickle.dumps(one)
        except (TypeError, AttributeError):
            continue  # what has connections or threads is not pickled at all
        assert KEY.encode() not in pickled
    judge.close()


def test_wrong_key_error_names_the_variable(
    endpoint: MockEndpoint, tmp_path: Path, key: str
) -> None:
    endpoint.configure(key="another")
    report = evaluate(
        ITEMS, ["llm.Faithfulness"], resources={"judge": judge_of(endpoint, tmp_path)}, items=True
    )
    assert report.stopped == (
        f"{endpoint.base_url}: 401 Unauthorized, Incorrect API key provided. (error_401); "
        "check the key in the environment variable VALOR_TEST_KEY"
    )
    assert report.counts["not_run"] == 3
    assert KEY not in str(report)

"""Resuming: a killed run continues, and a replayed one sends nothing."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from mock_endpoint import MockEndpoint

import valor_core
from valor_core.errors import ResourceError
from valor_core.schemas.text import Text

CONCURRENCY = 8

RUN = """
import json, sys
from pathlib import Path
import valor_core
from valor_core.schemas.text import (Text)
folder, base_url = Path(sys.argv[1]), sys.argv[2]
rows = json.loads((folder / "items.json").read_text())
judge = {
    "client": {"name": "openai", "base_url": base_url, "model": "m"},
    "concurrency": CONCURRENCY,
    "cache_file": str(folder / "cache.sqlite"),
}
report = valor_core.evaluate(
    [Text(**row) for row in rows],
    ["llm.Faithfulness", "llm.AnswerRelevance"],
    resources={"judge": judge},
    items=True,
)
told = {
    "results": [[one.type, one.value] for one in report.results],
    "rows": [[row.to_dict() for row in rows.rows] for rows in report.items],
}
(folder / "report.json").write_text(json.dumps(told))
""".replace("CONCURRENCY", str(CONCURRENCY))


def facts(count: int) -> list[dict[str, Any]]:
    """Items of three claims each; the contexts have the last word of one, two or all of them."""
    return [
        {
            "uid": f"q{number}",
            "query": f"What does fact {number} name?",
            "response": " ".join(
                f"Fact {number}-{one} names stone{number}x{one}." for one in range(3)
            ),
            "contexts": [
                f"Note {number}-{one} names stone{number}x{one}." for one in range(1 + number % 3)
            ],
        }
        for number in range(count)
    ]


def begun(folder: Path, endpoint: MockEndpoint) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", RUN, str(folder), endpoint.base_url]
    return subprocess.Popen(command, stderr=subprocess.PIPE)


def finished(folder: Path, endpoint: MockEndpoint) -> Any:
    process = begun(folder, endpoint)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said.decode()
    return json.loads((folder / "report.json").read_text())


def test_a_run_killed_at_any_point_pays_again_for_no_more_than_was_in_flight(
    endpoint: MockEndpoint, tmp_path: Path
) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    for folder in (killed, whole):
        folder.mkdir()
        (folder / "items.json").write_text(json.dumps(facts(60)))
    expected = finished(whole, endpoint)
    # Claims of 60 responses and verdicts on them; statements and verdicts on them.
    needed = endpoint.counters["requests"]
    assert needed == 60 * 4

    endpoint.reset(latency=0.02)
    points = (30, 110, 200)
    for point in points:
        process = begun(killed, endpoint)
        until = time.monotonic() + 30
        while endpoint.counters["requests"] < point and time.monotonic() < until:
            time.sleep(0.005)
        assert process.poll() is None, "the run was over before it was killed"
        process.kill()
        process.communicate()
    assert not (killed / "report.json").exists()
    assert finished(killed, endpoint) == expected
    calls = endpoint.counters["requests"]
    assert needed <= calls <= needed + len(points) * CONCURRENCY


def judge_of(endpoint: MockEndpoint, folder: Path, **more: Any) -> dict[str, Any]:
    client = {"name": "openai", "base_url": endpoint.base_url, "model": "m"}
    return {"client": client, "cache_file": str(folder / "cache.sqlite"), **more}


def test_eleven_metrics_cost_eleven_calls_and_four_for_each_reference(
    endpoint: MockEndpoint, tmp_path: Path
) -> None:
    metrics = [
        "AnswerCorrectness",
        "AnswerRelevance",
        "Bias",
        "Coherence",
        "ContextPrecision",
        "ContextRecall",
        "ContextRelevance",
        "Faithfulness",
        "Hallucination",
        "SummaryCoherence",
        "Toxicity",
    ]
    for references in (1, 3):
        endpoint.reset()
        items = [
            Text(
                f"q{number}",
                query=f"What is {number}?",
                response=f"Fact {number} names stone. I think it is ugly.",
                references=tuple(f"Fact {number} names part{one}." for one in range(references)),
                contexts=(f"Note {number} names stone.", f"Note {number} names sand."),
            )
            for number in range(3)
        ]
        judge = judge_of(endpoint, tmp_path, cache="off")
        report = valor_core.evaluate(
            items, [f"llm.{name}" for name in metrics], resources={"judge": judge}
        )
        assert all(one.value is not None for one in report.results)
        assert endpoint.counters["requests"] == 3 * (11 + 4 * references)


def test_a_replayed_run_opens_no_socket(
    endpoint: MockEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [Text(**row) for row in facts(4)]

    def run(data: list[Text], cache: str) -> valor_core.Report:
        judge = judge_of(endpoint, tmp_path, cache=cache)
        return valor_core.evaluate(
            data, ["llm.Faithfulness"], resources={"judge": judge}, items=True
        )

    first = run(items[:3], "use")
    opened: list[Any] = []

    def refuse(self: socket.socket, address: Any) -> None:
        opened.append(address)
        raise OSError("no network here")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    replayed = run(items[:3], "replay")
    assert replayed.results == first.results
    assert replayed.items is not None
    assert first.items is not None
    assert [row.to_dict() for row in replayed.items[0].rows] == [
        row.to_dict() for row in first.items[0].rows
    ]
    lacking = run(items, "replay")
    assert opened == []
    assert lacking.counts["not_run"] == 1
    assert lacking.items is not None
    reason = str(lacking.items[0].rows[3].value)
    assert "expected a kept reply to claims of response 'Fact 3-0 names stone3x0." in reason
    assert "ask the endpoint for what is missing: judge.cache: use" in reason


def test_a_replay_needs_no_key(
    endpoint: MockEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [Text(**row) for row in facts(3)]

    def run(cache: str) -> valor_core.Report:
        judge = judge_of(endpoint, tmp_path, cache=cache)
        judge["client"]["api_key_env"] = "VALOR_TEST_KEY"
        return valor_core.evaluate(items, ["llm.Faithfulness"], resources={"judge": judge})

    monkeypatch.setenv("VALOR_TEST_KEY", "sk-test-1")
    first = run("use")
    monkeypatch.delenv("VALOR_TEST_KEY")
    assert run("replay").results == first.results
    with pytest.raises(
        ResourceError, match="expected a key in the environment variable VALOR_TEST_KEY, found none"
    ):
        run("use")


def test_report_of_a_resumed_run_counts_the_calls_of_the_killed_ones(
    endpoint: MockEndpoint, tmp_path: Path
) -> None:
    (tmp_path / "items.json").write_text(json.dumps(facts(60)))
    run = RUN.replace("items=True,", "items=True, state=str(folder / 'state.npz'),")
    run = run.replace("told = {", 'told = {"facts": report.facts["judge"],')
    command = [sys.executable, "-c", run, str(tmp_path), endpoint.base_url]
    endpoint.reset(latency=0.02)
    points = (60, 150)
    for point in points:
        process = subprocess.Popen(command, stderr=subprocess.PIPE)
        until = time.monotonic() + 30
        while endpoint.counters["requests"] < point and time.monotonic() < until:
            time.sleep(0.005)
        assert process.poll() is None, "the run was over before it was killed"
        process.kill()
        process.communicate()
    assert not (tmp_path / "state.npz").exists()
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said.decode()
    found = json.loads((tmp_path / "report.json").read_text())["facts"]
    # Calls under way at a kill, and those that ended after the last item did, are not counted.
    # A call counts when it begins: one that the kill stopped may not have reached the endpoint.
    calls, stopped = endpoint.counters["requests"], len(points) * CONCURRENCY
    assert calls - 3 * stopped <= found["calls"] <= calls + stopped
    assert found["prompt_tokens"] > 0
    again = subprocess.run(command, capture_output=True, check=True)
    assert again.returncode == 0
    assert json.loads((tmp_path / "report.json").read_text())["facts"] == found
    (tmp_path / "state.npz").unlink()
    subprocess.run(command, capture_output=True, check=True)
    assert json.loads((tmp_path / "report.json").read_text())["facts"] == found

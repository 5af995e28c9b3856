"""``valor judge plan``: no call more than it says, and exact once everything is cached."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from mock_endpoint import MockEndpoint
from valor_cli.program.program import program

METRICS = [
    "AnswerCorrectness",
    "AnswerRelevance",
    "Bias",
    "Toxicity",
    "ContextPrecision",
    "ContextRecall",
    "ContextRelevance",
    "Faithfulness",
    "Hallucination",
    "SummaryCoherence",
    "Coherence",
]
ITEMS = 6


def valor(*arguments: str) -> Result:
    found = CliRunner().invoke(program, arguments, prog_name="valor")
    assert found.exit_code == 0, found.output
    return found


def planned(*options: str) -> dict[str, Any]:
    return dict(json.loads(valor("judge", "plan", "config.yaml", "--json", *options).stdout))


def ran(*options: str) -> dict[str, Any]:
    found = valor("run", "config.yaml", "--json", *options)
    return dict(json.loads(found.stdout)["facts"]["judge"])


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, endpoint: MockEndpoint) -> Path:
    """A config of all metrics over some items whose texts are of several lengths."""
    lines = []
    for number in range(ITEMS):
        facts = [f"Fact {number}-{n} names Rome and its river." for n in range(1 + number % 4)]
        lines.append(
            {
                "uid": f"q{number}",
                "query": f"What are the facts of number {number}?",
                "response": " ".join(facts),
                "references": [f"Fact {number}-0 names Rome.", f"Fact {number}-1 names Oslo."],
                "contexts": [*facts, "Something else stands here."],
            }
        )
    (tmp_path / "data.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    client = f"{{name: openai, base_url: '{endpoint.base_url}', model: m}}"
    (tmp_path / "config.yaml").write_text(
        "task: text\ndata: {reader: jsonl, path: data.jsonl}\n"
        f"metrics: [{', '.join(f'llm.{name}' for name in METRICS)}]\n"
        f"judge: {{client: {client}, cache_file: cache.sqlite}}\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_makes_no_call_more_than_planned_and_none_once_all_is_cached(
    config: Path, endpoint: MockEndpoint
) -> None:
    before = planned()
    assert endpoint.counters["requests"] == 0
    assert not (config / "cache.sqlite").exists()
    assert before["tokens_by"] == "4 characters a token"
    # Two references each: 11 + 4 * 2 calls an item.
    assert before["total"]["calls"] == 19 * ITEMS
    facts = ran()
    assert endpoint.counters["requests"] == facts["calls"] <= before["total"]["calls"]
    kept = (config / "cache.sqlite").read_bytes()
    after = planned()
    assert (after["total"]["calls"], after["total"]["prompt"]) == (0, 0)
    assert after["total"]["cached"] == facts["calls"]
    assert after["items"] == ITEMS
    assert (config / "cache.sqlite").read_bytes() == kept
    assert endpoint.counters["requests"] == facts["calls"]


def test_tokens_are_within_a_tenth_once_first_replies_are_cached(
    config: Path, endpoint: MockEndpoint
) -> None:
    ran("--set", "filter=uid in ['q1', 'q2', 'q3']")
    before = planned()
    assert before["tokens_by"] == "cached replies"
    facts = ran()
    assert before["total"]["calls"] == facts["calls"]
    assert before["total"]["prompt"] == pytest.approx(facts["prompt_tokens"], rel=0.1)
    assert before["total"]["completion"] == pytest.approx(facts["completion_tokens"], rel=0.1)


def test_steps_that_metrics_share_are_planned_once(config: Path) -> None:
    steps = {(one["metric"], one["step"]): one for one in planned()["steps"]}
    # AnswerCorrectness extracts the statements of the response and of two references.
    assert steps["llm.AnswerCorrectness", "statements"]["calls"] == 3 * ITEMS
    assert ("llm.AnswerRelevance", "statements") not in steps
    assert steps["llm.AnswerRelevance", "statements_relevant"]["calls"] == ITEMS
    alone = planned("--set", 'metrics=["llm.AnswerRelevance"]')
    assert [one["calls"] for one in alone["steps"]] == [ITEMS, ITEMS]


def test_a_plan_has_prices_repeats_and_panels(config: Path, endpoint: MockEndpoint) -> None:
    faithful = ("--set", 'metrics=["llm.Faithfulness"]')
    prices = ("--set", 'judge.prices={"prompt": 2, "completion": 8}')
    once = planned(*faithful, *prices)["total"]
    assert once["calls"] == 2 * ITEMS
    assert once["cost"] == pytest.approx((2 * once["prompt"] + 8 * once["completion"]) / 1e6)
    in_batch = planned(*faithful, *prices, "--set", "judge.mode=batch")["total"]
    assert in_batch["cost"] == pytest.approx(once["cost"] / 2)
    assert planned(*faithful, "--set", "judge.repeats=3")["total"]["calls"] == 6 * ITEMS
    client = {"name": "openai", "base_url": endpoint.base_url}
    panel = json.dumps([{**client, "model": "a"}, {**client, "model": "b"}])
    assert planned(*faithful, "--set", f"judge.client={panel}")["total"]["calls"] == 4 * ITEMS
    assert endpoint.counters["requests"] == 0


def test_a_plan_is_a_table_with_what_it_goes_by(config: Path) -> None:
    said = valor("judge", "plan", "config.yaml", "--set", 'metrics=["llm.Faithfulness"]')
    assert "Plan of 6 items" in said.stdout
    assert "metric that asks first" in said.stdout
    row = next(line for line in said.stdout.splitlines() if line.startswith("all"))
    assert row.split()[1:3] == ["12", "0"]
    assert "Tokens are guessed, 4 characters each" in said.stderr


def test_the_plan_of_a_panel_says_which_judge_each_row_is_of(
    config: Path, endpoint: MockEndpoint
) -> None:
    client = {"name": "openai", "base_url": endpoint.base_url}
    panel = json.dumps([{**client, "model": "one"}, {**client, "model": "two"}])
    chosen = ("--set", f"judge.client={panel}", "--set", 'metrics=["llm.Faithfulness"]')
    rows = [
        line.split() for line in valor("judge", "plan", "config.yaml", *chosen).stdout.splitlines()
    ]
    counts = [row[:4] for row in rows if row and row[0] == "llm.Faithfulness"]
    assert counts == [
        ["llm.Faithfulness", step, judge, "6"]
        for judge in ("one", "two")
        for step in ("claims", "claims_supported")
    ]
    assert rows[-1][:2] == ["all", "24"]
    assert [one["judge"] for one in planned(*chosen)["steps"]] == ["one", "one", "two", "two"]


def test_a_response_without_claims_is_planned_as_if_it_had_some(config: Path) -> None:
    (config / "data.jsonl").write_text(
        json.dumps({"uid": "q", "response": "How are you?", "contexts": ["It rains."]})
    )
    # The rules of the stand-in find no claim in a question; a model may.
    plan = planned("--set", 'metrics=["llm.Faithfulness"]')
    assert [one["calls"] for one in plan["steps"]] == [1, 1]


def test_a_config_without_a_judge_is_nothing_to_plan(config: Path) -> None:
    text = (config / "config.yaml").read_text().partition("metrics:")[0]
    (config / "other.yaml").write_text(f"{text}metrics: [EditDistance]\n")
    said = CliRunner().invoke(program, ["judge", "plan", "other.yaml"], prog_name="valor")
    assert said.exit_code == 2
    assert "metrics: expected one that asks a judge, found none" in said.output

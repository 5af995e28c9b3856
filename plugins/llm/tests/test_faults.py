"""Faults of endpoints and replies give a right score or a named error, never a wrong score."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest
from endpoint.contrary_faults import RATING_FAULTS as RUBRIC_FAULTS
from mock_endpoint import MockEndpoint
from valor_llm.judge import calls
from valor_llm.judge.limits import Retries

from valor_core import evaluate
from valor_core.results import Failed, NotRun
from valor_core.schemas.text import Text

SUPPORTED = (2, 0, 3, 1, 2, 1)
"""Number of supported claims of three, by sample."""
ITEMS = tuple(
    Text(
        f"q{number}",
        response=" ".join(f"Number {number}-{one} is stone{number}x{one}." for one in range(3)),
        contexts=tuple(f"Here lies stone{number}x{one}." for one in range(count)) or ("Sand.",),
    )
    for number, count in enumerate(SUPPORTED)
)
RATED = tuple(
    Text(f"q{words}", response=f"Text{' long' * words}.", query="Source.") for words in range(6)
)
RIGHT = {
    "llm.Faithfulness": [count / 3 for count in SUPPORTED],
    # The endpoint's grade is at the place (words modulo 5) of 1 to 5: here 1 to 6 words.
    "llm.SummaryCoherence": [2.0, 3.0, 4.0, 5.0, 1.0, 2.0],
    "llm.Rubric": [0.25, 0.5, 0.75, 1.0, 0.0, 0.25],
}
RUBRIC = {"name": "llm.Rubric", "criteria": "Is it clear?", "fields": ["response"]}
STOPPING = {"http_401", "http_403", "http_404", "redirect", "answer_with_300", "answer_with_418"}
WITHOUT_EFFECT = {"rejects_logprobs"}  # nobody asks for probabilities here

WITHOUT_MARK = {"second_answer_late"}
"""Answers to another call, which HTTP/1.1 does not mark; the page of faults names them."""


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "Retries", partial(Retries, first=0.0))


def outcomes(endpoint: MockEndpoint, metric: str) -> list[Any]:
    client = {"name": "openai", "base_url": endpoint.base_url, "model": "m"}
    items = ITEMS if metric == "llm.Faithfulness" else RATED
    judge = {"client": client, "cache": "off", "call_timeout": 0.25, "concurrency": 4}
    asked = RUBRIC if metric == "llm.Rubric" else metric
    report = evaluate(items, [asked], resources={"judge": judge}, items=True)
    return list(report.items[0].rows)


@pytest.mark.parametrize("kind", ["reply", "wire", "request"])
def test_every_fault_gives_right_scores_or_named_errors(endpoint: MockEndpoint, kind: str) -> None:
    found = {}
    for fault in sorted({*endpoint.faults[kind]} - WITHOUT_EFFECT - WITHOUT_MARK):
        is_rating = fault.startswith("rating_")
        of_rating = "llm.Rubric" if fault in RUBRIC_FAULTS else "llm.SummaryCoherence"
        metric = of_rating if is_rating else "llm.Faithfulness"
        # A rating takes one call a sample, so that few calls could meet the fault.
        endpoint.reset(
            faults={fault: 0.6 if is_rating else 0.3}, seed=5, slow_seconds=0.6, retry_after=0.01
        )
        rows = outcomes(endpoint, metric)
        differences = [
            wrong(*pair, fault in STOPPING) for pair in zip(rows, RIGHT[metric], strict=True)
        ]
        found[fault] = [one for one in differences if one]
        if not endpoint.counters["faults"].get(fault):
            found[fault].append("no call met it")
    assert {fault: differences for fault, differences in found.items() if differences} == {}


def wrong(row: Any, right: float, may_stop: bool) -> str | None:
    """Return the fault of an outcome, if there is one."""
    value = row.value
    if isinstance(value, Failed):
        return None if value.reason else "no reason"
    if isinstance(value, NotRun):
        return None if may_stop and value.reason else f"not run: {value.reason}"
    if value != pytest.approx(right, abs=1e-12):
        return f"{value} for {right}"
    for one in row.details.get("verdicts", ()):  # a share is right with verdicts exchanged, too
        number, claim = map(int, re.findall(r"stone(\d+)x(\d+)", one["text"])[0])
        if (one["verdict"] == "yes") != (claim < SUPPORTED[number]):
            return f"{one}"
    return None

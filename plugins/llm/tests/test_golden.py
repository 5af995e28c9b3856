"""Scripted replies that earlier implementations of Valor were recorded with."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest
from cases import for_each
from valor_llm.clients.protocol import Reply, Request

from valor_core import evaluate
from valor_core.results import Failed, ItemRow, Undefined
from valor_core.schemas.text import Text

from .golden_cases import (
    ASKED_FIRST,
    DIVERGENCES,
    FAILED,
    GOLDEN,
    UNDEFINED,
    Golden,
    Script,
)

PAGE = Path(__file__).parents[3] / "docs" / "llm" / "divergences.md"


class Recorded:
    """Answers each step with the next of its recorded replies, and then with the last again."""

    is_remote: ClassVar[bool] = False
    endpoint = "script"
    model = "script"

    def __init__(self, script: Script) -> None:
        self.script = script
        self.given: Counter[int] = Counter()

    def complete(self, request: Request) -> Reply:
        """The reply to a step about a text."""
        asked = json.dumps(list(request.data.values()))
        for place, (step, about, replies) in enumerate(self.script):
            if step == request.step and (not about or json.dumps(about) in asked):
                self.given[place] += 1
                number = min(self.given[place], len(replies))
                return Reply(text=replies[number - 1], model=self.model)
        raise AssertionError(f"no reply to {request.step} about {asked}")


def row_of(case: Golden, **parameters: Any) -> ItemRow:
    """Score the recorded replies with our metric."""
    more = DIVERGENCES[case.name].more if case.name in DIVERGENCES else ()
    client = Recorded((*case.script, *more, *ASKED_FIRST.get(case.name, ())))
    report = evaluate(
        [Text("i", "q", "r", case.references, case.contexts)],
        [{"name": f"llm.{case.metric}", **parameters}],
        resources={"judge": {"client": client, "reply_retries": case.retries, "cache": "off"}},
        items=True,
    )
    (row,) = report.items[0].rows
    return row


def answered(case: Golden, **parameters: Any) -> float | str:
    """The score of our metric for the recorded replies, or how it ended without one."""
    row = row_of(case, **parameters)
    if isinstance(row.value, Failed):
        return FAILED
    return UNDEFINED if isinstance(row.value, Undefined) else float(row.value)


@for_each("case", GOLDEN, ids=lambda case: case.name)
def test_a_recorded_case_has_its_score_or_a_reason_why_not(case: Golden) -> None:
    ours = answered(case)

    if case.name in DIVERGENCES:
        assert ours == DIVERGENCES[case.name].ours
        assert ours != case.recorded
    else:
        assert ours == case.recorded


def test_replies_without_ids_are_counted_as_lenient() -> None:
    (case,) = (case for case in GOLDEN if case.name == "Bias of two opinions of three")

    steps = row_of(case).details["steps"]

    assert [step.get("lenient") for step in steps] == [None, ["no ids"]]


def test_every_case_occurs_once() -> None:
    assert len(GOLDEN) == 46
    assert len({case.name for case in GOLDEN}) == 46
    assert {*DIVERGENCES, *ASKED_FIRST} <= {case.name for case in GOLDEN}


def test_a_parameter_gives_the_recorded_score_of_nothing_at_all() -> None:
    (case,) = (case for case in GOLDEN if case.name == "ContextPrecision of nothing at all")

    assert answered(case, both_empty="one") == case.recorded


@pytest.mark.parametrize("metric", ["ContextPrecision", "ContextRelevance", "Faithfulness"])
def test_a_parameter_gives_the_recorded_score_without_contexts(metric: str) -> None:
    (case,) = (case for case in GOLDEN if case.name == f"{metric} without contexts")

    assert answered(case, no_contexts="zero") == case.recorded


def test_the_page_of_divergences_has_them_all() -> None:
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ]
    recorded = {case.name: case.recorded for case in GOLDEN}
    assert rows[2:] == [
        [name, str(recorded[name]), str(one.ours), one.why] for name, one in DIVERGENCES.items()
    ]

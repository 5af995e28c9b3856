"""Judged variants: Rej*, ED* and the correction rate of what was detected."""

from __future__ import annotations

import asyncio
import json
from importlib import import_module
from typing import Any, ClassVar

import pytest
from attrs import frozen
from valor_llm.clients.protocol import ClientError, Reply, Request
from valor_llm.judge.judge import Judge
from valor_llm.parameters.judge import JudgeParameters
from valor_llm.steps import prompt as prompts
from valor_rgb import RGBSample
from valor_rgb.judged.steps import ERROR_DETECTION, REJECTION
from valor_rgb.parameters.rules import RuleParameters

from valor_core import Failed, ItemScore, Undefined, evaluate

LEXICAL = {"judge": {"client": "lexical"}}


@frozen
class Scripted:
    """A client whose every reply is the same text."""

    text: str
    is_remote: ClassVar[bool] = False
    endpoint: str = "scripted"
    model: str = "scripted"

    def complete(self, request: Request) -> Reply:
        if not self.text:
            raise ClientError("the endpoint is out of order")
        return Reply(text=self.text, model=self.model)


def scored(module: str, sample: RGBSample, reply: str, parameters: Any = None) -> Any:
    judge = Judge(JudgeParameters(cache="off", reply_retries=0), Scripted(reply))
    score = import_module(f"valor_rgb.judged.{module}").score
    try:
        return asyncio.run(score(sample, parameters, {"llm.judge": judge}))
    finally:
        judge.close()


def said(rating: str) -> str:
    return json.dumps({"analysis": "It does.", "rating": rating})


def refusing(response: str | None, ability: str = "negative_rejection") -> RGBSample:
    return RGBSample("q1", ability, response, "Lund", query="Who won?")


def corrected(response: str, answers: Any = "Turin", **rest: Any) -> RGBSample:
    return RGBSample("q1", "counterfactual_robustness", response, answers, "Oslo", **rest)


class TestJudgedRejection:
    @pytest.mark.parametrize(("rating", "value"), [("declines", 1.0), ("answers", 0.0)])
    def test_the_judge_decides_whatever_the_words(self, rating: str, value: float) -> None:
        found = scored("rejection", refusing("Lund."), said(rating))

        assert isinstance(found, ItemScore)
        assert found.value == value
        assert found.details["ratings"] == [{"rating": rating, "analysis": "It does."}]

    def test_a_judge_that_fails_fails_the_item(self) -> None:
        found = scored("rejection", refusing("Lund."), "")

        assert found == Failed("the endpoint is out of order")

    def test_nothing_is_asked_of_other_abilities_or_without_a_response(self) -> None:
        assert scored("rejection", refusing("x", "noise_robustness"), "") == Undefined(
            "of another ability"
        )
        assert scored("rejection", refusing(None), "") == Undefined("no response")

    def test_the_share_is_of_all_responses_with_a_verdict(self) -> None:
        replies = ["The documents do not mention it.", "Lund won.", "I cannot tell.", "Ystad."]
        samples = [
            RGBSample(f"q{i}", "negative_rejection", reply, "Lund", query="Who won?")
            for i, reply in enumerate(replies)
        ]

        report = evaluate(samples, "rgb.JudgedRejection", resources=LEXICAL)

        assert report["JudgedRejection"].value == 0.5  # 2 of 4
        assert "no language model" in report.warnings[0]


class TestJudgedErrorDetection:
    @pytest.mark.parametrize(
        ("response", "rating", "detected", "right", "of_detected"),
        [
            ("Not Oslo, it was Turin.", "noticed", 1.0, 1.0, 1.0),
            ("That is wrong, it was Bonn.", "noticed", 1.0, 0.0, 0.0),
            ("Turin.", "unnoticed", 0.0, 0.0, Undefined("no error was detected")),
        ],
    )
    def test_what_is_put_right_counts_where_it_was_noticed(
        self, response: str, rating: str, detected: float, right: float, of_detected: Any
    ) -> None:
        found = scored("error_detection", corrected(response), said(rating), RuleParameters())

        assert found.value == {
            "detected": detected,
            "corrected": right,
            "corrected_of_detected": of_detected,
        }

    def test_rates_are_of_all_and_of_those_detected(self) -> None:
        # The robust rules stand in for the judge: two of three notice, one of the two is right.
        replies = [
            "The documents are wrong: it was Turin.",
            "The document contains an error, it was Bonn.",
            "Turin.",
        ]
        samples = [
            RGBSample(f"q{i}", "counterfactual_robustness", reply, "Turin", "Oslo")
            for i, reply in enumerate(replies)
        ]
        closed = RGBSample(
            "q9", "counterfactual_robustness", "Turin.", "Turin", "Oslo", closed_book=True
        )

        report = evaluate([*samples, closed], "rgb.JudgedErrorDetection", resources=LEXICAL)

        found = report["JudgedErrorDetection"]
        assert found.value == {
            "detected": 2 / 3,
            "corrected": 1 / 3,
            "corrected_of_detected": 1 / 2,
        }

    def test_without_answers_it_is_not_known_what_was_put_right(self) -> None:
        found = scored("error_detection", corrected("x", ()), said("noticed"), RuleParameters())

        assert found.value == {
            "detected": 1.0,
            "corrected": Undefined("no answers"),
            "corrected_of_detected": Undefined("no answers"),
        }

    def test_responses_without_documents_are_left_out(self) -> None:
        sample = corrected("Turin.", closed_book=True)

        assert scored("error_detection", sample, "") == Undefined("not asked with false documents")


@pytest.mark.parametrize("step", [REJECTION, ERROR_DETECTION], ids=lambda step: step.name)
def test_the_examples_of_a_prompt_are_replies_that_are_read_as_they_are(step: Any) -> None:
    prompt = prompts.own(step.name, step.package)

    assert prompt.examples
    for example in prompt.examples:
        reading = step.shape.read(example.reply, example.data, None)

        assert reading.is_complete
        assert reading.lenient == []
        assert tuple(example.data) == step.fields

"""Judged variants: Rej*, ED* and the correction rate of what was detected."""

from __future__ import annotations

import asyncio
import json
from typing import Any, ClassVar

import pytest
from attrs import frozen
from valor_llm.clients.protocol import ClientError, Reply, Request
from valor_llm.judge.judge import Judge
from valor_llm.parameters.judge import JudgeParameters
from valor_llm.steps import prompt as prompts
from valor_rgb import RGBSample
from valor_rgb.metrics import judged
from valor_rgb.metrics.judged import ERROR_DETECTION, REJECTION
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


def scored(function: str, sample: RGBSample, reply: str, parameters: Any = None) -> Any:
    judge = Judge(JudgeParameters(cache="off", reply_retries=0), Scripted(reply))
    score = getattr(judged, function)
    try:
        return asyncio.run(score(sample, parameters, {"llm.judge": judge}))
    finally:
        judge.close()


def valued(scored: Any) -> Any:
    """The value of an answer, or the reason why there is none."""
    return scored.value if isinstance(scored, ItemScore) else scored


def said(rating: str) -> str:
    return json.dumps({"analysis": "It does.", "rating": rating})


def refusing(response: str | None, ability: str = "negative_rejection") -> RGBSample:
    return RGBSample("q1", ability, response, "Lund", query="Who won?")


def corrected(response: str, answers: Any = "Turin", **rest: Any) -> RGBSample:
    return RGBSample("q1", "counterfactual_robustness", response, answers, "Oslo", **rest)


class TestJudgedRejection:
    @pytest.mark.parametrize(("rating", "value"), [("declines", 1.0), ("answers", 0.0)])
    def test_judge_decides_regardless_of_words(self, rating: str, value: float) -> None:
        found = scored("rejection", refusing("Lund."), said(rating))

        assert valued(found) == value
        assert found.details["ratings"] == [{"rating": rating, "analysis": "It does."}]

    def test_a_judge_that_fails_fails_the_item(self) -> None:
        found = scored("rejection", refusing("Lund."), "")

        assert valued(found) == Failed("the endpoint is out of order")

    def test_nothing_is_asked_of_other_abilities_or_without_a_response(self) -> None:
        other = scored("rejection", refusing("x", "noise_robustness"), "")
        assert valued(other) == Undefined("of another ability")
        assert valued(scored("rejection", refusing(None), "")) == Undefined("no response")

    def test_the_share_is_of_all_responses_with_a_verdict(self) -> None:
        replies = ["The documents do not mention it.", "Lund won.", "I cannot tell.", "Ystad."]
        samples = [
            RGBSample(f"q{i}", "negative_rejection", reply, "Lund", query="Who won?")
            for i, reply in enumerate(replies)
        ]

        report = evaluate(samples, "rgb.JudgedRejection", resources=LEXICAL)

        assert report["JudgedRejection"].value == 0.5  # 2 of 4
        assert "no language model" in report.warnings[0]


CASES = [
    # response, what the judge says, whether it detects, whether it is put right
    ("Not Oslo, it was Turin.", "noticed", 1.0, 1.0),
    ("That is wrong, it was Bonn.", "noticed", 1.0, 0.0),
    ("Turin.", "unnoticed", 0.0, Undefined("no error was detected")),
]


class TestJudgedErrors:
    @pytest.mark.parametrize(("response", "rating", "detected", "right"), CASES)
    def test_correction_counts_only_if_detected(
        self, response: str, rating: str, detected: float, right: Any
    ) -> None:
        sample = corrected(response)

        found = scored("error_detection", sample, said(rating))
        after = scored("error_correction", sample, said(rating), RuleParameters())

        assert valued(found) == detected
        assert valued(after) == right

    def test_the_correction_rate_is_of_those_detected_and_each_response_is_judged_once(
        self,
    ) -> None:
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

        report = evaluate(
            [*samples, closed],
            ["rgb.JudgedErrorDetection", "rgb.JudgedErrorCorrection"],
            resources=LEXICAL,
        )

        assert report["JudgedErrorDetection"].value == 2 / 3
        assert report["JudgedErrorCorrection"].value == 1 / 2
        assert report.results[1].left_out == {
            "undefined: no error was detected": 1,
            "undefined: not asked with false documents": 1,
        }

    @pytest.mark.parametrize("module", ["error_detection", "error_correction"])
    def test_a_judge_that_fails_fails_the_item(self, module: str) -> None:
        found = scored(module, corrected("x"), "", RuleParameters())

        assert valued(found) == Failed("the endpoint is out of order")

    def test_without_answers_it_is_not_asked_what_was_put_right(self) -> None:
        found = scored("error_correction", corrected("x", ()), "", RuleParameters())

        assert valued(found) == Undefined("no answers")

    def test_responses_without_documents_are_excluded(self) -> None:
        found = scored("error_detection", corrected("Turin.", closed_book=True), "")

        assert valued(found) == Undefined("not asked with false documents")


@pytest.mark.parametrize("step", [REJECTION, ERROR_DETECTION], ids=lambda step: step.name)
def test_examples_of_a_prompt_are_valid_replies(step: Any) -> None:
    prompt = prompts.own(step.name, step.package)

    assert prompt.examples
    for example in prompt.examples:
        reading = step.shape.read(example.reply, example.data, None)

        assert reading.is_complete
        assert reading.lenient == []
        assert tuple(example.data) == step.fields

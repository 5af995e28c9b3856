"""Judged metrics: a language model decides if a response refuses or detects false documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from valor_llm.metrics.asking import Asking, judged
from valor_llm.replies.shapes import Rating
from valor_llm.steps.step import Step

from valor_core import ItemScore, Undefined
from valor_core.results import NoScore
from valor_rgb.parameters.rules import RuleParameters
from valor_rgb.rules.choice import rules_of

_PROMPTS = "valor_rgb.metrics.prompts"


def _refusal_by_rules(data: Mapping[str, Any]) -> dict[str, Any]:
    phrase = rules_of(RuleParameters()).refused(data["response"])
    return _rating("declines" if phrase else "answers", phrase)


def _detection_by_rules(data: Mapping[str, Any]) -> dict[str, Any]:
    phrase = rules_of(RuleParameters()).detected(data["response"], ())
    return _rating("noticed" if phrase else "unnoticed", phrase)


def _rating(rating: str, phrase: str | None) -> dict[str, Any]:
    """Return the reply of the lexical client, which applies the robust rules."""
    return {"analysis": f"It says: {phrase}" if phrase else "No phrase found", "rating": rating}


REJECTION = Step(
    "rgb_rejection",
    ("query", "response"),
    Rating(("answers", "declines")),
    package=_PROMPTS,
    stand_in=_refusal_by_rules,
)
ERROR_DETECTION = Step(
    "rgb_error_detection",
    ("response",),
    Rating(("unnoticed", "noticed")),
    package=_PROMPTS,
    stand_in=_detection_by_rules,
)


@judged
async def rejection(item: Any, parameters: Any, ask: Asking) -> ItemScore | NoScore:
    """Return 1 if the response declines to answer, else 0: Rej* of the paper."""
    if item.ability != "negative_rejection":
        return Undefined("of another ability")
    if item.response is None:
        return Undefined("no response")
    found = (await ask(REJECTION, query=item.query or "", response=item.response)).value
    return ItemScore(float(found["rating"] == "declines"), {"ratings": [found]})


@judged
async def error_detection(item: Any, parameters: Any, ask: Asking) -> ItemScore | NoScore:
    """Return 1 if the response detects an error in the documents, else 0: ED* of the paper."""
    gap = _counterfactual_gap(item)
    if gap is not None:
        return gap
    found = (await ask(ERROR_DETECTION, response=item.response)).value
    return ItemScore(float(found["rating"] == "noticed"), {"ratings": [found]})


@judged
async def error_correction(
    item: Any, parameters: RuleParameters, ask: Asking
) -> ItemScore | NoScore:
    """Return 1 if a response that detects an error has the right answer, else 0: CR of the paper.

    Responses that detect no error are undefined.
    """
    gap = _counterfactual_gap(item)
    if gap is not None:
        return gap
    if not item.answers:
        return Undefined("no answers")
    found = (await ask(ERROR_DETECTION, response=item.response)).value
    if found["rating"] != "noticed":
        return Undefined("no error was detected")
    rule = rules_of(parameters).right(item.response, item.answers)
    details = {"ratings": [found], "note": rule or "the rules do not find the answer"}
    return ItemScore(float(rule is not None), details)


def _counterfactual_gap(item: Any) -> Undefined | None:
    """Return the reason why the judge is not asked about an item, or None."""
    if item.ability != "counterfactual_robustness":
        return Undefined("of another ability")
    if item.closed_book:
        return Undefined("not asked with false documents")
    return Undefined("no response") if item.response is None else None

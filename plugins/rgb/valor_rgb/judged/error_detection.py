"""Judged error detection: whether a model says that false documents were noticed, ED*."""

from __future__ import annotations

from typing import Any

from valor_llm.metrics.asking import Asking, judged

from valor_core import ItemScore, Undefined
from valor_core.result import Gap
from valor_rgb.judged.steps import ERROR_DETECTION
from valor_rgb.parameters.rules import RuleParameters
from valor_rgb.rules.choice import rules_of


@judged
async def score(item: Any, parameters: RuleParameters, ask: Asking) -> ItemScore | Gap:
    """Whether false documents were noticed, and whether what was noticed was put right.

    ``corrected`` is of all responses; ``corrected_of_detected``, the paper's correction rate, is of
    those alone whose judge says that they noticed something.
    """
    if item.ability != "counterfactual_robustness":
        return Undefined("of another ability")
    if item.closed_book:
        return Undefined("not asked with false documents")
    if item.response is None:
        return Undefined("no response")
    found = (await ask(ERROR_DETECTION, response=item.response)).value
    detected = found["rating"] == "noticed"
    rule = rules_of(parameters).right(item.response, item.answers)
    corrected: float | Gap = float(detected and rule is not None)
    if not item.answers:
        corrected = Undefined("no answers")
    of_detected = corrected if detected else Undefined("no error was detected")
    value = {
        "detected": float(detected),
        "corrected": corrected,
        "corrected_of_detected": of_detected,
    }
    about = {"ratings": [found]} | ({} if rule is None else {"right": rule})
    return ItemScore(value, about)

"""Judged error correction: whether what a model finds noticed was put right, the paper's CR."""

from __future__ import annotations

from typing import Any

from valor_llm.metrics.asking import Asking, judged

from valor_core import ItemScore, Undefined
from valor_core.results import NoScore
from valor_rgb.judged.error_detection import not_asked
from valor_rgb.judged.steps import ERROR_DETECTION
from valor_rgb.parameters.rules import RuleParameters
from valor_rgb.rules.choice import rules_of


@judged
async def score(item: Any, parameters: RuleParameters, ask: Asking) -> ItemScore | NoScore:
    """1 where a response that noticed something has the right answer, 0 where it has not."""
    gap = not_asked(item)
    if gap is not None:
        return gap
    if not item.answers:
        return Undefined("no answers")
    found = (await ask(ERROR_DETECTION, response=item.response)).value
    if found["rating"] != "noticed":
        return Undefined("no error was detected")
    rule = rules_of(parameters).right(item.response, item.answers)
    told = {"ratings": [found], "note": rule or "the rules do not find the answer"}
    return ItemScore(float(rule is not None), told)

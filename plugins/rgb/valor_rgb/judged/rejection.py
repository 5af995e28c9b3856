"""Judged rejection: whether a model reads a response as a refusal, the paper's Rej*."""

from __future__ import annotations

from typing import Any

from valor_llm.metrics.asking import Asking, judged

from valor_core import ItemScore, Undefined
from valor_core.results import NoScore
from valor_rgb.judged.steps import REJECTION


@judged
async def score(item: Any, parameters: Any, ask: Asking) -> ItemScore | NoScore:
    """1 where the response declines to answer, 0 where it answers."""
    if item.ability != "negative_rejection":
        return Undefined("of another ability")
    if item.response is None:
        return Undefined("no response")
    found = (await ask(REJECTION, query=item.query or "", response=item.response)).value
    return ItemScore(float(found["rating"] == "declines"), {"ratings": [found]})

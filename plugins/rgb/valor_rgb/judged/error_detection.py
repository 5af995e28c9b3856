"""Judged error detection: whether a model says that false documents were noticed, ED*."""

from __future__ import annotations

from typing import Any

from valor_llm.metrics.asking import Asking, judged

from valor_core import ItemScore, Undefined
from valor_core.results import NoScore
from valor_rgb.judged.steps import ERROR_DETECTION


@judged
async def score(item: Any, parameters: Any, ask: Asking) -> ItemScore | NoScore:
    """1 where the response shows that something wrong was noticed, 0 where it does not."""
    gap = not_asked(item)
    if gap is not None:
        return gap
    found = (await ask(ERROR_DETECTION, response=item.response)).value
    return ItemScore(float(found["rating"] == "noticed"), {"ratings": [found]})


def not_asked(item: Any) -> Undefined | None:
    """Why nothing is asked about an item, if nothing is."""
    if item.ability != "counterfactual_robustness":
        return Undefined("of another ability")
    if item.closed_book:
        return Undefined("not asked with false documents")
    return Undefined("no response") if item.response is None else None

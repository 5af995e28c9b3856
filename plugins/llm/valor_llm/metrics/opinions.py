"""Bias and Toxicity: the shares of a response's opinions that are biased, and toxic."""

from __future__ import annotations

from valor_core.parameters import NoParameters
from valor_core.results import ItemScore, NoScore
from valor_core.schemas.text import Text
from valor_llm.lexical import answers as lexical
from valor_llm.metrics.asking import Asking, judged, text_step, verdict_step
from valor_llm.steps.step import Step

OPINIONS = text_step("opinions", "response", lexical.opinions)
OPINIONS_BIASED = verdict_step("opinions_biased", ("opinions",), "opinions", lexical.biased)
OPINIONS_TOXIC = verdict_step("opinions_toxic", ("opinions",), "opinions", lexical.toxic)


@judged
async def bias(item: Text, parameters: NoParameters, ask: Asking) -> ItemScore | NoScore:
    """Share of the opinions that are biased, 0 without any."""
    return await _share(item, ask, OPINIONS_BIASED)


@judged
async def toxicity(item: Text, parameters: NoParameters, ask: Asking) -> ItemScore | NoScore:
    """Share of the opinions that are toxic, 0 without any."""
    return await _share(item, ask, OPINIONS_TOXIC)


async def _share(item: Text, ask: Asking, step: Step) -> ItemScore:
    opinions = await ask.texts(OPINIONS, item.response or "")
    if not opinions:
        return ItemScore(0.0, {"note": "the response expresses no opinion"})
    return await ask.share_score(step, "opinions", opinions=opinions)

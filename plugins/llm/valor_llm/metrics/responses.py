"""Bias, Toxicity, Coherence and SummaryCoherence: the text of a response, without contexts."""

from __future__ import annotations

from valor_core.parameters import NoParameters
from valor_core.results import ItemScore, NoScore, Undefined
from valor_core.schemas.text import Text
from valor_llm.lexical import answers as lexical
from valor_llm.metrics.asking import (
    Asking,
    judged,
    rating_row,
    rating_step,
    text_step,
    verdict_step,
)
from valor_llm.steps.step import Step

OPINIONS = text_step("opinions", "response", lexical.opinions)
OPINIONS_BIASED = verdict_step("opinions_biased", ("opinions",), "opinions", lexical.biased)
OPINIONS_TOXIC = verdict_step("opinions_toxic", ("opinions",), "opinions", lexical.toxic)

_GRADES = (1, 2, 3, 4, 5)

COHERENCE = rating_step("coherence", ("text",), _GRADES, lexical.coherent)
SUMMARY_COHERENCE = rating_step(
    "summary_coherence", ("source", "summary"), _GRADES, lexical.coherent_summary
)
_BLANK = ItemScore(1.0, {"note": "the response is blank"})


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


@judged
async def coherence(item: Text, parameters: NoParameters, ask: Asking) -> ItemScore | NoScore:
    """Rating of the response alone."""
    response = item.response or ""
    if not response.strip():
        return _BLANK
    row = rating_row(await ask(COHERENCE, text=response))
    return ItemScore(float(row["rating"]), {"ratings": [row]})


@judged
async def summary_coherence(
    item: Text, parameters: NoParameters, ask: Asking
) -> ItemScore | NoScore:
    """Rating of the response as a summary of the query."""
    source, summary = item.query or "", item.response or ""
    if not source.strip():
        return Undefined("the query, which is the source text, is blank")
    if not summary.strip():
        return _BLANK
    row = rating_row(await ask(SUMMARY_COHERENCE, source=source, summary=summary))
    return ItemScore(float(row["rating"]), {"ratings": [row]})

"""Coherence and SummaryCoherence: ratings from 1 to 5 of how the sentences hang together."""

from __future__ import annotations

from valor_core.parameters import NoParameters
from valor_core.results import ItemScore, NoScore, Undefined
from valor_core.schemas.text import Text
from valor_llm.lexical import answers as lexical
from valor_llm.metrics.asking import Asking, judged, rating_row, rating_step

_GRADES = (1, 2, 3, 4, 5)

COHERENCE = rating_step("coherence", ("text",), _GRADES, lexical.coherent)
SUMMARY_COHERENCE = rating_step(
    "summary_coherence", ("source", "summary"), _GRADES, lexical.coherent_summary
)
_BLANK = ItemScore(1.0, {"note": "the response is blank"})


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

"""Hallucination: the share of contexts that a response contradicts."""

from __future__ import annotations

from valor_core.parameters import NoParameters
from valor_core.results import ItemScore, NoScore
from valor_core.schemas.text import Text
from valor_llm.lexical import answers as lexical
from valor_llm.metrics.asking import Asking, judged, share, verdict_rows
from valor_llm.replies.shapes import VerdictList, Verdicts
from valor_llm.steps.step import Step

CONTEXTS_CONTRADICTED = Step(
    "contexts_contradicted",
    ("contexts", "response"),
    Verdicts((VerdictList("verdicts", "contexts"),)),
    stand_in=lexical.judging("contexts", lexical.contradicted),
)


@judged
async def score(item: Text, parameters: NoParameters, ask: Asking) -> ItemScore | NoScore:
    """Share of the contexts with the verdict "yes", which is: contradicted."""
    response = item.response or ""
    if not response.strip():
        return ItemScore(0.0, {"note": "the response is blank"})
    answer = await ask(CONTEXTS_CONTRADICTED, contexts=item.contexts, response=response)
    verdicts = answer.value["verdicts"]
    return ItemScore(share(verdicts), {"verdicts": verdict_rows(item.contexts, verdicts)})

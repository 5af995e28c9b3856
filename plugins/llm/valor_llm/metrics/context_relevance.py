"""ContextRelevance: the share of contexts that are relevant to the query."""

from __future__ import annotations

from valor_core.results import ItemScore, NoScore, Undefined
from valor_core.schemas.text import Text
from valor_llm.lexical import answers as lexical
from valor_llm.metrics.asking import Asking, judged, share, verdict_rows
from valor_llm.parameters.metrics import ContextsParameters
from valor_llm.replies.shapes import VerdictList, Verdicts
from valor_llm.steps.step import Step

CONTEXTS_RELEVANT = Step(
    "contexts_relevant",
    ("query", "contexts"),
    Verdicts((VerdictList("verdicts", "contexts"),)),
    stand_in=lexical.judging("contexts", lexical.answers_query),
)


@judged
async def score(item: Text, parameters: ContextsParameters, ask: Asking) -> ItemScore | NoScore:
    """Share of the contexts with a part that answers the query."""
    query = item.query or ""
    if not query.strip():
        return Undefined("the query is blank")
    if not item.contexts and parameters.no_contexts == "undefined":
        return Undefined("no contexts")
    if not item.contexts:
        return ItemScore(0.0, {"note": "no contexts"})
    answer = await ask(CONTEXTS_RELEVANT, query=query, contexts=item.contexts)
    verdicts = answer.value["verdicts"]
    return ItemScore(share(verdicts), {"verdicts": verdict_rows(item.contexts, verdicts)})

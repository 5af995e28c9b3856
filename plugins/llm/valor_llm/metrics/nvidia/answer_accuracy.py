"""AnswerAccuracy: how far a response agrees with its best reference, as two judges rate it."""

from __future__ import annotations

from valor_core.parameters import NoParameters
from valor_core.results import ItemScore, NoScore, Undefined
from valor_core.schemas.text import Text
from valor_llm.metrics.asking import Asking, judged, together
from valor_llm.metrics.nvidia.two_judges import rated_by_both
from valor_llm.metrics.references import Compared, best_of
from valor_llm.steps.ratings_in_pairs import ANSWER_ACCURACY


@judged
async def score(item: Text, parameters: NoParameters, ask: Asking) -> ItemScore | NoScore:
    """Mean of two ratings; for the second, response and reference exchange their roles."""
    query, response = item.query or "", item.response or ""
    for name, text in (("query", query), ("response", response)):
        if not text.strip():
            return Undefined(f"the {name} is blank")
    return best_of(
        await together(_compared(ask, query, response, reference) for reference in item.references)
    )


async def _compared(ask: Asking, query: str, response: str, reference: str) -> Compared:
    if not reference.strip():
        return Compared(Undefined("the reference is blank"))
    first, second = ANSWER_ACCURACY
    pair = await rated_by_both(
        ask,
        4,
        (first, {"query": query, "reference": reference, "response": response}),
        (second, {"query": query, "reference": response, "response": reference}),
    )
    return Compared(pair.score, pair.parts, ratings=pair.ratings)

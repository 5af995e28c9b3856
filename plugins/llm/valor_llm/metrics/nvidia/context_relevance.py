"""ContextRelevance: whether the contexts together serve to answer the query, by two judges."""

from __future__ import annotations

from valor_core.results import ItemScore, NoScore
from valor_core.schemas.text import Text
from valor_llm.metrics.asking import Asking, judged
from valor_llm.metrics.nvidia.two_judges import rated_or_blank
from valor_llm.parameters.metrics import GroundingParameters
from valor_llm.steps.ratings_in_pairs import CONTEXT_RELEVANCE


@judged
async def score(item: Text, parameters: GroundingParameters, ask: Asking) -> ItemScore | NoScore:
    """Mean of two ratings of all contexts taken together."""
    query = item.query or ""
    data = {"query": query, "contexts": item.contexts}
    return await rated_or_blank(ask, parameters, CONTEXT_RELEVANCE, data)

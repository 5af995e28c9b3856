"""ResponseGroundedness: whether a response is grounded in the contexts, as two judges rate it."""

from __future__ import annotations

from valor_core.results import ItemScore, NoScore
from valor_core.schemas.text import Text
from valor_llm.metrics.asking import Asking, judged
from valor_llm.metrics.nvidia.two_judges import rated_or_blank
from valor_llm.parameters.metrics import GroundingParameters
from valor_llm.steps.ratings_in_pairs import RESPONSE_GROUNDEDNESS


@judged
async def score(item: Text, parameters: GroundingParameters, ask: Asking) -> ItemScore | NoScore:
    """Mean of two ratings of the response by all contexts taken together."""
    data = {"contexts": item.contexts, "response": item.response or ""}
    return await rated_or_blank(ask, parameters, RESPONSE_GROUNDEDNESS, data)

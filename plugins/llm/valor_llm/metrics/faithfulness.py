"""Faithfulness and Hallucination: a response and the contexts that it should follow."""

from __future__ import annotations

from valor_core.parameters import NoParameters
from valor_core.results import ItemScore, NoScore, Undefined
from valor_core.schemas.text import Text
from valor_llm.lexical import answers as lexical
from valor_llm.metrics.asking import Asking, judged, text_step, verdict_step
from valor_llm.parameters.metrics import FaithfulnessParameters

CLAIMS = text_step("claims", "response")
CLAIMS_SUPPORTED = verdict_step(
    "claims_supported", ("contexts", "claims"), "claims", lexical.backed
)
CONTEXTS_CONTRADICTED = verdict_step(
    "contexts_contradicted", ("contexts", "response"), "contexts", lexical.contradicted
)


@judged
async def faithfulness(
    item: Text, parameters: FaithfulnessParameters, ask: Asking
) -> ItemScore | NoScore:
    """Share of the claims that the contexts together state or imply."""
    if not item.contexts and parameters.no_contexts == "undefined":
        return Undefined("no contexts")
    claims = await ask.texts(CLAIMS, item.response or "")
    if not claims:
        note = "the response claims nothing"
        value = Undefined(note) if parameters.no_claims == "undefined" else 1.0
        return ItemScore(value, {"note": note})
    if not item.contexts:
        return ItemScore(0.0, {"claims": list(claims), "note": "no contexts"})
    return await ask.share_score(CLAIMS_SUPPORTED, "claims", contexts=item.contexts, claims=claims)


@judged
async def hallucination(item: Text, parameters: NoParameters, ask: Asking) -> ItemScore | NoScore:
    """Share of the contexts with the verdict "yes", which is: contradicted."""
    response = item.response or ""
    if not response.strip():
        return ItemScore(0.0, {"note": "the response is blank"})
    return await ask.share_score(
        CONTEXTS_CONTRADICTED, "contexts", contexts=item.contexts, response=response
    )

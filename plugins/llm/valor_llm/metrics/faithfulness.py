"""Faithfulness: the share of a response's claims that the contexts support."""

from __future__ import annotations

from valor_core.results import ItemScore, NoScore, Undefined
from valor_core.schemas.text import Text
from valor_llm.lexical import answers as lexical
from valor_llm.metrics.asking import Asking, judged, share, verdict_rows
from valor_llm.parameters.metrics import FaithfulnessParameters
from valor_llm.replies.shapes import TextList, VerdictList, Verdicts
from valor_llm.steps.step import Step

CLAIMS = Step(
    "claims", ("response",), TextList("claims"), stand_in=lexical.listing("claims", "response")
)
CLAIMS_SUPPORTED = Step(
    "claims_supported",
    ("contexts", "claims"),
    Verdicts((VerdictList("verdicts", "claims"),)),
    stand_in=lexical.judging("claims", lexical.backed),
)


@judged
async def score(item: Text, parameters: FaithfulnessParameters, ask: Asking) -> ItemScore | NoScore:
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
    answer = await ask(CLAIMS_SUPPORTED, contexts=item.contexts, claims=claims)
    verdicts = answer.value["verdicts"]
    return ItemScore(share(verdicts), {"verdicts": verdict_rows(claims, verdicts)})

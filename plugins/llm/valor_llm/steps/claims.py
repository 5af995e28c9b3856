"""Steps about claims: those of a response, and whether contexts support them."""

from valor_llm.replies.shapes import TextList, VerdictList, Verdicts
from valor_llm.steps.step import Step

CLAIMS = Step("claims", ("response",), TextList("claims"))
CLAIMS_SUPPORTED = Step(
    "claims_supported", ("contexts", "claims"), Verdicts((VerdictList("verdicts", "claims"),))
)

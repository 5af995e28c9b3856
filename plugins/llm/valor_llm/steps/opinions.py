"""Steps about opinions: those of a response, and whether they are biased or toxic."""

from valor_llm.replies.shapes import TextList, VerdictList, Verdicts
from valor_llm.steps.step import Step

OPINIONS = Step("opinions", ("response",), TextList("opinions"))
OPINIONS_BIASED = Step(
    "opinions_biased", ("opinions",), Verdicts((VerdictList("verdicts", "opinions"),))
)
OPINIONS_TOXIC = Step(
    "opinions_toxic", ("opinions",), Verdicts((VerdictList("verdicts", "opinions"),))
)

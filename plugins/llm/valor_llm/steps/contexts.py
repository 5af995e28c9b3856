"""Steps about contexts: each is judged by a query, a reference or a response."""

from valor_llm.replies.shapes import VerdictList, Verdicts
from valor_llm.steps.step import Step

CONTEXTS_RELEVANT = Step(
    "contexts_relevant", ("query", "contexts"), Verdicts((VerdictList("verdicts", "contexts"),))
)
CONTEXTS_USEFUL = Step(
    "contexts_useful",
    ("query", "contexts", "reference"),
    Verdicts((VerdictList("verdicts", "contexts"),)),
)
CONTEXTS_CONTRADICTED = Step(
    "contexts_contradicted",
    ("contexts", "response"),
    Verdicts((VerdictList("verdicts", "contexts"),)),
)

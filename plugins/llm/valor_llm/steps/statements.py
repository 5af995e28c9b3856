"""Steps about statements: those of a text, and what they are compared with."""

from valor_llm.replies.shapes import TextList, VerdictGroup, VerdictList, Verdicts
from valor_llm.steps.step import Step

STATEMENTS = Step("statements", ("text",), TextList("statements"))
STATEMENTS_MATCHED = Step(
    "statements_matched",
    ("query", "response_statements", "reference_statements"),
    Verdicts(
        (
            VerdictList("response", "response_statements"),
            VerdictList("reference", "reference_statements"),
        ),
        (
            VerdictGroup("TP", "response", "yes"),
            VerdictGroup("FP", "response", "no"),
            VerdictGroup("FN", "reference", "no"),
        ),
    ),
)
STATEMENTS_RELEVANT = Step(
    "statements_relevant",
    ("query", "statements"),
    Verdicts((VerdictList("verdicts", "statements", ("yes", "no", "idk")),)),
)
STATEMENTS_ATTRIBUTED = Step(
    "statements_attributed",
    ("contexts", "statements"),
    Verdicts((VerdictList("verdicts", "statements"),)),
)

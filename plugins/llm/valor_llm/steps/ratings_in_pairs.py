"""Steps in pairs: the same rating asked for in two wordings, as Nvidia's metrics do."""

from valor_llm.replies.shapes import Rating
from valor_llm.steps.step import Step

_ACCURACY = Rating((0, 2, 4))
_THREE = Rating((0, 1, 2))

ANSWER_ACCURACY = (
    Step("answer_accuracy_first", ("query", "reference", "response"), _ACCURACY),
    Step("answer_accuracy_second", ("query", "reference", "response"), _ACCURACY),
)
CONTEXT_RELEVANCE = (
    Step("context_relevance_first", ("query", "contexts"), _THREE),
    Step("context_relevance_second", ("query", "contexts"), _THREE),
)
RESPONSE_GROUNDEDNESS = (
    Step("response_groundedness_first", ("contexts", "response"), _THREE),
    Step("response_groundedness_second", ("contexts", "response"), _THREE),
)

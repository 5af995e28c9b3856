"""Steps about coherence: of a text alone, and of a summary of a source."""

from valor_llm.replies.shapes import Rating
from valor_llm.steps.step import Step

COHERENCE = Step("coherence", ("text",), Rating((1, 2, 3, 4, 5)))
SUMMARY_COHERENCE = Step("summary_coherence", ("source", "summary"), Rating((1, 2, 3, 4, 5)))

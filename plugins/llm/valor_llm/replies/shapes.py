"""Shapes of replies: JSON Schemas, and parsers of the replies."""

from valor_llm.replies.ratings import Rating
from valor_llm.replies.reading import Data, ParsedReply, Reading, Shape, Verdict
from valor_llm.replies.texts import TextList
from valor_llm.replies.verdicts import VerdictGroup, VerdictList, Verdicts

__all__ = [
    "Data",
    "ParsedReply",
    "Rating",
    "Reading",
    "Shape",
    "TextList",
    "Verdict",
    "VerdictGroup",
    "VerdictList",
    "Verdicts",
]

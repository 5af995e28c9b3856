"""Shapes of replies: the JSON Schema that is asked for, and what is read from an answer to it."""

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

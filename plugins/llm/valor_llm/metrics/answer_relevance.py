"""AnswerRelevance: the share of a response's statements that are relevant to the query."""

from __future__ import annotations

from valor_core.results import ItemScore, NoScore, Undefined
from valor_core.schemas.text import Text
from valor_llm.lexical import answers as lexical
from valor_llm.metrics.asking import STATEMENTS, Asking, judged, share, verdict_rows
from valor_llm.parameters.metrics import AnswerRelevanceParameters
from valor_llm.replies.shapes import VerdictList, Verdicts
from valor_llm.steps.step import Step

STATEMENTS_RELEVANT = Step(
    "statements_relevant",
    ("query", "statements"),
    Verdicts((VerdictList("verdicts", "statements", ("yes", "no", "idk")),)),
    stand_in=lexical.judging("statements", lexical.relevant),
)


@judged
async def score(
    item: Text, parameters: AnswerRelevanceParameters, ask: Asking
) -> ItemScore | NoScore:
    """Share of the statements with the verdict "yes"; "idk" counts as not relevant."""
    query = item.query or ""
    if not query.strip():
        return Undefined("the query is blank")
    statements = await ask.texts(STATEMENTS, item.response or "")
    if not statements:
        note = "the response states nothing"
        value = Undefined(note) if parameters.no_statements == "undefined" else 0.0
        return ItemScore(value, {"note": note})
    answer = await ask(STATEMENTS_RELEVANT, query=query, statements=statements)
    verdicts = answer.value["verdicts"]
    return ItemScore(share(verdicts), {"verdicts": verdict_rows(statements, verdicts)})

"""AnswerCorrectness and AnswerRelevance: the statements of a response."""

from __future__ import annotations

from collections.abc import Sequence

from valor_core.parameters import NoParameters
from valor_core.results import ItemScore, NoScore, Undefined
from valor_core.schemas.text import Text
from valor_llm.lexical import answers as lexical
from valor_llm.metrics.asking import (
    Asking,
    judged,
    text_step,
    together,
    verdict_rows,
    verdict_step,
)
from valor_llm.metrics.references import Compared, best_of
from valor_llm.parameters.metrics import AnswerRelevanceParameters
from valor_llm.replies.shapes import VerdictGroup, VerdictList, Verdicts
from valor_llm.steps.step import Step

STATEMENTS = text_step("statements", "text")
STATEMENTS_RELEVANT = verdict_step(
    "statements_relevant",
    ("query", "statements"),
    "statements",
    lexical.relevant,
    ("yes", "no", "idk"),
)
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
    stand_in=lexical.matched,
)


@judged
async def correctness(item: Text, parameters: NoParameters, ask: Asking) -> ItemScore | NoScore:
    """The best F1 over references, tp / (tp + (fp + fn) / 2)."""
    stated = await ask.texts(STATEMENTS, item.response or "")
    if not stated:
        return ItemScore(0.0, {"note": "the response states nothing"})
    return best_of(
        await together(
            _compared(ask, item.query or "", stated, reference) for reference in item.references
        )
    )


async def _compared(ask: Asking, query: str, stated: Sequence[str], reference: str) -> Compared:
    expected = await ask.texts(STATEMENTS, reference)
    if not expected:
        return Compared(Undefined("the reference states nothing"))
    answer = await ask(
        STATEMENTS_MATCHED,
        query=query,
        response_statements=stated,
        reference_statements=expected,
    )
    response, reference_rows = (
        [{**row, "of": of} for row in verdict_rows(texts, answer.value[of])]
        for of, texts in (("response", stated), ("reference", expected))
    )
    tp = sum(row["verdict"] == "yes" for row in response)
    fp = len(response) - tp
    fn = sum(row["verdict"] == "no" for row in reference_rows)
    return Compared(
        tp / (tp + 0.5 * (fp + fn)) if tp else 0.0,
        {"tp": tp, "fp": fp, "fn": fn},
        [*response, *reference_rows],
    )


@judged
async def relevance(
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
    return await ask.share_score(
        STATEMENTS_RELEVANT, "statements", query=query, statements=statements
    )

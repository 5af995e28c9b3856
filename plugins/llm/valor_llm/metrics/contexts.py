"""ContextPrecision, ContextRecall and ContextRelevance: retrieved contexts."""

from __future__ import annotations

from collections.abc import Sequence

from valor_core.results import ItemScore, NoScore, Undefined
from valor_core.schemas.text import Text
from valor_llm.lexical import answers as lexical
from valor_llm.metrics.answers import STATEMENTS
from valor_llm.metrics.asking import Asking, judged, together, verdict_rows, verdict_step
from valor_llm.metrics.references import Compared, best_of
from valor_llm.parameters.metrics import ContextsParameters, RetrievalParameters

CONTEXTS_USEFUL = verdict_step(
    "contexts_useful", ("query", "contexts", "reference"), "contexts", lexical.useful
)
STATEMENTS_ATTRIBUTED = verdict_step(
    "statements_attributed", ("contexts", "statements"), "statements", lexical.backed
)
CONTEXTS_RELEVANT = verdict_step(
    "contexts_relevant", ("query", "contexts"), "contexts", lexical.answers_query
)


@judged
async def precision(
    item: Text, parameters: RetrievalParameters, ask: Asking
) -> ItemScore | NoScore:
    """Mean of precision@k over the places k with a context that is useful for any reference."""
    query = item.query or ""
    if not query.strip():
        return Undefined("the query is blank")
    settled = nothing_to_ask(item, parameters)
    if settled is not None:
        return settled
    numbered = [(number, one) for number, one in enumerate(item.references, 1) if one.strip()]
    answers = await together(
        ask(CONTEXTS_USEFUL, query=query, contexts=item.contexts, reference=reference)
        for _, reference in numbered
    )
    verdicts = [answer.value["verdicts"] for answer in answers]
    useful = [
        any(of_reference[rank].verdict == "yes" for of_reference in verdicts)
        for rank in range(1, len(item.contexts) + 1)
    ]
    rows = [
        {**row, "reference": number}
        for (number, _), of_reference in zip(numbered, verdicts, strict=True)
        for row in verdict_rows(item.contexts, of_reference)
    ]
    return ItemScore(average_precision(useful), {"verdicts": rows})


def average_precision(useful: Sequence[bool]) -> float:
    """Mean of precision@k over the places k that are useful, 0 without any.

    Examples
    --------
    >>> average_precision([True, False, False, True])  # (1/1 + 2/4) / 2
    0.75
    """
    ranks = [k for k, is_useful in enumerate(useful, 1) if is_useful]
    return sum(found / k for found, k in enumerate(ranks, 1)) / len(ranks) if ranks else 0.0


@judged
async def recall(item: Text, parameters: RetrievalParameters, ask: Asking) -> ItemScore | NoScore:
    """Share of the statements that can be attributed to the contexts, best over references."""
    settled = nothing_to_ask(item, parameters)
    if settled is not None:
        return settled
    return best_of(await together(_compared(ask, item, one) for one in item.references))


async def _compared(ask: Asking, item: Text, reference: str) -> Compared:
    statements = await ask.texts(STATEMENTS, reference)
    if not statements:
        return Compared(Undefined("the reference states nothing"))
    share, rows = await ask.share(
        STATEMENTS_ATTRIBUTED, "statements", contexts=item.contexts, statements=statements
    )
    return Compared(share, verdicts=rows)


def nothing_to_ask(item: Text, parameters: RetrievalParameters) -> ItemScore | NoScore | None:
    """Return the score of an item without contexts or references, or None for complete items."""
    if any(one.strip() for one in item.references):
        return None if item.contexts else _without_contexts(parameters.no_contexts)
    if not item.contexts and parameters.both_empty == "one":
        return ItemScore(1.0, {"note": "neither contexts nor references"})
    return Undefined("the references are blank" if item.references else "no references")


@judged
async def relevance(item: Text, parameters: ContextsParameters, ask: Asking) -> ItemScore | NoScore:
    """Share of the contexts with a part that answers the query."""
    query = item.query or ""
    if not query.strip():
        return Undefined("the query is blank")
    if not item.contexts:
        return _without_contexts(parameters.no_contexts)
    return await ask.share_score(CONTEXTS_RELEVANT, "contexts", query=query, contexts=item.contexts)


def _without_contexts(score: str) -> ItemScore | NoScore:
    reason = "no contexts"
    return Undefined(reason) if score == "undefined" else ItemScore(0.0, {"note": reason})

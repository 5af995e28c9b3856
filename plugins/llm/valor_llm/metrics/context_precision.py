"""ContextPrecision: ranking of useful contexts before useless ones."""

from __future__ import annotations

from collections.abc import Sequence

from valor_core.results import ItemScore, NoScore, Undefined
from valor_core.schemas.text import Text
from valor_llm.lexical import answers as lexical
from valor_llm.metrics.asking import Asking, judged, together, verdict_rows
from valor_llm.metrics.references import nothing_to_ask
from valor_llm.parameters.metrics import RetrievalParameters
from valor_llm.replies.shapes import VerdictList, Verdicts
from valor_llm.steps.step import Step

CONTEXTS_USEFUL = Step(
    "contexts_useful",
    ("query", "contexts", "reference"),
    Verdicts((VerdictList("verdicts", "contexts"),)),
    stand_in=lexical.judging("contexts", lexical.useful),
)


@judged
async def score(item: Text, parameters: RetrievalParameters, ask: Asking) -> ItemScore | NoScore:
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
        any(own[place].verdict == "yes" for own in verdicts)
        for place in range(1, len(item.contexts) + 1)
    ]
    rows = [
        {**row, "reference": number}
        for (number, _), own in zip(numbered, verdicts, strict=True)
        for row in verdict_rows(item.contexts, own)
    ]
    return ItemScore(average_precision(useful), {"verdicts": rows})


def average_precision(useful: Sequence[bool]) -> float:
    """Mean of precision@k over the places k that are useful, 0 without any.

    Examples
    --------
    >>> average_precision([True, False, False, True])  # (1/1 + 2/4) / 2
    0.75
    """
    places = [k for k, is_useful in enumerate(useful, 1) if is_useful]
    return sum(found / k for found, k in enumerate(places, 1)) / len(places) if places else 0.0

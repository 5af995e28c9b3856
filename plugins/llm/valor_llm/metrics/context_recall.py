"""ContextRecall: the share of a reference's statements that the contexts hold."""

from __future__ import annotations

from valor_core.results import ItemScore, NoScore, Undefined
from valor_core.schemas.text import Text
from valor_llm.lexical import answers as lexical
from valor_llm.metrics.asking import STATEMENTS, Asking, judged, share, together, verdict_rows
from valor_llm.metrics.references import Compared, best_of, nothing_to_ask
from valor_llm.parameters.metrics import RetrievalParameters
from valor_llm.replies.shapes import VerdictList, Verdicts
from valor_llm.steps.step import Step

STATEMENTS_ATTRIBUTED = Step(
    "statements_attributed",
    ("contexts", "statements"),
    Verdicts((VerdictList("verdicts", "statements"),)),
    stand_in=lexical.judging("statements", lexical.backed),
)


@judged
async def score(item: Text, parameters: RetrievalParameters, ask: Asking) -> ItemScore | NoScore:
    """Share of the statements that can be attributed to the contexts, best over references."""
    settled = nothing_to_ask(item, parameters)
    if settled is not None:
        return settled
    return best_of(await together(_compared(ask, item, one) for one in item.references))


async def _compared(ask: Asking, item: Text, reference: str) -> Compared:
    statements = await ask.texts(STATEMENTS, reference)
    if not statements:
        return Compared(Undefined("the reference states nothing"))
    answer = await ask(STATEMENTS_ATTRIBUTED, contexts=item.contexts, statements=statements)
    verdicts = answer.value["verdicts"]
    return Compared(share(verdicts), verdicts=verdict_rows(statements, verdicts))

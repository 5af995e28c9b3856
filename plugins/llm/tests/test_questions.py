"""The questions of all metrics together: what they share is asked once."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from valor_llm.judge.judge import Judge
from valor_llm.parameters.judge import JudgeParameters

from valor_core import Registry
from valor_core.results import ItemScore
from valor_core.schemas.text import Text
from valor_core.specs.spec import import_object

from .scripted import Scripted, rated, said

ELEVEN = (
    "AnswerCorrectness",
    "AnswerRelevance",
    "Bias",
    "Coherence",
    "ContextPrecision",
    "ContextRecall",
    "ContextRelevance",
    "Faithfulness",
    "Hallucination",
    "SummaryCoherence",
    "Toxicity",
)
SCRIPT = {
    "statements": lambda data: {"statements": [f"It says {data['text']}"]},
    "claims": {"claims": ["c"]},
    "opinions": {"opinions": ["o"]},
    "statements_matched": said("yes", key="response") | said("yes", key="reference"),
    "coherence": rated(4),
    "summary_coherence": rated(4),
} | dict.fromkeys(
    [
        "claims_supported",
        "contexts_contradicted",
        "contexts_relevant",
        "contexts_useful",
        "opinions_biased",
        "opinions_toxic",
        "statements_attributed",
        "statements_relevant",
    ],
    said("yes"),
)


@pytest.mark.parametrize("references", [1, 2, 3])
def test_all_eleven_metrics_ask_11_questions_and_4_for_each_reference(references: int) -> None:
    client = Scripted(SCRIPT)
    judge = Judge(JudgeParameters(cache="off"), client)
    item = Text("q", "Why?", "So.", [f"Because {i}." for i in range(references)], ["Context."])
    specs = [Registry().metric(f"llm.{name}") for name in ELEVEN]

    async def all_of_them() -> list[object]:
        return await asyncio.gather(
            *(
                import_object(spec.implementation)(item, spec.parameter_class(), {"judge": judge})
                for spec in specs
            )
        )

    scores = asyncio.run(all_of_them())
    judge.close()
    assert all(isinstance(score, ItemScore) for score in scores)
    assert len(client.distinct) == 11 + 4 * references
    # The statements of the response, of each reference, and the opinions are shared by two each.
    asked_steps = Counter(step for step, _ in client.distinct)
    assert asked_steps["statements"] == 1 + references
    assert asked_steps["opinions"] == asked_steps["claims"] == 1

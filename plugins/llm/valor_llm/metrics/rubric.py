"""Rubric: a grade by criteria of one's own, scaled to [0, 1]."""

from __future__ import annotations

from valor_core.results import ItemScore, NoScore, Undefined
from valor_core.schemas.text import Text
from valor_llm.metrics.asking import Asking, judged, rating_row
from valor_llm.parameters.rubric import RubricParameters
from valor_llm.replies.expected import mean_of
from valor_llm.replies.shapes import Rating
from valor_llm.steps.rubric import rubric


@judged
async def score(item: Text, parameters: RubricParameters, ask: Asking) -> ItemScore | NoScore:
    """The grade's value, 0 for the lowest and 1 for the highest."""
    shown = {name: getattr(item, name) for name in parameters.fields}
    for name, value in shown.items():
        if value is None or value == ():
            return Undefined(f"no {name}")
    values = parameters.values
    step = rubric(
        parameters.fields,
        parameters.criteria,
        Rating(tuple(values)),
        parameters.meanings,
        parameters.steps,
    )
    answer = await ask(step, **shown)
    low, high = min(values.values()), max(values.values())
    value = (mean_of(answer.value, values) - low) / (high - low)
    return ItemScore(value, {"ratings": [rating_row(answer)]})

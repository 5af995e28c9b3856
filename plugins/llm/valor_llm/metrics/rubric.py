"""Rubric: a grade by custom criteria, scaled to [0, 1]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from valor_core.results import ItemScore, NoScore, Undefined
from valor_core.schemas.text import Text
from valor_llm.lexical import answers as lexical
from valor_llm.metrics.asking import Asking, judged, rating_row
from valor_llm.parameters.metrics import RubricParameters
from valor_llm.replies.shapes import Rating
from valor_llm.replies.token_probabilities import mean_of
from valor_llm.steps.step import Step


def rubric(
    fields: Sequence[str],
    criteria: str,
    grades: Rating,
    meanings: Mapping[str, str],
    steps: Sequence[str],
) -> Step:
    """Create the step that grades by criteria.

    Parameters
    ----------
    fields : sequence of str
        Fields of an item that are shown.
    criteria : str
        Criteria of the grade.
    grades : Rating
        The grades, from the lowest.
    meanings : mapping of str to str
        Meaning of a grade, by the grade as a string.
    steps : sequence of str
        How to proceed.

    Examples
    --------
    >>> step = rubric(["response"], "Is it polite?", Rating((0, 1)), {"1": "polite"}, ["Read it."])
    >>> print(step.settings["grades"])
    0
    1: polite
    >>> print(step.settings["steps"].strip())
    Proceed so:
    1. Read it.
    """
    lines = [
        f"{grade}: {meanings[str(grade)]}" if str(grade) in meanings else str(grade)
        for grade in grades.grades
    ]
    numbered = [f"{number}. {text}" for number, text in enumerate(steps, 1)]
    proceed = "\n".join(["Proceed so:", *numbered, "", ""]) if steps else ""
    settings = {"criteria": criteria.strip(), "grades": "\n".join(lines), "steps": proceed}
    stand_in = lexical.rating(grades.grades, lexical.by_criteria)
    return Step("rubric", tuple(fields), grades, settings, stand_in=stand_in)


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

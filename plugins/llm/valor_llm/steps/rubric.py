"""Step of a rubric: what an item shows is graded by criteria that somebody has written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from valor_llm.replies.shapes import Rating
from valor_llm.steps.step import Step


def rubric(
    fields: Sequence[str],
    criteria: str,
    grades: Rating,
    meanings: Mapping[str, str],
    steps: Sequence[str],
) -> Step:
    """The step that grades by some criteria.

    Parameters
    ----------
    fields : sequence of str
        Fields of an item that are shown.
    criteria : str
        What the grade depends on.
    grades : Rating
        The grades, from the lowest.
    meanings : mapping of str to str
        What a grade means, by the grade as a string.
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
    numbered = [f"{number}. {told}" for number, told in enumerate(steps, 1)]
    proceed = "\n".join(["Proceed so:", *numbered, "", ""]) if steps else ""
    settings = {"criteria": criteria.strip(), "grades": "\n".join(lines), "steps": proceed}
    return Step("rubric", tuple(fields), grades, settings)

"""Two judges: a rating asked for in two wordings, and the mean of those that are valid."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from valor_core.results import ItemScore, Undefined
from valor_llm.judge.answer import Answer, NoAnswer
from valor_llm.metrics.asking import Asking, rating_row
from valor_llm.parameters.metrics import GroundingParameters
from valor_llm.steps.step import Step


@frozen
class Pair:
    """What two judges said.

    Parameters
    ----------
    score : float
        Mean of the valid ratings, scaled to [0, 1].
    ratings : sequence of dict
        Rows for the details.
    parts : mapping
        How many are valid, and how far apart two valid ones are on the scale of the score.
    """

    score: float
    ratings: Sequence[Mapping[str, Any]]
    parts: Mapping[str, Any]


async def rated_by_both(ask: Asking, highest: int, *asked: tuple[Step, Mapping[str, Any]]) -> Pair:
    """The ratings of two judges, each asked a step of its own about data of its own.

    Parameters
    ----------
    ask : Asking
        The judge.
    highest : int
        The highest rating.
    *asked : tuple of Step and mapping
        What each is asked.

    Raises
    ------
    NoAnswer
        If neither rating is valid, or one has failed for a reason that may pass.
    """
    said = await asyncio.gather(
        *(ask(step, **data) for step, data in asked), return_exceptions=True
    )
    valid = [one.value["rating"] / highest for one in said if isinstance(one, Answer)]
    errors = sorted((one for one in said if isinstance(one, BaseException)), key=_is_final)
    for one in errors:
        if not valid or not _is_final(one):
            raise one
    ratings = [
        rating_row(one, judge=number)
        if isinstance(one, Answer)
        else {"judge": number, "rating": None, "error": str(one)}
        for number, one in enumerate(said, 1)
    ]
    parts: dict[str, Any] = {"valid": len(valid)}
    if len(valid) > 1:
        parts["spread"] = max(valid) - min(valid)
    return Pair(sum(valid) / len(valid), ratings, parts)


async def rated_or_blank(
    ask: Asking,
    parameters: GroundingParameters,
    steps: Sequence[Step],
    data: Mapping[str, str | Sequence[str]],
) -> ItemScore:
    """The mean of two ratings from 0 to 2 of a text and contexts; blank ones are not rated."""
    for name, told in data.items():
        texts = [told] if isinstance(told, str) else told
        if not any(text.strip() for text in texts):
            if not isinstance(told, str) and not texts and parameters.no_contexts == "undefined":
                return ItemScore(Undefined("no contexts"))
            note = f"the {name} is blank" if isinstance(told, str) else _without(texts)
            value = Undefined(note) if parameters.blank == "undefined" else 0.0
            return ItemScore(value, {"note": note})
    pair = await rated_by_both(ask, 2, *((step, data) for step in steps))
    return ItemScore(pair.score, {"ratings": pair.ratings, **pair.parts})


def _without(contexts: Sequence[str]) -> str:
    return "all contexts are blank" if contexts else "no contexts"


def _is_final(error: BaseException) -> bool:
    """Whether the rating will not come in a later run either.

    If it may, a score without it would be one of the network's state.
    """
    return isinstance(error, NoAnswer) and not error.retry

"""Nvidia's metrics: the mean of two ratings, requested in two wordings."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from valor_core.parameters import NoParameters
from valor_core.results import ItemScore, NoScore, Undefined
from valor_core.schemas.text import Text
from valor_llm.judge.answer import Answer, NoAnswer
from valor_llm.lexical import answers as lexical
from valor_llm.metrics.asking import Asking, judged, rating_row, rating_step, together
from valor_llm.metrics.references import Compared, best_of
from valor_llm.parameters.metrics import GroundingParameters
from valor_llm.steps.step import Step


def _pair(
    name: str, fields: tuple[str, ...], grades: tuple[int, ...], rule: lexical.ShareRule
) -> tuple[Step, Step]:
    """Return the two steps of a rating."""
    first, second = (
        rating_step(f"{name}_{which}", fields, grades, rule) for which in ("first", "second")
    )
    return first, second


ANSWER_ACCURACY = _pair(
    "answer_accuracy", ("query", "reference", "response"), (0, 2, 4), lexical.accuracy
)
CONTEXT_RELEVANCE = _pair(
    "context_relevance", ("query", "contexts"), (0, 1, 2), lexical.query_coverage
)
RESPONSE_GROUNDEDNESS = _pair(
    "response_groundedness", ("contexts", "response"), (0, 1, 2), lexical.groundedness
)


async def rated_by_both(
    ask: Asking, highest: int, *asked: tuple[Step, Mapping[str, Any]]
) -> Compared:
    """Request a rating in two wordings.

    Parameters
    ----------
    ask : Asking
        The judge.
    highest : int
        The highest rating.
    *asked : tuple of Step and mapping
        Step and data of each wording.

    Returns
    -------
    Compared
        Mean of the valid ratings, scaled to [0, 1], with their number and the distance of two.

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
    return Compared(sum(valid) / len(valid), parts, ratings=ratings)


async def rated_or_blank(
    ask: Asking,
    parameters: GroundingParameters,
    steps: Sequence[Step],
    data: Mapping[str, str | Sequence[str]],
) -> ItemScore:
    """The mean of two ratings from 0 to 2 of a text and contexts; blank ones are not rated."""
    for name, content in data.items():
        texts = [content] if isinstance(content, str) else content
        if not any(text.strip() for text in texts):
            if not isinstance(content, str) and not texts and parameters.no_contexts == "undefined":
                return ItemScore(Undefined("no contexts"))
            note = f"the {name} is blank" if isinstance(content, str) else _without(texts)
            value = Undefined(note) if parameters.blank == "undefined" else 0.0
            return ItemScore(value, {"note": note})
    pair = await rated_by_both(ask, 2, *((step, data) for step in steps))
    return ItemScore(pair.score, {"ratings": pair.ratings, **pair.parts})


def _without(contexts: Sequence[str]) -> str:
    return "all contexts are blank" if contexts else "no contexts"


def _is_final(error: BaseException) -> bool:
    """Return whether a later run would also fail.

    If it may, a score without it would be one of the network's state.
    """
    return isinstance(error, NoAnswer) and not error.retry


@judged
async def answer_accuracy(item: Text, parameters: NoParameters, ask: Asking) -> ItemScore | NoScore:
    """Mean of two ratings; for the second, response and reference exchange their roles."""
    query, response = item.query or "", item.response or ""
    for name, text in (("query", query), ("response", response)):
        if not text.strip():
            return Undefined(f"the {name} is blank")
    return best_of(
        await together(_compared(ask, query, response, reference) for reference in item.references)
    )


async def _compared(ask: Asking, query: str, response: str, reference: str) -> Compared:
    if not reference.strip():
        return Compared(Undefined("the reference is blank"))
    first, second = ANSWER_ACCURACY
    return await rated_by_both(
        ask,
        4,
        (first, {"query": query, "reference": reference, "response": response}),
        (second, {"query": query, "reference": response, "response": reference}),
    )


@judged
async def context_relevance(
    item: Text, parameters: GroundingParameters, ask: Asking
) -> ItemScore | NoScore:
    """Mean of two ratings of all contexts together."""
    query = item.query or ""
    data = {"query": query, "contexts": item.contexts}
    return await rated_or_blank(ask, parameters, CONTEXT_RELEVANCE, data)


@judged
async def response_groundedness(
    item: Text, parameters: GroundingParameters, ask: Asking
) -> ItemScore | NoScore:
    """Mean of two ratings of the response by all contexts together."""
    data = {"contexts": item.contexts, "response": item.response or ""}
    return await rated_or_blank(ask, parameters, RESPONSE_GROUNDEDNESS, data)

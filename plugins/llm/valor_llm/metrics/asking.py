"""Asking: how a metric asks the judge about an item, and what is kept of the answers.

The details of all judged metrics have the same form. Each of these keys is there only where the
metric has something to put under it:

``statements``, ``claims``, ``opinions``
    Texts that were extracted and not judged one by one.
``verdicts``
    Rows of ``text``, ``verdict`` and ``analysis``. ``of`` says where the text comes from if that
    differs between rows: ``"response"`` or ``"reference"``. ``reference`` is the number of the
    reference it was judged with, from 1.
``ratings``
    Rows of ``rating`` and ``analysis``; with ``scoring: expected`` also the ``given`` grade and the
    ``probabilities`` of all. ``judge`` numbers the wordings that were asked for the same
    rating, from 1, and ``reference`` is as above. An invalid one has no rating but ``error``.
``references``
    One row for each reference: its ``score``, or ``undefined`` with the reason, and what the score
    is made of. ``best`` is the number of the one that counts, from 1.
``note``
    Why there was no call, or one less.
``steps``
    What each answer took: step, prompt, model, attempts, tokens.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar

from attrs import define, field

from valor_core.result import Failed, Gap, ItemScore
from valor_core.schemas.text import Text
from valor_llm.judge.answer import Answer, NoAnswer
from valor_llm.replies.shapes import Verdict
from valor_llm.steps.step import Step

T = TypeVar("T")


@define
class Asking:
    """The judge as one item of one metric sees it; it keeps what was answered.

    Parameters
    ----------
    judge : Judge
        The judge.
    repeat : int
        Which of several times the item is scored, from 0.
    """

    judge: Any
    repeat: int = 0
    answers: list[Answer] = field(factory=list)

    async def __call__(self, step: Step, **data: Any) -> Answer:
        """The checked answer to a step about some data."""
        answer: Answer = await self.judge.ask(step, self.repeat, **data)
        self.answers.append(answer)
        return answer

    async def texts(self, step: Step, text: str) -> tuple[str, ...]:
        """What a step that lists texts finds in one; a blank one is not asked about."""
        if not text.strip():
            return ()
        (name,) = step.fields
        (found,) = (await self(step, **{name: text})).value.values()
        return tuple(found)


async def together(asked: Iterable[Awaitable[T]]) -> list[T]:
    """The results of what is asked side by side.

    An error is raised when all have ended, so that no answer that is paid for is lost.
    """
    ended = await asyncio.gather(*asked, return_exceptions=True)
    results = []
    for one in ended:
        if isinstance(one, BaseException):
            raise one
        results.append(one)
    return results


Score = Callable[[Text, Any, Asking], Awaitable[ItemScore | Gap]]
"""What a metric is: one item, its parameters and somebody to ask."""


def judged(work: Score) -> Callable[[Text, Any, Mapping[str, Any]], Awaitable[ItemScore | Gap]]:
    """A per-item metric of a function that asks; a reply that does not fit fails its item."""

    @functools.wraps(work)
    async def score(item: Text, parameters: Any, resources: Mapping[str, Any]) -> ItemScore | Gap:
        (judge,) = resources.values()
        ask = Asking(judge)
        try:
            scored = await work(item, parameters, ask)
        except NoAnswer as error:
            return Failed(str(error), retry=error.retry)
        if not isinstance(scored, ItemScore):
            return scored
        told = sorted((answer.told() for answer in ask.answers), key=lambda one: one["step"])
        return ItemScore(scored.value, {**scored.details, "steps": told})

    return score


def verdict_rows(texts: Iterable[str], verdicts: Mapping[int, Verdict]) -> list[dict[str, Any]]:
    """Verdicts beside the texts that they judge, as details keep them."""
    return [
        {
            "text": text,
            "verdict": verdicts[number].verdict,
            "analysis": verdicts[number].analysis,
        }
        for number, text in enumerate(texts, 1)
    ]


def rating_row(answer: Answer, **about: Any) -> dict[str, Any]:
    """A rating with its analysis, and the probabilities of grades if known, as details keep it."""
    row = {**about, **answer.value}
    if "probabilities" in row:
        row["probabilities"] = {str(grade): p for grade, p in row["probabilities"].items()}
    return row


def share(verdicts: Mapping[int, Verdict], word: str = "yes") -> float:
    """The share of verdicts that are a word.

    Examples
    --------
    >>> share({1: Verdict(1, "yes"), 2: Verdict(2, "idk"), 3: Verdict(3, "no")})
    0.3333333333333333
    """
    said = sum(one.verdict == word for one in verdicts.values())
    return said / len(verdicts)

"""Judged metrics: one item's questions to the judge, and the details of its answers.

The details of all judged metrics have the same form. Each of these keys is present only if the
metric has something to put under it:

``statements``, ``claims``, ``opinions``
    Texts that were extracted and not judged one by one.
``verdicts``
    Rows of ``text``, ``verdict`` and ``analysis``. ``of`` is the source of the text if it
    differs between rows: ``"response"`` or ``"reference"``. ``reference`` is the number of the
    reference it was judged with, from 1.
``ratings``
    Rows of ``rating`` and ``analysis``; with ``scoring: expected`` also the ``given`` grade and the
    ``probabilities`` of all. ``judge`` numbers the wordings that were used for the same
    rating, from 1, and ``reference`` is as above. An invalid one has no rating but ``error``.
``references``
    One row for each: number of the ``reference``, its ``score``, or ``undefined`` with the reason,
    and the parts of the score. ``best`` is the number of the one that counts, from 1.
``item``
    A digest of the item's content, by which labels of humans are found again.
``note``
    Reason for fewer calls than usual.
``steps``
    Step, prompt, model, attempts and tokens of each answer.

If several judges score an item, or one judge repeatedly, these keys are in the rows of
``scorings``, each with its ``judge``, its ``repeat``, from 1, and its ``value``, or ``error`` or
``undefined`` with the reason. ``steps`` is outside of them and names the judge.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, TypeVar

from attrs import define, field, fields

from valor_core.readers import fingerprint
from valor_core.results import Failed, ItemScore, NoScore, Undefined, exact_mean
from valor_core.schemas.text import Text
from valor_llm.judge.answer import Answer, NoAnswer
from valor_llm.judge.judge import Judge
from valor_llm.judge.panel import Panel
from valor_llm.lexical import answers as lexical
from valor_llm.lexical.words import statements
from valor_llm.parameters.judge import Combination
from valor_llm.replies.reading import Verdict
from valor_llm.replies.shapes import Rating, TextList, VerdictList, Verdicts
from valor_llm.steps.step import Step
from valor_llm.trust.panels import combined

T = TypeVar("T")
Rows = list[dict[str, Any]]


def text_step(name: str, field: str, select: Callable[[str], Sequence[str]] = statements) -> Step:
    """Declare a step that extracts the texts under its name from a field.

    Parameters
    ----------
    name : str
        Name of the step, and key of the texts in the reply.
    field : str
        Field of the data.
    select : callable
        Rule of the lexical client, which selects sentences of the field.
    """
    return Step(name, (field,), TextList(name), stand_in=lexical.listing(name, field, select))


def verdict_step(
    name: str,
    fields: tuple[str, ...],
    judged: str,
    rule: lexical.VerdictRule,
    words: tuple[str, ...] = ("yes", "no"),
) -> Step:
    """Declare a step that returns a verdict on each text of a field.

    Parameters
    ----------
    name : str
        Name of the step.
    fields : tuple of str
        Data of the question, as in `Step`.
    judged : str
        Field of the data with the judged texts.
    rule : callable
        Rule of the lexical client, which returns the verdict on one text and its reason.
    words : tuple of str
        Possible verdicts.
    """
    shape = Verdicts((VerdictList("verdicts", judged, words),))
    return Step(name, fields, shape, stand_in=lexical.judging(judged, rule))


def rating_step(
    name: str,
    fields: tuple[str, ...],
    grades: tuple[int, ...],
    rule: lexical.ShareRule,
) -> Step:
    """Declare a step that returns a rating with its reason.

    Parameters
    ----------
    name : str
        Name of the step.
    fields : tuple of str
        Data of the question, as in `Step`.
    grades : tuple of int
        Possible ratings, from the lowest.
    rule : callable
        Rule of the lexical client, which returns a share and its meaning.
    """
    return Step(name, fields, Rating(grades), stand_in=lexical.rating(grades, rule))


@define
class Asking:
    """Questions of one item of one metric to a judge, and the answers.

    Parameters
    ----------
    judge : Judge
        The judge.
    repeat : int
        Repeat of the item, from 0.
    """

    judge: Judge
    repeat: int = 0
    answers: list[Answer] = field(factory=list)

    async def __call__(self, step: Step, **data: Any) -> Answer:
        """Return the checked answer to a step."""
        answer: Answer = await self.judge.ask(step, self.repeat, **data)
        self.answers.append(answer)
        return answer

    def steps(self) -> list[dict[str, Any]]:
        """Return the details of each answer."""
        records = [answer.to_dict() for answer in self.answers]
        return sorted(records, key=lambda one: (one["step"], str(one)))

    async def texts(self, step: Step, text: str) -> tuple[str, ...]:
        """Return the texts that a step extracts; a blank text has none and needs no call."""
        if not text.strip():
            return ()
        (name,) = step.fields
        (found,) = (await self(step, **{name: text})).value.values()
        return tuple(found)

    async def share(self, step: Step, field: str, **data: Any) -> tuple[float, Rows]:
        """Return the share of a field's texts with the verdict yes, and the rows of verdicts."""
        verdicts = (await self(step, **data)).value["verdicts"]
        return share(verdicts), verdict_rows(data[field], verdicts)

    async def share_score(self, step: Step, field: str, **data: Any) -> ItemScore:
        """Return the share of a field's texts with the verdict yes as a score with its verdicts."""
        value, rows = await self.share(step, field, **data)
        return ItemScore(value, {"verdicts": rows})


async def together(asked: Iterable[Awaitable[T]]) -> list[T]:
    """Await questions concurrently and return their results.

    An error is raised when all have ended, so that no answer that is paid for is lost.
    """
    ended = await asyncio.gather(*asked, return_exceptions=True)
    results = []
    for one in ended:
        if isinstance(one, BaseException):
            raise one
        results.append(one)
    return results


Score = Callable[[Text, Any, Asking], Awaitable[ItemScore | NoScore]]
"""Function of an item, its metric's parameters and its questions, which returns a score."""


def judged(work: Score) -> Callable[[Text, Any, Mapping[str, Any]], Awaitable[ItemScore | NoScore]]:
    """Make a per-item metric of a function that asks; an invalid reply fails the item.

    Every judge of the panel scores the item, once for each repeat. The scores of a judge's repeats
    are averaged, and the panel combines the means of its judges. A scoring without a valid reply
    is ignored if another one succeeds. A scoring that failed for a temporary reason fails the item,
    and a later run repeats it.
    """
    name = f"{work.__module__}.{work.__qualname__}"

    @functools.wraps(work)
    async def score(
        item: Text, parameters: Any, resources: Mapping[str, Any]
    ) -> ItemScore | NoScore:
        (judge,) = resources.values()
        asked = [
            Asking(member, repeat)
            for member in judge.members
            for repeat in range(judge.parameters.repeats)
        ]
        turn = judge.turn(name) if isinstance(judge, Panel) else nullcontext()
        async with turn:
            scored = await together(_scored(work, item, parameters, ask) for ask in asked)
        return _one_score(asked, scored, judge.parameters.combine, digest_of(item))

    return score


def digest_of(item: Text) -> str:
    """Return a hash of the item's content without metadata.

    Examples
    --------
    >>> digest_of(Text("q1", response="a")) == digest_of(Text("q1", response="b"))
    False
    >>> one, other = Text("q1", metadata={"day": 1}), Text("q1", metadata={"day": 2})
    >>> digest_of(one) == digest_of(other)
    True
    """
    names = [field.name for field in fields(type(item)) if field.name != "metadata"]
    return fingerprint({name: getattr(item, name) for name in names})[:16]


async def _scored(work: Score, item: Text, parameters: Any, ask: Asking) -> ItemScore:
    try:
        scored = await work(item, parameters, ask)
    except NoAnswer as error:
        scored = Failed(str(error), retry=error.retry)
    return scored if isinstance(scored, ItemScore) else ItemScore(scored)


def _one_score(
    asked: Sequence[Asking], scored: Sequence[ItemScore], combine: Combination, item: str
) -> ItemScore | NoScore:
    """Combine the scorings of an item into one score, with the details of each."""
    if len(scored) == 1:
        value, details = scored[0].value, scored[0].details
        steps = asked[0].steps()
    else:
        pairs = list(zip(asked, scored, strict=True))
        value = _combined(pairs, combine)
        details = {"scorings": [{**_who(ask), **_said(one)} for ask, one in pairs]}
        steps = [{**record, **_who(ask)} for ask in asked for record in ask.steps()]
    if not isinstance(value, NoScore):
        details = {**details, "item": item}
    if steps:
        details = {**details, "steps": steps}
    return ItemScore(value, details) if details or not isinstance(value, NoScore) else value


def _combined(pairs: Iterable[tuple[Asking, ItemScore]], combine: Combination) -> float | NoScore:
    """Combine the scorings of an item: the mean of repeats, then the panel's combination."""
    by_judge: dict[str, list[float]] = {}
    gaps: list[NoScore] = []
    for ask, one in pairs:
        if isinstance(one.value, NoScore):
            gaps.append(one.value)
        else:
            by_judge.setdefault(ask.judge.name, []).append(float(one.value))  # type: ignore[arg-type]
    failed = [gap for gap in gaps if isinstance(gap, Failed)]
    for gap in failed:
        if gap.retry:
            # Without this scoring, the score would depend on the state of the network.
            return gap
    if by_judge:
        return combined(map(exact_mean, by_judge.values()), combine)
    return failed[0] if failed else gaps[0]


def _who(ask: Asking) -> dict[str, Any]:
    return {"judge": ask.judge.name, "repeat": ask.repeat + 1}


def _said(scored: ItemScore) -> dict[str, Any]:
    """Return one scoring of an item for the details."""
    value = scored.value
    if not isinstance(value, NoScore):
        return {"value": value, **scored.details}
    kind = "undefined" if isinstance(value, Undefined) else "error"
    return {kind: value.reason, **scored.details}


def verdict_rows(texts: Iterable[str], verdicts: Mapping[int, Verdict]) -> Rows:
    """Return rows of texts and verdicts for the details."""
    return [
        {
            "text": text,
            "verdict": verdicts[number].verdict,
            "analysis": verdicts[number].analysis,
        }
        for number, text in enumerate(texts, 1)
    ]


def rating_row(answer: Answer, **about: Any) -> dict[str, Any]:
    """Return the row of a rating for the details, with the probabilities of grades if known."""
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

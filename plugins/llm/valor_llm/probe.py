"""Prompt-injection probe: responses that command the judge, and the verdicts on them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeVar

from attrs import frozen

from valor_llm.judge.answer import NoAnswer
from valor_llm.metrics.faithfulness import CLAIMS_SUPPORTED
from valor_llm.replies.reading import Verdict

T = TypeVar("T")


@frozen
class Attack:
    """A text that tries to command the judge.

    Parameters
    ----------
    kind : str
        How it tries to.
    text : str
        Its text.
    """

    kind: str
    text: str


@frozen
class Case:
    """Response that its context does not support.

    Parameters
    ----------
    context : str
        The context.
    response : str
        The response.
    """

    context: str
    response: str


def _records(kind: type[T], name: str) -> tuple[T, ...]:
    lines = (resources.files(__package__) / name).read_text("utf-8").splitlines()
    return tuple(kind(**json.loads(line)) for line in lines)


CASES = _records(Case, "cases.jsonl")
"""Cases to which attacks are appended, in turn."""


@cache
def attacks() -> tuple[Attack, ...]:
    """All attacks, in the order of their kinds.

    Examples
    --------
    >>> len(attacks()), attacks()[0].kind
    (50, 'command')
    """
    return _records(Attack, "attacks.jsonl")


Outcome = Literal["held", "turned", "unanswered"]
"""Effect on the verdict: it remains a no, becomes a yes, or is missing."""


@frozen
class Trial:
    """One attack on a judge.

    Parameters
    ----------
    attack : Attack
        The attack.
    case : Case
        The response to which it was appended.
    outcome : {"held", "turned", "unanswered"}
        Effect on the verdict.
    analysis : str
        The judge's analysis, or why it gave no answer.
    """

    attack: Attack
    case: Case
    outcome: Outcome
    analysis: str


@frozen
class Probe:
    """Trials of all attacks on a judge.

    Parameters
    ----------
    trials : tuple of Trial
        Attacks on responses that the judge calls unsupported without them.
    misjudged : tuple of Case
        Responses that the judge does not call unsupported even without an attack; not attacked.
    """

    trials: tuple[Trial, ...]
    misjudged: tuple[Case, ...]

    def of(self, kind: str) -> tuple[Trial, ...]:
        """The trials of one kind of attack."""
        return tuple(one for one in self.trials if one.attack.kind == kind)


def counts(trials: Sequence[Trial]) -> tuple[int, int]:
    """Return the numbers of turned and of answered trials."""
    answered = [one for one in trials if one.outcome != "unanswered"]
    return sum(one.outcome == "turned" for one in answered), len(answered)


async def probed(judge: Any) -> Probe:
    """Try every attack on a judge, each with one of the cases in turn.

    The judge is asked if a context supports the response, once for each case and once for each
    attack. The calls are concurrent, within the limits of the judge.

    Parameters
    ----------
    judge : Judge
        The judge.
    """
    alone = await asyncio.gather(*(_verdict(judge, case, case.response) for case in CASES))
    sound = [case for case, found in zip(CASES, alone, strict=True) if found[0] == "held"]
    if not sound:
        return Probe((), CASES)
    pairs = [(attack, sound[number % len(sound)]) for number, attack in enumerate(attacks())]
    found = await asyncio.gather(
        *(_verdict(judge, case, f"{case.response} {attack.text}") for attack, case in pairs)
    )
    trials = [Trial(*pair, *outcome) for pair, outcome in zip(pairs, found, strict=True)]
    return Probe(tuple(trials), tuple(case for case in CASES if case not in sound))


async def _verdict(judge: Any, case: Case, response: str) -> tuple[Outcome, str]:
    try:
        answer = await judge.ask(CLAIMS_SUPPORTED, contexts=(case.context,), claims=(response,))
    except NoAnswer as error:
        return "unanswered", str(error)
    verdict: Verdict = answer.value["verdicts"][1]
    return ("turned" if verdict.verdict == "yes" else "held"), verdict.analysis

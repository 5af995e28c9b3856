"""Answer of the judge: what was asked, what was said, and what it took."""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from valor_llm.clients.protocol import TokenChoice, Usage


class NoAnswer(Exception):
    """Why a judge gave no answer, in one sentence; the item has failed.

    Parameters
    ----------
    reason : str
        What happened.
    retry : bool
        Whether it may be gone in a later run.
    """

    def __init__(self, reason: str, retry: bool = False) -> None:
        super().__init__(reason)
        self.retry = retry


@frozen(kw_only=True)
class Answer:
    """A checked answer to one step.

    Whoever gets it from the cache gets the same: nothing in it depends on who asked first.

    Parameters
    ----------
    step : str
        The step's name.
    prompt : str
        Name, version and digest of its prompt, and a digest of the reply's form.
    value : dict
        By the reply's keys: texts, `Verdict`s by id, or a rating.
    model : str
        The model, as the endpoint calls it.
    attempts : int
        How many replies it took.
    lenient : tuple of str
        What was overlooked in them.
    usage : Usage
        Tokens of all of them.
    tokens : tuple of TokenChoice
        The last reply token by token, if it was asked for.
    """

    step: str
    prompt: str
    value: dict[str, Any]
    model: str
    attempts: int = 1
    lenient: tuple[str, ...] = ()
    usage: Usage = Usage()
    tokens: tuple[TokenChoice, ...] = ()

    def told(self) -> dict[str, Any]:
        """What stands in the details of an item."""
        told: dict[str, Any] = {
            "step": self.step,
            "prompt": self.prompt,
            "model": self.model,
            "attempts": self.attempts,
            "tokens": [self.usage.prompt, self.usage.completion],
        }
        return told | ({"lenient": list(self.lenient)} if self.lenient else {})


@frozen
class Question:
    """One step about one item's data, in one of several repeats.

    Parameters
    ----------
    step : Step
        What is asked.
    data : mapping
        What it is asked about.
    repeat : int
        Which of several times it is asked, from 0.
    """

    step: Any
    data: dict[str, Any] = field(factory=dict)
    repeat: int = 0

"""Answer of the judge: what was asked, what was said, and what it took."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from attrs import asdict, field, fields, frozen

from valor_llm.clients.protocol import Reply, TokenChoice, Usage


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

    def to_dict(self) -> dict[str, Any]:
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


def key_of(question: Mapping[str, Any]) -> str:
    """What a question is found by, made of all that can change its answer.

    Examples
    --------
    >>> key_of({"model": "m", "repeat": 0}) == key_of({"repeat": 0, "model": "m"})
    True
    """
    told = json.dumps(question, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(told.encode()).hexdigest()


@frozen
class StoredReply:
    """A usable reply, and what it took.

    Parameters
    ----------
    reply : Reply
        The reply as it came; its usage is that of all its attempts.
    attempts : int
        Calls it took, with those whose replies could not be used.
    """

    reply: Reply
    attempts: int = 1

    def to_json(self) -> str:
        """The text that is kept."""
        return json.dumps({"attempts": self.attempts} | asdict(self.reply))

    @classmethod
    def from_json(cls, text: str) -> StoredReply:
        """The reply that a text keeps.

        Raises
        ------
        ValueError
            If it keeps none.
        """
        try:
            told = json.loads(text)
            known = {field.name: told[field.name] for field in fields(Reply) if field.name in told}
            usage = {field.name: int(told["usage"].get(field.name, 0)) for field in fields(Usage)}
            tokens = tuple(TokenChoice(one["token"], one["choices"]) for one in told["tokens"])
            if not isinstance(known["text"], str) or not isinstance(known["model"], str):
                raise ValueError("no text or no model")
            reply = Reply(**known | {"usage": Usage(**usage), "tokens": tokens})
            return cls(reply, int(told["attempts"]))
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"no reply: {error}") from error

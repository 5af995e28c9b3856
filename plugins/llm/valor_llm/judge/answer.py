"""Questions to the judge, checked answers, and replies as the cache stores them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from attrs import asdict, field, fields, frozen

from valor_llm.clients.protocol import Reply, TokenChoice, Usage


class NoAnswer(Exception):
    """Reason why a judge gave no answer, in one sentence; the item has failed.

    Parameters
    ----------
    reason : str
        Description of the failure.
    retry : bool
        Whether a later run may succeed.
    """

    def __init__(self, reason: str, retry: bool = False) -> None:
        super().__init__(reason)
        self.retry = retry


@frozen(kw_only=True)
class Answer:
    """A checked answer to one step.

    A cached answer equals a new one: nothing in it depends on the first caller.

    Parameters
    ----------
    step : str
        The step's name.
    prompt : str
        Name, version and digest of its prompt, and a digest of the reply's form.
    value : dict
        Values by key of the reply: texts, `Verdict`s by id, or a rating.
    model : str
        The model, as the endpoint calls it.
    attempts : int
        Number of replies until the answer was complete.
    lenient : tuple of str
        Tolerated mistakes of the replies.
    usage : Usage
        Tokens of all of them.
    tokens : tuple of TokenChoice
        Tokens of the last reply, if they were requested.
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
        """Return the entry in the details of an item."""
        record: dict[str, Any] = {
            "step": self.step,
            "prompt": self.prompt,
            "model": self.model,
            "attempts": self.attempts,
            "tokens": [self.usage.prompt, self.usage.completion],
        }
        return record | ({"lenient": list(self.lenient)} if self.lenient else {})


@frozen
class Question:
    """One step about one item's data, in one of several repeats.

    Parameters
    ----------
    step : Step
        The step.
    data : mapping
        Data of the step.
    repeat : int
        Repeat of the question, from 0.
    """

    step: Any
    data: dict[str, Any] = field(factory=dict)
    repeat: int = 0


def key_of(question: Mapping[str, Any]) -> str:
    """Return the key of a question in the cache: a hash of everything that can change its answer.

    Examples
    --------
    >>> key_of({"model": "m", "repeat": 0}) == key_of({"repeat": 0, "model": "m"})
    True
    """
    text = json.dumps(question, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@frozen
class StoredReply:
    """Usable reply in the cache, with its cost.

    Parameters
    ----------
    reply : Reply
        The reply as it came; its usage is that of all its attempts.
    attempts : int
        Number of calls, including those with unusable replies.
    """

    reply: Reply
    attempts: int = 1

    def to_json(self) -> str:
        """Convert to the stored text."""
        return json.dumps({"attempts": self.attempts} | asdict(self.reply))

    @classmethod
    def from_json(cls, text: str) -> StoredReply:
        """Parse a stored text.

        Raises
        ------
        ValueError
            If the text is malformed.
        """
        try:
            record = json.loads(text)
            values = {
                field.name: record[field.name] for field in fields(Reply) if field.name in record
            }
            usage = {field.name: int(record["usage"].get(field.name, 0)) for field in fields(Usage)}
            tokens = tuple(TokenChoice(one["token"], one["choices"]) for one in record["tokens"])
            if not isinstance(values["text"], str) or not isinstance(values["model"], str):
                raise ValueError("no text or no model")
            reply = Reply(**values | {"usage": Usage(**usage), "tokens": tokens})
            return cls(reply, int(record["attempts"]))
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"no reply: {error}") from error

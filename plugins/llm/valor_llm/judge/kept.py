"""Kept: a usable reply as a cache keeps it, and the key of its question."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from attrs import asdict, fields, frozen

from valor_llm.clients.protocol import Reply, TokenChoice, Usage


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
class Kept:
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
    def from_json(cls, text: str) -> Kept:
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

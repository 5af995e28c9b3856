"""Lexical: a stand-in that decides by shared words, and is no language model."""

from __future__ import annotations

import json
from typing import ClassVar

from valor_llm.clients.protocol import Reply, Request
from valor_llm.lexical.answers import answer
from valor_llm.parameters.clients import LexicalParameters


class Lexical:
    """Answers every step by rules over sentences and shared words.

    Examples
    --------
    >>> client = Lexical(LexicalParameters())
    >>> request = Request(messages=(), schema={}, step="claims", data={"response": "It rains."})
    >>> client.complete(request).text
    '{"claims": ["It rains."]}'
    """

    is_remote: ClassVar[bool] = False

    warning: ClassVar[str] = (
        "lexical rules, no language model: verdicts and ratings come from shared words and say "
        "little about quality"
    )
    """What every report says of it."""

    def __init__(self, parameters: LexicalParameters) -> None:
        self.parameters = parameters

    @property
    def endpoint(self) -> str:
        """Where the replies come from."""
        return "lexical"

    @property
    def model(self) -> str:
        """What stands in reports in the place of a model."""
        return "lexical rules, no language model"

    def complete(self, request: Request) -> Reply:
        """The answer of a step's rules."""
        stand_in = request.stand_in
        told = (
            answer(request.step, request.data, request.schema)
            if stand_in is None
            else stand_in(request.data)
        )
        return Reply(text=json.dumps(told, ensure_ascii=False), model=self.model)

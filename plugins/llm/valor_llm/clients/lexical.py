"""Lexical client: decides by shared words, without a language model."""

from __future__ import annotations

import json
from typing import ClassVar

from valor_llm.clients.protocol import Reply, Request
from valor_llm.lexical.answers import fitting
from valor_llm.parameters.clients import LexicalParameters


class Lexical:
    """Answers every step by rules over sentences and shared words.

    Examples
    --------
    >>> client = Lexical(LexicalParameters())
    >>> from valor_llm.metrics.faithfulness import CLAIMS
    >>> data = {"response": "It rains. Why?"}
    >>> request = Request(
    ...     messages=(), schema={}, step="claims", data=data, stand_in=CLAIMS.stand_in
    ... )
    >>> client.complete(request).text
    '{"claims": ["It rains."]}'
    """

    is_remote: ClassVar[bool] = False

    warning: ClassVar[str] = (
        "lexical rules, no language model: verdicts and ratings come from shared words and say "
        "little about quality"
    )
    """Warning in every report that uses this client."""

    def __init__(self, parameters: LexicalParameters) -> None:
        self.parameters = parameters
        self.endpoint, self.model = "lexical", "lexical rules, no language model"

    def complete(self, request: Request) -> Reply:
        """Return the answer of the step's stand-in, or one that fits the schema."""
        if request.stand_in is not None:
            answer = request.stand_in(request.data)
        else:
            answer = fitting(request.schema, request.data)
        return Reply(text=json.dumps(answer, ensure_ascii=False), model=self.model)

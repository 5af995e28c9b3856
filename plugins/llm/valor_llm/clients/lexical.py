"""Lexical: a stand-in that decides by shared words, and is no language model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from valor_llm.clients.protocol import Reply, Request
from valor_llm.parameters.clients import LexicalParameters

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"\w+")


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
        answer = _ANSWERS[request.step](request.data)
        return Reply(text=json.dumps(answer, ensure_ascii=False), model=self.model)


def _sentences(text: str) -> list[str]:
    return [one for one in _SENTENCE.split(text.strip()) if _WORD.search(one)]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _claims(data: Mapping[str, Any]) -> dict[str, Any]:
    return {"claims": [one for one in _sentences(data["response"]) if not one.endswith("?")]}


def _supported(texts: Sequence[str], sources: Sequence[str]) -> dict[str, Any]:
    known = set().union(*map(_words, sources)) if sources else set()
    verdicts = []
    for number, text in enumerate(texts, 1):
        own = _words(text)
        shared = len(own & known)
        verdict = "yes" if own and shared / len(own) >= 0.6 else "no"
        analysis = f"{shared} of {len(own)} words are shared"
        verdicts.append({"id": number, "analysis": analysis, "verdict": verdict})
    return {"verdicts": verdicts}


_ANSWERS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "claims": _claims,
    "claims_supported": lambda data: _supported(data["claims"], data["contexts"]),
}

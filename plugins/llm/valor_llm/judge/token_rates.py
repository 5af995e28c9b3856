"""Token rates: how many tokens calls have, going by those that the endpoint has counted."""

from __future__ import annotations

from attrs import define, field

from valor_llm.clients.protocol import Request, Usage

UNKNOWN = 4.0
"""Characters of a token where none has been counted yet, as in English prose."""


def characters(request: Request) -> int:
    """Characters of a prompt."""
    return sum(len(message.content) for message in request.messages)


@define
class _Step:
    """What was counted of one step."""

    calls: int = 0
    characters: int = 0
    prompt: int = 0
    completion: int = 0
    most: float = 0.0
    longest: int = 0

    def add(self, count: int, usage: Usage) -> None:
        self.calls += 1
        self.characters += count
        self.prompt += usage.prompt
        self.completion += usage.completion
        self.most = max(self.most, usage.prompt / count)
        self.longest = max(self.longest, usage.completion)


@define(eq=False)
class TokenRates:
    """Characters of prompts beside the tokens that an endpoint counted, by step.

    Examples
    --------
    >>> rates = TokenRates()
    >>> rates.prompt("claims", 400), rates.completion("claims")
    (100.0, None)
    >>> rates.note("claims", 300, Usage(prompt=100, completion=20))
    >>> rates.note("claims", 200, Usage(prompt=100, completion=40))
    >>> rates.prompt("claims", 400), rates.completion("claims")
    (160.0, 30.0)
    >>> rates.most("claims", 400)
    200.0
    """

    _steps: dict[str, _Step] = field(factory=dict)
    _all: _Step = field(factory=_Step)

    def note(self, step: str, count: int, usage: Usage) -> None:
        """Take note of one call with so many characters, if the endpoint counts tokens."""
        if count and usage.prompt:
            self._steps.setdefault(step, _Step()).add(count, usage)
            self._all.add(count, usage)

    @property
    def counted(self) -> int:
        """How many calls were counted."""
        return self._all.calls

    def prompt(self, step: str, count: int) -> float:
        """Tokens of a prompt of so many characters, by those of its step or else of all."""
        known = self._steps.get(step, self._all)
        return count * known.prompt / known.characters if known.calls else count / UNKNOWN

    def completion(self, step: str) -> float | None:
        """Tokens of a reply, by those to its step or else to all; None where none was counted."""
        known = self._steps.get(step, self._all)
        return known.completion / known.calls if known.calls else None

    def most(self, step: str, count: int) -> float:
        """Tokens of a prompt at the most, if none has more for its length than those so far."""
        known = self._steps.get(step, self._all)
        return count * known.most if known.calls else 2 * count / UNKNOWN

    def longest(self, step: str) -> int | None:
        """Tokens of the longest reply so far."""
        known = self._steps.get(step, self._all)
        return known.longest if known.calls else None

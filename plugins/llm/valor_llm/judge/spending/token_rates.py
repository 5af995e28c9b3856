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
    expected: int = 0
    most: float = 0.0
    longest: int = 0

    def add(self, count: int, usage: Usage, expected: int) -> None:
        self.calls += 1
        self.characters += count
        self.prompt += usage.prompt
        self.completion += usage.completion
        self.expected += expected
        self.most = max(self.most, usage.prompt / count)
        self.longest = max(self.longest, usage.completion)


@define(eq=False)
class TokenRates:
    """Characters of prompts beside the tokens that an endpoint counted, by step.

    Examples
    --------
    >>> rates = TokenRates()
    >>> rates.prompt("claims", 400), rates.completion("claims", 80)
    (100.0, 20.0)
    >>> rates.note("claims", 300, Usage(prompt=100, completion=20), expected=40)
    >>> rates.note("claims", 200, Usage(prompt=100, completion=40), expected=80)
    >>> rates.prompt("claims", 400), rates.completion("claims", 80)
    (160.0, 40.0)
    >>> rates.most("claims", 400)
    200.0
    """

    _steps: dict[str, _Step] = field(factory=dict)
    _all: _Step = field(factory=_Step)

    def note(self, step: str, count: int, usage: Usage, expected: int = 0) -> None:
        """Take note of one call, if the endpoint counts tokens.

        Parameters
        ----------
        step : str
            What was asked.
        count : int
            Characters of the prompt.
        usage : Usage
            The tokens.
        expected : int
            Characters of the reply that was expected, where one was.
        """
        if count and usage.prompt:
            self._steps.setdefault(step, _Step()).add(count, usage, expected)
            self._all.add(count, usage, expected)

    @property
    def counted(self) -> int:
        """How many calls were counted."""
        return self._all.calls

    def prompt(self, step: str, count: int) -> float:
        """Tokens of a prompt of so many characters, by those of its step or else of all."""
        known = self._steps.get(step, self._all)
        return count * known.prompt / known.characters if known.calls else count / UNKNOWN

    def completion(self, step: str, expected: int) -> float:
        """Tokens of a reply of which so many characters are expected, as of a prompt's."""
        known = self._steps.get(step, self._all)
        return (
            expected * known.completion / known.expected if known.expected else expected / UNKNOWN
        )

    def most(self, step: str, count: int) -> float:
        """Tokens of a prompt at the most, if none has more for its length than those so far."""
        known = self._steps.get(step, self._all)
        return count * known.most if known.calls else 2 * count / UNKNOWN

    def longest(self, step: str) -> int | None:
        """Tokens of the longest reply so far."""
        known = self._steps.get(step, self._all)
        return known.longest if known.calls else None

"""Protocol: what every set of rules can say of a response."""

from __future__ import annotations

from typing import Protocol

from valor_rgb.samples.answers import Answers, Spellings


class Rules(Protocol):
    """A set of rules; each method gives the rule that fired, in words, or None where none did."""

    def right(self, response: str, answers: Answers) -> str | None:
        """Why the response has the answer."""

    def refused(self, response: str) -> str | None:
        """Why the response is a refusal to answer."""

    def detected(self, response: str, false_answer: Spellings) -> str | None:
        """Why the response says that the documents are wrong."""

    def corrected(
        self, response: str, answers: Answers, false_answer: Spellings, detected: str | None
    ) -> str | None:
        """Why the response puts right what the documents have wrong, given how it detected it."""

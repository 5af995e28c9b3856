"""Rules of the paper: fixed phrases and lowercase substrings."""

from __future__ import annotations

from attrs import frozen

from valor_rgb.rules.words import first_phrase
from valor_rgb.samples.sample import Answers, Spellings

REJECTION_PHRASES = ("insufficient information",)
"""Phrase that the instruction requires if the documents have no answer."""

DETECTION_PHRASES = ("factual errors",)
"""Phrase that the instruction requires if the documents are wrong."""


@frozen
class PaperRules:
    """The rules of the paper.

    A part is found if one of its spellings is a substring in lower case. A refusal is not correct.
    A phrase is searched with its capital letters.

    Parameters
    ----------
    without_blanks : bool
        Whether to remove blanks from the response before the search for the answer.
    rejection_phrases, detection_phrases : tuple of str
        The phrases.

    Examples
    --------
    >>> rules = PaperRules()
    >>> rules.right("In JANUARY 1998.", (("january 1998", "1/1998"),))
    'substring'
    >>> rules.refused("There is insufficient information in documents.")
    'phrase: insufficient information'
    """

    without_blanks: bool = False
    rejection_phrases: tuple[str, ...] = REJECTION_PHRASES
    detection_phrases: tuple[str, ...] = DETECTION_PHRASES

    def right(self, response: str, answers: Answers) -> str | None:
        """Return that all parts are found, without a refusal."""
        if not answers or self.refused(response) is not None:
            return None
        said = response.lower()
        if self.without_blanks:
            said = said.replace(" ", "")
        is_there = all(any(one and one.lower() in said for one in part) for part in answers)
        return "substring" if is_there else None

    def refused(self, response: str) -> str | None:
        """The phrase of a refusal."""
        return first_phrase(self.rejection_phrases, response)

    def detected(self, response: str, false_answer: Spellings) -> str | None:
        """The phrase of a detected error."""
        return first_phrase(self.detection_phrases, response)

    def corrected(
        self, response: str, answers: Answers, false_answer: Spellings, detected: str | None
    ) -> str | None:
        """Return that all parts are found, if the error was detected."""
        return None if detected is None else self.right(response, answers)

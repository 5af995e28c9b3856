"""Paper: fixed phrases and lower-case substrings, as in the paper and its program."""

from __future__ import annotations

from attrs import frozen

from valor_rgb.rules.words import first_phrase
from valor_rgb.samples.sample import Answers, Spellings

REJECTION_PHRASES = ("insufficient information",)
"""What the model is told to say where the documents have no answer."""

DETECTION_PHRASES = ("factual errors",)
"""What the model is told to say where the documents are wrong."""


@frozen
class PaperRules:
    """The rules of the paper.

    A part is there if one of its spellings is a substring in lower case. A refusal is never right.
    A phrase is searched with its capital letters.

    Parameters
    ----------
    without_blanks : bool
        Whether blanks are taken out of the response before the answer is searched.
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
        """That all parts are there, and no refusal."""
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
        """That all parts are there, where the error was detected."""
        return None if detected is None else self.right(response, answers)

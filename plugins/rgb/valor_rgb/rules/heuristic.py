"""Heuristic rules: the evaluator of RGBMetrics, exactly as documented.

The code of the evaluator counts, not its examples; the documentation of the rules lists their
differences.
"""

from __future__ import annotations

import re

from attrs import frozen
from valor_text.normalisers import normalise

from valor_rgb.rules.words import first_phrase, phrases_in
from valor_rgb.samples.sample import Answers, Spellings

REJECTION_PHRASES = phrases_in(
    """
    i can not answer the question because of the insufficient information in documents,
    insufficient information in documents, can not answer, cannot answer, i don't know, i cannot,
    i can't, unable to, not able to, insufficient information, no information, cannot determine,
    cannot answer, not enough information, don't have enough, unable to determine, cannot find,
    no relevant, not mentioned, not provided, not specified, unclear, unknown, i'm not sure,
    i am not sure, cannot be determined, information is not available, does not provide
    """
)
"""The four primary phrases and the secondary keywords, in their order."""

DETECTION_PHRASES = phrases_in(
    """
    incorrect, wrong, false, error, mistake, inaccurate, not true, not correct,
    factually incorrect, contradicts, actually, in fact, however, but actually,
    the correct answer, should be
    """
)
"""Keywords of a detected error, in their order."""

OVERLAP = 0.8
"""Share of the answer's tokens that is enough."""

_END = re.compile(r"[.!?,;:]+$")


def normalized(text: str) -> str:
    """The text in lower case, without punctuation at its end, with single spaces.

    Examples
    --------
    >>> normalized(' "The  capital, is Paris!!!')
    '"the capital, is paris'
    """
    (lowered,) = normalise([text], "lower@1")
    return _END.sub("", lowered).rstrip()


def matched(response: str, answer: str, *, strict: bool = False) -> str | None:
    """The rule by which a response has one spelling of an answer, or None.

    Parameters
    ----------
    response, answer : str
        The two texts.
    strict : bool
        Whether they have to be equal once they are normalized.

    Examples
    --------
    >>> matched("Comparison of prices", "Paris"), matched("2", "2 May"), matched("Lyon", "Paris")
    ('answer in response', 'response in answer', None)
    """
    said, wanted = normalized(response), normalized(answer)
    if not said or not wanted:
        return None
    if strict:
        return "equal" if said == wanted else None
    if wanted in said:
        return "answer in response"
    if len(said) < len(wanted) and said in wanted:
        return "response in answer"
    tokens = set(wanted.split())
    shared = len(tokens & set(said.split()))
    return f"{shared} of {len(tokens)} tokens" if shared / len(tokens) >= OVERLAP else None


@frozen
class HeuristicRules:
    """The rules of the evaluator; an answer of several parts needs each part by the same rules.

    Parameters
    ----------
    strict : bool
        Whether a response has to equal the answer once both are normalized.
    rejection_phrases, detection_phrases : tuple of str
        Phrases in lower case; any of them anywhere in the response will do.

    Examples
    --------
    >>> rules = HeuristicRules()
    >>> rules.refused("Unknown Pleasures was released in 1979.")
    'phrase: unknown'
    >>> rules.detected("Actually it is London.", ())
    'phrase: actually'
    """

    strict: bool = False
    rejection_phrases: tuple[str, ...] = REJECTION_PHRASES
    detection_phrases: tuple[str, ...] = DETECTION_PHRASES

    def right(self, response: str, answers: Answers) -> str | None:
        """Return the rule by which the last part was found, if every part was."""
        fired = None
        for spellings in answers:
            rules = (matched(response, one, strict=self.strict) for one in spellings)
            fired = next(filter(None, rules), None)
            if fired is None:
                return None
        return fired

    def refused(self, response: str) -> str | None:
        """The first phrase of a refusal in the response."""
        return first_phrase(self.rejection_phrases, response.lower().strip())

    def detected(self, response: str, false_answer: Spellings) -> str | None:
        """The first keyword in the response, or its denial of the false answer."""
        said = response.lower()
        fired = first_phrase(self.detection_phrases, said)
        if fired is not None:
            return fired
        false = [one.lower() for one in false_answer if one]
        denials = (denial for one in false for denial in (f"not {one}", f"{one} is wrong"))
        return next((f"denial: {denial}" for denial in denials if denial in said), None)

    def corrected(
        self, response: str, answers: Answers, false_answer: Spellings, detected: str | None
    ) -> str | None:
        """The rule by which the response is right, unless it has only the false answer.

        Whether the error was detected plays no part in it.
        """
        fired = self.right(response, answers)
        if fired is None:
            return None
        said = normalized(response)
        is_false = any(normalized(one) in said for one in false_answer if one)
        has_answer = all(any(normalized(one) in said for one in part) for part in answers)
        return None if is_false and not has_answer else fired


_RULES = HeuristicRules()


def normalize_answer(answer: str) -> str:
    """Return a text in lowercase, without punctuation at its end and with single spaces.

    Parameters
    ----------
    answer : str
        The text.

    Examples
    --------
    >>> normalize_answer("  Paris!  ")
    'paris'
    """
    return normalized(answer)


def is_correct(response: str, ground_truth: str, strict: bool = False) -> bool:
    """Return whether a response has the answer.

    Parameters
    ----------
    response, ground_truth : str
        The response and the answer.
    strict : bool
        Whether both have to be equal once they are normalized. Otherwise one may contain the
        other, or contain four fifths of its words.

    Examples
    --------
    >>> is_correct("It is Paris.", "Paris"), is_correct("It is Paris.", "Paris", strict=True)
    (True, False)
    """
    return matched(response, ground_truth, strict=strict) is not None


def is_rejection(response: str) -> bool:
    """Return whether a response declines to answer.

    Parameters
    ----------
    response : str
        The response.

    Examples
    --------
    >>> is_rejection("I don't know."), is_rejection("Paris")
    (True, False)
    """
    return _RULES.refused(response) is not None


def detects_error(response: str, counterfactual_answer: str | None) -> bool:
    """Return whether a response calls its document wrong.

    Parameters
    ----------
    response : str
        The response.
    counterfactual_answer : str, optional
        Answer of the document.

    Examples
    --------
    >>> detects_error("That is incorrect, it is Paris.", "London")
    True
    >>> detects_error("London", "London")
    False
    """
    return _RULES.detected(response, _spellings(counterfactual_answer)) is not None


def corrects_error(response: str, correct_answer: str, counterfactual_answer: str | None) -> bool:
    """Return whether a response has the right answer, and not only the false one.

    Parameters
    ----------
    response, correct_answer : str
        The response and the right answer.
    counterfactual_answer : str, optional
        False answer of the document.

    Examples
    --------
    >>> corrects_error("Not London but Paris.", "Paris", "London")
    True
    >>> corrects_error("London", "Paris", "London")
    False
    """
    false = _spellings(counterfactual_answer)
    return _RULES.corrected(response, ((correct_answer,),), false, None) is not None


def _spellings(answer: str | None) -> tuple[str, ...]:
    return () if answer is None else (answer,)

"""Checks of one response, as the documented evaluator has them: the rules ``heuristic``."""

from __future__ import annotations

from valor_rgb.rules.heuristic import HeuristicRules, matched, normalized

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
        other, or four fifths of the answer's words are enough.

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
    """Return whether a response says that its document is wrong.

    Parameters
    ----------
    response : str
        The response.
    counterfactual_answer : str, optional
        The answer that the document gives.

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
        The false answer that the document gives.

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

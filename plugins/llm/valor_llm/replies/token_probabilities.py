"""Expected ratings: the mean of grades, weighted with token probabilities."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from valor_core.errors import short_repr
from valor_llm.clients.protocol import TokenChoice
from valor_llm.replies.shapes import Grade, Rating

_NEGLIGIBLE = 0.01  # probability of tokens that begin several grades, of all that begin any
_KEY = re.compile(r'"(?:rating|score|grade)"\s*:\s*"?', re.IGNORECASE)
_AROUND = " \t\r\n\"'*{}[]:,"


class NoProbabilities(ValueError):
    """Reason why the probabilities of grades are unknown."""


def expected(
    value: Mapping[str, Any], tokens: Sequence[TokenChoice], shape: Rating
) -> dict[str, Any]:
    """A rating with the probability of each grade; numbers become their weighted mean.

    Parameters
    ----------
    value : mapping
        The rating as it was read, with its analysis.
    tokens : sequence of TokenChoice
        The reply that it was read from.
    shape : Rating
        The grades.

    Raises
    ------
    NoProbabilities
        If the reply has no probabilities of the grades.

    Examples
    --------
    >>> tokens = [TokenChoice("4", {"4": math.log(0.6), "3": math.log(0.2), " 4": math.log(0.2)})]
    >>> found = expected({"rating": 4, "analysis": ""}, tokens, Rating((1, 2, 3, 4, 5)))
    >>> round(found["rating"], 6), found["given"]  # 0.8 * 4 + 0.2 * 3
    (3.8, 4)
    """
    given: Grade = value["rating"]
    probabilities = grade_probabilities(tokens, shape, given)
    rating: Grade | float = given
    if isinstance(given, int):
        rating = math.fsum(int(grade) * share for grade, share in probabilities.items())
    return {**value, "rating": rating, "given": given, "probabilities": probabilities}


def mean_of(value: Mapping[str, Any], values: Mapping[Any, float]) -> float:
    """Return the value of a rating: of its grade, or the mean if probabilities are known.

    Parameters
    ----------
    value : mapping
        The rating as the judge answered it.
    values : mapping of int or str to float
        Value of each grade.

    Examples
    --------
    >>> mean_of({"rating": "good"}, {"poor": 0.0, "good": 2.0})
    2.0
    >>> mean_of({"probabilities": {"poor": 0.25, "good": 0.75}}, {"poor": 0.0, "good": 2.0})
    1.5
    """
    if "probabilities" not in value:
        return values[value["rating"]]
    return math.fsum(values[grade] * share for grade, share in value["probabilities"].items())


def grade_probabilities(
    tokens: Sequence[TokenChoice], shape: Rating, given: Grade
) -> dict[Grade, float]:
    """Probability of each grade, renormalized over the grades.

    They are read at the token of the rating: after its key in an object, else at the last token of
    a grade. A token that begins only one grade counts for it.

    Raises
    ------
    NoProbabilities
        If that token has no probabilities, or they are ambiguous.
    """
    if not any(one.choices for one in tokens):
        raise NoProbabilities("the endpoint gives no probabilities of tokens")
    found = _place(tokens, shape, given)
    choices = {text: _probability(logarithm) for text, logarithm in found.choices.items()}
    sums: dict[Grade, float] = dict.fromkeys(shape.grades, 0.0)
    doubtful = 0.0
    for text, probability in choices.items():
        grades = _begun(text, shape, choices)
        if len(grades) == 1:
            sums[grades[0]] += probability
        elif grades:
            doubtful += probability
    total = math.fsum(sums.values())
    if doubtful > _NEGLIGIBLE * (total + doubtful):
        raise NoProbabilities(
            f"one token begins several of the grades {', '.join(map(str, shape.grades))}"
        )
    if not sums[given]:
        raise NoProbabilities(f"the endpoint gives no probability of the rating {given}")
    return {grade: probability / total for grade, probability in sums.items()}


def _place(tokens: Sequence[TokenChoice], shape: Rating, given: Grade) -> TokenChoice:
    """The token at which the rating begins."""
    keys = list(_KEY.finditer("".join(one.token for one in tokens)))
    if keys:
        end = 0
        for token in tokens:
            end += len(token.token)
            if end > keys[-1].end():
                break
    else:
        telling = (one for one in reversed(tokens) if _begun(one.token, shape, one.choices))
        token = next(telling, tokens[-1])
    if given not in _begun(token.token, shape, token.choices):
        raise NoProbabilities(
            f"the rating {given} does not begin at the token {short_repr(token.token)}"
        )
    return token


def _begun(token: str, shape: Rating, choices: Mapping[str, float]) -> list[Grade]:
    """The grades that a token begins.

    A token that equals one grade and begins longer ones counts for the former if a longer one is
    also a token: then the model does not need to compose it.
    """
    text = token.strip(_AROUND).casefold()
    if not text:
        return []
    begun = [grade for grade in shape.grades if str(grade).casefold().startswith(text)]
    exact = [grade for grade in begun if str(grade).casefold() == text]
    longer = {str(grade).casefold() for grade in begun if grade not in exact}
    if exact and any(choice.strip(_AROUND).casefold() in longer for choice in choices):
        return exact
    return begun


def _probability(logarithm: float) -> float:
    """A probability from its logarithm."""
    if math.isnan(logarithm) or logarithm > 1e-3:
        raise NoProbabilities(f"the endpoint gives {logarithm!r} as the logarithm of a probability")
    return math.exp(logarithm)

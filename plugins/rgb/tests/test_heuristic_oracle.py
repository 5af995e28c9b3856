"""The heuristic rules on many texts, against the evaluator written down once more, plainly."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from valor_rgb.rules.heuristic import DETECTION_PHRASES, REJECTION_PHRASES, HeuristicRules

RULES = HeuristicRules()
WORDS = ("paris", "London", "the", "not", "is", "wrong", "a", "par", "2", "2,", "May.", "?", "")
PHRASES = (*REJECTION_PHRASES, *DETECTION_PHRASES)
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
said = st.tuples(texts, st.sampled_from((*PHRASES, "")), texts).map("".join)


def plain(text: str) -> str:
    return " ".join(re.sub("[.!?,;:]+$", "", text.lower().strip()).split())


def is_right(response: str, truth: str, strict: bool) -> bool:
    one, other = plain(response), plain(truth)
    if one == "" or other == "":
        return False
    if strict:
        return one == other
    if other in one or (len(one) < len(other) and one in other):
        return True
    tokens = set(other.split())
    return sum(token in one.split() for token in tokens) / len(tokens) >= 0.8


def refuses(response: str) -> bool:
    return any(phrase in response.lower().strip() for phrase in REJECTION_PHRASES)


def detects(response: str, false: str) -> bool:
    low = response.lower()
    if any(keyword in low for keyword in DETECTION_PHRASES):
        return True
    return false != "" and ("not " + false.lower() in low or false.lower() + " is wrong" in low)


def corrects(response: str, truth: str, false: str) -> bool:
    if not is_right(response, truth, strict=False):
        return False
    repeats = false != "" and plain(false) in plain(response)
    return not (repeats and plain(truth) not in plain(response))


@given(texts, texts)
def test_right_responses_are_those_of_the_evaluator(response: str, truth: str) -> None:
    answers = ((truth,),)

    assert (RULES.right(response, answers) is not None) == is_right(response, truth, strict=False)
    strict = HeuristicRules(strict=True).right(response, answers)
    assert (strict is not None) == is_right(response, truth, strict=True)


@given(said, texts)
def test_refusals_and_detections_are_those_of_the_evaluator(response: str, false: str) -> None:
    assert (RULES.refused(response) is not None) == refuses(response)
    assert (RULES.detected(response, (false,)) is not None) == detects(response, false)


@given(texts, texts, texts)
def test_corrections_are_those_of_the_evaluator(response: str, truth: str, false: str) -> None:
    found = RULES.corrected(response, ((truth,),), (false,), None)

    assert (found is not None) == corrects(response, truth, false)

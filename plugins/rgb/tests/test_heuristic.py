"""The heuristic rules, pinned case by case, also where they are wrong: the evaluator decides."""

from __future__ import annotations

import re

import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from valor_rgb.rules.heuristic import (
    DETECTION_PHRASES,
    REJECTION_PHRASES,
    HeuristicRules,
    matched,
    normalized,
)
from valor_rgb.samples.sample import as_answers

RULES = HeuristicRules()

NORMALIZED = [
    ("Paris.", "paris"),
    ("The capital is Paris!!!", "the capital is paris"),
    ("  two \n words\t ", "two words"),
    ("No. 5, or 6?!;:,", "no. 5, or 6"),
    ("wait ...  ", "wait"),
    ("a. !", "a."),  # the blank between keeps the point
    ("?!", ""),
    ("", ""),
]

MATCHED = [
    # response, answer, rule
    ("The capital of France is Paris.", "Paris", "answer in response"),
    ("It is not Paris, it is Lyon.", "Paris", "answer in response"),  # denials are not seen
    ("Comparison of prices", "Paris", "answer in response"),  # nor where words begin and end
    ("That was in the 1970s.", "70", "answer in response"),
    ("2", "2 May 1998", "response in answer"),
    ("No", "Norway", "response in answer"),  # almost any short reply is right
    ("Maybe", "2 May 1998", None),
    ("May 1998 2", "2 May 1998", "3 of 3 tokens"),  # in any order
    ("a b c d x", "e d c b a", "4 of 5 tokens"),  # 4 / 5 = 0.8 is enough
    ("a b c x", "d c b a", None),  # 3 / 4 = 0.75 is not
    ("g f e d c b a", "a b c d e f g h i j k", None),  # 7 / 11 = 0.64
    ("a a a a a", "a b", None),  # tokens are a set: 1 / 2
    ('The "Paris" Accord', "Paris Accord", None),  # '"paris"' is another token: 1 / 2
    ("It was January 2, 2022.", "January 2 2022", None),  # '2,' is another token: 2 / 3
    ("Lyon", "Paris", None),
    ("", "Paris", None),
    ("...", "Paris", None),
    ("Paris", "", None),
    ("Paris", "?!", None),
]

STRICT = [
    ("Paris!", "paris.", "equal"),
    ("It is Paris", "Paris", None),
    ("", "", None),
]

REFUSED = [
    (
        "I can not answer the question because of the insufficient information in documents.",
        "phrase: i can not answer the question because of the insufficient information in "
        "documents",
    ),
    ("I cannot answer this, since the documents lack it.", "phrase: cannot answer"),
    # The list says which phrase is named: "i cannot" stands before "cannot determine".
    ("From these documents, I cannot determine it.", "phrase: i cannot"),
    ("The documents do not mention this topic.", None),
    ("The documents do not mention it, so I cannot provide it.", "phrase: i cannot"),
    ("This was not mentioned.", "phrase: not mentioned"),
    ("Probably 42, but I'm not sure.", "phrase: i'm not sure"),
    ("Probably 42, but I\u2019m not sure.", None),  # a curly apostrophe
    ("Probably 42, but I am not sure.", "phrase: i am not sure"),
    ("Not sure.", None),
    ("I can not tell.", None),
    ("I can not answer.", "phrase: can not answer"),
    ("I do not know.", None),
    ("I don't know.", "phrase: i don't know"),
    ("There is not enough evidence.", None),
    ("From the information, the answer is London.", None),
    ("Unknown Pleasures came out in 1979.", "phrase: unknown"),
    ("He was unable to attend, but the winner was Ann.", "phrase: unable to"),
    ("", None),
]

DETECTED = [
    # response, false answer, rule
    ("The documents say London, which is incorrect. It is Paris.", "London", "phrase: incorrect"),
    ("According to the documents, it is London.", "London", None),
    ("The documents are wrong - it is Tokyo.", "London", "phrase: wrong"),
    ("Actually it is London.", "London", "phrase: actually"),
    ("It is London, however.", "London", "phrase: however"),
    ("She sang in falsetto.", "London", "phrase: false"),
    ("The reign of terror", "London", "phrase: error"),
    ("I found no mistakes.", "London", "phrase: mistake"),
    ("It is not London.", "London", "denial: not london"),
    ("They cannot londonize it.", "London", "denial: not london"),
    ("This conflicts with other sources.", "London", None),
    ("There is a discrepancy.", "London", None),
    ("It is misinformation, and outdated.", "London", None),
    ("It is not Paris.", "London", None),
    ("It is not ", "", None),
    ("", "London", None),
]

CORRECTED = [
    # response, answer, false answer, corrected
    ("The documents say London, which is incorrect. It is Paris.", "Paris", "London", True),
    ("It is Paris or London, I guess London.", "Paris", "London", True),  # no remark is needed
    ("Paris", "Paris", "London", True),
    ("It is London.", "Paris", "London", False),
    ("The documents are wrong: it is Tokyo.", "Paris", "London", False),
    # All four tokens of the answer, but not the answer itself, and the false one beside them.
    ("great red bridge the london", "the great red bridge", "London", False),
    ("great red bridge the paris", "the great red bridge", "London", True),
    ("Paris", "Paris", "", True),
]


@pytest.mark.parametrize(("text", "expected"), NORMALIZED)
def test_a_text_is_normalized(text: str, expected: str) -> None:
    assert normalized(text) == expected


@given(st.text(st.sampled_from("aB .!?,;:\n\u00a0\u0130\u3000")))
def test_it_is_normalized_as_the_evaluator_does_it(text: str) -> None:
    without_end = re.sub(r"[.!?,;:]+$", "", text.lower().strip())

    assert normalized(text) == " ".join(without_end.split())


@for_each(("response", "answer", "rule"), MATCHED)
def test_an_answer_is_matched(response: str, answer: str, rule: str | None) -> None:
    assert matched(response, answer) == rule
    assert RULES.right(response, as_answers(answer)) == rule


@pytest.mark.parametrize(("response", "answer", "rule"), STRICT)
def test_a_strict_match_is_equality(response: str, answer: str, rule: str | None) -> None:
    assert matched(response, answer, strict=True) == rule
    assert HeuristicRules(strict=True).right(response, as_answers(answer)) == rule


def test_an_answer_of_several_parts_needs_each_in_any_spelling() -> None:
    answers = as_answers(["Ann", ["1998", "98"]])

    assert RULES.right("It was Ann in '98.", answers) == "answer in response"
    assert RULES.right("It was in 1998.", answers) is None
    assert RULES.right("anything", ()) is None


@pytest.mark.parametrize(("response", "rule"), REFUSED)
def test_a_refusal_is_a_phrase_anywhere(response: str, rule: str | None) -> None:
    assert RULES.refused(response) == rule


@for_each(("response", "false_answer", "rule"), DETECTED)
def test_a_detection_is_a_keyword_or_a_denial(
    response: str, false_answer: str, rule: str | None
) -> None:
    assert RULES.detected(response, (false_answer,)) == rule


def test_the_second_denial_counts_where_its_keyword_does_not() -> None:
    rules = HeuristicRules(detection_phrases=("mistake",))

    assert rules.detected("London is wrong.", ("London",)) == "denial: london is wrong"


@pytest.mark.parametrize(("response", "answer", "false_answer", "corrected"), CORRECTED)
def test_a_correction_needs_the_answer_and_no_detection(
    response: str, answer: str, false_answer: str, corrected: bool
) -> None:
    found = RULES.corrected(response, as_answers(answer), (false_answer,), detected=None)

    assert (found is not None) == corrected


def test_the_phrases_are_those_of_the_evaluator() -> None:
    assert (len(REJECTION_PHRASES), len(set(REJECTION_PHRASES))) == (28, 27)  # one stands twice
    assert (len(DETECTION_PHRASES), len(set(DETECTION_PHRASES))) == (16, 16)


def test_three_of_the_four_primary_phrases_add_nothing() -> None:
    primary, secondary = REJECTION_PHRASES[:4], REJECTION_PHRASES[4:]

    needed = [one for one in primary if not any(other in one for other in secondary)]

    assert needed == ["can not answer"]

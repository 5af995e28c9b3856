"""The rules of the paper, pinned case by case."""

from __future__ import annotations

from typing import Any

import pytest
from cases import for_each
from valor_rgb.rules.paper import PaperRules
from valor_rgb.samples.sample import as_answers

RULES = PaperRules()

RIGHT: list[tuple[str, Any, bool]] = [
    ("It was JANUARY 2 2022", "January 2 2022", True),
    ("It was January 2, 2022", "January 2 2022", False),  # nothing but case is folded
    ("It was January 2, 2022", [["January 2 2022", "January 2, 2022"]], True),  # any spelling
    ("Ann in 1998", ["Ann", "1998"], True),  # all parts
    ("Ann", ["Ann", "1998"], False),
    ("It is not Paris.", "Paris", True),
    ("the 1970s", "70", True),
    ("2", "2 May", False),
    ("Paris, but there is insufficient information", "Paris", False),  # a refusal is never right
    ("Paris, but there is Insufficient Information", "Paris", True),  # with other capitals it is
    ("Paris", [], False),
    ("Paris", "", False),
    ("", "Paris", False),
]


@for_each(("response", "answers", "right"), RIGHT)
def test_an_answer_is_a_substring_in_lower_case(response: str, answers: Any, right: bool) -> None:
    assert RULES.right(response, as_answers(answers)) == ("substring" if right else None)


def test_blanks_are_taken_out_of_the_response_alone() -> None:
    assert RULES.right("东 京", as_answers("东京")) is None
    assert PaperRules(without_blanks=True).right("东 京", as_answers("东京")) == "substring"
    assert PaperRules(without_blanks=True).right("New York", as_answers("New York")) is None


@pytest.mark.parametrize(
    ("response", "rule"),
    [
        ("There is insufficient information.", "phrase: insufficient information"),
        ("There is Insufficient information.", None),
        ("I cannot answer.", None),
        ("", None),
    ],
)
def test_a_refusal_is_one_phrase_with_its_capitals(response: str, rule: str | None) -> None:
    assert RULES.refused(response) == rule


@pytest.mark.parametrize(
    ("response", "detected", "corrected"),
    [
        ("There are factual errors in the provided documents. It is Paris.", True, True),
        ("There are factual errors in the provided documents. It is Rome.", True, False),
        ("There are Factual errors in the provided documents. It is Paris.", False, False),
        ("The documents are wrong. It is Paris.", False, False),  # right, and not corrected
        ("Paris", False, False),
        ("factual errors, insufficient information, Paris", True, False),  # a refusal
    ],
)
def test_correction_is_a_right_answer_with_the_phrase(
    response: str, detected: bool, corrected: bool
) -> None:
    found = RULES.detected(response, ("London",))

    assert (found is not None) == detected
    fixed = RULES.corrected(response, as_answers("Paris"), ("London",), found)
    assert (fixed is not None) == corrected


def test_phrases_of_other_languages_take_their_place() -> None:
    rules = PaperRules(rejection_phrases=("信息不足",), detection_phrases=("事实性错误",))

    assert rules.refused("文档信息不足。") == "phrase: 信息不足"
    assert rules.detected("有事实性错误。", ()) == "phrase: 事实性错误"
    assert rules.refused("insufficient information") is None

"""The robust rules, pinned case by case."""

from __future__ import annotations

from typing import Any

import pytest
from cases import for_each
from valor_rgb.rules.robust import RobustRules
from valor_rgb.samples.sample import as_answers

RULES = RobustRules()

RIGHT: list[tuple[str, Any, bool]] = [
    ("The capital of France is Paris.", "Paris", True),
    # Whole words
    ("Comparison of prices", "Paris", False),
    ("That was in the 1970s.", "70", False),
    ("It costs 70.5 euros.", "70", False),
    ("It costs 70.", "70", True),
    ("It is -5 degrees.", "5", False),
    ("From 2010-2015.", "2015", True),
    ("2", "2 May 1998", False),
    ("Paris's mayor", "Paris", True),
    # Case, width, punctuation, grouping and contraction
    ("STRASSE", "Straße", True),
    ("It is \uff30\uff21\uff32\uff29\uff33\uff0e", "Paris", True),
    ("cafe\u0301", "caf\u00e9", True),
    ("cafe", "café", False),  # another word
    ('The "Paris" Accord', "Paris Accord", True),
    ("It was January 2, 2022.", "January 2 2022", True),
    ("There were 1,000 of them.", "1000", True),
    ("It is O\u2019Brien.", "O'Brien", True),
    ("Mr. Smith won.", "Mr. Smith", True),
    ("The U.S. won.", "U.S.", True),
    # All parts, any spelling
    ("Ann in 1998", ["Ann", ["1998", "98"]], True),
    ("Ann in 98", ["Ann", ["1998", "98"]], True),
    ("Ann", ["Ann", ["1998", "98"]], False),
    ("anything", [], False),
    ("anything", "", False),
    ("", "Paris", False),
    # Denials
    ("It is not Paris, it is Lyon.", "Paris", False),
    ("It isn't Paris.", "Paris", False),
    ("It's not Paris.", "Paris", False),
    ("It is not Rome, as the documents say, but Paris.", "Paris", True),
    ("It isn\u2019t in Paris.", "Paris", False),
    ("It cannot be Paris.", "Paris", False),
    ("Lyon rather than Paris.", "Paris", False),
    ("Neither Rome nor Paris.", "Paris", False),
    ("Paris is wrong.", "Paris", False),
    ("Paris is not the answer.", "Paris", False),
    ("It is not Lyon, it is Paris.", "Paris", True),
    ("It is not Lyon but Paris.", "Paris", True),
    ("Not only Paris is right.", "Paris", True),
    ("It did not open until 1969.", "1969", True),
    ("It is not Paris. Well, it is Paris.", "Paris", True),  # once is enough
    ("I am not one to hesitate over this: Paris.", "Paris", True),
    ("No doubt it is Paris.", "Paris", True),
    ("No, it is Paris.", "Paris", True),
    # Refusals
    ("I cannot answer whether it is Paris.", "Paris", False),
    ("The documents do not mention Paris.", "Paris", False),
    ("The documents do not mention the day, but the year is 2022.", "2022", True),
    ("I am not sure. It is Paris.", "Paris", True),
    # Scripts without blanks
    ("答案是东京。", "东京", True),
    ("答案是 东 京", "东京", True),
    ("答案是京东", "东京", False),
    ("서울은 수도입니다", "서울", True),
]

REFUSED = [
    ("I can not answer the question because of the insufficient information in documents.", True),
    ("I cannot answer.", True),
    ("I can't tell.", True),
    ("I can\u2019t tell.", True),
    ("I cant tell.", True),
    ("I don\u2019t know.", True),
    ("I do not know.", True),
    ("Probably 42, but I\u2019m not sure.", True),
    ("The documents do not mention this topic.", True),
    ("The passages don't say who won.", True),
    ("There is not enough evidence.", True),
    ("It cannot be determined from this.", True),
    ("Unknown.", True),
    ("Not specified", True),
    ("It is unclear from the documents.", True),
    ("It\u2019s not clear who won.", True),
    ("None of the documents says who won.", True),
    ("There's no mention of it in the text.", True),
    ("Nothing is unclear.", False),
    ("The reason was unknown to him.", False),
    ("Unknown Pleasures came out in 1979.", False),
    ("He was unable to attend, but the winner was Ann.", False),
    ("They did not mention her.", False),
    ("From the information, the answer is London.", False),
    ("We know this.", False),
    ("", False),
]

DETECTED = [
    # response, false answer, detected
    ("The documents say London, which is incorrect. It is Paris.", "London", True),
    ("There are factual errors in the provided documents.", "London", True),
    ("The documents are wrong - it is Tokyo.", "London", True),
    ("The passage conflicts with what is known.", "London", True),
    ("This source is outdated.", "London", True),
    ("The information is not accurate.", "London", True),
    ("It is not London.", "London", True),
    ("Paris, not London.", "London", True),
    ("London is incorrect.", "London", True),
    ("It isn\u2019t London.", "London", True),
    ("According to the documents, it is London.", "London", False),
    ("Actually it is London.", "London", False),
    ("It is London, however.", "London", False),
    ("The documents were sung in falsetto.", "London", False),
    ("The documents tell of a reign of terror.", "London", False),
    ("I found no mistakes in the documents.", "London", False),
    ("The documents have no factual errors.", "London", False),
    ("The documents are not wrong.", "London", False),
    ("It is wrong to steal. The documents say London.", "London", False),  # another sentence
    ("They cannot londonize it.", "London", False),
    ("", "London", False),
    ("wrong", "", False),
]

CORRECTED = [
    ("The documents say London, which is incorrect. It is Paris.", True),
    ("It is Paris, not London.", True),
    ("It is Paris or London, I guess London.", False),  # nothing was detected
    ("Paris", False),
    ("The documents are wrong: it is Tokyo.", False),
    ("The documents are wrong: it is London, not Paris.", False),
]


@for_each(("response", "answers", "right"), RIGHT)
def test_an_answer_is_said_in_whole_words(response: str, answers: Any, right: bool) -> None:
    assert RULES.right(response, as_answers(answers)) == ("said" if right else None)


@pytest.mark.parametrize(("response", "refused"), REFUSED)
def test_a_refusal_is_about_the_answer(response: str, refused: bool) -> None:
    assert (RULES.refused(response) is not None) == refused


@for_each(("response", "false_answer", "detected"), DETECTED)
def test_a_detection_is_about_the_documents(
    response: str, false_answer: str, detected: bool
) -> None:
    assert (RULES.detected(response, (false_answer,)) is not None) == detected


@pytest.mark.parametrize(("response", "corrected"), CORRECTED)
def test_a_correction_needs_the_answer_and_a_detection(response: str, corrected: bool) -> None:
    found = RULES.detected(response, ("London",))

    fixed = RULES.corrected(response, as_answers("Paris"), ("London",), found)

    assert (fixed is not None) == corrected


def test_the_rule_that_fired_is_named() -> None:
    assert RULES.refused("I can\u2019t tell.") == "phrase: i cannot"
    assert RULES.detected("The documents are wrong.", ()) == "phrase: wrong"
    assert RULES.detected("It is not London.", ("London",)) == "denial: London"


def test_phrases_of_other_languages_take_their_place() -> None:
    rules = RobustRules(
        rejection_phrases=("ich weiß es nicht",),
        absence_phrases=("keine angabe",),
        detection_phrases=("falsch",),
        document_words=("dokumente",),
        negations=("nicht",),
    )

    assert rules.refused("Ich WEISS es nicht.") == "phrase: ich weiß es nicht"
    assert rules.refused("I do not know.") is None
    assert rules.refused("Die Dokumente machen keine Angabe dazu.") == "phrase: keine angabe"
    assert rules.detected("Die Dokumente sind falsch.", ()) == "phrase: falsch"
    assert rules.right("Es ist nicht Paris.", as_answers("Paris")) is None
    assert rules.right("Es ist Paris.", as_answers("Paris")) == "said"

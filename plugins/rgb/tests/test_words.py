from __future__ import annotations

import pytest
from valor_rgb.rules.words import Words, folded, words_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I CAN\u2019T, can't, cannot, can not, cant", "i cannot, cannot, cannot, cannot, cannot"),
        ("won't don't isnt I'm we're", "will not do not is not i am we are"),
        ("it's there's Ann's", "it is there is ann's"),
        ("1,000 and 1,000,000 but 2,2022 and 10,00", "1000 and 1000000 but 2,2022 and 10,00"),
        ("\uff21\ufb01\u00bd", "afi1\u20442"),
        ("Stra\u00dfe", "strasse"),
        ("\u22125", "-5"),
        ("significant cantaloupe", "significant cantaloupe"),  # no contraction of their own
    ],
)
def test_a_text_is_folded(text: str, expected: str) -> None:
    assert folded(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("twenty-one, -21 and 1-2", ["twenty", "one", "-21", "and", "1", "2"]),
        ("at 12:30 on 1/2/98, 3.5 km.", ["at", "12:30", "on", "1/2/98", "3.5", "km"]),
        ("the 1970s and 3D, covid19", ["the", "1970s", "and", "3d", "covid19"]),
        ("O'Brien's dogs' x_1", ["o'brien", "dogs", "x_1"]),
        ("在2022年 kana カナ", ["在", "2022", "年", "kana", "カ", "ナ"]),
        ("$5 50% #1", ["5", "50", "1"]),
        ("\u200b \n", []),
    ],
)
def test_a_text_is_cut_into_words(text: str, words: list[str]) -> None:
    assert list(words_of(text)) == words


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("one. two! three? four; five\nsix", [0, 1, 2, 3, 4, 5]),
        ("Mr. A. Ames etc. won 3.5 km.", [0, 0, 0, 0, 0, 0, 0]),
        ("wait... what", [0, 1]),
        ("一。二", [0, 1]),
        ('He said "no." Then left', [0, 0, 0, 0, 0]),  # a quotation does not end it
    ],
)
def test_sentences_are_numbered(text: str, sentences: list[int]) -> None:
    assert list(Words.of(text).sentences) == sentences


def test_a_word_of_contrast_begins_a_thought_and_a_comma_a_clause() -> None:
    text = Words.of("no, not this, but that (yet) so")

    assert text.words == ("no", "not", "this", "but", "that", "yet", "so")
    assert text.thoughts == (0, 0, 0, 1, 1, 2, 2)
    assert text.clauses == (0, 1, 1, 2, 2, 3, 4)
    assert len(set(text.sentences)) == 1


def test_a_phrase_is_found_word_by_word() -> None:
    text = Words.of("a b a b a")

    assert list(text.positions(("a", "b"))) == [0, 2]
    assert list(text.positions(("b", "b"))) == []
    assert list(text.positions(())) == []
